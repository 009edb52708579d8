"""Modes of closed loops, against the energies of a four-bar by the law of cosines alone."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

import sim
from sim import JointSpring
from sim.dynamics import GRAVITY, LagrangianDynamics
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.robots import read_urdf
from sim.vibration import modes
from sim.vibration.second_answer import roots_apart
from tests.helpers.loop_robots import FourBar, closed_at, windows
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import joint, link
from tests.helpers.small_robots import robot as small_robot

G = 9.81
BARS = FourBar()
A_0 = 0.4  # rad, of the crank
K, C, K_ROCKER, C_ROCKER = 9.0, 0.3, 4.0, 0.2
PULL = sim.Spring(
    "pull",
    sim.Marker("post", "ground", (0.9, 0, 0.5)),
    sim.Marker("knee", "coupler", (0.05, 0, 0.3)),
    stiffness=70.0,
    damping=1.5,
    free_length=0.2,
)
# Six points of step 1 mrad: rounding of a torque of 40 N·m over it, of a stiffness of 50 N·m/rad.
FOUND = 1e-11


def reduced(f, order):
    """A derivative of a function of the crank's angle at A_0: of a polynomial through 41 points."""
    return Chebyshev.interpolate(f, 40, [A_0 - 0.25, A_0 + 0.25]).deriv(order)(A_0)


def length(a):
    """Of the spring, from the closed form."""
    crank, coupler, _ = BARS.absolute(a)
    x = BARS.crank * np.sin(crank) + 0.3 * np.sin(coupler) + 0.05 * np.cos(coupler)
    z = BARS.crank * np.cos(crank) + 0.3 * np.cos(coupler) - 0.05 * np.sin(coupler)
    return np.hypot(x - 0.9, z - 0.5)


def rocker(a):
    return BARS.absolute(a)[2]


def potential(a):
    sprung = K * a**2 / 2 + K_ROCKER * (rocker(a) - 0.3) ** 2 / 2
    return BARS.energies(a, 0 * a, G)[1] + sprung + 70.0 * (length(a) - 0.2) ** 2 / 2


def by_hand():
    """Inertia, damping and stiffness of the crank with all that hangs on it."""
    one = np.ones(1)
    inertia = 2 * BARS.energies(A_0 * one, one, G)[0][0]
    damping = C + C_ROCKER * reduced(rocker, 1) ** 2 + 1.5 * reduced(length, 1) ** 2
    return inertia, damping, reduced(potential, 2)


@pytest.fixture(scope="module")
def found():
    springs = {
        "crank_joint": JointSpring(K, C),
        "rocker_joint": JointSpring(K_ROCKER, C_ROCKER, 0.3),
    }
    one = np.ones(1)
    q = BARS.motion(A_0 * one, 0 * one, 0 * one)[0][:, 0]
    return modes(BARS.robot().with_springs(springs), q, forces=(PULL,))


def test_a_four_bar_swings_as_its_energies_say(found):
    inertia, damping, stiffness = by_hand()
    wanted = np.roots([inertia, damping, stiffness])
    (mode,) = found.modes
    assert mode.root == pytest.approx(complex(wanted[np.argmax(wanted.imag)]), rel=FOUND)
    assert mode.frequency == pytest.approx(np.sqrt(stiffness / inertia) / (2 * np.pi), rel=FOUND)
    ratio = damping / (2 * np.sqrt(inertia * stiffness))
    assert mode.damping_ratio == pytest.approx(ratio, rel=FOUND)
    rates = BARS.motion(np.full(1, A_0), np.ones(1), np.zeros(1))[1][:, 0]
    shape = np.array(list(mode.shape.values())) / mode.shape["crank_joint"]
    assert set(mode.shape) == {"crank_joint", "rocker_joint", "coupler_joint"}
    np.testing.assert_allclose(shape, rates, rtol=0, atol=1e-12)


def test_without_what_the_loop_forces_do_it_would_be_another(found):
    """The oracle is no identity: forces in the pin matter, and so does each spring."""
    alone = modes(found.drives.robot, found.q)
    assert abs(alone.frequency[0] / found.frequency[0] - 1) > 0.05


def test_a_pose_that_nothing_holds_is_said(found):
    """What the crank would need is the slope of the potential energy along its motion."""
    assert set(found.unbalanced) == {"crank_joint"}
    assert found.unbalanced["crank_joint"] == pytest.approx(reduced(potential, 1), rel=1e-10)
    held = modes(BARS.robot(), found.q, {"crank_joint": 5.0})
    assert held.unbalanced == {}


def test_passive_joints_are_a_guess(found):
    beside = modes(found.drives.robot, found.q + np.array([0.0, 0.1, -0.1]), forces=(PULL,))
    np.testing.assert_allclose(beside.q, found.q, rtol=0, atol=1e-13)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_differentiated_on_closed_loops_have_the_same_roots(found, engine):
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    with open_engine(engine, found.drives.robot, GRAVITY) as opened:
        assert roots_apart(found, EngineDynamics(opened)) < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_loops_in_space_have_the_roots_of_their_accelerations(seed):
    """Random trees with a pin of three equations, five of their joints elastic, and a spring."""
    rng = np.random.default_rng(seed)
    tree = read_urdf(random_urdf(rng, 8))
    q, names = rng.uniform(-1, 1, 8), tree.joint_names
    ends = (tree.links[1].name, tree.links[-1].name)
    robot = closed_at(tree, q, *ends, rng.uniform(-0.5, 0.5, 3), planar=bool(seed % 2))
    passive = names[3 : 5 if seed % 2 else 6]
    robot = replace(robot, loops=(replace(robot.loops[0], passive=passive),))
    places = (sim.Marker("a", tree.links[0].name, (0.4, 2, 1)), sim.Marker("b", ends[1], (0, 0, 0)))
    pull = sim.Spring("pull", *places, stiffness=90.0, damping=2.0, free_length=0.3)
    found = modes(robot, q, 400.0, 3.0, forces=(pull,))
    assert len(found.modes[0].shape) == 8 and len(found.system.K) == 8 - len(passive)
    # of slow roots beside fast ones; six points of step 0.01 leave 1e-8
    assert roots_apart(found, LagrangianDynamics(robot)) < 1e-7


def test_a_second_answer_knows_the_forces_in_the_loop(found):
    heavier = LagrangianDynamics(FourBar(masses=(1.0, 1.5001, 1.2)).robot())
    assert 1e-6 < roots_apart(found, heavier) < 1e-3


def test_a_parallelogram_without_a_normal_is_two_pendulums_and_a_beam():
    """Its third equation repeats others, and hanging it has (5/3) m l² of inertia."""
    robot = windows(1)
    found = modes(robot, [np.pi, np.pi, -np.pi], free=["foot_0"])
    assert found.frequency == pytest.approx(np.sqrt(2 * G / (5 / 3)) / (2 * np.pi), rel=1e-12)
    up = modes(robot, [0.3, 0.3, -0.3], {"foot_0": 30.0})
    stiffness = 30.0 - 2 * G * np.cos(0.3)
    assert up.frequency == pytest.approx(np.sqrt(stiffness / (5 / 3)) / (2 * np.pi), rel=FOUND)


def test_slender_bodies_that_a_rod_spreads_spin_freely_about_themselves():
    """Nothing keeps them from it, whatever rounding leaves of K over an inertia of 1e-4 kg·m²."""
    bodies = [link(name, 1.0, "0 0 -0.3", "0.03 0.03 1e-4") for name in ("left", "right")]
    balls = [
        joint(f"{name}_ball", "spherical", "ground", name, "0 0 1", f'<origin xyz="{x} 0 1"/>')
        for name, x in (("left", 0), ("right", 0.5))
    ]
    ends = "left", (0, 0, -0.6), "right", (0, 0, -0.6)
    rod = sim.Loop("rod", *ends, passive=("right_ball",), kind="rod", length=0.5)
    tied = small_robot(*bodies, *balls).with_loops(rod)
    found = modes(tied, [0.3, 0.2, 0.1, 0.2, 0.2, 0], free=["left_ball", "right_ball"])
    assert found.frequency[:2] == pytest.approx(0, abs=0) and found.frequency[2] > 0.5  # Hz
    assert [mode.root for mode in found.modes[:4]] == [0, 0, 0, 0]
    with open_engine("bullet", tied, GRAVITY) as engine:
        assert roots_apart(found, EngineDynamics(engine)) < 1e-8


def test_only_drives_give_way_by_a_stiffness(found):
    """One number is not for the pins of a loop, which have no motor."""
    every, crank = (modes(BARS.robot(), found.q, k) for k in (20.0, {"crank_joint": 20.0}))
    assert every.frequency == pytest.approx(crank.frequency, rel=1e-14)
    with pytest.raises(ScenarioError, match="'rocker_joint' has no drive whose damping that could"):
        modes(BARS.robot(), found.q, 20.0, {"rocker_joint": 1.0})


def test_singular_poses_and_open_loops_are_refused():
    robot = windows(1)
    with pytest.raises(ScenarioError, match="is singular: its closed loops allow more motions"):
        modes(robot, [np.pi / 2, np.pi / 2, -np.pi / 2], free=["foot_0"])
    with pytest.raises(ScenarioError, match="Loop 'coupler on rocker' of robot 'small' is open by"):
        modes(FourBar(crank=0.1, coupler=0.1, rocker=0.1).robot(), [0, 0, 0], 1.0)
    with pytest.raises(ScenarioError, match="No joint of robot 'small' is elastic"):
        modes(BARS.robot(), [A_0, 0, 0])
    with pytest.raises(ScenarioError, match="has no joint 'knee' that could be free"):
        modes(BARS.robot(), [A_0, 0, 0], free=["knee"])
