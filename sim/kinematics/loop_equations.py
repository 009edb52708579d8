"""Closed loops: their equations, and the positions, velocities and accelerations that fulfil them.

In a loop point b of one link stays at point a of another. Seen from link a,

    e = Dᵀ (p_b - p_a) = 0,      ė = J qd,      ë = J qdd + γ

with the directions D fixed in link a: all three, or the two across the loop's normal. J is the
velocity of link b at p_b less that of link a at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.kinematics.forward import BodyPoses, body_poses, frame_of, point_jacobian
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import rates_of_vectors
from sim.maths.rotations import cross, rotation_aligning_z
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """The loop equations at N states of a robot with n joints in its tree.

    Parameters
    ----------
    e : ndarray, shape (rows, N)
        How far each equation is from being fulfilled [m].
    J : ndarray, shape (rows, n, N)
        Its gradient, ``ė = J qd_tree``.
    D : ndarray, shape (rows, 3, N)
        Directions of the equations in the world.
    loop : tuple of int, length rows
        The loop that each equation belongs to.
    """

    e: Array
    J: Array
    D: Array
    loop: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Closure:
    """A loop in the frames of the bodies that carry its two links."""

    body_a: int
    body_b: int
    p_a: Array
    p_b: Array
    D: Array  # (k, 3) in body a

    def directions(self, poses: BodyPoses) -> Array:
        """Directions of the equations in the world, shape (k, 3, N)."""
        R = poses.rotation(self.body_a, np.eye(3))
        return np.einsum("abN,kb->kaN", R, self.D)


@lru_cache(maxsize=64)
def _closures(robot: Robot) -> tuple[_Closure, ...]:
    closures = []
    for loop in robot.loops:
        body_a, T_a = frame_of(robot, loop.link_a)
        body_b, T_b = frame_of(robot, loop.link_b)
        D = np.eye(3) if loop.normal is None else rotation_aligning_z(loop.normal).T[:2]
        p_a, p_b = (T[:3, :3] @ p + T[:3, 3] for T, p in ((T_a, loop.point_a), (T_b, loop.point_b)))
        closures.append(_Closure(body_a, body_b, p_a, p_b, D @ T_a[:3, :3].T))
    return tuple(closures)


def passive_joints(robot: Robot) -> Mask:
    """The rows of q, of joints whose positions its loops decide, shape (n,)."""
    names = {name for loop in robot.loops for name in loop.passive}
    return np.array([row.joint in names for row in robot.coordinates], dtype=bool)


def idle_joints(robot: Robot) -> Mask:
    """The rows of q_tree, of joints without a drive, shape (n_tree,).

    The passive joints, and those that ``<mimic>`` another and lie on a loop: there it is the loop
    that makes them follow. Elsewhere it is a gear, and the drive acts through it.
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
    """The rows of q_tree, of joints that a loop closes over, shape (n_tree,).

    They carry one of a loop's two links and not the other: the force in its pin goes through them.
    """
    tree = tree_of(robot)
    result = np.zeros(tree.n, dtype=bool)
    for closure in _closures(robot):
        over = set(tree.ancestors(closure.body_a)) ^ set(tree.ancestors(closure.body_b))
        result[list(over)] = True
    return result


def loop_equations(robot: Robot, q_tree: Array) -> LoopEquations:
    """Errors, gradients and directions of all loops of a robot.

    Parameters
    ----------
    q_tree : ndarray, shape (n_tree, N)
        Positions of all tree joints, mimics included [rad or m].
    """
    tree = tree_of(robot)
    poses = body_poses(tree, q_tree)
    e, J, D, loops = [], [], [], []
    for index, closure in enumerate(_closures(robot)):
        directions = closure.directions(poses)
        p_a = poses.point(closure.body_a, closure.p_a)
        p_b = poses.point(closure.body_b, closure.p_b)
        apart = np.zeros((tree.n, 3, q_tree.shape[1]))
        for body, sign in ((closure.body_b, 1.0), (closure.body_a, -1.0)):
            joints, Jv, _ = point_jacobian(tree, poses, body, p_b)
            apart[list(joints)] += sign * Jv
        e.append(np.einsum("kaN,aN->kN", directions, p_b - p_a))
        J.append(np.einsum("kaN,jaN->kjN", directions, apart))
        D.append(directions)
        loops += [index] * len(directions)
    N = q_tree.shape[1]
    return LoopEquations(
        np.concatenate([np.empty((0, N)), *e]),
        np.concatenate([np.empty((0, *q_tree.shape)), *J]),
        np.concatenate([np.empty((0, 3, N)), *D]),
        tuple(loops),
    )


def joint_equations(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Errors of the loop equations (rows, N) and their gradient over the independent joints.

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
    """The same with the gradient ∂e/∂q over the positions, which of a ball is another than J.

    A ball that turns with ω changes its rotation vector by dq/dt = B(q) ω: ∂e/∂q = J B⁻¹.
    """
    e, J = joint_equations(robot, q)
    for rows in robot.balls:
        B = rates_of_vectors(*np.broadcast_arrays(q[rows, None], np.eye(3)[:, :, None]))
        inverse = np.linalg.inv(np.moveaxis(B, -1, 0))
        J[:, rows] = np.einsum("rbN,Nbc->rcN", J[:, rows], inverse)
    return e, J


def loop_error(robot: Robot, q_tree: Array) -> Array:
    """Distance by which each loop is open, in the directions it closes, shape (loops, N) [m].

    The arguments of `loop_equations`.
    """
    equations = loop_equations(robot, q_tree)
    squares = np.zeros((len(robot.loops), q_tree.shape[1]))
    np.add.at(squares, list(equations.loop), equations.e**2)
    return np.asarray(np.sqrt(squares))


def loop_bias(robot: Robot, q_tree: Array, qd_tree: Array) -> Array:
    """γ of ``ë = J qdd_tree + γ``, the relative accelerations at qdd = 0, shape (rows, N) [m/s²].

    Parameters
    ----------
    q_tree, qd_tree : ndarray, shape (n_tree, N)
    """
    tree = tree_of(robot)
    poses = body_poses(tree, q_tree)
    motion = _coasting(tree, poses, qd_tree)
    rows = [np.empty((0, q_tree.shape[1]))]
    for closure in _closures(robot):
        p = poses.point(closure.body_b, closure.p_b)
        v_a, a_a, w_a = motion.at(closure.body_a, p, poses)
        v_b, a_b, _ = motion.at(closure.body_b, p, poses)
        apart = a_b - a_a - 2 * cross(w_a, v_b - v_a)  # seen from link a, which turns
        rows.append(np.einsum("kaN,aN->kN", closure.directions(poses), apart))
    return np.concatenate(rows)


@dataclass(frozen=True, eq=False)
class _BodyMotion:
    """Angular velocity and acceleration, velocity and acceleration of the origins, (n, 3, N)."""

    w: Array
    wd: Array
    v: Array
    a: Array

    def at(self, body: int, p: Array, poses: BodyPoses) -> tuple[Array, Array, Array]:
        """Velocity and acceleration of the place `p` of a body, and its angular velocity."""
        if body < 0:
            still = np.zeros_like(p)
            return still, still, still
        w, arm = self.w[body], p - poses.p[body]
        v = cross(w, arm)
        return self.v[body] + v, self.a[body] + cross(self.wd[body], arm) + cross(w, v), w


def _coasting(tree: Tree, poses: BodyPoses, qd: Array) -> _BodyMotion:
    """Motion of all bodies while no joint accelerates."""
    w, wd, v, a = motion = np.zeros((4, tree.n, 3, qd.shape[1]))
    result = _BodyMotion(*motion)
    for i, parent in enumerate(tree.parent):
        v[i], a[i], w_p = result.at(parent, poses.p[i], poses)
        w[i] = w_p
        wd[i] = wd[parent] if parent >= 0 else 0.0
        z = poses.axis(i) * qd[i]
        if tree.prismatic[i]:
            v[i] += z
            a[i] += 2 * cross(w_p, z)
        else:
            w[i] += z
            before = tree.before[i]
            wd[i] += cross(w[before], z) if before >= 0 else 0.0
    return result
