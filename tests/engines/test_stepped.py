import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from sim.dynamics import friction_torque, newton_euler
from sim.engines.bullet import stepping as module
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.stepping import CHUNK
from sim.engines.loads import PrescribedLoads
from sim.engines.stepped import solve_stepped
from sim.errors import EngineError
from tests.helpers.small_robots import double_pendulum, geared, lift, pendulum, pendulum_on_cart

G = (0.0, 0.0, -9.81)
ROUGH = '<dynamics damping="0.5" friction="2.0"/>'


def swing(t):
    """Two joints on sines with their exact derivatives, each (2, N)."""
    angle = np.array([[3.0], [5.0]]) * t + np.array([[0.3], [1.1]])
    rate = np.array([[3.0], [5.0]])
    return 0.8 * np.sin(angle), 0.8 * rate * np.cos(angle), -0.8 * rate**2 * np.sin(angle)


def one_joint(t):
    return tuple(rows[:1] for rows in swing(t))


def start(*q0, qd0=None):
    """A path of joints that nothing drives: their start."""
    q = np.array(q0, dtype=float)[:, None]
    qd = np.zeros_like(q) if qd0 is None else np.array(qd0, dtype=float)[:, None]
    return lambda t: (q + 0 * t, qd + 0 * t, 0 * q + 0 * t)


def march(robot, dt, path, *, driven=None, friction=False, duration=1.0, gravity=G, told=None):
    t = np.linspace(0.0, duration, round(duration / dt) + 1)
    mask = np.ones(len(robot.tree_joints), dtype=bool) if driven is None else np.array(driven)
    rubs = (lambda qd: friction_torque(robot, qd)) if friction else None
    with Bullet(robot, gravity, told) as engine:
        return t, solve_stepped(engine, t, path, mask, rubs)


def arm():
    return double_pendulum(1.0, 2.0, 0.5, 0.7)


def torque_error(dt):
    t, found = march(arm(), dt, swing)
    return np.abs(found.tau - newton_euler.inverse_dynamics(arm(), *swing(t)))


# --- a driven motion converges as it should ---------------------------------------------------


def test_halving_the_step_divides_the_error_estimate_by_two():
    coarse, fine = (march(arm(), dt, swing)[1].tau_error.max(axis=1) for dt in (2e-3, 1e-3))
    np.testing.assert_allclose(coarse / fine, 2.0, rtol=0.05)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_the_error_estimate_is_larger_than_the_true_error(dt):
    t, found = march(arm(), dt, swing)
    error = np.abs(found.tau - newton_euler.inverse_dynamics(arm(), *swing(t)))
    estimate = np.abs(found.tau_error)
    assert (error.max(axis=1) < estimate.max(axis=1)).all()
    # Sample by sample the estimate passes through zero somewhere, the error elsewhere.
    assert np.mean(error < estimate) > 0.9


def test_velocities_are_of_fourth_order_and_accelerations_of_second():
    (t2, coarse), (t1, fine) = (march(arm(), dt, swing) for dt in (2e-2, 1e-2))
    errors = [
        (
            np.abs(found.qd - swing(t)[1])[:, 1:-1].max(),
            np.abs(found.qdd - swing(t)[2])[:, 1:-1].max(),
        )
        for t, found in ((t2, coarse), (t1, fine))
    ]
    assert errors[0][0] / errors[1][0] == pytest.approx(16.0, rel=0.1)
    assert errors[0][1] / errors[1][1] == pytest.approx(4.0, rel=0.1)


def test_the_ends_of_a_run_are_as_good_as_its_middle():
    error = torque_error(1e-3)
    assert error[:, [0, -1]].max() < 2 * error[:, 1:-1].max()


def test_a_run_may_start_late():
    late = np.linspace(5.0, 6.0, 501)
    with Bullet(arm(), G) as engine:
        found = solve_stepped(engine, late, swing, np.array([True, True]), None)
    wanted = newton_euler.inverse_dynamics(arm(), *swing(late))
    np.testing.assert_allclose(found.tau, wanted, rtol=0, atol=1e-4 * np.abs(wanted).max())


def test_followers_are_driven_like_all_others():
    pair = geared(0.3, 0.2, -3.0)
    t, found = march(pair, 1e-3, lambda t: tuple(np.stack([x[0], -3 * x[0]]) for x in swing(t)))
    S, _ = pair.coupling
    wanted = (0.3 + 9 * 0.2) * swing(t)[2][0]
    np.testing.assert_allclose((S.T @ found.tau)[0], wanted, rtol=0, atol=1e-4)


# --- friction -----------------------------------------------------------------------------------


def test_friction_is_added_at_the_prescribed_velocity():
    rough, smooth = pendulum(2.0, 0.7, more=ROUGH), pendulum(2.0, 0.7)
    t, found = march(rough, 1e-2, one_joint, friction=True)
    _, without = march(smooth, 1e-2, one_joint)
    wanted = friction_torque(rough, one_joint(t)[1])
    # also at a change of direction, and whatever the step
    np.testing.assert_allclose(found.tau - without.tau, wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("mass", [1.0, 1e-6, 1e-9, 1e-15])
def test_a_motor_carries_what_acts_in_its_joint_however_light_its_link(mass):
    """m (g + a) - F for a force of 300 N: a motor that takes it back would leave the engine's."""
    t = np.linspace(0.0, 1.0, 101)
    loads = PrescribedLoads(torques=lambda at: 300 * np.cos(7 * at.t)[None])
    with Bullet(lift(mass), G) as engine:
        found = solve_stepped(engine, t, one_joint, np.array([True]), None, loads)
    _, qd, qdd = one_joint(t)
    wanted = mass * (9.81 + qdd) - 300 * np.cos(7 * t)
    # of a mass that is felt, extrapolation leaves (ω h)²/24 of its own share
    np.testing.assert_allclose(found.tau, wanted, rtol=0, atol=1e-10 + 1e-2 * mass)
    np.testing.assert_allclose(found.qd, qd, rtol=0, atol=1e-6)


def test_a_run_of_one_piece_asks_for_its_motion_and_its_loads_once():
    """At every half step; each other one of them begins a whole step."""
    t, asked = np.linspace(0.0, 0.1, 11), []

    def path(times):
        asked.append(times)
        return one_joint(times)

    loads = PrescribedLoads(
        wrenches=lambda at: asked.append(at.t) or (), torques=lambda at: asked.append(at.t)
    )
    with Bullet(pendulum(2.0, 0.7), G) as engine:
        solve_stepped(engine, t, path, np.array([True]), None, loads)
    assert len(asked) == 3
    for times in asked:
        np.testing.assert_allclose(times, np.linspace(0.0, 0.1, 21), rtol=0, atol=1e-15)


def test_a_free_slide_with_damping_slows_down_exponentially_with_second_order():
    slide = lift(2.0, "1 0 0", '<dynamics damping="3.0"/>')
    errors = []
    for dt in (2e-2, 1e-2):
        path = start(0.0, qd0=[2.0])
        t, found = march(slide, dt, path, driven=[False], friction=True)
        errors.append(np.abs(found.qd[0] - 2 * np.exp(-1.5 * t)).max())
        assert not found.tau.any()
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 1e-3


def test_a_free_slide_with_coulomb_friction_slows_down_evenly():
    slide = lift(2.0, "1 0 0", '<dynamics friction="1.0"/>')
    t, found = march(slide, 1e-2, start(0.0, qd0=[2.0]), driven=[False], friction=True)
    np.testing.assert_allclose(found.qd[0], 2 - 0.5 * t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.q[0], 2 * t - 0.25 * t**2, rtol=0, atol=1e-12)


def test_friction_of_driven_joints_and_of_free_ones_do_not_mix():
    plant = pendulum_on_cart(1.0, 2.0, 0.7, '<dynamics damping="4.0"/>')

    def path(t):
        moved = one_joint(t)
        return tuple(np.concatenate([x, 0 * x]) for x in moved)

    _, rough = march(plant, 1e-3, path, driven=[True, False], friction=True)
    t, smooth = march(plant, 1e-3, path, driven=[True, False])
    np.testing.assert_allclose(rough.q, smooth.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rough.tau - smooth.tau, [4 * one_joint(t)[1][0], 0 * t], atol=1e-10)


# --- free joints --------------------------------------------------------------------------------


def test_a_free_pendulum_swings_as_the_elliptic_functions_say_with_second_order():
    amplitude, length = 2.0, 0.7
    rate, m = np.sqrt(9.81 / length), np.sin(1.0) ** 2
    errors = []
    for dt in (4e-3, 2e-3):
        t, found = march(pendulum(2.0, length), dt, start(amplitude), driven=[False], duration=2.0)
        sn, cn, dn, _ = ellipj(rate * t + ellipk(m), m)
        q = 2 * np.arcsin(np.sqrt(m) * sn)
        qd = 2 * np.sqrt(m) * rate * cn * dn / np.cos(q / 2)
        qdd = -(rate**2) * np.sin(q)
        exact = zip((found.q, found.qd, found.qdd), (q, qd, qdd), strict=True)
        errors.append([np.abs(got[0] - wanted).max() for got, wanted in exact])
        assert not found.tau.any()
    np.testing.assert_allclose(np.divide(*errors), 4.0, rtol=0.2)
    assert errors[1][0] < 1e-4  # [rad]


def test_a_free_pendulum_hangs_behind_a_driven_cart():
    """At a = g the bob can rest at 45°, and the cart pulls both."""
    plant = pendulum_on_cart(1.0, 2.0, 0.7)

    def path(t):
        q = np.stack([9.81 * t**2 / 2, 0 * t + np.pi / 4])
        qd, qdd = np.stack([9.81 * t, 0 * t]), np.stack([0 * t + 9.81, 0 * t])
        return q, qd, qdd

    _, found = march(plant, 1e-3, path, driven=[True, False])
    np.testing.assert_allclose(found.q[1], np.pi / 4, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.tau[0], 3 * 9.81, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(found.tau[1], 0.0)


# --- what goes wrong is named -------------------------------------------------------------------


@pytest.mark.parametrize("first", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("row", [0, 1])
def test_a_path_that_is_not_a_number_names_joint_and_time(first, row):
    def path(t):
        q, qd, qdd = swing(t)
        q[row, t >= first] = np.nan
        return q, qd, qdd

    with pytest.raises(EngineError, match=r"joint '\w+' is not a number at t = ") as caught:
        march(arm(), 1e-2, path)
    time = float(str(caught.value).split("t = ")[1].split(" s")[0])
    assert abs(time - first) <= 1e-2 + 1e-9


def test_an_acceleration_that_is_not_a_number_at_the_very_end_is_seen():
    def path(t):
        q, qd, qdd = swing(t)
        qdd[1, t >= 1.0] = np.nan
        return q, qd, qdd

    with pytest.raises(EngineError, match="is not a number"):
        march(arm(), 1e-2, path)


def test_a_motor_that_cannot_follow_names_joint_distance_and_time(monkeypatch):
    monkeypatch.setattr(module, "UNLIMITED_EFFORT", 1.0)
    message = (
        r"robot 'small' .* joint 'hinge' is 0\.00\d+ rad away .* t = 0\.\d+ s; .* smaller step"
    )
    with pytest.raises(EngineError, match=message):
        march(pendulum(2.0, 0.7), 1e-2, one_joint)


def test_a_broken_run_is_found_before_the_next_chunk(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 10)
    told = []

    def path(t):
        q, qd, qdd = one_joint(t)
        q[:, t >= 0.05] = np.nan
        return q, qd, qdd

    with pytest.raises(EngineError):
        march(lift(1.0), 1e-2, path, told=told.append)
    assert told == [10]


# --- the engine is left as it was ---------------------------------------------------------------


def test_a_run_does_not_depend_on_the_run_before():
    rough = pendulum(2.0, 0.7, more=ROUGH)
    t = np.linspace(0.0, 0.2, 201)
    yes, no = np.array([True]), np.array([False])

    def rub(qd):
        return friction_torque(rough, qd)

    with Bullet(rough, G) as engine:
        first = solve_stepped(engine, t, one_joint, yes, None)
        solve_stepped(engine, t, start(1.0), no, rub)
        solve_stepped(engine, t, one_joint, yes, rub)
        again = solve_stepped(engine, t, one_joint, yes, None)
    for name in ("q", "qd", "qdd", "tau", "tau_error"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_long_runs_are_joined_from_chunks_without_a_seam(monkeypatch):
    t, whole = march(pendulum(2.0, 0.7), 1e-3, one_joint, duration=CHUNK * 1.5e-3)
    monkeypatch.setattr(module, "CHUNK", 7)
    _, pieces = march(pendulum(2.0, 0.7), 1e-3, one_joint, duration=CHUNK * 1.5e-3)
    assert t.size > CHUNK
    np.testing.assert_array_equal(whole.tau, pieces.tau)
    np.testing.assert_array_equal(whole.qd, pieces.qd)


def test_progress_counts_both_runs():
    told = []
    march(lift(1.0), 1e-2, one_joint, told=told.append)
    assert told[-1] == 101 + 201


def test_the_estimated_error_is_half_as_much_again_as_what_is_left_of_one_hinge():
    """T(h) is off by a h², so 3/4 a h² is told and a h²/2 is left; no term is of first order."""
    t, found = march(pendulum(2.0, 0.5), 1e-3, one_joint)
    q, qd, qdd = one_joint(t)
    exact = newton_euler.inverse_dynamics(pendulum(2.0, 0.5), q, qd, qdd, G)
    inner = slice(5, -5)  # at the ends the path is run on by its series
    told, left = (np.abs(x)[0, inner].max() for x in (found.tau_error, found.tau - exact))
    assert told / left == pytest.approx(1.5, rel=1e-3)


def test_where_velocities_make_torques_the_estimate_is_far_above_what_is_left():
    t, found = march(arm(), 1e-3, swing)
    exact = newton_euler.inverse_dynamics(arm(), *swing(t), G)
    inner = slice(5, -5)
    told, left = (np.abs(x)[:, inner].max() for x in (found.tau_error, found.tau - exact))
    assert told / left > 50
