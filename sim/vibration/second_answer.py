"""Eigenvalues by an engine: its accelerations about a pose, differentiated, without M or K.

    A = ∂(ẋ, ẍ)/∂(x, ẋ),      ẍ = Z⁺ qdd by the engine under tau = tau_0 - k (q - q_0) - d qd + e

with x = Z⁺ (q - q_0) of states with closed loops at any distance from the pose. The engine receives
the force elements at each state: wrenches on its links, and efforts e in its joints.

Six-point central differences have a truncation error of (step)⁶ and rounding over the step. All
states of one difference are on one side of every switch; where the pose is on the border of two
smooth pieces the difference is one-sided.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.closed_positions import loop_rank
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.element_slopes import ElementStates, side_numbers
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.small_motions import displace, loop_forces_at_rest
from sim.dynamics.wrench import Acting
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array
from sim.maths.differences import OFFSETS, WEIGHTS
from sim.maths.newton import newton, pseudo_inverse
from sim.maths.rotation_vectors import cross_balls, turns_between
from sim.vibration.modes import Modes
from sim.vibration.roots import DRIFTS, SCALE, first_order, roots_of

STEP = 0.01  # rad, m and per second
SHORTEST, SHORTEST_IN_LOOPS = 1e-8, 1e-5  # the same; loops close to 1e-13 of them
RESOLVED = 1e-8  # of a slope: change for half the step
ROUNDED = 1e-14  # of a torque, in its differences
AHEAD = np.arange(7.0)
ONE_SIDED = np.array([-147.0, 360.0, -450.0, 400.0, -225.0, 72.0, -10.0]) / 60.0  # same order


class NotComparedError(ScenarioError):
    """An engine's accelerations cannot be differentiated at a pose."""


def differentiated_roots(modes: Modes, dynamics: HybridDynamics) -> Array:
    """Return eigenvalues with Im s >= 0 by an engine's accelerations, ascending by size [1/s].

    Parameters
    ----------
    dynamics : HybridDynamics
        Of the same robot under the same gravity, its loops open; an engine's or any other.

    Raises
    ------
    ScenarioError
        If its loops do not close next to the pose.
    NotComparedError
        If a force element is not smooth at the pose, or within any step from it.
    """
    if modes.rough:
        raise NotComparedError(f"{modes.rough[0].title} and is not smooth at this pose")
    robot, loose, pose = modes.drives.robot, modes.drives.loose, modes.q[:, None]
    speed, steady = _speeds(modes)
    chart = modes.system.chart[..., 0]
    m, held = len(chart), ~loose
    closed = dynamics
    if passive_joints(robot).any():
        closed = ConstrainedDynamics(dynamics, loop_rank(robot, modes.q, held))
    tau_0 = _holding_torques(modes, dynamics)

    def accelerations(small: Array) -> Array:
        q, qd = _closed_states(modes, chart, small)
        torque, wrenches = _loads_at(modes, q, qd)
        effort = tau_0 + torque - _loads_at(modes, pose, speed)[0]
        steady_qdd = np.repeat(steady, q.shape[1], axis=1)
        qdd = closed.hybrid_dynamics(q, qd, steady_qdd, held, effort, wrenches)[0]
        # δ̈ of a ball, whose rotation is along moving axes: δω̇ = δ̈ + ω × δ̇ + ω̇ × δ
        away = turns_between(robot.balls, np.broadcast_to(pose, q.shape), q)
        rate = qd - speed - cross_balls(robot.balls, speed, away)
        turning = cross_balls(robot.balls, speed, rate) + cross_balls(robot.balls, steady, away)
        return np.asarray(chart @ (qdd - turning)[loose])

    A = np.zeros((2 * m, 2 * m))
    # the step is that of the joint that moves most in a motion
    scale = 1.0 / np.maximum(np.abs(modes.system.Z[..., 0]).max(axis=0, initial=0.0), 1e-300)
    A[:m, m:] = np.eye(m)
    for k, size in enumerate(np.concatenate([scale, scale])):
        unit = size * np.eye(2 * m)[:, k : k + 1]
        places, weights = _suited_step(modes, chart, unit)
        A[m:, k] = accelerations(places * unit) @ weights / size
    return roots_of(A, modes.system)[0]


def _suited_step(modes: Modes, chart: Array, unit: Array) -> tuple[Array, Array]:
    """Return nodes along a small state (2 m, 1) within which all laws are smooth, and weights.

    Raises
    ------
    NotComparedError
        If every step crosses a switch of a law, or is too long for its curvature.
    """
    elements, t = modes.drives.elements, np.full(1, modes.t)

    def laws(places: Array) -> tuple[Array, Array]:
        """Return torques of the elements, and the sides of their switches."""
        q, qd = _closed_states(modes, chart, places * unit)
        times, z = (np.repeat(x, places.size, axis=-1) for x in (t, elements.start[:, None]))
        numbers = side_numbers(elements, ElementStates(times, q, qd, z))
        return elements.torque(elements.at(times, q, qd, z)), numbers

    least = SHORTEST_IN_LOOPS if passive_joints(modes.drives.robot).any() else SHORTEST
    steps = STEP * 0.25 ** np.arange(np.ceil(np.log(STEP / least) / np.log(4.0)))
    for offsets, weights in ((OFFSETS, WEIGHTS), (AHEAD, ONE_SIDED), (-AHEAD, -ONE_SIDED)):
        for step in steps:
            torque, numbers = laws(step * offsets)
            shifted = numbers[:, offsets != 0.0]
            if (shifted != shifted[:, :1]).any():
                continue
            estimate = torque @ weights / step
            half = laws(0.5 * step * offsets)[0] @ weights / (0.5 * step)
            rounded = ROUNDED * np.abs(torque).max(initial=0.0) / step
            if np.abs(estimate - half).max() <= RESOLVED * np.abs(half).max() + rounded:
                return step * offsets, weights / step
    raise NotComparedError(
        f"a force element switches within {least:g} rad or m of the pose, or bends more than "
        "differences resolve"
    )


def _speeds(modes: Modes) -> tuple[Array, Array]:
    """Return qd and qdd, (n, 1) each; zero at rest."""
    if modes.speeds is None:
        return np.zeros((modes.q.size, 1)), np.zeros((modes.q.size, 1))
    return modes.speeds[0][:, None], modes.speeds[1][:, None]


def _holding_torques(modes: Modes, dynamics: HybridDynamics) -> Array:
    """Return torques that hold the pose or its motion, none at passive joints, (n, 1)."""
    robot, pose = modes.drives.robot, modes.q[:, None]
    everything, still = np.ones(modes.q.size, dtype=bool), 0.0 * pose
    moving = _speeds(modes)
    applied, wrenches = _loads_at(modes, pose, moving[0])
    resting = dynamics.hybrid_dynamics(pose, *moving, everything, still, wrenches)[1]
    if not passive_joints(robot).any():
        return resting
    multipliers = loop_forces_at_rest(robot, pose, resting - applied)
    return resting - joint_equations(robot, pose)[1][..., 0].T @ multipliers


def _loads_at(modes: Modes, q: Array, qd: Array) -> tuple[Array, Acting]:
    """Return joint torques of drives, friction and elements at states (n, K), and link wrenches."""
    drives, elements = modes.drives, modes.drives.elements
    robot = drives.robot
    away = turns_between(robot.balls, np.broadcast_to(modes.q[:, None], q.shape), q)
    z = np.repeat(elements.start[:, None], q.shape[1], axis=1)
    torque, wrenches = elements(np.full(q.shape[1], modes.t), q, qd, z)
    torque = torque - drives.stiffness[:, None] * away - drives.damping[:, None] * qd
    return torque - viscous_matrix(robot) @ qd, wrenches


def _closed_states(modes: Modes, chart: Array, small: Array) -> tuple[Array, Array]:
    """Return states with closed loops for given x and ẋ, (2 m, K), as q, qd (n, K)."""
    robot, loose = modes.drives.robot, modes.drives.loose
    unit = np.eye(loose.size)
    C = np.concatenate([chart @ unit[loose], unit[~loose]])
    x, rate = (np.pad(half, ((0, len(C) - len(half)), (0, 0))) for half in np.split(small, 2))
    each = modes.q[:, None], _speeds(modes)[0], C[..., None]
    pose, speed, charts = (np.repeat(one, x.shape[1], axis=-1) for one in each)

    def equations(away: Array) -> tuple[Array, Array]:
        e, J = joint_equations(robot, displace(robot, pose, away))
        return np.concatenate([e, C @ away - x]), np.concatenate([J, charts])

    if (away := newton(equations, np.zeros_like(pose))) is None:
        raise ScenarioError(
            f"The loops of robot {robot.name!r} do not close {STEP:g} rad or m from the pose, the "
            "step of the engine's finite differences; the pose is nearly singular"
        )
    inverse = pseudo_inverse(equations(away)[1])[:, -len(C) :]
    speeds = C @ (speed + cross_balls(robot.balls, speed, away)) + rate
    return displace(robot, pose, away), np.einsum("nrN,rN->nN", inverse, speeds)


def roots_apart(modes: Modes, dynamics: HybridDynamics) -> float:
    """Return the largest relative difference between the roots and those of an engine.

    Roots are paired to minimise the sum of differences: s and -s of an unstable undamped pose have
    one size, so that rounding decides their order.
    """
    from scipy.optimize import linear_sum_assignment

    roots = roots_of(first_order(modes.system), modes.system)[0]
    other = differentiated_roots(modes, dynamics)
    if roots.shape != other.shape:
        return float("inf")
    with np.errstate(all="ignore"):  # NaN roots agree with nothing
        least = DRIFTS * max(np.abs(roots).max(), SCALE)
        differences = np.abs(roots[:, None] - other) / np.maximum(np.abs(roots), least)[:, None]
    if not np.isfinite(differences).all():
        return float("inf")
    return float(differences[linear_sum_assignment(differences)].max())
