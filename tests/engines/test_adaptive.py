import numpy as np
import pytest

from sim.dynamics import LagrangianDynamics, integrate, lagrange
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.ideal import solve_ideal
from sim.errors import ScenarioError
from sim.functions import spline
from sim.motion import JointMotion
from sim.robots import JointFriction, load_robot
from tests.helpers.free_paths import imbalance, loose
from tests.helpers.small_robots import double_pendulum, joint, lift, link, pendulum, robot
from tests.helpers.stateless_loads import loads_by

G = (0.0, 0.0, -9.81)
CLOSE = 1e-9  # [rad], [m]: what the solver's steps of 1e-12 add up to
AUDIT = 1e-9  # of the energy moved


def solved(plant, path, t, **more):
    with Bullet(plant, G) as engine:
        return solve_adaptive(engine, t, path, **more)


def rough(friction, more=""):
    return f'{more}<dynamics friction="{friction!r}" damping="0.02"/>'


ARM = robot(
    link("upper", 1.5, "0 0 -0.5"),
    link("lower", 0.8, "0 0 -0.6"),
    joint("shoulder", "revolute", "ground", "upper", "0 1 0", rough(2.0)),
    joint("elbow", "revolute", "upper", "lower", "0 1 0", rough(1.5, '<origin xyz="0 0 -0.5"/>')),
)


@pytest.mark.parametrize(
    "motion",
    [
        JointMotion.displacement({"shoulder": "SIN(3*time)"}, q0=[0, 1], free=["elbow"]),
        JointMotion.torque({"shoulder": "STEP(time,0,9,1,-9)"}, q0=[0, 1], free=["elbow"]),
        JointMotion.torque({"elbow": "4*SIN(7*time)"}),
    ],
)
def test_driven_torque_driven_and_free_joints_move_as_in_the_model(motion):
    t = np.linspace(0.0, 2.0, 201)
    path = motion.on(ARM, 2.0)
    found = solved(ARM, path, t)
    model = integrate([(0.0, LagrangianDynamics(ARM, G))], path, t)
    for got, wanted in ((found.q, model.q), (found.qd, model.qd), (found.tau, model.tau)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8)
    assert found.solved.stuck.any()
    assert imbalance(ARM, G, found.solved) <= AUDIT
    needed = lagrange.inverse_dynamics(ARM, found.q, found.qd, found.qdd)
    effort = found.tau - found.solved.friction
    np.testing.assert_allclose(effort, needed, rtol=0, atol=1e-10)


def test_friction_that_follows_the_load_acts_in_the_engine_too():
    law = JointFriction(0.3, 0.2, 0.05, pin_radius=0.1, friction_arm=0.03, bending_arm=0.2)
    plant = double_pendulum(1.5, 0.8, 0.5, 0.6).with_friction({"shoulder": law})
    t = np.linspace(0.0, 0.5, 51)
    found = solved(plant, loose([2.0, -1.0]), t)
    model = integrate([(0.0, LagrangianDynamics(plant, G))], loose([2.0, -1.0]), t)
    np.testing.assert_allclose(found.q, model.q, rtol=0, atol=CLOSE)
    assert model.works.loss[0, -1] > 0.1  # [J]
    assert imbalance(plant, G, found.solved) <= AUDIT


def test_free_joints_and_their_followers_move_as_in_the_model():
    palletizer = load_robot("irb460")
    swing, lower, crank, flange = palletizer.joint_names
    motion = JointMotion.displacement(
        {swing: "0.3*SIN(2*time)"}, q0=palletizer.pose("zero"), free=[lower, flange]
    ) | JointMotion.torque({crank: "200"})
    t = np.linspace(0.0, 0.4, 41)
    path = motion.on(palletizer, 0.4)
    found = solved(palletizer, path, t)
    S, q_0 = palletizer.coupling
    model = integrate([(0.0, LagrangianDynamics(palletizer, G))], path, t)
    np.testing.assert_allclose(found.q, S @ model.q + q_0[:, None], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(S.T @ found.tau, model.tau, rtol=0, atol=1e-9 * model.tau.max())
    assert imbalance(palletizer, G, found.solved) <= AUDIT


def test_a_payload_is_picked_up_by_the_engine():
    bare = lift(2.0)
    loaded = bare.with_payload(3.0, frame="load")
    payload = loaded.links[-1].name
    stages = [(0.0, bare, {payload: False}), (0.8, loaded, {payload: True})]
    path = loose([0.0], [1.0], torque=lambda t: np.full((1, t.size), 30.0))
    t = np.linspace(0.0, 2.0, 21)
    found = solved(loaded, path, t, stages=stages)
    a, b, late = 15 - 9.81, 6 - 9.81, np.maximum(t - 0.8, 0)
    early = np.minimum(t, 0.8)
    wanted = early + a * early**2 / 2 + (1 + a * 0.8) * late + b * late**2 / 2
    # before that the engine moves 1e-9 kg of the payload's link with it
    np.testing.assert_allclose(found.q[0], wanted, rtol=0, atol=1e-8)


def test_loads_act_in_the_engine():
    t = np.linspace(0.0, 1.0, 11)
    found = solved(
        lift(3.0), loose([0.0]), t, loads=loads_by(lift(3.0), lambda t, q, qd: (60 - 2 * qd, ()))
    )
    end = (60 - 3 * 9.81) / 2
    np.testing.assert_allclose(found.qd[0], end * (1 - np.exp(-2 * t / 3)), rtol=0, atol=CLOSE)


@pytest.mark.parametrize(
    ("kind", "dt", "close", "order"),
    [
        # no curvature at its ends, where the torque has some: third order
        ("cubic", 1e-3, 2e-7, 3),
        # its third derivative jumps by h τ⁗ at every point: fourth order at least
        ("notaknot", 4e-3, 3e-8, 4),
    ],
)
def test_a_recorded_torque_reproduces_the_recorded_motion(kind, dt, close, order):
    ur10 = load_robot("ur10")
    drives = {
        name: f"{0.3 + 0.1 * i}*SIN({2 + 0.5 * i}*time)" for i, name in enumerate(ur10.joint_names)
    }
    duration, errors = 0.48, []
    path = JointMotion.displacement(drives).on(ur10, duration)
    for step in (2 * dt, dt):
        t = np.linspace(0.0, duration, round(duration / step) + 1)
        wanted = path.at(t)
        with Bullet(ur10, G) as engine:
            recorded = solve_ideal(engine, t, wanted.q, wanted.qd, wanted.qdd)
            motors = {
                name: spline(t, tau, kind)
                for name, tau in zip(ur10.joint_names, recorded.tau, strict=True)
            }
            motion = JointMotion.torque(motors, q0=wanted.q[:, 0], qd0=wanted.qd[:, 0])
            found = solve_adaptive(engine, t, motion.on(ur10, duration))
        np.testing.assert_allclose(found.tau, recorded.tau, rtol=0, atol=1e-11)
        errors.append(np.abs(found.q - wanted.q).max())
    assert errors[1] < close  # [rad]
    assert np.log2(errors[0] / errors[1]) > order - 0.3


def test_what_cannot_be_solved_is_told_by_joint():
    needle = robot(link("needle", 1.0), joint("pin", "revolute", "ground", "needle", "0 1 0"))
    with pytest.raises(ScenarioError, match=r"'pin' is free and has no inertia along it"):
        solved(needle, loose([0.0]), np.linspace(0, 1, 11))


def test_progress_counts_the_samples():
    told = []
    t = np.linspace(0.0, 1.0, 101)
    with Bullet(pendulum(1.0, 0.5), G, told.append) as engine:
        solve_adaptive(engine, t, loose([1.0]))
    assert told[-1] == t.size
    assert told == sorted(told)
    assert len(told) > 3
