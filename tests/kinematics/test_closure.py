from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ScenarioError
from sim.kinematics.closure import close_motion, require_closed
from sim.kinematics.loop_equations import joint_equations, loop_error, passive_joints
from sim.robots import Loop, load_robot
from tests.helpers.case_scripts import case_script
from tests.helpers.examples import examples
from tests.helpers.loop_robots import FourBar, slider_crank

laws = examples(80)
bricard = case_script("iftomm", "bricards_mechanism").mechanism
governor_case = case_script("iftomm", "flyball_governor")
FULL_TURN = FourBar()  # the crank can turn all the way round: 0.2 + 0.5 < 0.45 + 0.4


def crank_motion(turns, samples, wobble=0.3):
    t = np.linspace(0.0, 1.0, samples)
    w = 2 * np.pi * turns
    a = w * t + wobble * np.sin(5 * t)
    return t, a, w + 5 * wobble * np.cos(5 * t), -25 * wobble * np.sin(5 * t)


def solved(bars, t, a, ad, add, normal=(0.0, 1.0, 0.0)):
    """The motion of the four-bar for its crank's motion, its passive joints unknown but a guess."""
    q, qd, qdd = np.zeros((3, 3, t.size))
    q[0], qd[0], qdd[0] = a, ad, add
    q[1:, 0] = bars.motion(a[:1], ad[:1], add[:1])[0][1:, 0] + 0.2
    return close_motion(bars.robot(normal), t, q, qd, qdd)


def require_closed_form(bars, t, a, ad, add, found, rounding=1e-11):
    reference = bars.motion(a, ad, add)
    turned = (found[0][1:] - reference[0][1:] + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(turned, 0, rtol=0, atol=rounding)  # [rad]
    for got, wanted in zip(found[1:], reference[1:], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=rounding * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("samples", [11, 40, 1000])
@pytest.mark.parametrize("crossed", [False, True])
def test_a_four_bar_follows_its_closed_form_through_two_turns_of_the_crank(samples, crossed):
    bars = replace(FULL_TURN, crossed=crossed)
    motion = crank_motion(2.0, samples)
    found = solved(bars, *motion)
    require_closed_form(bars, *motion, found)
    np.testing.assert_array_equal(found[0][0], motion[1])  # the drive is left as it is
    steps = np.diff(found[0], axis=1)
    assert np.abs(steps).max() < 4 * np.pi / samples * 8  # [rad]; no jump by a turn


def test_a_planar_loop_may_be_closed_in_all_three_directions_too():
    motion = crank_motion(1.0, 50)
    found = solved(FULL_TURN, *motion, normal=None)
    require_closed_form(FULL_TURN, *motion, found)


@st.composite
def four_bars(draw):
    """Any four-bar whose crank can turn all the way round, up to a tenth from one that cannot."""
    b, c = draw(st.floats(0.5, 2.0)), draw(st.floats(0.5, 2.0))
    longest = max(b, c) + draw(st.floats(0, 0.5)) * min(b, c)
    shortest = draw(st.floats(0.1, 0.9)) * (b + c - longest)  # Grashof
    ground, coupler, rocker = draw(st.permutations([b, c, longest]))
    return FourBar(ground, shortest, coupler, rocker, crossed=draw(st.booleans()))


@given(four_bars(), st.integers(8, 30), st.floats(-1, 1))
@laws
def test_every_four_bar_stays_assembled_the_way_it_starts_however_coarse_the_samples(
    bars, n, start
):
    t, a, ad, add = crank_motion(1.0, n, wobble=0.0)
    motion = t, a + start, ad, add
    require_closed_form(bars, *motion, solved(bars, *motion), rounding=1e-9)


def test_ten_thousand_samples_are_closed_to_rounding_in_a_thousand_evaluations(monkeypatch):
    counted = []

    def count(robot, q):
        counted.append(q.shape[1])
        return joint_equations(robot, q)

    monkeypatch.setattr("sim.kinematics.closure.joint_equations", count)
    found = solved(FULL_TURN, *crank_motion(20.0, 10_001))
    assert loop_error(FULL_TURN.robot(), found[0]).max() < 1e-14  # [m]
    assert len(counted) < 1200


def test_coupled_joints_need_no_solving_and_are_only_checked():
    robot = load_robot("irb460")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-0.5, 0.5, (3, 4, 20))
    found = close_motion(robot, np.arange(20.0), q, qd, qdd)
    for got, given_ in zip(found, (q, qd, qdd), strict=True):
        np.testing.assert_array_equal(got, given_)


def test_no_samples_give_no_samples():
    empty = np.empty((3, 0))
    assert close_motion(FULL_TURN.robot(), np.empty(0), empty, empty, empty)[0].shape == (3, 0)


def failure(robot, t, q):
    with pytest.raises(ScenarioError) as caught:
        close_motion(robot, t, q, 0 * q, 0 * q)
    return str(caught.value)


def test_a_loop_that_cannot_close_at_the_start_says_by_how_much_it_stays_open():
    # crank and coupler reach 0.7 m, the rocker's hinge is 2 m away and the rocker 0.4 m long
    robot = FourBar(ground=2.0).robot()
    message = failure(robot, np.array([0.0]), np.array([[np.pi / 2], [0.0], [0.1]]))
    assert "Loop 'coupler on rocker' of robot 'small' is open by 0.9 m at t = 0 s" in message
    assert "crank_joint = 1.5708 rad" in message
    assert "at most 1e-06 m" in message
    assert "point_b of 'coupler on rocker' is (0.9, 0, 0) m from point_a" in message


def test_a_place_out_of_reach_is_named_with_its_time():
    bars = FourBar(ground=1.0, crank=0.6, coupler=0.5, rocker=0.4)  # 0.9 m from tip to hinge
    t = np.linspace(0.0, 1.0, 21)
    q = np.zeros((3, 21))
    q[0] = 1.2 - 1.5 * t  # at the end the tip is 1.2 m away from the hinge
    q[1:, 0] = bars.motion(q[0, :1], q[0, :1], q[0, :1])[0][1:, 0]
    reached = np.hypot(1.0 - 0.6 * np.sin(q[0]), 0.6 * np.cos(q[0])) < 0.9
    assert reached[:9].all()
    first = int(np.argmin(reached))
    message = failure(bars.robot(), t, q)
    assert f"cannot follow the drives to t = {t[first]:g} s" in message
    assert "passive joints rocker_joint, coupler_joint" in message
    assert "out of reach" in message


def test_a_drive_that_pushes_against_a_dead_point_is_refused():
    # the slider's drive cannot start the crank when crank and rod are in line
    robot = slider_crank(0.3, 0.8)
    (loop,) = robot.loops
    robot = replace(robot, loops=(replace(loop, passive=("rod_joint", "crank_joint")),))
    q, qd = np.zeros((2, 3, 1))
    names = robot.joint_names
    q[names.index("crank_joint")], q[names.index("slider_joint")] = np.pi / 2, 1.1
    qd[names.index("slider_joint")] = 0.5
    with pytest.raises(ScenarioError, match=r"dead point at t = 3 s: no motion of .*crank_joint"):
        close_motion(robot, np.array([3.0]), q, qd, 0 * q)


def test_the_first_sample_where_a_loop_is_open_is_named():
    bars = FULL_TURN
    q, _, _ = bars.motion(*np.linspace([0, 0, 0], [1, 1, 1], 5).T)
    robot = bars.robot()
    require_closed(robot, np.arange(5.0), q)
    q[2, 3:] += 0.01
    with pytest.raises(ScenarioError, match=r"'coupler on rocker' .* by 0\.00[45]\d* m at t = 3 s"):
        require_closed(robot, np.arange(5.0), q)
    q[2, 3:] = np.nan
    with pytest.raises(ScenarioError, match=r"by nan m at t = 3 s"):
        require_closed(robot, np.arange(5.0), q)


def test_arrays_of_another_shape_are_refused_by_name():
    with pytest.raises(ValueError, match=r"qd must have shape \(3, N\)"):
        close_motion(
            FULL_TURN.robot(), np.zeros(1), np.zeros((3, 1)), np.zeros(3), np.zeros((3, 1))
        )


def test_a_loop_across_two_driven_arms_is_only_checked():
    robot = replace(
        FULL_TURN.robot(), loops=(Loop("grip", "coupler", (0, 0, 0.5), "rocker", (0, 0, 0.4)),)
    )
    q = FULL_TURN.motion(np.array([0.3]), np.array([1.0]), np.array([0.0]))[0]
    np.testing.assert_array_equal(close_motion(robot, np.zeros(1), q, q, q)[1], q)
    with pytest.raises(ScenarioError, match="'grip'"):
        close_motion(robot, np.zeros(1), q + 0.1, q, q)


def test_a_drive_that_opens_one_loop_is_refused_though_another_can_be_closed():
    (loop,) = FULL_TURN.robot().loops
    t, a, ad, add = crank_motion(1.0, 20)
    place = (0.2 * np.sin(a[0]), 0.0, 0.2 * np.cos(a[0]))
    other = Loop("stuck", "crank", (0, 0, 0.2), "ground", place)
    robot = replace(FULL_TURN.robot(), loops=(loop, other))
    q, qd, qdd = np.zeros((3, 3, t.size))
    q[0], qd[0], qdd[0] = a, ad, add
    q[1:, 0] = FULL_TURN.motion(a[:1], ad[:1], add[:1])[0][1:, 0]
    with pytest.raises(ScenarioError, match=r"cannot follow the drives to t = 0\.05"):
        close_motion(robot, t, q, qd, qdd)


@pytest.mark.parametrize("name", ["four-bar", "Bricard", "governor"])
def test_loops_are_put_together_from_up_to_a_third_of_a_metre_open(name):
    """Passive joints anywhere near: some closed pose, the driven ones where they were."""
    rng = np.random.default_rng(3)
    sleeve = float(governor_case.height(np.array(0.5))[0])
    robot, closed = {
        "four-bar": (FourBar().robot(), FourBar().motion(*np.zeros((3, 1)))[0][:, 0]),
        "Bricard": (bricard(), np.zeros(5)),
        "governor": (governor_case.governor(), np.array([0.0, sleeve, 0.5, 0.5])),
    }[name]
    passive, widest = passive_joints(robot), 0.0
    assert loop_error(robot, closed[:, None]).max() < 1e-12
    for size in np.linspace(0.1, 1.0, 16):
        q = closed[:, None] + np.where(passive, size * rng.uniform(-1, 1, passive.size), 0)[:, None]
        gap = float(loop_error(robot, q).max())
        if gap > 0.3:
            continue
        found, _, _ = close_motion(robot, np.zeros(1), q, 0 * q, 0 * q)
        assert loop_error(robot, found).max() < 1e-12
        np.testing.assert_array_equal(found[~passive], q[~passive])
        widest = max(widest, gap)
    assert widest > 0.15  # [m]
