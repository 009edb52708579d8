"""Dry friction in closed loops that nothing drives, against one coordinate and against its law."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.dynamics.friction_in_loops import breaks_away
from sim.dynamics.holding_friction import holding_friction
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.lagrange import energies
from sim.robots import Loop
from sim.simulation import build_problem
from tests.helpers.loop_robots import LIMITS, FourBar, at, bar, rough_bars, slider_crank
from tests.helpers.small_robots import joint, robot

pytestmark = pytest.mark.usefixtures("few_steps")

MACHINE_CODE = True

BARS = FourBar()


def start(angle):
    q = BARS.motion(np.array([angle]), np.zeros(1), np.zeros(1))[0][:, 0]
    return dict(zip(BARS.robot().joint_names, q, strict=True))


def levers(angle):
    """Rates of the three joints per rate of the crank."""
    return BARS.motion(np.atleast_1d(angle), np.ones(1), np.zeros(1))[1][:, 0]


def held(angle, times=1.0):
    """Dry friction of all joints about the crank, by virtual work [N·m]."""
    return times * float(np.abs(levers(angle)) @ list(LIMITS.values()))


def slope(f, angle, h=1e-4):
    f = [f(angle + k * h) for k in (-2, -1, 1, 2)]
    return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h)


def inertia(angle):
    return 2 * BARS.energies(np.atleast_1d(angle), np.ones(1), 9.81)[0][0]


def height(angle):
    return BARS.energies(np.atleast_1d(angle), np.zeros(1), 9.81)[1][0]


def solved(scenario):
    """The problem of a scenario and the model's motion."""
    problem = build_problem(scenario)
    stages = [(0.0, LagrangianDynamics(problem.robot, problem.gravity))]
    return problem, integrate(stages, problem.broken_path, problem.t, problem.loads)


def column(recording, channel):
    return recording.recorded[channel].to_numpy()


def test_a_four_bar_slides_comes_to_rest_and_stays():
    """One coordinate: m a'' + m' a'²/2 + V' = -sign(a') Σ |c_j| f_j until it rests within them."""
    motion = sim.JointMotion.acceleration(
        {}, q0=start(0.4), qd0={"crank_joint": 2.0}, free=["crank_joint"]
    )
    scenario = sim.Scenario(rough_bars(5.0), motion, 0.09, dt=3e-3, engine="mujoco")
    recording = sim.run(scenario, method="adaptive")
    assert [check for check in sim.check(recording) if not check.ok] == []
    q, qd = column(recording, "q.crank_joint"), column(recording, "qd.crank_joint")

    def rate(_, y):
        force = -slope(height, y[0]) - slope(inertia, y[0]) * y[1] ** 2 / 2 - held(y[0], 5.0)
        return [y[1], force / inertia(y[0])]

    rests = lambda _, y: y[1]  # noqa: E731
    rests.terminal = True
    t = recording.t
    wanted = solve_ivp(
        rate, (0, 0.09), [0.4, 2.0], "DOP853", t, rtol=1e-11, atol=1e-12, events=rests
    )
    moving = t < wanted.t_events[0][0]
    np.testing.assert_allclose(q[moving], wanted.y[0], rtol=0, atol=1e-9)  # [rad]
    end = wanted.y_events[0][0][0]
    np.testing.assert_allclose(q[~moving], end, rtol=0, atol=1e-9)
    assert not qd[~moving].any() and 5 < np.count_nonzero(~moving) < 20
    # What holds it is within the limits and holds the weight by virtual work.
    holds = [column(recording, f"friction.{name}")[-1] for name in LIMITS]
    assert levers(end) @ holds == pytest.approx(-slope(height, end), abs=1e-8)  # [N·m]
    assert np.all(np.abs(holds) < 5 * np.array(list(LIMITS.values())))
    loss = sum(column(recording, f"loss.{name}")[-1] for name in LIMITS)
    energy = column(recording, "ke") + column(recording, "pe")
    assert loss == pytest.approx(energy[0] - energy[-1], abs=1e-9)  # [J]


def test_a_torque_that_grows_breaks_all_joints_of_a_loop_away_at_once():
    slow, angle = 4.0, 0.4
    break_at = (held(angle, 3.0) + slope(height, angle)) / slow
    motion = sim.JointMotion.torque({"crank_joint": f"{slow}*time"}, q0=start(angle))
    assert 0 < break_at < 1 and abs(slope(height, angle)) < held(angle, 3.0)
    scenario = sim.Scenario(rough_bars(3.0), motion, break_at + 0.02, dt=0.01, method="adaptive")
    problem, found = solved(scenario)
    t, qd = problem.t, found.qd[0]
    assert not found.qd[:, t < break_at].any()
    # Soon after: inertia a'' = slow (t - break_at)
    soon = t[-1] - break_at
    assert qd[-1] == pytest.approx(slow * soon**2 / 2 / inertia(angle), rel=2e-2)
    wanted = 3 * np.sign(levers(angle)) * list(LIMITS.values())
    np.testing.assert_allclose(found.friction[:, -1], wanted, rtol=1e-12)


def test_bars_that_stick_and_slip_again_and_again_spend_what_the_motor_gives():
    motion = sim.JointMotion.torque({"crank_joint": "3.2*SIN(12*time)"}, q0=start(0.4))
    _, found = solved(sim.Scenario(rough_bars(4.0), motion, 0.6, dt=0.01, method="adaptive"))
    is_stuck = found.stuck.all(axis=0)
    assert np.count_nonzero(np.diff(is_stuck)) == 3  # breaks away, comes to rest, breaks away
    kinetic, potential = BARS.energies(found.q[0], found.qd[0], 9.81)
    gained = kinetic + potential - (kinetic + potential)[0]
    spent = found.works.work.sum(axis=0) - found.works.loss.sum(axis=0)
    np.testing.assert_allclose(gained, spent, rtol=0, atol=1e-10)  # [J] of some 3
    assert found.works.loss[:, -1].min() > 0.1


def test_friction_in_a_guide_follows_the_force_that_the_loop_presses_on_it():
    law = sim.JointFriction(0.3, 0.3, stiction_velocity=1e-4, inputs=("reaction_force",))
    robot = slider_crank(0.2, 0.6).with_friction({"slider_joint": law})
    q0 = {"crank_joint": 0.5, "rod_joint": 1.0, "slider_joint": 0.6}
    motion = sim.JointMotion.acceleration({}, q0=q0, qd0={"crank_joint": 3.0}, free=["crank_joint"])
    scenario = sim.Scenario(robot, motion, 0.05, dt=5e-3, engine="mujoco")
    recording = sim.run(scenario, method="adaptive")
    assert [check for check in sim.check(recording) if not check.ok] == []
    pressed = np.hypot(*(column(recording, f"reaction.slider_joint.f{c}") for c in "yz"))
    moving = np.sign(column(recording, "qd.slider_joint"))
    friction = column(recording, "friction.slider_joint")
    np.testing.assert_allclose(friction, 0.3 * pressed * moving, rtol=0, atol=1e-9)  # [N] of 9
    assert np.abs(pressed - 2 * 9.81).min() > 1 and abs(moving.sum()) == moving.size


def five_bar(limit, at_foot):
    """Two cranks and two rods between them: `ja` is driven, the foot `jc` of the other is not."""
    rubs, foot = (f'<dynamics friction="{size}"/>' for size in (limit, at_foot))
    sizes = {"a": (1.0, 0.2), "b": (0.8, 0.4), "c": (1.0, 0.25), "d": (0.8, 0.4)}
    tree = robot(
        *(bar(name, *size) for name, size in sizes.items()),
        joint("ja", "revolute", "ground", "a", "0 1 0"),
        joint("jb", "revolute", "a", "b", "0 1 0", at("0 0 0.2") + rubs),
        joint("jc", "revolute", "ground", "c", "0 1 0", at("0.4 0 0") + foot),
        joint("jd", "revolute", "c", "d", "0 1 0", at("0 0 0.25") + rubs),
    )  # fmt: skip
    ends = "b", (0, 0, 0.4), "d", (0, 0, 0.4)
    return replace(tree, loops=(Loop("tip", *ends, (0, 1, 0), ("jb", "jd")),))


def test_a_joint_sticks_in_a_loop_that_a_drive_moves_while_its_limit_holds_it():
    """Held is what a drive in its place gives that keeps it there; slipping, power balances."""
    crank, start = "0.3*SIN(6*time)", {"ja": 0.0, "jb": 0.9, "jc": 0.3, "jd": -1.0}
    motion = sim.JointMotion.displacement({"ja": crank}, q0=start, free=["jc"])
    scenario = sim.Scenario(five_bar(4.0, 8.0), motion, 0.9, dt=0.01, method="adaptive")
    problem, found = solved(scenario)
    own, rod = (problem.robot.joint_names.index(name) for name in ("jc", "jb"))
    holds = np.flatnonzero(found.stuck[own])
    assert 30 < holds.size < 60 and np.ptp(found.q[own, holds]) < 1e-12
    assert np.abs(found.qd[own, holds]).max() < 1e-10 and np.abs(found.qd[rod, holds]).max() > 1
    at_rest = start | {"jc": float(found.q[own, holds[0]])}
    both = {"ja": crank, "jc": repr(at_rest["jc"])}
    held = sim.JointMotion.displacement(both, q0=at_rest)
    driven = sim.run(sim.Scenario(five_bar(4.0, 0.0), held, 0.9, dt=0.01), method="ideal")
    needed = column(driven, "tau.jc")
    inside = holds[1:-1]  # rods turn back at once where the crank does
    np.testing.assert_allclose(-found.friction[own, inside], needed[inside], rtol=0, atol=1e-7)
    assert np.abs(needed[inside]).max() < 8.0 < np.abs(needed[holds[-1] + 2])
    np.testing.assert_allclose(np.abs(found.friction[own, ~found.stuck[own]]), 8.0, rtol=1e-12)
    _, *parts = energies(problem.robot, found.q, found.qd, problem.gravity)
    gained = np.sum(parts, axis=(0, 1))
    spent = found.works.work.sum(axis=0) - found.works.loss.sum(axis=0)
    np.testing.assert_allclose(gained - gained[0], spent, rtol=0, atol=1e-9)  # [J] of some 6


def test_friction_at_rest_beside_a_drive_leaves_what_it_cannot_hold():
    """A drive turns the second joint back, the first one sticks: half of |P f - a|² alone."""
    n, driven = np.array([1.0, -2.0]), np.array([0.0, 5.0])
    P, limit = np.outer(n, n), np.array([4.0, 0.5])
    a = 2.0 * n + driven
    found = holding_friction(P, a, -limit, limit)
    left = a - P @ found
    assert found[1] == 0.5 and abs(found[0]) < 4.0  # what slides rubs along with its motion
    assert left[0] == pytest.approx(0.0, abs=1e-12) and left[1] > 0.0


def test_friction_at_rest_is_the_smallest_that_holds_and_else_leaves_least():
    P = np.outer([1.0, -2.0, 0.5], [1.0, -2.0, 0.5])  # three joints, one freedom
    limit = np.array([1.0, 2.0, 3.0])
    direction = np.array([1.0, -2.0, 0.5])
    held = holding_friction(P, 3.0 * direction, -limit, limit)
    assert direction @ held == pytest.approx(3.0, rel=1e-12) and np.all(np.abs(held) < limit)
    share = held / limit / (direction * limit)  # of shortest shares one factor
    np.testing.assert_allclose(share, share[0], rtol=1e-10)
    most = float(np.abs(direction) @ limit)
    over = holding_friction(P, 1.5 * most * direction, -limit, limit)
    np.testing.assert_allclose(over, limit * np.sign(direction), rtol=1e-12)
    left = 1.5 * most * direction - P @ over
    np.testing.assert_allclose(breaks_away(left, 1.5 * most * direction), np.sign(direction))
    assert not breaks_away(1e-12 * left, left).any()
