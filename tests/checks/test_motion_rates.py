import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from sim.checks import check
from sim.checks.motion_rates import beyond_trapezoid, beyond_turning
from sim.motion import JointMotion, PointMotion
from sim.robots import load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.loop_robots import FourBar
from tests.helpers.short_runs import arm, both, short_run, spoiled, with_settings
from tests.helpers.small_robots import geared

BY_VELOCITY, BY_ACCELERATION = "position from velocity", "velocity from acceleration"
NAMES = (BY_VELOCITY, BY_ACCELERATION)


def judged(recording):
    return {one.channel: one for one in check(recording) if one.name in NAMES}


def failed(recording):
    return sorted(channel for channel, one in judged(recording).items() if not one.ok)


def spiked(k, by):
    def change(values):
        values[k] += by
        return values

    return change


def moving(motion, robot=None, duration=0.2, dt=1e-3, method="ideal"):
    return run(Scenario(robot or arm(), motion, duration, dt=dt), method=method)


# --- the rule, against closed forms ---------------------------------------------------------------

T = np.linspace(0.0, 1.0, 101)  # s
H = T[1]


def test_the_rule_is_exact_for_a_rate_that_is_straight():
    assert beyond_trapezoid(T, 3 * T + T**2, 3 + 2 * T).max() < 1e-15


def test_a_rate_with_a_constant_error_is_off_by_that_times_the_step():
    beyond = beyond_trapezoid(T, T**2, 2 * T + 0.01)
    np.testing.assert_allclose(beyond, 0.01 * H, rtol=0, atol=1e-15)


def test_allowed_is_the_step_times_the_second_difference_of_the_rate():
    """∫ t² over a step misses h³/6 by the rule; the second difference of t² is 2 h²."""
    beyond = beyond_trapezoid(T, T**3 / 3 + 3 * H**2 * T, T**2)
    np.testing.assert_allclose(beyond, 3 * H**3 - H**3 / 6 - 2 * H**3, rtol=0, atol=1e-15)


@pytest.mark.parametrize("at", [0, 1, 2, 50, 98, 99, 100])
def test_a_curve_that_turns_over_at_a_sample_has_no_second_difference_there(at):
    where = T - T[at]
    assert beyond_trapezoid(T, where**4 / 4, where**3).max() < 1e-15


WAVES = st.lists(
    st.tuples(st.floats(0.1, 2.0), st.floats(0.0, 2 * np.pi / 3 / H), st.floats(0.0, 6.3)),
    min_size=1,
    max_size=1,
)


@given(WAVES)
def test_every_wave_of_three_samples_a_period_is_within_the_rule(waves):
    values = sum(a * np.sin(w * T + phase) for a, w, phase in waves)
    rate = sum(a * w * np.cos(w * T + phase) for a, w, phase in waves)
    assert beyond_trapezoid(T, values, rate).max() < 1e-13


def test_a_wave_of_two_samples_a_period_is_not_shown_by_its_samples():
    w = np.pi / H
    assert beyond_trapezoid(T, np.cos(w * T), -w * np.sin(w * T)).max() > 1.9


def tumbling(a, b, t=T):
    """Rotation vectors and angular velocity in its own axes of Rz(a(t)) Rx(b(t))."""
    spin, nod = Rotation.from_rotvec(np.outer(b(t), [1, 0, 0])), np.outer(a(t), [0, 0, 1])
    da, db = ((of(t + 1e-30j).imag / 1e-30) for of in (a, b))
    w = spin.inv().apply(np.outer(da, [0, 0, 1])) + np.outer(db, [1, 0, 0])
    return (Rotation.from_rotvec(nod) * spin).as_rotvec().T, w.T


@given(st.floats(-40, 40), st.floats(-40, 40), st.floats(0, 20), st.floats(0, 20))
def test_a_ball_that_tumbles_is_within_the_rule(a, b, c, d):
    """Its vectors are those of at most half a turn, which jump as it goes round."""
    q, w = tumbling(lambda t: a * t + np.sin(c * t), lambda t: b * t + np.sin(d * t))
    assert beyond_turning(T, q, w).max() < 1e-13


def test_a_ball_about_an_axis_that_stands_still_may_go_round_between_two_samples():
    axis = np.array([[0.48], [-0.6], [0.64]])
    turn = 700 * T + T**2
    q = Rotation.from_rotvec((axis * turn).T).as_rotvec().T
    assert beyond_turning(T, q, axis * (700 + 2 * T)).max() < 1e-12


def test_a_ball_whose_axis_turns_evenly_is_within_the_rule():
    """Its velocity is straight and has no second difference; the axis turns it by h³ ω × ω'/12."""

    def of(t):
        return np.array([3 + 0 * t, 30 * t, -9 * t])

    def rate(t, Q):
        length = np.linalg.norm(of(t))  # SciPy's quaternions are of length one
        return 0.5 * length * (Rotation.from_quat(Q) * Rotation.from_quat([*of(t), 0])).as_quat()

    Q = solve_ivp(rate, (0, 1), [0, 0, 0, 1], "DOP853", T, rtol=1e-13, atol=1e-13).y
    beyond = beyond_turning(T, Rotation.from_quat(Q.T).as_rotvec().T, of(T))
    assert beyond.max() < 1e-12  # rad; 7e-6 without


def test_a_ball_whose_velocity_is_off_is_beyond_the_rule_by_that():
    q, w = tumbling(lambda t: 2 + 0.5 * t, lambda t: 3 * t)
    beyond = beyond_turning(T, q, w + np.array([[0.5], [0], [0]]))
    np.testing.assert_allclose(np.linalg.norm(beyond, axis=0), 0.5 * H, rtol=0.2)
    for wrong in (np.nan, 1e200):
        unknown = beyond_turning(T, q, np.where(T == 0.5, wrong, w))
        assert np.flatnonzero(np.isnan(unknown).any(axis=0)).tolist() == [49, 50]


# --- runs that are sound --------------------------------------------------------------------------

WHOLE = {"x": "0.5+0.1*SIN(3*time)", "y": 0.2, "z": 0.4, "b1": "180d", "b2": 0, "b3": 0}
BENT = (0.1, -1.2, 1.4, -1.7, -1.5, 0.2)  # rad; the UR10 far from its singular poses
# Steps between which a drive is not smooth. A staircase at the samples has no second difference.
DRIVES = {
    "smooth": JointMotion.displacement({"elbow": "0.3*SIN(9*time)"}),
    "STEP between samples": JointMotion.displacement(
        {"elbow": "STEP(time, 0.01234, 0, 0.15678, 1)"}
    ),
    "staircase at the samples": JointMotion.acceleration({"elbow": "AINT(time*1000)"}),
    "pulse within a step": JointMotion.acceleration(
        {"elbow": "IF(time-0.0502: 0, 500, IF(time-0.0507: 500, 0, 0))"}
    ),
    "corner in the position": JointMotion.displacement({"elbow": "ABS(time-0.1)"}),
    "points": JointMotion.velocity({"elbow": (0, 1, 0.5, 2, 1.9)}, times=(0, 0.05, 0.1, 0.15, 0.2)),
    "constant": JointMotion.velocity({"shoulder": 2.0}),
    "at rest": JointMotion.displacement({}),
}


@pytest.mark.parametrize("method", ["ideal", "stepped"])
@pytest.mark.parametrize("motion", DRIVES.values(), ids=DRIVES)
def test_every_drive_moves_as_its_rates_say(motion, method):
    found = judged(moving(motion, method=method))
    assert sorted(found) == ["q.elbow", "q.shoulder", "qd.elbow", "qd.shoulder"]
    assert all(one.ok for one in found.values())
    assert max(one.worst / one.limit for one in found.values()) < 1e-3


@pytest.mark.parametrize("name", ["staircase at the samples", "pulse within a step"])
def test_without_its_corners_such_a_run_would_fail(name):
    sound = moving(DRIVES[name])
    assert sound.run.settings.corners
    assert failed(with_settings(sound, corners=(), bends=())) == ["qd.elbow"]


def test_a_smooth_drive_has_no_corner_that_would_excuse_a_sample():
    """Only the torque on a free joint stops a solver in the middles of its steps."""
    text, robot = "0.02*TANH(20*SIN(40*time))", arm()
    sound = moving(JointMotion.displacement({"elbow": text}), duration=2.0, method="stepped")
    assert (sound.run.settings.corners, sound.run.settings.bends) == ((), ())
    k, qdd = 236, sound.analytic["qdd.elbow"].to_numpy()  # at the third step of the drive
    wrong = spoiled(sound, "qdd.elbow", qdd[k - 1] - qdd[k], k)
    assert ("acceleration", "qdd.elbow") in {(x.name, x.plot) for x in check(wrong) if not x.ok}
    assert JointMotion.displacement({"elbow": text}).on(robot, 2.0).stops.size == 0
    pushed = JointMotion.torque({"elbow": text}).on(robot, 2.0)
    assert pushed.stops == pytest.approx(np.pi / 40 * np.arange(26))
    assert pushed.corners.size == 0


@pytest.mark.parametrize("components", ["xyz", tuple(WHOLE)], ids=["three", "six"])
def test_a_path_of_the_tool_is_as_near_as_it_is_solved_for(components):
    motion = PointMotion({name: WHOLE[name] for name in components}, start=BENT)
    found = judged(moving(motion, load_robot("ur10"), dt=5e-4))
    assert len(found) == 12
    assert max(one.worst / one.limit for one in found.values()) < 1e-3


def test_followers_and_joints_of_closed_loops_are_judged_too():
    bars = FourBar().robot()
    loop = moving(JointMotion.velocity({"crank_joint": 3.0}, q0={"crank_joint": 0.4}), bars)
    assert {"q.crank_joint", "q.rocker_joint", "q.coupler_joint"} < set(judged(loop))
    assert failed(loop) == []
    gear = moving(JointMotion.displacement({"input": "SIN(5*time)"}), geared(0.1, 0.2, -2.0))
    assert set(judged(gear)) == {"q.input", "q.output", "qd.input", "qd.output"}
    assert failed(gear) == []


@pytest.mark.parametrize("method", ["stepped", "adaptive"])
def test_a_joint_that_loads_move_is_not_judged_and_a_driven_one_beside_it_is(method):
    motion = JointMotion.displacement({"shoulder": "0.3*SIN(5*time)"}, free=["elbow"])
    assert sorted(judged(moving(motion, method=method))) == ["q.shoulder", "qd.shoulder"]


@pytest.mark.parametrize(("samples", "checks"), [(2, 0), (3, 0), (4, 4)])
def test_three_samples_do_not_say_how_a_curve_bends(samples, checks):
    motion = JointMotion.displacement({"elbow": "0.3*SIN(9*time)"})
    found = judged(moving(motion, duration=1e-3 * (samples - 1)))
    assert len(found) == checks
    assert all(one.ok for one in found.values())


# --- runs that are not ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("channel", "change", "seen"),
    [
        ("qdd.elbow", lambda x: 1.001 * x, ["qd.elbow"]),
        ("qdd.elbow", np.negative, ["qd.elbow"]),
        ("qdd.elbow", lambda x: x + 1e-4, ["qd.elbow"]),
        ("qd.elbow", lambda x: 1.001 * x, ["q.elbow", "qd.elbow"]),
        ("qd.shoulder", lambda x: x + 1e-4, ["q.shoulder"]),
        ("q.shoulder", lambda x: 1.001 * x, ["q.shoulder"]),
        ("q.elbow", lambda x: np.r_[x[:1], x[:-1]], ["q.elbow"]),
        ("q.elbow", spiked(130, 1e-6), ["q.elbow"]),
        ("q.elbow", spiked(0, 1e-6), ["q.elbow"]),
        ("qd.elbow", spiked(299, 1e-3), ["qd.elbow"]),
        ("q.elbow", spiked(9, np.nan), ["q.elbow"]),
        ("qdd.elbow", spiked(9, np.nan), ["qd.elbow"]),
    ],
)
def test_what_both_tables_have_wrong_is_seen(channel, change, seen):
    assert failed(both(short_run("ideal"), channel, change)) == seen


def test_the_error_is_that_of_the_step_that_ends_at_the_time_told():
    recording = both(moving(DRIVES["constant"]), "q.shoulder", lambda q: q + 1e-6 * (q > 0.2))
    one = judged(recording)["q.shoulder"]
    assert (one.unit, one.ok) == ("rad", False)
    assert one.at == pytest.approx(0.101)
    assert one.worst == pytest.approx(1e-6, rel=1e-6)
