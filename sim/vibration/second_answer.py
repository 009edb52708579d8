"""Roots of an engine: its accelerations about a pose, differentiated, without any M or K.

    A = ∂(ẋ, ẍ)/∂(x, ẋ),      ẍ = Z⁺ qdd by the engine under tau = tau_0 - k (q - q_0) - d qd + e

with x = Z⁺ (q - q_0) of states whose loops are closed, however far from the pose. Six-point central
differences leave (step)⁶ of truncation and rounding over the step.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.closed_positions import loop_rank
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.joint_forces import JointElements
from sim.dynamics.small_motions import displaced, loop_forces_at_rest
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array
from sim.maths.differences import differentiate
from sim.maths.newton import newton, pseudo_inverse
from sim.maths.rotation_vectors import crossed, turns_between
from sim.vibration.modes import DRIFTS, SCALE, Modes, first_order, roots_of

STEP = 0.01  # rad, m and per second


def differentiated_roots(modes: Modes, dynamics: HybridDynamics) -> Array:
    """Roots with Im s >= 0 by an engine's accelerations, ascending by size [1/s].

    Parameters
    ----------
    dynamics : HybridDynamics
        Of the same robot under the same gravity, its loops open; an engine's, or any other.

    Raises
    ------
    ScenarioError
        If its loops do not close beside the pose.
    """
    robot, loose, pose = modes.drives.robot, modes.drives.loose, modes.q[:, None]
    speed, steady = _speeds(modes)
    chart = modes.system.chart[..., 0]
    m, held = len(chart), ~loose
    closed = dynamics
    if passive_joints(robot).any():
        closed = ConstrainedDynamics(dynamics, loop_rank(robot, modes.q, held))
    tau_0 = _resting(modes, dynamics)

    def accelerations(small: Array) -> Array:
        q, qd = _closed_states(modes, chart, small)
        effort = tau_0 + _changes(modes, q, qd) - _changes(modes, pose, speed)
        given = np.repeat(steady, q.shape[1], axis=1)
        qdd = closed.hybrid_dynamics(q, qd, given, held, effort, ())[0]
        # δ̈ of a ball, whose turn is along axes that turn: δω̇ = δ̈ + ω × δ̇ + ω̇ × δ
        away = turns_between(robot.balls, np.broadcast_to(pose, q.shape), q)
        rate = qd - speed - crossed(robot.balls, speed, away)
        turning = crossed(robot.balls, speed, rate) + crossed(robot.balls, steady, away)
        return np.asarray(chart @ (qdd - turning)[loose])

    A = np.zeros((2 * m, 2 * m))
    # the largest share of a joint in a motion is what a step moves
    scale = 1.0 / np.maximum(np.abs(modes.system.Z[..., 0]).max(axis=0, initial=0.0), 1e-300)
    scale = np.concatenate([scale, scale])[:, None]
    A[:m, m:] = np.eye(m)
    A[m:] = differentiate(lambda small: accelerations(scale * small), 2 * m, STEP) / scale.T
    return roots_of(A, modes.system)[0]


def _speeds(modes: Modes) -> tuple[Array, Array]:
    """qd and qdd, (n, 1) each; zero at rest."""
    if modes.speeds is None:
        return np.zeros((modes.q.size, 1)), np.zeros((modes.q.size, 1))
    return modes.speeds[0][:, None], modes.speeds[1][:, None]


def _resting(modes: Modes, dynamics: HybridDynamics) -> Array:
    """Torques that hold the pose or its motion, without any of the passive joints, (n, 1)."""
    robot, pose = modes.drives.robot, modes.q[:, None]
    everything, still = np.ones(modes.q.size, dtype=bool), 0.0 * pose
    moving = _speeds(modes)
    resting = dynamics.hybrid_dynamics(pose, *moving, everything, still, ())[1]
    if not passive_joints(robot).any():
        return resting
    own = modes.drives.elements
    z = own.start[:, None]
    speed = moving[0]
    given = own.torque(own.at(np.array([modes.t]), pose, speed, z)) - viscous_matrix(robot) @ speed
    multipliers = loop_forces_at_rest(robot, pose, resting - given)
    return resting - joint_equations(robot, pose)[1][..., 0].T @ multipliers


def _closed_states(modes: Modes, chart: Array, small: Array) -> tuple[Array, Array]:
    """States with closed loops of which x and ẋ are given, (2 m, K), as q, qd (n, K)."""
    robot, loose = modes.drives.robot, modes.drives.loose
    unit = np.eye(loose.size)
    C = np.concatenate([chart @ unit[loose], unit[~loose]])
    x, rate = (np.pad(half, ((0, len(C) - len(half)), (0, 0))) for half in np.split(small, 2))
    each = modes.q[:, None], _speeds(modes)[0], C[..., None]
    pose, speed, charts = (np.repeat(one, x.shape[1], axis=-1) for one in each)

    def equations(away: Array) -> tuple[Array, Array]:
        e, J = joint_equations(robot, displaced(robot, pose, away))
        return np.concatenate([e, C @ away - x]), np.concatenate([J, charts])

    away = newton(equations, np.zeros_like(pose))
    if away is None:
        raise ScenarioError(
            f"The loops of robot {robot.name!r} do not close {STEP:g} rad or m beside the pose,"
            " which an engine's accelerations are differentiated by; it is nearly singular"
        )
    inverse = pseudo_inverse(equations(away)[1])[:, -len(C) :]
    given = C @ (speed + crossed(robot.balls, speed, away)) + rate
    return displaced(robot, pose, away), np.einsum("nrN,rN->nN", inverse, given)


def roots_apart(modes: Modes, dynamics: HybridDynamics) -> float:
    """Largest difference of a root from that of an engine, of the root, or of least sizes.

    Each root has the partner that makes their sum least: s and -s of a pose that runs away without
    damping are of one size, so that rounding decides in which order they come.
    """
    from scipy.optimize import linear_sum_assignment

    own = roots_of(first_order(modes.system), modes.system)[0]
    other = differentiated_roots(modes, dynamics)
    if own.shape != other.shape:
        return float("inf")
    with np.errstate(all="ignore"):  # roots that are no numbers agree with nothing
        least = DRIFTS * max(np.abs(own).max(), SCALE)
        apart = np.abs(own[:, None] - other) / np.maximum(np.abs(own), least)[:, None]
    if not np.isfinite(apart).all():
        return float("inf")
    return float(apart[linear_sum_assignment(apart)].max())


def _changes(modes: Modes, q: Array, qd: Array) -> Array:
    """Joint torques of drives, viscous friction and force elements at states (n, K), (n, K).

    Stops by their slopes in the pose, since beside it they may act no more; contacts not at all.
    """
    drives, elements = modes.drives, modes.drives.elements
    robot = drives.robot
    away = turns_between(robot.balls, np.broadcast_to(modes.q[:, None], q.shape), q)
    rubbing = viscous_matrix(robot)
    torque = -drives.stiffness[:, None] * away - drives.damping[:, None] * qd - rubbing @ qd
    t = np.full(q.shape[1], modes.t)
    steady = ElementSum(robot, tuple(one for one in elements.elements if one.is_steady))
    torque += steady.torque(steady.at(t, q, qd, np.repeat(steady.start[:, None], t.size, axis=1)))
    for one in elements.elements:
        if one.is_sudden and isinstance(one, JointElements):
            pose, alone = modes.q[:, None], ElementSum(robot, (one,))
            speed, _ = _speeds(modes)
            slopes = one.slopes(alone.at(t[:1], pose, speed))
            torque += slopes.q[..., 0] @ away + slopes.qd[..., 0] @ (qd - speed)
    return torque
