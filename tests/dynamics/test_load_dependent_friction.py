import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.dynamics.friction import dry_limit, friction_torque
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.load_dependent_friction import LoadedStates, joint_limit, with_friction
from sim.dynamics.newton_euler import wrenches
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ScenarioError
from sim.robots import DriveTrain, JointFriction
from tests.helpers.free_paths import imbalance, loose
from tests.helpers.small_robots import double_pendulum, geared, joint, lift, link, pendulum, robot

pytestmark = pytest.mark.usefixtures("few_steps")

MACHINE_CODE = True

G = (0.0, 0.0, -9.81)
g = 9.81
T0 = np.zeros(1)
ROUNDING = 1e-12  # of 10 N


def rubbing_slide(mu, **more):
    return JointFriction(mu, mu, 0.01, inputs=("reaction_force",), **more)


def wedge(M, m, slope, mu, **more):
    """A block that slides down a wedge, which slides on the ground without friction."""
    c, s = math.cos(slope), math.sin(slope)
    return robot(
        link("wedge", M),
        link("block", m),
        joint("floor", "prismatic", "ground", "wedge", "1 0 0"),
        joint("slope", "prismatic", "wedge", "block", f"{c!r} 0 {-s!r}"),
    ).with_friction({"slope": rubbing_slide(mu, **more)})


def put(plant, slide, qd, given=None, q=None, loads=(), held=None):
    n = len(plant.joint_names)
    zero = np.zeros((n, 1))
    nothing = np.zeros(n, dtype=bool)
    question = LoadedStates(
        zero if q is None else q,
        np.array(qd, dtype=float)[:, None],
        zero,
        nothing if held is None else held,
        zero if given is None else given,
        tuple(loads),
    )
    slide = np.array(slide, dtype=float)
    return with_friction(LagrangianDynamics(plant, G), question, nothing, slide, T0)


@pytest.mark.parametrize(
    ("M", "m", "slope", "mu", "speed"),
    [
        (2.0, 1.0, 0.6, 0.3, 0.0),
        (3.0, 1.0, 0.3, 0.5, 2.0),  # too rough: it slows down
        (0.1, 1.0, 0.9, 0.1, 0.0),  # a light wedge: the load gives way as friction grows
        (2.0, 1.0, 0.6, 0.3, -2.0),  # up the wedge
        (1.0, 3.0, 0.5, 2.5, -2.0),  # the load falls by more than friction grows
    ],
)
def test_a_block_on_a_wedge_accelerates_as_newton_says(M, m, slope, mu, speed):
    """The wedge gives way to the load N (sin α - s µ cos α), s the sense of sliding."""
    c, s = np.cos(slope), np.sin(slope)
    sense = 1 if speed >= 0 else -1
    push = s - sense * mu * c
    N = m * g * c / (1 + m * s * push / M)
    A = N * push / M
    a = g * s + A * c - sense * mu * N / m
    found = put(wedge(M, m, slope, mu), [0, sense], [0.0, speed])
    np.testing.assert_allclose(found.qdd[:, 0], [-A, a], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found.friction[1], sense * mu * N, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found.limit[1], mu * N, rtol=0, atol=ROUNDING)


LOSSY = DriveTrain(40.0, 1e-3, coulomb=0.01, coulomb_back=0.02, viscous=1e-4,
                   efficiency=0.8, efficiency_back=0.6)  # fmt: skip


def geared_wedge(M, m, slope, mu, speed, u):
    """Accelerations of wedge and block, Newton's laws of both with a gear between them.

    The gear gives ``E y`` along the slope, ``y = u - A a - V v - c``; both senses of it are tried.
    """
    c, s, sense = math.cos(slope), math.sin(slope), math.copysign(1.0, speed)
    rotor, left = 40.0**2 * 1e-3, u - 40.0**2 * 1e-4 * speed
    left -= 40.0 * 0.01 if sense > 0 else -40.0 * 0.02
    for E, drives in ((0.8, True), (1 / 0.6, False)):
        # of A, a, N and the force F along the slope, by the wedge on the block
        rows = [
            [m, m * c, -s, -c],
            [0.0, -m * s, -c, s],
            [M, 0.0, s, c],
            [0.0, E * rotor, sense * mu, 1.0],
        ]
        A, a, N, _ = np.linalg.solve(rows, [0.0, -m * g, 0.0, E * left])
        assert N > 0
        if ((left - rotor * a) * sense > 0) == drives:
            return A, a
    raise AssertionError("neither sense of the loss fits")


@pytest.mark.parametrize(("speed", "u"), [(0.5, 9.0), (0.5, -9.0), (-0.5, 4.0), (-0.5, -4.0)])
def test_a_lossy_gear_drives_a_block_whose_friction_follows_its_load(speed, u):
    """Model and engine, by the state and over time, while the block goes on in its sense."""
    terms = 2.0, 1.0, 0.6, 0.3
    plant = wedge(*terms).with_drives({"slope": LOSSY})
    motion = sim.JointMotion.torque({"floor": 0, "slope": u}, qd0={"slope": speed})
    scenario = sim.Scenario(plant, motion, 0.02, dt=5e-3, method="adaptive", engine="mujoco")
    recording = sim.run(scenario)
    assert [check for check in sim.check(recording) if not check.ok] == []
    t, columns = recording.t, ("q.floor", "q.slope", "qd.floor", "qd.slope")

    def slopes(_, y):
        return [y[2], y[3], *geared_wedge(*terms, y[3], u)]

    start = 0, 0, 0, speed
    wanted = solve_ivp(slopes, (0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-13).y
    for table in (recording.recorded, recording.analytic):
        np.testing.assert_allclose(table[list(columns)].to_numpy().T, wanted, rtol=0, atol=1e-10)
        qdd = [geared_wedge(*terms, rate, u)[1] for rate in wanted[3]]
        np.testing.assert_allclose(table["qdd.slope"], qdd, rtol=0, atol=1e-8)


@pytest.mark.parametrize("mu", [2.5, 8.0])
def test_friction_that_outgrows_its_load_is_refused_by_joint(mu):
    """Down a steep light wedge the friction pulls the wedge under the block: N has no value > 0."""
    with pytest.raises(ScenarioError, match=r"Joint 'slope' jams at t = 0 s"):
        put(wedge(1.0, 3.0, 0.5, mu), [0, 1], [0.0, 1.0])


def test_the_largest_torque_of_a_law_ends_a_jam():
    M, m, slope, most = 1.0, 3.0, 0.5, 40.0
    found = put(wedge(M, m, slope, 2.5, max_torque=most), [0, 1], [0.0, 1.0])
    assert found.limit[1, 0] == pytest.approx(most)
    c, s = np.cos(slope), np.sin(slope)
    # M and m along and across the slope, with the friction a known force
    N = (m * g * c + m * s * c * most / M) / (1 + m * s * s / M)
    assert most < 2.5 * N
    A = (N * s - most * c) / M
    a = g * s + A * c - most / m
    np.testing.assert_allclose(found.qdd[:, 0], [-A, a], rtol=0, atol=ROUNDING)


def test_friction_of_several_joints_fits_the_load_that_all_of_them_cause():
    law = JointFriction(0.3, 0.2, 0.05, pin_radius=0.05, friction_arm=0.03, bending_arm=0.2)
    arm = double_pendulum(1.5, 0.8, 0.5, 0.6).with_friction({"shoulder": law, "elbow": law})
    q, qd = np.array([[0.4], [1.3]]), np.array([[3.0], [-5.0]])
    force = np.array([[20.0], [30.0], [-10.0]])
    loads = (AppliedWrench("lower", np.array([0.1, 0.2, 0.0]), force, 0.1 * force),)
    given = np.array([[4.0], [0.0]])
    found = put(arm, [1, -1], qd[:, 0], given, q, loads)
    reaction = wrenches(arm, q, qd, found.qdd, G, loads).reaction
    wanted = dry_limit(arm, qd, reaction)
    np.testing.assert_allclose(found.limit, wanted, rtol=1e-12)
    np.testing.assert_allclose(found.friction, wanted * [[1], [-1]], rtol=1e-12)
    np.testing.assert_allclose(found.effort, given - found.friction, rtol=0, atol=ROUNDING)
    assert (wanted > 0.1).all()


def test_driven_joints_rub_as_at_their_prescribed_speed():
    law = JointFriction(0.3, 0.2, 0.05, pin_radius=0.05, friction_arm=0.03, bending_arm=0.2)
    arm = double_pendulum(1.5, 0.8, 0.5, 0.6).with_friction({"shoulder": law})
    q, qd = np.array([[0.4, 0.1], [1.3, 0.0]]), np.array([[0.5, 4.0], [-5.0, 1.0]])
    driven = np.array([True, False])
    question = LoadedStates(q, qd, 0 * q + 2, driven, 0 * q, ())
    found = with_friction(LagrangianDynamics(arm, G), question, driven, np.zeros(2), np.zeros(2))
    reaction = wrenches(arm, q, qd, found.qdd, G).reaction
    wanted = friction_torque(arm, qd, reaction)
    np.testing.assert_allclose(found.friction, wanted, rtol=1e-12, atol=0)
    assert (np.abs(wanted[0]) > 0.01).all()


def test_followers_add_their_dry_friction_geared():
    pair = geared(0.3, 0.2, -3.0, '<dynamics friction="0.5"/>', '<dynamics friction="0.2"/>')
    assert joint_limit(pair, np.zeros((2, 1)), None)[0, 0] == pytest.approx(0.5 + 3 * 0.2)


def test_a_block_holds_up_to_the_angle_of_friction_and_slides_beyond_it():
    t = np.linspace(0.0, 0.5, 6)
    block = lift(2.0, "1 0 0").with_friction({"slide": rubbing_slide(0.5)})
    limit = np.arctan(0.5)
    for slope in (limit - 1e-6, limit + 1e-6, limit + 0.1):
        gravity = (g * np.sin(slope), 0.0, -g * np.cos(slope))
        path = loose([0.0])
        found = integrate([(0.0, LagrangianDynamics(block, gravity))], path, t)
        a = max(g * (np.sin(slope) - 0.5 * np.cos(slope)), 0.0)
        np.testing.assert_allclose(found.q[0], a * t**2 / 2, rtol=0, atol=1e-12)
        assert found.stuck.all() == (slope < limit)


def test_a_block_slips_at_last_when_sticking_takes_more_than_sliding():
    """Below 0.1 m/s it takes µ_s, above 0.15 m/s µ_d: thrown, it slows down by the latter first."""
    law = JointFriction(0.5, 0.2, 0.1, inputs=("reaction_force",))
    block = lift(2.0, "1 0 0").with_friction({"slide": law})
    t = np.linspace(0.0, 2.0, 201)
    found = integrate([(0.0, LagrangianDynamics(block, G))], loose([0.0], [3.0]), t)
    qd = found.qd[0]
    fast, slow = qd > 0.15, (qd > 0) & (qd < 0.1)
    np.testing.assert_allclose(found.qdd[0, fast], -0.2 * g, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.qdd[0, slow], -0.5 * g, rtol=0, atol=1e-12)
    assert slow.any()
    assert found.stuck[0, -1]
    assert imbalance(block, G, found) < 1e-9


def test_a_pendulum_with_a_rubbing_pin_stops_where_the_pin_can_hold_it():
    law = JointFriction(0.4, 0.3, 0.01, pin_radius=0.2, inputs=("reaction_force",))
    swing = pendulum(1.0, 0.5).with_friction({"hinge": law})
    t = np.linspace(0.0, 3.0, 301)
    found = integrate([(0.0, LagrangianDynamics(swing, G))], loose([1.0]), t)
    assert found.stuck[0, -1]
    # m g l |sin q| <= mu_s R m g
    assert 0 < abs(np.sin(found.q[0, -1])) * 0.5 <= 0.4 * 0.2
    assert imbalance(swing, G, found) < 1e-9
