"""Closed loops: equations of positions, velocities and accelerations.

A loop constrains the motion of frame b of one link relative to frame a of another. Seen from a,

    e = 0,      ė = J qd,      ë = J qdd + γ,      J = Dᵀ (Jv_b - Jv_a) + Mᵀ (Jw_b - Jw_a)

with the forces D and the moments M of `sim.kinematics.loop_rows`, and the velocities of both links
at point b.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sim.kinematics.forward import BodyPoses, body_poses, frame_of, point_jacobian
from sim.kinematics.seen_frames import Seen, SeenRates
from sim.kinematics.state_reading import hinges_about
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import rates_of_vectors
from sim.maths.rotations import cross, pose
from sim.robots.robot import Robot

if TYPE_CHECKING:  # loaded only if a robot has loops
    from sim.kinematics.loop_rows import Rows


class LoopEquations(Struct, frozen=True, eq=False):
    """The loop equations at N states of a robot with n joints in its tree.

    Parameters
    ----------
    e : ndarray, shape (rows, N)
        Residual of each equation [m or rad].
    J : ndarray, shape (rows, n, N)
        Gradient of e, ``ė = J qd_tree``.
    D, M : ndarray, shape (rows, 3, N)
        Force by link a on link b at point b, and moment, per unit of the multiplier, along the
        world's axes.
    loop : tuple of int, length rows
        Index of the loop of each equation.
    are_turns : ndarray of bool, shape (rows,)
        Whether e is an angle [rad].
    """

    e: Array
    J: Array
    D: Array
    M: Array
    loop: tuple[int, ...]
    are_turns: Mask


class LoopFrames(Struct, frozen=True, eq=False):
    """A loop's frames in the bodies that carry its two links, and its constraints."""

    body_a: int
    body_b: int
    T_a: Array
    T_b: Array
    rows: tuple[Rows, ...]
    hinges: tuple[tuple[int, float, Array], ...] = ()

    def relative_pose(self, poses: BodyPoses, q_tree: Array) -> tuple[Seen, Array]:
        """Return frame b seen from a at q_tree (n_tree, N), and point b in the world (3, N).

        `hinges` has the axes about which only hinges rotate b in a, its angle at zero and rates.
        """
        R_a = poses.rotation(self.body_a, self.T_a[:3, :3])
        R_b = poses.rotation(self.body_b, self.T_b[:3, :3])
        p_b = poses.point(self.body_b, self.T_b[:3, 3])
        separation = p_b - poses.point(self.body_a, self.T_a[:3, 3])
        turns = {axis: at_zero + signs @ q_tree for axis, at_zero, signs in self.hinges}
        return Seen(np.einsum("baN,bN->aN", R_a, separation), R_a, R_b, turns), p_b


@lru_cache(maxsize=64)
def loop_frames(robot: Robot) -> tuple[LoopFrames, ...]:
    """Return the frames of a robot's loops."""
    if not robot.loops:
        return ()
    from sim.kinematics.loop_rows import rows_of

    frames = []
    for loop in robot.loops:
        body_a, T_a = frame_of(robot, loop.link_a)
        body_b, T_b = frame_of(robot, loop.link_b)
        T_a, T_b = T_a @ pose(loop.frame_a, loop.point_a), T_b @ pose(loop.frame_b, loop.point_b)
        hinges_by_axis: tuple[tuple[int, float, Array], ...] = ()
        if loop.expression is not None:
            ends = (body_b, T_b), (body_a, T_a)
            each = ((axis, hinges_about(robot, *ends, axis)) for axis in range(3))
            hinges_by_axis = tuple((axis, *hinges) for axis, hinges in each if hinges is not None)
        frames.append(LoopFrames(body_a, body_b, T_a, T_b, rows_of(loop), hinges_by_axis))
    return tuple(frames)


def passive_joints(robot: Robot) -> Mask:
    """Return the mask of rows of q whose joints are determined by loops, shape (n,)."""
    names = {name for loop in robot.loops for name in loop.passive}
    return np.array([row.joint in names for row in robot.coordinates], dtype=bool)


def idle_joints(robot: Robot) -> Mask:
    """Return the mask of rows of q_tree of joints without a drive, shape (n_tree,).

    These are the passive joints, and those on a loop that ``<mimic>`` another: the loop makes them
    follow. Elsewhere a gear does, and the drive acts through it.
    """
    named = {name for loop in robot.loops for name in loop.passive}
    return np.array(
        [
            joint.name in named or (joint.mimic is not None and is_on_loop)
            for joint, is_on_loop in zip(robot.tree_row_joints, joints_on_loops(robot), strict=True)
        ],
        dtype=bool,
    )


def joints_on_loops(robot: Robot) -> Mask:
    """Return the mask of rows of q_tree of joints that are part of a loop, shape (n_tree,).

    They carry one of a loop's two links but not the other: the loop force passes through them.
    """
    tree = tree_of(robot)
    result = np.zeros(tree.n, dtype=bool)
    for frames in loop_frames(robot):
        over = set(tree.ancestors(frames.body_a)) ^ set(tree.ancestors(frames.body_b))
        result[list(over)] = True
    return result


def loop_equations(robot: Robot, q_tree: Array) -> LoopEquations:
    """Return errors, gradients and directions of all loops of a robot.

    Parameters
    ----------
    q_tree : ndarray, shape (n_tree, N)
        Positions of all tree joints, including mimics [rad or m].
    """
    tree, N = tree_of(robot), q_tree.shape[1]
    poses = body_poses(tree, q_tree)
    e, J, D, M = [np.empty((0, N))], [np.empty((0, tree.n, N))], *([np.empty((0, 3, N))],) * 2
    loops, are_turns = list[int](), list[bool]()
    for index, frames in enumerate(loop_frames(robot)):
        relative, p_b = frames.relative_pose(poses, q_tree)
        v_apart, w_apart = _separate_gradients(tree, poses, frames, p_b)
        for rows in frames.rows:
            e.append(rows.error(relative))
            force, moment = (
                np.einsum("abN,kbN->kaN", relative.R_a, part) for part in rows.gradient(relative)
            )
            J.append(
                np.einsum("kaN,jaN->kjN", force, v_apart)
                + np.einsum("kaN,jaN->kjN", moment, w_apart)
            )
            D, M = [*D, force], [*M, moment]
            loops += [index] * len(force)
            are_turns += [rows.are_turns] * len(force)
    return LoopEquations(
        np.concatenate(e),
        np.concatenate(J),
        np.concatenate(D),
        np.concatenate(M),
        tuple(loops),
        np.array(are_turns, dtype=bool),
    )


def _separate_gradients(
    tree: Tree, poses: BodyPoses, frames: LoopFrames, point: Array
) -> tuple[Array, Array]:
    """Return velocity of link b at a point less that of link a, and angular, (n, 3, N) each."""
    v_apart, w_apart = np.zeros((2, tree.n, 3, point.shape[1]))
    for body, sign in ((frames.body_b, 1.0), (frames.body_a, -1.0)):
        joints, Jv, Jw = point_jacobian(tree, poses, body, point)
        v_apart[list(joints)] += sign * Jv
        w_apart[list(joints)] += sign * Jw
    return v_apart, w_apart


def joint_equations(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Return errors of the loop equations (rows, N) and gradients by the independent joints.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].

    Returns
    -------
    e : ndarray, shape (rows, N)
    J : ndarray, shape (rows, n, N)
        ``ė = J qd``.
    """
    S, _ = robot.coupling
    equations = loop_equations(robot, robot.q_tree(q))
    return equations.e, np.einsum("rjN,jn->rnN", equations.J, S)


def position_equations(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Return loop errors with the gradient ∂e/∂q by positions, which for a ball differs from J.

    The rotation vector of a ball with angular velocity ω changes by dq/dt = B(q) ω: ∂e/∂q = J B⁻¹.
    """
    e, J = joint_equations(robot, q)
    for rows in robot.balls:
        B = rates_of_vectors(*np.broadcast_arrays(q[rows, None], np.eye(3)[:, :, None]))
        inverse = np.linalg.inv(np.moveaxis(B, -1, 0))
        J[:, rows] = np.einsum("rbN,Nbc->rcN", J[:, rows], inverse)
    return e, J


def loop_error(robot: Robot, q_tree: Array) -> Array:
    """Return the opening of each loop in its constrained directions, (loops, N) [m, rad].

    Arguments are those of `loop_equations`.
    """
    equations = loop_equations(robot, q_tree)
    squares = np.zeros((len(robot.loops), q_tree.shape[1]))
    np.add.at(squares, list(equations.loop), equations.e**2)
    return np.asarray(np.sqrt(squares))


def loop_bias(robot: Robot, q_tree: Array, qd_tree: Array) -> Array:
    """Return γ of ``ë = J qdd_tree + γ``, relative accelerations at qdd = 0, (rows, N) [m/s²].

    Parameters
    ----------
    q_tree, qd_tree : ndarray, shape (n_tree, N)
    """
    tree = tree_of(robot)
    poses = body_poses(tree, q_tree)
    motion = _coasting_motion(tree, poses, qd_tree)
    bias = [np.empty((0, q_tree.shape[1]))]
    for frames in loop_frames(robot):
        relative, p_b = frames.relative_pose(poses, q_tree)
        rates = _seen_rates(motion, poses, frames, p_b, relative.R_a)
        bias += [rows.bias(relative, rates) for rows in frames.rows]
    return np.concatenate(bias)


def _seen_rates(
    motion: _RigidMotion, poses: BodyPoses, frames: LoopFrames, point: Array, R_a: Array
) -> SeenRates:
    """Return the rates of frame b as seen from frame a, which moves and rotates too."""
    v_a, a_a, w_a, wd_a = motion.at(frames.body_a, point, poses)
    v_b, a_b, w_b, wd_b = motion.at(frames.body_b, point, poses)
    v, w = v_b - v_a, w_b - w_a
    rates = v, a_b - a_a - 2 * cross(w_a, v), w, wd_b - wd_a - cross(w_a, w)
    return SeenRates(*(np.einsum("baN,bN->aN", R_a, x) for x in rates))


class _RigidMotion(Struct, frozen=True, eq=False):
    """Angular velocity and acceleration, velocity and acceleration of the origins, (n, 3, N)."""

    w: Array
    wd: Array
    v: Array
    a: Array

    def at(self, body: int, p: Array, poses: BodyPoses) -> tuple[Array, Array, Array, Array]:
        """Return linear and angular velocities and accelerations of a body at the point `p`."""
        if body < 0:
            still = np.zeros_like(p)
            return still, still, still, still
        w, wd, arm = self.w[body], self.wd[body], p - poses.p[body]
        v = cross(w, arm)
        return self.v[body] + v, self.a[body] + cross(wd, arm) + cross(w, v), w, wd


def _coasting_motion(tree: Tree, poses: BodyPoses, qd: Array) -> _RigidMotion:
    """Return the motion of all bodies for zero joint accelerations."""
    w, wd, v, a = motion = np.zeros((4, tree.n, 3, qd.shape[1]))
    result = _RigidMotion(*motion)
    for i, parent in enumerate(tree.parent):
        v[i], a[i], w_p, wd[i] = result.at(parent, poses.p[i], poses)
        w[i] = w_p
        z = poses.axis(i) * qd[i]
        if tree.prismatic[i]:
            v[i] += z
            a[i] += 2 * cross(w_p, z)
        else:
            w[i] += z
            before = tree.before[i]
            wd[i] += cross(w[before], z) if before >= 0 else 0.0
    return result
