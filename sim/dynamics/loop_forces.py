"""Dynamics of closed loops: drive torques, loop forces, true joint reactions.

With the loop equations ``J qdd_tree + γ = 0`` and their multipliers λ,

    tau_tree = M qdd + C qd + g - Jᵀ λ

and a joint without a drive has no torque except those of its own spring, end stop and friction:
this determines λ, and then the torques of the drives. Joints without a drive are the passive ones
of the loops, and those on a loop that ``<mimic>`` another: the loop moves them, no gear. A gear
moves those on which no loop acts, as where a second bearing repeats a hinge.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.wrench import Acting
from sim.errors import ModelError
from sim.kinematics.forward import body_poses, frame_of
from sim.kinematics.loop_equations import (
    LoopEquations,
    idle_joints,
    loop_bias,
    loop_equations,
    passive_joints,
)
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, columns, frozen
from sim.maths.newton import RANK, pseudo_inverse
from sim.maths.rotations import cross
from sim.robots.loop import Loop
from sim.robots.robot import Robot

UNHELD = 1e-6  # allowed torque of a joint without a drive, relative to the largest


class LoopEfforts(Struct, frozen=True, eq=False):
    """Efforts that move a robot with closed loops and keep them closed.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque of each independent joint's drive; zero at passive joints [N·m or N].
    force : ndarray, shape (loops, 6, N)
        Force and moment by link a on link b of each loop, at point b, world axes [N, N·m].
    reaction : ndarray, shape (n_tree, 6, N)
        Force and moment by the parent on the child of each tree joint, at the joint frame's origin
        and along its axes [N, N·m], including the loop forces.
    """

    tau: Array
    force: Array
    reaction: Array


def inverse_dynamics(
    robot: Robot,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: Gravity = GRAVITY,
    passive_torque: Array | None = None,
    external: Acting = (),
    free: Mask | None = None,
) -> LoopEfforts:
    """Return drive torques and loop forces of a motion that keeps the loops closed.

    If equations are redundant (a loop without a normal in a planar mechanism), the smallest forces
    are returned.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        All independent joints, passive ones included.
    gravity : tuple of float
        In the world [m/s²].
    passive_torque : ndarray, shape (n_tree, N), optional
        Passive torque of each tree joint: friction, less the efforts of its springs and end stops
        [N·m or N].
    external : sequence of AppliedWrench
        Forces and torques of the environment on links.
    free : ndarray of bool, shape (n,), optional
        Joints whose motion no drive controls; see `share_among_drives`.

    Raises
    ------
    ModelError
        If the loops do not control a joint without a drive.
    ValueError
        If a shape is not (n, N).
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    q_tree = robot.q_tree(q)
    reaction = newton_euler.wrenches(robot, q, qd, qdd, gravity, external).reaction
    needed = about_axes(robot, reaction) + (0.0 if passive_torque is None else passive_torque)
    tau, force = share_among_drives(robot, q_tree, needed, free=free)
    return LoopEfforts(tau, force, _with_loops(robot, q_tree, reaction, force))


def share_among_drives(
    robot: Robot,
    q_tree: Array,
    needed: Array,
    equations: LoopEquations | None = None,
    free: Mask | None = None,
) -> tuple[Array, Array]:
    """Return drive torques and loop forces that produce the torque that every tree joint requires.

    Parameters
    ----------
    q_tree : ndarray, shape (n_tree, N)
    needed : ndarray, shape (n_tree, N)
        Torque that each tree joint requires on its own [N·m or N].
    equations : LoopEquations, optional
        Loop equations from another source, at these positions (default: the model's own).
    free : ndarray of bool, shape (n,), optional
        Further joints without a drive, whose torque the loops must supply. If the passive joints
        are at a dead point, these still determine the loop forces.

    Returns
    -------
    tau : ndarray, shape (n, N)
        Torque of each independent joint; zero if it is passive or free.
    force : ndarray, shape (loops, 6, N)
        Force and moment by link a on link b, at point b, world axes [N, N·m].

    Raises
    ------
    ModelError
        If the loops do not control a joint without a drive.
    """
    if equations is None:
        equations = loop_equations(robot, q_tree)
    n = len(robot.coordinates)
    hinges, idle = _hinges(robot, free)
    tau, torque, multipliers = _share(equations, hinges, idle, needed)
    pushed = np.abs(np.einsum("rjN,jp->prN", equations.J, hinges)).max(axis=(1, 2), initial=0.0)
    if geared := set(np.flatnonzero((_is_short(tau, torque) & (pushed < UNHELD))[n:]).tolist()):
        hinges, idle = _with_gears(robot, hinges, idle, geared)
        tau, torque, multipliers = _share(equations, hinges, idle, needed)
    _require_held(robot, hinges, np.where(idle[:, None], tau, 0.0), torque)
    tau[idle] = 0.0
    return tau[:n], _forces(robot, equations, multipliers)


def _share(
    equations: LoopEquations, hinges: Array, idle: Mask, needed: Array
) -> tuple[Array, Array, Array]:
    """Return torque of each hinge besides the loops, what it needs in all, and multipliers."""
    torque = hinges.T @ needed
    A = np.einsum("rjN,jp->prN", equations.J, hinges)
    multipliers = np.einsum("rpN,pN->rN", pseudo_inverse(A[idle]), torque[idle])
    return torque - np.einsum("prN,rN->pN", A, multipliers), torque, multipliers


def _with_gears(robot: Robot, hinges: Array, idle: Mask, geared: set[int]) -> tuple[Array, Mask]:
    """Return the hinges in which some of the released mimic joints follow by their gears again."""
    n, P = len(robot.coordinates), hinges.copy()
    released = [n + k for k in sorted(geared)]
    for column in released:
        row = int(np.argmax(hinges[:, column]))
        P[row] = 0.0
        P[row, :n] = robot.coupling[0][row]
    return np.delete(P, released, axis=1), np.delete(idle, released)


def forward_dynamics(
    robot: Robot, q: Array, qd: Array, tau: Array, gravity: Gravity = GRAVITY
) -> tuple[Array, Array]:
    """Return accelerations of all independent joints under drive torques, and the loop forces.

    ``M qdd + C qd + g = tau + Jᵀ λ`` together with ``J qdd + γ = 0``.

    Parameters
    ----------
    q, qd, tau : ndarray, shape (n, N)

    Returns
    -------
    qdd : ndarray, shape (n, N)
    force : ndarray, shape (loops, 6, N)
        As in `LoopEfforts`.
    """
    q, qd, tau = columns(len(robot.coordinates), q=q, qd=qd, tau=tau)
    S, _ = robot.coupling
    q_tree = robot.q_tree(q)
    equations = loop_equations(robot, q_tree)
    M = np.moveaxis(lagrange.mass_matrix(robot, q), -1, 0)
    bias = lagrange.inverse_dynamics(robot, q, qd, np.zeros_like(q), gravity)
    J = np.einsum("rjN,jn->Nrn", equations.J, S)
    U, size, Vt = np.linalg.svd(J, full_matrices=False)
    counts = size > RANK * np.abs(equations.J).max(initial=0.0, axis=(0, 1))[:, None]
    J = np.where(counts, size, 0.0)[:, :, None] * Vt  # independent equations, others zero
    rate = np.einsum("Nrk,rN->Nk", U, loop_bias(robot, q_tree, S @ qd)) * counts
    free = np.linalg.solve(M, (tau - bias).T[..., None])
    inverse_J = np.linalg.solve(M, np.swapaxes(J, 1, 2))
    K = J @ inverse_J + np.eye(J.shape[1]) * ~counts[:, None]
    multipliers = np.linalg.solve(K, -(J @ free) - rate[..., None])
    qdd = (free + inverse_J @ multipliers)[..., 0].T
    return qdd, _forces(robot, equations, np.einsum("Nrk,Nk->rN", U, multipliers[..., 0]))


def rod_tension(robot: Robot, loop: Loop, q: Array, force: Array) -> Array:
    """Return the tension of a rod, shape (N,) [N]; negative in compression.

    Parameters
    ----------
    loop : Loop
    q : ndarray, shape (n, N)
    force : ndarray, shape (3, N)
        Force by link a on link b, world axes [N].
    """
    poses = body_poses(tree_of(robot), robot.q_tree(q))
    ends = []
    for link, point in ((loop.link_a, loop.point_a), (loop.link_b, loop.point_b)):
        body, T = frame_of(robot, link)
        ends.append(poses.point(body, T[:3, :3] @ point + T[:3, 3]))
    to_a = ends[0] - ends[1]
    return np.asarray(np.sum(force * to_a, axis=0) / np.sqrt(np.sum(to_a**2, axis=0)))


def balancing_forces(robot: Robot, q: Array, free: Mask | None) -> Array:
    """Return loop forces that balance each other, a basis of all with ``A λ = 0``, (k, loops, 6).

    They exert no torque along joints without a drive, so their size is undetermined: k loop
    equations are redundant, for example if a planar loop has no normal.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Positions with closed loops.
    free : ndarray of bool, shape (n,), or None
        See `share_among_drives`.
    """
    if not robot.loops:
        return np.empty((0, 0, 6))
    equations = loop_equations(robot, robot.q_tree(q[:, None]))
    hinges, idle = _hinges(robot, free)
    A = np.einsum("rj,jp->pr", equations.J[..., 0], hinges)[idle]
    _, sizes, Vt = np.linalg.svd(A)
    independent = int(np.count_nonzero(sizes > UNHELD * sizes.max(initial=0.0)))
    return np.moveaxis(_forces(robot, equations, Vt[independent:].T), -1, 0)


def undecided_loads(robot: Robot, q: Array, free: Mask | None) -> Mask:
    """Return the tree joints loaded by `balancing_forces`, (n_tree,); same arguments."""
    nothing = np.zeros((len(robot.tree_coordinates), 6, 1))
    result, q_tree = np.zeros(len(nothing), dtype=bool), robot.q_tree(q[:, None])
    for force in balancing_forces(robot, q, free):
        loads = _with_loops(robot, q_tree, nothing, force[..., None])
        result |= (np.abs(loads) > UNHELD).any(axis=(1, 2))
    return result


def about_axes(robot: Robot, reaction: Array) -> Array:
    """Return the torque of every tree joint about or along its axis, shape (n_tree, N)."""
    axes = np.zeros((len(robot.tree_coordinates), 6))
    for row, coordinate in zip(axes, robot.tree_coordinates, strict=True):
        row[slice(3, 6) if coordinate.is_angle else slice(3)] = coordinate.axis
    return np.asarray(np.einsum("ja,jaN->jN", axes, reaction))


def _hinges(robot: Robot, free: Mask | None) -> tuple[Array, Mask]:
    """Return the hinges of all joints, and which lack a drive, including those of `free` (n,)."""
    hinges, idle = _hinges_of(robot)
    if free is not None:
        idle = idle | np.pad(free, (0, idle.size - free.size))
    return hinges, idle


@lru_cache(maxsize=64)
def _hinges_of(robot: Robot) -> tuple[Array, Mask]:
    """Return P of q̇_tree = P x, with mimic joints on loops released, and which lack a drive.

    The first coordinates x are the independent joints.
    """
    S, _ = robot.coupling
    mimics = np.array([joint.mimic is not None for joint in robot.tree_row_joints], dtype=bool)
    released = np.flatnonzero(idle_joints(robot) & mimics)
    P = np.zeros((S.shape[0], S.shape[1] + released.size))
    P[:, : S.shape[1]] = S
    P[released] = 0.0
    P[released, np.arange(S.shape[1], P.shape[1])] = 1.0
    idle = np.concatenate([passive_joints(robot), np.ones(released.size, dtype=bool)])
    return frozen(P), idle


def _is_short(residual: Array, torque: Array) -> Mask:
    """Whether joints need more than rounding besides the loops, (p,)."""
    excess = np.abs(residual).max(axis=1, initial=0.0)
    return np.asarray(excess > UNHELD * (1 + np.abs(torque).max(initial=0.0)))


def _require_held(robot: Robot, hinges: Array, residual: Array, torque: Array) -> None:
    if _is_short(residual, torque).any():
        excess = np.abs(residual).max(axis=1, initial=0.0)
        worst = robot.tree_coordinates[int(np.argmax(np.abs(hinges[:, int(np.argmax(excess))])))]
        raise ModelError(
            f"Joint {worst.name!r} of robot {robot.name!r} has no drive and needs "
            f"{excess.max():.6g} {worst.units.effort} that no loop gives it; "
            "describe the loop that holds it, do not name it as passive, or take out the spring, "
            "stop or friction that acts in it"
        )


def _forces(robot: Robot, equations: LoopEquations, multipliers: Array) -> Array:
    """Return force and moment by link a on link b of each loop, world axes, (loops, 6, N)."""
    force = np.zeros((len(robot.loops), 6, multipliers.shape[1]))
    for row, loop in enumerate(equations.loop):
        force[loop, :3] += equations.D[row] * multipliers[row]
        force[loop, 3:] += equations.M[row] * multipliers[row]
    return force


def _with_loops(robot: Robot, q_tree: Array, reaction: Array, force: Array) -> Array:
    """Return the tree joints' reactions, corrected for the loop forces on the links they carry."""
    tree = tree_of(robot)
    poses = body_poses(tree, q_tree)
    total = reaction.copy()
    for loop, of_loop in zip(robot.loops, force, strict=True):
        F, moment = of_loop[:3], of_loop[3:]
        body_a, _ = frame_of(robot, loop.link_a)
        body_b, T_b = frame_of(robot, loop.link_b)
        point = poses.point(body_b, T_b[:3, :3] @ loop.point_b + T_b[:3, 3])
        for body, sign in ((body_a, 1.0), (body_b, -1.0)):
            for j in tree.ancestors(body):
                wrench = np.stack(
                    [F, moment + cross(point - poses.p[j], F)]
                )  # at the joint, world axes
                R_j0 = np.einsum("ab,cbN->acN", tree.R_ji[j], poses.R[j])
                total[j] += sign * np.einsum("abN,kbN->kaN", R_j0, wrench).reshape(6, -1)
    return total
