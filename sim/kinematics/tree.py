"""A robot as a tree of moving bodies, each with its joint axis along z, for the algorithms.

Rigidly connected links are one body. Body frame i is at joint i, rotated such that its z axis is
the joint axis; a joint motion is then a rotation about z or a translation along z. Body -1 is the
world.

A ball is three bodies at one place, rotated so that their z axes are x, y and z of its child: its
rows are its rotation vector, and the angular velocity along these axes. The last one is the child;
the other two have no mass.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Array, frozen
from sim.maths.rotations import inverse_pose, pose, rotation_aligning_z
from sim.robots.robot import Robot

ALONG_XYZ = np.array(
    [[[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.eye(3)]
)
"""The bodies of a ball in the frame of its child, (3, 3, 3): rotations with z along x, y, z."""


class Mass(Struct, frozen=True, eq=False):
    """Inertia of one link, in the frame of the body that carries it.

    Parameters
    ----------
    link : str
    body : int
        Index of the body.
    mass : float
        [kg]
    com : ndarray, shape (3,)
        [m]
    tensor : ndarray, shape (3, 3)
        Inertia about the mass centre [kg·m²].
    """

    link: str
    body: int
    mass: float
    com: Array
    tensor: Array


class Tree(Struct, frozen=True, eq=False, dict=True):
    """Constant arrays of a robot with n moving bodies (including mimic joints).

    Parameters
    ----------
    parent : tuple of int, length n
        Parent body, -1 for the world; always smaller than the body's own index.
    prismatic : tuple of bool, length n
    T_pi : ndarray, shape (n, 4, 4)
        Pose of body i in its parent body at q = 0 [m].
    R_ji : ndarray, shape (n, 3, 3)
        Rotation of body frame i in the URDF joint frame j (the child link's frame).
    masses : tuple of Mass
        One for each moving link with mass.
    frames : dict of str to (int, ndarray)
        Body of each link and its constant pose in that body.
    balls : tuple of int
        First of the three bodies of each ball.
    """

    parent: tuple[int, ...]
    prismatic: tuple[bool, ...]
    T_pi: Array
    R_ji: Array
    masses: tuple[Mass, ...]
    frames: dict[str, tuple[int, Array]]
    balls: tuple[int, ...] = ()

    @cached_property
    def before(self) -> NDArray[np.intp]:
        """Body that does not yet rotate with row i, -1 for the world, shape (n,)."""
        before = np.array(self.parent, dtype=np.intp)
        for first in self.balls:
            before[first : first + 3] = before[first]
        return before

    @cached_property
    def after(self) -> NDArray[np.intp]:
        """Body that rotates with row i: itself, or the child of the ball, shape (n,)."""
        after = np.arange(self.n)
        for first in self.balls:
            after[first : first + 3] = first + 2
        return after

    @property
    def n(self) -> int:
        """Number of moving bodies."""
        return len(self.parent)

    def ancestors(self, body: int) -> tuple[int, ...]:
        """Return the joints from the world to `body`, from the root on, including its own."""
        chain: list[int] = []
        while body >= 0:
            chain.append(body)
            body = self.parent[body]
        return tuple(reversed(chain))


@lru_cache(maxsize=64)
def tree_of(robot: Robot) -> Tree:
    """Return the tree of moving bodies of `robot`."""
    frames: dict[str, tuple[int, Array]] = {robot.links[0].name: (-1, robot.T_0b)}
    parent, balls = list[int](), list[int]()
    prismatic, T_pi, R_ji = list[bool](), [], []
    for joint in robot.joints:
        body, T_bl = frames[joint.parent]
        T_bj = T_bl @ joint.T_pc
        if not joint.is_movable:
            frames[joint.child] = (body, frozen(T_bj))
            continue
        if joint.is_ball:
            balls.append(len(parent))
            parent += [body, len(parent), len(parent) + 1]
            prismatic += 3 * [False]
            T_pi += [T_bj, np.eye(4), np.eye(4)]
            R_ji += [*ALONG_XYZ]
            frames[joint.child] = (len(parent) - 1, frozen(np.eye(4)))
            continue
        R = rotation_aligning_z(joint.axis)
        parent.append(body)
        prismatic.append(joint.is_prismatic)
        T_pi.append(T_bj @ pose(R))
        R_ji.append(R)
        frames[joint.child] = (len(parent) - 1, frozen(inverse_pose(pose(R))))
    masses = []
    for link in robot.links:
        body, T_bl = frames[link.name]
        if body >= 0 and link.inertia is not None and link.inertia.mass > 0:
            R_bl, p_bl = T_bl[:3, :3], T_bl[:3, 3]
            com = p_bl + R_bl @ link.inertia.com
            tensor = R_bl @ link.inertia.tensor @ R_bl.T
            masses.append(Mass(link.name, body, link.inertia.mass, frozen(com), frozen(tensor)))
    return Tree(
        tuple(parent),
        tuple(prismatic),
        frozen(np.reshape(T_pi, (-1, 4, 4))),
        frozen(np.reshape(R_ji, (-1, 3, 3))),
        tuple(masses),
        frames,
        tuple(balls),
    )
