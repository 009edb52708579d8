import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev

from sim import JointSpring, Marker, Spring, Stop
from sim.dynamics.statics import at_rest, equilibrium
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ModelError, ScenarioError
from sim.kinematics import frame_pose
from sim.robots import load_robot, read_urdf
from tests.helpers.loop_robots import FourBar, windows
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import (
    double_pendulum,
    geared,
    joint,
    lift,
    link,
    pendulum,
    pendulum_on_cart,
    robot,
)

MACHINE_CODE = True

G = 9.81
CLOSE = 1e-10  # rad, m: the balance is solved to rounding, the position is as good as it is stiff

ALL, BOTH = np.array([True]), np.array([True, True])


def push(link, force, point=(0, 0, 0)):
    return AppliedWrench(link, np.array(point), np.reshape(force, (3, 1)), np.zeros((3, 1)))


def in_turns(frequencies):
    """Squared circular frequencies [1/s²]."""
    return (2 * np.pi * np.asarray(frequencies)) ** 2


# At rest


def test_a_held_arm_carries_its_weight_along_a_path_of_poses():
    q = np.linspace(-3, 3, 7)[None]
    found = at_rest(pendulum(2.0, 0.7), q)
    np.testing.assert_allclose(found.tau[0], 2 * 0.7 * G * np.sin(q[0]), rtol=0, atol=1e-14)
    weight = np.linalg.norm(found.reaction[0, :3], axis=0)
    np.testing.assert_allclose(weight, 2 * G, rtol=1e-14)


def test_a_push_on_the_tool_is_held_by_the_joints_as_pinocchio_says():
    ur10 = load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    q = np.random.default_rng(1).uniform(-3, 3, (6, 20))
    external = (push("tool0", (10, -20, 30), (0.1, 0.2, 0.3)),)
    found = at_rest(ur10, q, (1.0, 2.0, -9.0), external)
    tau, reaction = PinocchioModel(ur10, (1.0, 2.0, -9.0)).loaded(q, 0 * q, 0 * q, external)
    np.testing.assert_allclose(found.tau, tau, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.reaction, reaction, rtol=0, atol=1e-11)


# Equilibrium, by hand


@pytest.mark.parametrize("start", [-2.5, -0.3, 0.0, 1.0, 3.1])
def test_a_pendulum_comes_to_rest_below_wherever_it_starts(start):
    found = equilibrium(pendulum(2.0, 0.7), ALL, np.array([start]))
    assert found.q[0] == pytest.approx(0.0, abs=CLOSE)
    assert found.stability == "stable"
    assert found.stiffness[0, 0] == pytest.approx(2 * 0.7 * G, rel=1e-9)
    assert in_turns(found.frequency) == pytest.approx(G / 0.7, rel=1e-9)
    assert abs(found.residual[0]) < 1e-9


def test_an_inverted_pendulum_is_in_balance_and_unstable():
    found = equilibrium(pendulum(2.0, 0.7), ALL, np.array([np.pi]))
    assert found.q[0] == pytest.approx(np.pi, abs=CLOSE)
    assert found.stability == "unstable"
    assert np.isnan(found.frequency).all()
    assert found.stiffness[0, 0] == pytest.approx(-2 * 0.7 * G, rel=1e-9)


def test_a_constant_torque_lifts_a_pendulum():
    found = equilibrium(pendulum(2.0, 0.7), ALL, np.zeros(1), torque=np.array([10.0]))
    angle = np.arcsin(10.0 / (2 * 0.7 * G))
    assert found.q[0] == pytest.approx(angle, abs=CLOSE)
    assert in_turns(found.frequency) == pytest.approx(G / 0.7 * np.cos(angle), rel=1e-9)


def test_a_weight_on_a_spring_sinks_by_mg_over_k_and_swings_with_root_k_over_m():
    k, m = 800.0, 3.0
    found = equilibrium(lift(m), ALL, np.array([0.5]), loads=lambda q: (-k * q, ()))
    assert found.q[0] == pytest.approx(-m * G / k, abs=CLOSE)
    assert in_turns(found.frequency) == pytest.approx(k / m, rel=1e-9)


def test_constant_loads_and_those_that_depend_on_the_position_add_up():
    k, m = 800.0, 3.0

    def loads(q):
        return -k / 4 * q, [AppliedWrench("load", np.zeros(3), pull(q), 0 * pull(q))]

    def pull(q):
        return np.outer((0, 0, 1), -3 * k / 4 * q)

    found = equilibrium(
        lift(m),
        ALL,
        np.zeros(1),
        torque=np.array([20.0]),
        external=[push("load", (0, 0, 5.0))],
        loads=loads,
    )
    assert found.q[0] == pytest.approx((20.0 + 5.0 - m * G) / k, abs=CLOSE)
    assert in_turns(found.frequency) == pytest.approx(k / m, rel=1e-9)


def test_a_joint_about_a_vertical_axis_is_neutral_and_stays():
    turntable = robot(
        link("table", 2.0, "0.4 0 0"), joint("turn", "revolute", "ground", "table", "0 0 1")
    )
    found = equilibrium(turntable, ALL, np.array([0.7]))
    assert (found.q[0], found.stability, found.frequency[0]) == (0.7, "neutral", 0.0)
    wheels = equilibrium(geared(0.1, 0.2, -3.0), ALL, np.array([0.3]))
    assert (wheels.q[0], wheels.stability) == (0.3, "neutral")


def test_a_cart_stays_under_its_hanging_bob():
    """The bob swings with ω² = g (M + m)/(M l), the cart is free to be anywhere."""
    cart, mass, length = 1.0, 2.0, 0.7
    plant = pendulum_on_cart(cart, mass, length)
    found = equilibrium(plant, BOTH, np.array([0.1, 1.0]))
    np.testing.assert_allclose(found.q, [0.1, 0.0], rtol=0, atol=CLOSE)
    assert found.stability == "neutral"
    wanted = [0.0, G * (cart + mass) / (cart * length)]
    np.testing.assert_allclose(in_turns(found.frequency), wanted, rtol=1e-9)


def test_held_joints_stay_where_they_are():
    arm = double_pendulum(1.5, 0.8, 0.6, 0.9)
    found = equilibrium(arm, np.array([False, True]), np.array([0.4, 1.0]))
    np.testing.assert_allclose(found.q, [0.4, -0.4], rtol=0, atol=CLOSE)  # hangs plumb
    assert found.residual.shape == (1,)
    assert in_turns(found.frequency) == pytest.approx(G / 0.9, rel=1e-9)


# Equilibrium, by another library


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_random_trees_come_to_a_rest_that_pinocchio_confirms(seed, n):
    rng = np.random.default_rng(seed)
    tree = read_urdf(random_urdf(rng, n, prismatic=False))
    gravity = tuple(rng.uniform(-9, 9, 3))
    found = equilibrium(tree, np.ones(n, bool), rng.uniform(-3, 3, n), gravity=gravity)
    oracle = PinocchioModel(tree, gravity)
    scale = 1e-9 * (1 + np.abs(found.stiffness).max())
    np.testing.assert_allclose(oracle.gravity_torque(found.q[:, None]), 0.0, atol=scale)
    q = np.zeros(n)
    q[oracle.order] = found.q
    K = pin.computeGeneralizedGravityDerivatives(oracle.model, oracle.data, q)
    K = K[np.ix_(oracle.order, oracle.order)]
    np.testing.assert_allclose(found.stiffness, K, rtol=0, atol=scale)
    assert np.linalg.eigvalsh(K).min() > -scale  # they sank
    assert found.stability == "stable"
    M = oracle.mass_matrix(found.q[:, None])[..., 0]
    wanted = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    np.testing.assert_allclose(in_turns(found.frequency), wanted, rtol=1e-6)


def test_the_wrist_of_a_loaded_ur10_hangs_below_its_fifth_joint():
    ur10 = load_robot("ur10").with_payload(10.0)
    free = np.array([False, False, False, True, True, True])
    start = np.array([0.3, -1.0, 0.5, -0.7, 0.2, 0.1])
    found = equilibrium(ur10, free, start)
    np.testing.assert_array_equal(found.q[:3], start[:3])
    left = PinocchioModel(ur10, (0, 0, -G)).gravity_torque(found.q[:, None])[3:, 0]
    np.testing.assert_allclose(left, 0.0, atol=1e-11)
    assert found.stability == "neutral"  # the flange turns about its own plumb line
    lower = [frame_pose(ur10, q[:, None], "tool0")[2, 3, 0] for q in (start, found.q)]
    assert lower[1] < lower[0]


# What cannot be


def test_a_load_that_nothing_holds_has_no_equilibrium():
    with pytest.raises(
        ScenarioError, match=r"\(slide\) was found: joint 'slide' has a residual of 29.43 N;"
    ):
        equilibrium(lift(3.0), ALL, np.zeros(1))
    with pytest.raises(
        ScenarioError, match=r"joint 'input' has a residual of 1 N·m; use other initial positions"
    ):
        equilibrium(geared(0.1, 0.2, 2.0), ALL, np.zeros(1), torque=np.ones(1))


def test_a_torque_larger_than_the_weight_can_hold_has_no_equilibrium():
    most = 2 * 0.7 * G
    with pytest.raises(ScenarioError, match=r"joint 'hinge' has a residual of 0\.266 N·m"):
        equilibrium(pendulum(2.0, 0.7), ALL, np.zeros(1), torque=np.array([most + 0.266]))


# Closed loops, and forces between links


PULL = Spring(
    "pull",
    Marker("post", "ground", (0.9, 0, 0.5)),
    Marker("pin", "rocker", (0, 0, 0.4)),
    stiffness=60.0,
    free_length=0.1,
)


@pytest.mark.parametrize("held", [False, True])
def test_a_four_bar_rests_where_its_energy_is_least(held):
    """The energies by the law of cosines, as a polynomial in the angle of the crank."""
    bars = FourBar()
    forces = (PULL,) if held else ()

    def potential(a):
        c = bars.absolute(a)[2]
        x, z = bars.ground + 0.4 * np.sin(c) - 0.9, 0.4 * np.cos(c) - 0.5
        sprung = 30.0 * (np.hypot(x, z) - 0.1) ** 2
        return bars.energies(a, 0 * a, G)[1] + held * sprung

    one = np.ones(1)
    start = bars.motion(2.0 * one, one, one)[0][:, 0]
    found = equilibrium(bars.robot(), ["crank_joint"], start, forces=forces)
    a = found.positions["crank_joint"]
    V = Chebyshev.interpolate(potential, 40, [a - 0.25, a + 0.25])
    assert V.deriv(1)(a) == pytest.approx(0.0, abs=1e-10)  # N·m of about 20
    inertia = 2 * bars.energies(a * one, one, G)[0][0]
    assert found.stability == "stable"
    assert in_turns(found.frequency) == pytest.approx(V.deriv(2)(a) / inertia, rel=1e-9)
    np.testing.assert_allclose(
        np.sin(found.q), np.sin(bars.motion(a * one, one, one)[0][:, 0]), rtol=0, atol=CLOSE
    )


def test_a_parallelogram_upright_stays_and_is_unstable():
    found = equilibrium(windows(1), ["foot_0"], np.zeros(3))
    assert found.stability == "unstable" and np.abs(found.q[:2]).max() < CLOSE
    assert found.stiffness[0, 0] == pytest.approx(-2 * G, rel=1e-9)
    asked = []

    def nothing(q):
        asked.append(q)
        return 0 * q, ()

    gravity = (-G * np.sin(0.3), 0, -G * np.cos(0.3))  # leaves 2e-15 N·m, with which none falls
    found = equilibrium(windows(1), ["foot_0"], [0.3, 0.3, -0.3], gravity=gravity, loads=nothing)
    assert found.stability == "unstable" and found.q[0] == pytest.approx(0.3, abs=CLOSE)
    assert len(asked) < 30


def test_a_pendulum_on_a_spring_between_links_rests_by_hand():
    """Pulled from the side by a spring that would be of no length: its force is linear."""
    k, m, L, x_0 = 40.0, 2.0, 0.7, 0.5
    wall, bob = Marker("wall", "ground", (x_0, 0, -L)), Marker("tip", "bob", (0, 0, -L))
    spring = Spring("side", wall, bob, stiffness=k)
    found = equilibrium(pendulum(m, L), ["hinge"], [0.0], forces=(spring,))
    # V = -m g L cos q + k ((x_0 + L sin q)² + L² (1 - cos q)²) / 2, the bob at x = -L sin q
    angle = np.arctan2(-k * x_0 * L, m * G * L + k * L * L)
    assert found.q[0] == pytest.approx(angle, abs=CLOSE)
    stiffness = (m * G * L + k * L * L) * np.cos(angle) - k * x_0 * L * np.sin(angle)
    assert in_turns(found.frequency) == pytest.approx(stiffness / (m * L * L), rel=1e-9)


def test_impossible_questions_are_refused():
    with pytest.raises(ScenarioError, match="No joint is free"):
        equilibrium(pendulum(1.0, 1.0), ~ALL, np.zeros(1))
    point = robot(link("bob", 1.0), joint("hinge", "revolute", "ground", "bob", "0 1 0"))
    with pytest.raises(ScenarioError, match="Free joint 'hinge' moves no inertia; give the bodies"):
        equilibrium(point, ALL, np.zeros(1))
    with pytest.raises(ScenarioError, match="No joint is free"):  # the crank decides these
        equilibrium(FourBar().robot(), ["rocker_joint", "coupler_joint"], np.zeros(3))
    with pytest.raises(ScenarioError, match="Loop 'coupler on rocker' of robot 'small' is open by"):
        equilibrium(
            FourBar(crank=0.1, coupler=0.1, rocker=0.1).robot(), ["crank_joint"], np.zeros(3)
        )
    with pytest.raises(ScenarioError, match="no joint 'knee' to set an initial position for"):
        equilibrium(pendulum(1.0, 1.0), ALL, {"knee": 1.0})
    with pytest.raises(ModelError, match="Frame 'tip' is not in robot"):
        equilibrium(pendulum(1.0, 1.0), ALL, np.zeros(1), external=[push("tip", (1, 0, 0))])
    with pytest.raises(ScenarioError, match=r"`q0` takes 1 numbers \[rad or m\]"):
        equilibrium(pendulum(1.0, 1.0), ALL, np.zeros(2))
    with pytest.raises(ScenarioError, match="joint 'hinge' has a residual of nan N·m"):
        equilibrium(pendulum(1.0, 1.0), ALL, np.zeros(1), loads=lambda q: (q * np.nan, ()))


def test_free_joints_may_be_named_and_others_are_refused_with_what_there_is():
    """The upper arm leans by 0.5 rad and is held; the lower one hangs down, at -0.5 rad to it."""
    arm = double_pendulum(1.3, 1.3, 0.6, 0.6)
    first, second = arm.joint_names
    for free in ([second], (second,), second):
        np.testing.assert_allclose(equilibrium(arm, free, [0.5, 0.3]).q, [0.5, -0.5], atol=1e-9)
    with pytest.raises(ScenarioError, match=f"no joint 'wrist'.*joints: {first}, {second}"):
        equilibrium(arm, ["wrist"], [0.5, 0.3])
    with pytest.raises(ScenarioError, match="No joint is free"):
        equilibrium(arm, [], [0.5, 0.3])
    for free in ([True], 5, [0.1, 0.2]):
        with pytest.raises(ScenarioError, match="`free` takes names of joints, or 2 times True"):
            equilibrium(arm, free, [0.5, 0.3])
    for q0 in ([0.5], "here", None):
        with pytest.raises(ScenarioError, match="`q0` takes 2 numbers"):
            equilibrium(arm, [second], q0)


# Springs of the robot's own joints


def test_a_pendulum_with_a_torsion_spring_swings_at_the_root_of_stiffness_over_inertia():
    """√((k + m g l) / (m l²)) / 2π; without the spring √(g / l) / 2π."""
    m, length, k = 2.0, 0.7, 50.0
    bare = pendulum(m, length)
    sprung = bare.with_springs({"hinge": JointSpring(k, damping=0.3)})
    found = equilibrium(sprung, ["hinge"], [0.4])
    own = np.sqrt((k + m * 9.81 * length) / (m * length**2)) / (2 * np.pi)
    assert found.frequency[0] == pytest.approx(own, rel=1e-9)
    assert found.stiffness[0, 0] == pytest.approx(k + m * 9.81 * length, rel=1e-9)
    assert found.q[0] == pytest.approx(0, abs=1e-12)
    alone = equilibrium(bare, ["hinge"], [0.4]).frequency[0]
    assert alone == pytest.approx(np.sqrt(9.81 / length) / (2 * np.pi), rel=1e-9)


def test_springs_of_joints_are_the_same_as_springs_given_as_loads():
    k, start = np.array([[60.0], [25.0]]), np.array([0.5, -0.4])
    arm = double_pendulum(1.3, 0.9, 0.6, 0.5)
    springs = {
        name: JointSpring(float(k[i, 0]), free_position=0.3, preload=1.5)
        for i, name in enumerate(arm.joint_names)
    }
    own = equilibrium(arm.with_springs(springs), BOTH, start)
    told = equilibrium(arm, BOTH, start, loads=lambda q: (1.5 - k * (q - 0.3), ()))
    np.testing.assert_allclose(own.q, told.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(own.frequency, told.frequency, rtol=1e-9)


def test_a_stop_holds_a_joint_where_its_law_balances_the_weight():
    """A slide of 3 kg sinks onto a stop at -0.1 m: k x^e = m g."""
    stop = Stop(stiffness=1e5, damping=0.0, lower=-0.1, upper=1.0, exponent=1.5)
    found = equilibrium(lift(3.0).with_stops({"slide": stop}), ALL, [-0.1001])
    deep = (3.0 * 9.81 / 1e5) ** (1 / 1.5)
    assert found.q[0] == pytest.approx(-0.1 - deep, abs=1e-9)


@pytest.mark.rotates(2)
def test_what_turns_on_and_on_is_looked_at_for_two_turns():
    """A crank of a loop under more torque than its weight can hold, whose way has no end."""
    bars = FourBar()
    q = bars.motion(*(np.zeros((3, 1)) + 0.5))[0][:, 0]
    with pytest.raises(ScenarioError, match="joint 'crank_joint' has a residual of"):
        equilibrium(bars.robot(), ["crank_joint"], q, np.array([60.0, 0.0, 0.0]))


def test_what_nothing_drives_back_is_neutral():
    still = equilibrium(pendulum(2.0, 0.7), ["hinge"], [0.3], gravity=(0.0, 0.0, 0.0))
    assert (still.stability, still.frequency.tolist()) == ("neutral", [0.0])
