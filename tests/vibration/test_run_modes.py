from dataclasses import replace

import msgspec
import numpy as np
import pytest

import sim
from sim import JointSpring
from sim.dynamics import GRAVITY, LagrangianDynamics
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import RecordingError, ScenarioError
from sim.vibration import run_modes
from sim.vibration.second_answer import roots_apart
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import joint, link, pendulum, robot

G, M, L, K = 9.81, 2.0, 0.7, 40.0


@pytest.fixture(scope="module")
def pushed():
    """A swung pendulum that is pushed down harder and harder."""
    push = sim.Force("bob", force=(0, 0, "-20*time"), at=(0, 0, -L), axes="world")
    drive = sim.JointMotion.displacement({"hinge": "1.1*time"})
    return sim.run(sim.Scenario(pendulum(M, L), drive, duration=1.0, dt=0.01, forces=(push,)))


def test_frequencies_follow_pose_and_force(pushed):
    found = run_modes(pushed, K)
    weight = (M * G + 20 * found.t) * L * np.cos(1.1 * found.t)
    # slopes of a force are central differences of step 1e-6
    wanted = np.sqrt((K + weight) / (M * L**2)) / (2 * np.pi)
    np.testing.assert_allclose(found.frequency, [wanted], rtol=1e-8)
    assert found.at(0.5).frequency == pytest.approx(found.frequency[:, 50], rel=1e-12)
    with open_engine("bullet", found.at(0.7).drives.robot, GRAVITY) as engine:
        assert roots_apart(found.at(0.7), EngineDynamics(engine)) < 1e-7


def test_a_spring_of_a_driven_joint_does_not_make_it_give_way():
    sprung = pendulum(M, L).with_springs({"hinge": JointSpring(K)})
    drive = sim.JointMotion.displacement({"hinge": "0.1*time"})
    driven = sim.run(sim.Scenario(sprung, drive, duration=0.02))
    with pytest.raises(ScenarioError, match="No joint of robot 'small' is elastic"):
        run_modes(driven)
    free = sim.JointMotion.displacement({}, free=["hinge"])
    swinging = run_modes(sim.run(sim.Scenario(sprung, free, duration=0.02, method="adaptive")))
    rate = np.sqrt((K + M * G * L) / (M * L**2))
    np.testing.assert_allclose(swinging.frequency, rate / (2 * np.pi), rtol=1e-12)


def test_times_outside_and_loops_are_refused(pushed):
    with pytest.raises(ScenarioError, match=r"from 0 to 1 s; got 1.5 s"):
        run_modes(pushed, K).at(1.5)
    bars = FourBar()
    q = bars.motion(*(np.zeros((3, 1)) + 0.5))[0][:, 0]
    q0 = dict(zip(bars.robot().joint_names, q, strict=True))
    loop = sim.JointMotion.displacement({"crank_joint": "0.5"}, q0=q0)
    run = sim.run(sim.Scenario(bars.robot(), loop, duration=0.02))
    with pytest.raises(ScenarioError, match=r"closed loops 'coupler on rocker'; given are none"):
        run_modes(run, K, loops=())
    (own,) = bars.robot().loops
    assert run_modes(run, K).frequency == pytest.approx(run_modes(run, K, loops=[own]).frequency)
    robot = msgspec.structs.replace(run.run.robot, loop_kinds=("hinge",))
    hinged = replace(run, run=msgspec.structs.replace(run.run, robot=robot))
    with pytest.raises(RecordingError, match=r"'coupler on rocker' is of an earlier"):
        run_modes(hinged, K)


def test_modes_past_half_a_turn_are_of_the_angle_as_it_was_counted():
    """A spring -k α³ of the first hinge, however the second has turned: 3 k α² stiff."""
    arm = robot(
        link("upper", 1.0, "0 0 0", "0.01 0.01 0.01"),
        link("lower", 1.0, "0 0 0", "0.02 0.03 0.03"),
        joint("one", "continuous", "ground", "upper", "0 0 1"),
        joint("two", "continuous", "upper", "lower", "1 0 0"),
    )
    body, wall = sim.Marker("body", "lower"), sim.Marker("wall", "world")
    cube = sim.SForce("cube", body, wall, "-0.2*AZ(body, wall)**3", acts="rotational")
    free = sim.JointMotion.torque({"one": 0.0, "two": 0.0}, qd0={"one": 60.0, "two": 3.0})
    none = (0.0, 0.0, 0.0)
    swung = sim.run(sim.Scenario(arm, free, 0.3, 0.1, "adaptive", none, forces=(cube,)))
    angle = np.abs(swung.recorded["q.one"].to_numpy())
    assert angle[1] > np.pi
    wanted = np.sqrt(3 * 0.2 * angle**2 / 0.04) / (2 * np.pi)
    found = run_modes(swung)
    assert found.frequency[1] == pytest.approx(wanted, rel=1e-10)
    there = found.at(0.1)
    assert there.frequency[1] == pytest.approx(wanted[1], rel=1e-10)
    assert roots_apart(there, LagrangianDynamics(there.drives.robot, none)) < 1e-8
