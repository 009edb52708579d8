"""Product of exponentials of any chain in a URDF tree.

Brockett 1984; Murray, Li, Sastry 1994, ch. 3.
``T_0e(q) = exp([ξ_1] θ_1) … exp([ξ_k] θ_k) T_0e(0)`` with ``θ = S q``: mimic joints have their own
screw and follow the coupling S, so that a palletizer's parallelograms are included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from sim.kinematics.forward import body_poses, frame_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, columns, frozen
from sim.maths.rotations import inverse_pose, pose
from sim.maths.screws import adjoint, compose, exp_pose, rotary_screw, sliding_screw
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class Screws:
    """Screw axes between the world and a frame, all at q = 0.

    Parameters
    ----------
    joints : tuple of str, length k
        Names of the tree joints, from the root on.
    xi : ndarray, shape (6, k)
        Twists at unit rate in world axes, linear part first.
    coupling : ndarray, shape (k, n)
        S of ``θ = S q``.
    T_0e : ndarray, shape (4, 4)
        Pose of the frame [m].
    """

    joints: tuple[str, ...]
    xi: Array
    coupling: Array
    T_0e: Array


@lru_cache(maxsize=64)
def screws_of(robot: Robot, frame: str | None = None) -> Screws:
    """Return screw axes of the joints that move a link's frame (default: the tool frame).

    Raises
    ------
    ModelError
        If the robot has no such link.
    """
    robot.require_no_balls("a product of exponentials is of hinges and slides")
    tree = tree_of(robot)
    body, T_bl = frame_of(robot, frame)
    S, q_0 = robot.coupling
    poses = body_poses(tree, q_0[:, None])
    chain = tree.ancestors(body)
    xi = np.zeros((6, len(chain)))
    for column, j in enumerate(chain):
        axis, point = poses.axis(j)[:, 0], poses.p[j, :, 0]
        xi[:, column] = sliding_screw(axis) if tree.prismatic[j] else rotary_screw(axis, point)
    R, p = poses.rotation(body, T_bl[:3, :3]), poses.point(body, T_bl[:3, 3])
    names = tuple(robot.tree_joints[j].name for j in chain)
    return Screws(names, frozen(xi), frozen(S[list(chain)]), frozen(pose(R[..., 0], p[:, 0])))


def forward(screws: Screws, q: ArrayLike) -> Array:
    """Return the pose T_0e(q) of the frame in the world, shape (4, 4, N).

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    """
    T = np.repeat(np.eye(4)[:, :, None], np.shape(q)[-1], axis=2)
    for motion in _motions(screws, q):
        T = compose(T, motion)
    return np.einsum("abN,bc->acN", T, screws.T_0e)


def space_jacobian(screws: Screws, q: ArrayLike) -> Array:
    """Return J of the spatial twist, columns ``Ad(e^ξ1θ1 … e^ξ(i-1)θ(i-1)) ξ_i``, (6, n, N).

    Murray, Li, Sastry 1994, eq. 3.54; the columns of mimic joints are added to their leader's.
    """
    N = np.shape(q)[-1]
    T = np.repeat(np.eye(4)[:, :, None], N, axis=2)
    J = np.zeros((6, screws.coupling.shape[1], N))
    for column, motion in enumerate(_motions(screws, q)):
        xi = np.einsum("abN,b->aN", adjoint(T), screws.xi[:, column])
        J += xi[:, None] * screws.coupling[column][None, :, None]
        T = compose(T, motion)
    return J


def body_jacobian(screws: Screws, q: ArrayLike) -> Array:
    """Return J of the twist in the frame's own axes, ``Ad(T_0e⁻¹) J_space``, (6, n, N)."""
    Ad = adjoint(inverse_pose(forward(screws, q)))
    return np.einsum("abN,bnN->anN", Ad, space_jacobian(screws, q))


def _motions(screws: Screws, q: ArrayLike) -> list[Array]:
    (q,) = columns(screws.coupling.shape[1], q=q)
    theta = screws.coupling @ q
    return [exp_pose(xi[:, None] * angle) for xi, angle in zip(screws.xi.T, theta, strict=True)]
