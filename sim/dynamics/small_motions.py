"""Small motions about poses: those allowed by closed loops, and derivatives along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.dynamics.closed_positions import INDEPENDENT, loop_rank
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import joint_equations, loop_bias, passive_joints
from sim.maths.arrays import Array, Mask, evaluate_in_batches
from sim.maths.differences import OFFSETS, WEIGHTS
from sim.maths.newton import pseudo_inverse
from sim.maths.rotation_vectors import cross_balls, displace_rows
from sim.robots.robot import Robot

POSES = 100  # poses per pass, each displaced along every motion
LEADS = 1e-3  # relative to a motion's largest component; joints below cannot parametrise it
STEP = 1e-3  # rad, m and per second: step⁶ of truncation, rounding over the step


def displace(robot: Robot, q: Array, small: Array) -> Array:
    """Return positions after a small motion from `q`, (n, K); all perturbations use it.

    Parameters
    ----------
    q, small : ndarray, shape (n, K)
        [rad or m]; `small` is a velocity times a unit of time. For a ball it is a rotation about
        the axes of its child.
    """
    return displace_rows(robot.balls, q, small)


def allowed_motions(robot: Robot, q: Array, loose: Mask, M: Array) -> Array:
    """Return Z, a basis of the motions of loose joints that closed loops allow, (loose, m, N).

    With loops its columns are orthonormal in the metric of the mass, `M` (loose, loose, N).
    """
    j, N = int(np.count_nonzero(loose)), q.shape[1]
    if not passive_joints(robot).any():
        return np.broadcast_to(np.eye(j)[..., None], (j, j, N))
    rank = loop_rank(robot, q[:, 0], ~loose)
    J = joint_equations(robot, q)[1][:, loose]
    G = np.linalg.inv(np.linalg.cholesky(np.moveaxis(M, -1, 0)))  # M⁻¹ = Gᵀ G
    _, sizes, Vt = np.linalg.svd(np.einsum("rjN,Nij->Nri", J, G))
    Z = np.einsum("Nij,Nmi->jmN", G, Vt[:, rank:])
    if rank:
        Z[..., ~(sizes[:, rank - 1] > INDEPENDENT * sizes[:, 0])] = np.nan
    return Z


def loop_forces_at_rest(robot: Robot, q: Array, torque: Array) -> Array:
    """Return λ for which the passive joints rest, (rows, N) [N]; the shortest if redundant.

    Parameters
    ----------
    torque : ndarray, shape (n, N)
        Torque that each joint would require at rest with open loops [N·m or N].
    """
    passive = passive_joints(robot)
    J = joint_equations(robot, q)[1][:, passive]
    inverse = pseudo_inverse(np.swapaxes(J, 0, 1))
    return np.asarray(np.einsum("rpN,pN->rN", inverse, torque[passive]))


def differences_along(torque: Callable[..., Array], Z: Array, *at: Array) -> Array:
    """Return derivatives of a torque along the columns of Z by six points, (n, m, N).

    Parameters
    ----------
    torque : callable
        Small motions (n, K) and further arguments (…, K) -> torques (n, K), or any rows.
    Z : ndarray, shape (n, m, N)
    *at : ndarray, shape (…, N)
        Further arguments at each pose.
    """
    scale = np.abs(Z).max(axis=0, initial=0.0)  # (m, N): each column moves its joints by one step
    scale = np.where(scale > 0.0, scale, 1.0)

    def kernel(Z: Array, *at: Array) -> tuple[Array]:
        n, m, N = Z.shape
        small = (STEP * OFFSETS * Z[..., None]).reshape(n, -1)
        full = (m, N, OFFSETS.size)
        many = (
            np.broadcast_to(x[..., None, :, None], (*x.shape[:-1], *full)).reshape(
                *x.shape[:-1], m * N * OFFSETS.size
            )
            for x in at
        )
        return (torque(small, *many).reshape(-1, *full) @ WEIGHTS / STEP,)

    (derivatives,) = evaluate_in_batches(kernel, POSES, Z / scale, *at)
    return derivatives * scale


@dataclass(frozen=True, eq=False)
class MotionChanges:
    """Changes of velocities and accelerations for small motions, (n, m, N) each.

    About a motion ``δq = Z x``, ``δqd = Z ẋ + W x`` and ``δqdd = Z ẍ + V ẋ + Y x``: with closed
    loops Z changes with the joints, and a ball's rotation is about axes that rotate themselves,
    ``δω = δ̇ + ω × δ``.
    """

    W: Array
    V: Array
    Y: Array


def leading_joints(robot: Robot, loose: Mask, Z: Array) -> Array:
    """Return indices of loose joints whose positions are x, (m,): those that no loop determines.

    Parameters
    ----------
    Z : ndarray, shape (loose, m, N)
        Only the first of the N samples is used.

    Raises
    ------
    ScenarioError
        If the loops are at a dead point of these joints.
    """
    passive = passive_joints(robot)[loose]
    rest, rows = Z[..., 0].copy(), list[int]()
    largest = np.linalg.norm(rest, axis=1)
    for row in np.argsort(passive, kind="stable"):
        share = float(np.linalg.norm(rest[row]))
        if len(rows) < rest.shape[1] and share > LEADS * largest.max(initial=0.0):
            rest -= np.outer(rest @ rest[row], rest[row]) / share**2
            rows.append(int(row))
    undetermined = [row for row in np.flatnonzero(~passive) if row not in rows]
    if undetermined:
        name = robot.row_names[np.flatnonzero(loose)[undetermined[0]]]
        raise ScenarioError(
            f"Joint {name!r} of robot {robot.name!r} is at a dead point of its closed loops, where "
            "its position does not determine their motion; use another pose"
        )
    return np.array(rows, dtype=np.intp)


def motion_changes(
    robot: Robot, q: Array, qd: Array, qdd: Array, loose: Mask, Z: Array, chart: Array
) -> MotionChanges:
    """Return W, V and Y about a motion (n, N) with closed loops.

    Parameters
    ----------
    Z : ndarray, shape (n, m, N)
        Motions of all joints; zeros for held ones.
    chart : ndarray, shape (m, loose, N)
        ``x = chart δq`` for the loose joints.
    """
    balls, whole = robot.balls, (slice(None), None)
    spun = cross_balls(balls, qd[whole], Z)
    if not passive_joints(robot).any():
        return MotionChanges(spun, spun, cross_balls(balls, qdd[whole], Z))
    J = joint_equations(robot, q)[1][:, loose]
    inverse = pseudo_inverse(np.concatenate([J, chart]))

    def solve(of_loops: Array, of_chart: Array) -> Array:
        rest = np.einsum("mjN,jkN->mkN", chart, of_chart[loose])
        result = np.zeros_like(Z)
        result[loose] = np.einsum("jaN,akN->jkN", inverse, np.concatenate([of_loops, rest]))
        return result

    def speed(small: Array, q: Array, qd: Array) -> Array:
        return np.asarray(
            np.einsum("rnK,nK->rK", joint_equations(robot, displace(robot, q, small))[1], qd)
        )

    def coasting(small: Array, q: Array, qd: Array) -> Array:
        return loop_bias(robot, *robot.on_tree(q, qd + small))

    def acceleration(small: Array, q: Array, qd: Array, qdd: Array) -> Array:
        there = displace(robot, q, small)
        return speed(small, q, qdd) + loop_bias(robot, *robot.on_tree(there, qd))

    W = solve(-differences_along(speed, Z, q, qd), spun)
    V = solve(-differences_along(coasting, Z, q, qd), spun)
    opened = differences_along(acceleration, Z, q, qd, qdd) + differences_along(coasting, W, q, qd)
    turning = cross_balls(balls, qdd[whole], Z) + cross_balls(balls, qd[whole], W - spun)
    return MotionChanges(W, V, solve(-opened, turning))
