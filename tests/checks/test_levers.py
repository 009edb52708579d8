import numpy as np
import pytest

from sim.checks.error_propagation import ErrorPropagation, error_propagation
from sim.checks.run_view import RunView
from sim.kinematics import frame_acceleration, frame_motion, jacobian
from sim.motion import JointMotion
from sim.robots import read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.random_robots import random_urdf
from tests.helpers.short_runs import arm, short_run


def resting(robot, q0):
    return RunView(run(Scenario(robot, JointMotion.displacement({}, q0=q0), 0.002), method="ideal"))


def test_the_levers_of_two_links_are_the_distances_of_the_tool_from_their_axes():
    view = resting(arm(), [0.4, 0.0])  # stretched
    way, turn = error_propagation(view)
    tool = view.analytic("tool.x")[0], view.analytic("tool.z")[0]
    elbow_to_tool = way.way[1]
    assert way.way[0] == pytest.approx(np.hypot(*tool))
    assert 0.0 < elbow_to_tool < way.way[0]
    np.testing.assert_allclose(turn.way, 1.0)
    np.testing.assert_allclose(way.turn, 1.0)


def test_a_lever_is_the_longest_of_a_run():
    way, _ = error_propagation(RunView(short_run()))
    table = short_run().analytic
    distance = np.hypot(table["tool.x"], table["tool.z"])
    assert way.way[0] == pytest.approx(distance.max(), rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_no_error_of_the_joints_carries_the_tool_further_than_the_limits_say(seed):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, 5, mimic=seed % 2 == 0))
    n, small = len(robot.joint_names), 1e-6
    q, qd, qdd = rng.uniform(-1, 1, (3, n, 1))
    link = robot.links[-1].name
    J = np.abs(jacobian(robot, q, link))
    lengths = [np.sqrt((part**2).sum(axis=0))[:, 0] for part in (J[:3], J[3:])]
    peaks = (np.abs(qd[:, 0]), np.abs(qdd[:, 0]), small, np.full(n, small))
    way, turn = (ErrorPropagation(lever, lengths[1], *peaks) for lever in lengths)
    dqdd = np.full(n, small)
    here = frame_motion(robot, link, q, qd)
    a = frame_acceleration(robot, link, q, qd, qdd)
    for _ in range(50):
        off = small * rng.choice([-1.0, 1.0], (3, n, 1))
        there = frame_motion(robot, link, q + off[0], qd + off[1])
        b = frame_acceleration(robot, link, q + off[0], qd + off[1], qdd + off[2])
        for error, limit in (
            (there.v - here.v, way.velocity_limit().total),
            (there.w - here.w, turn.velocity_limit().total),
            (b[:3] - a[:3], way.acceleration_limit(dqdd).total),
            (b[3:] - a[3:], turn.acceleration_limit(dqdd).total),
        ):
            assert np.linalg.norm(error) <= 1.001 * limit


def test_a_tool_on_the_axis_of_a_joint_may_be_off_by_what_its_place_may():
    off = (1e-9, np.array([1e-5]))
    bare = ErrorPropagation(np.zeros(1), np.ones(1), np.array([3.0]), np.array([5.0]), *off, 1e-7)
    assert bare.velocity_limit().total == pytest.approx(1e-7 * (3 + 1e-5))
    assert bare.acceleration_limit(np.ones(1)).total == pytest.approx(1e-7 * (5 + 2 * 9 + 1))
    rest = ErrorPropagation(np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1), *off, 1e-9)
    assert rest.velocity_limit().total == pytest.approx(1e-14)
