"""A robot as a tree of moving bodies, each with its joint axis along z: what the kernels run on.

Everything rigidly joined is one body. Body frame i sits at joint i and is turned by a constant
rotation so that its z axis is the joint axis; a joint motion is then a rotation about z or a shift
along z. Body -1 is the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.maths.arrays import Array, frozen
from sim.maths.rotations import inverse_pose, pose, rotation_aligning_z
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class Mass:
    """The inertia of one link, in the frame of the body that carries it.

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
        About the mass centre [kg·m²].
    """

    link: str
    body: int
    mass: float
    com: Array
    tensor: Array


@dataclass(frozen=True, eq=False)
class Tree:
    """Constant arrays of a robot with n moving bodies (mimic joints included).

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
        One for each link that moves and has a mass.
    frames : dict of str to (int, ndarray)
        For each link its body and its constant pose in that body.
    """

    parent: tuple[int, ...]
    prismatic: tuple[bool, ...]
    T_pi: Array
    R_ji: Array
    masses: tuple[Mass, ...]
    frames: dict[str, tuple[int, Array]]

    @property
    def n(self) -> int:
        """Number of moving bodies."""
        return len(self.parent)

    def ancestors(self, body: int) -> tuple[int, ...]:
        """The joints between the world and `body`, from the root on, `body` included."""
        chain: list[int] = []
        while body >= 0:
            chain.append(body)
            body = self.parent[body]
        return tuple(reversed(chain))


@lru_cache(maxsize=64)
def tree_of(robot: Robot) -> Tree:
    """The tree of moving bodies of `robot`."""
    frames: dict[str, tuple[int, Array]] = {robot.links[0].name: (-1, robot.T_0b)}
    parent, prismatic, T_pi, R_ji = [], [], [], []
    for joint in robot.joints:
        body, T_bl = frames[joint.parent]
        T_bj = T_bl @ joint.T_pc
        if not joint.is_movable:
            frames[joint.child] = (body, frozen(T_bj))
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
    )
