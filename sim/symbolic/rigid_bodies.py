"""Rigid bodies that move with the first joints of a robot, one per joint.

All other joints are fixed at zero, so that their children belong to the last moving body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A body that moves by ``weights @ q + offset`` about or along its z axis.

    Parameters
    ----------
    joint : str
    parent : int
        Index of the parent body, -1 for the world.
    T_pb : ndarray, shape (4, 4)
        Pose of its frame in the parent's, before its own motion [m].
    slides : bool
    weights : ndarray, shape (K,)
    offset : float
        [rad or m]
    mass : float
        [kg]
    first : ndarray, shape (3,)
        ∫ r dm in its frame [kg·m].
    second : ndarray, shape (3, 3)
        Inertia tensor about the frame's origin [kg·m²].
    """

    joint: str
    parent: int
    T_pb: Array
    slides: bool
    weights: Array
    offset: float
    mass: float
    first: Array
    second: Array


def rigid_bodies(robot: Robot, count: int) -> tuple[RigidBody, ...]:
    """Return the bodies moved by the first `count` independent joints, the root first."""
    tree, (S, q_0) = tree_of(robot), robot.coupling
    moving = [i for i, row in enumerate(S[:, :count]) if row.any()]
    index = {i: b for b, i in enumerate(moving)}
    owner: dict[int, tuple[int, Array]] = {-1: (-1, np.eye(4))}  # its body, its pose there
    before: list[tuple[int, Array]] = []
    for i, parent in enumerate(tree.parent):
        body, T = owner[parent]
        T = T @ tree.T_pi[i]
        if i in index:
            before.append((body, T))
            owner[i] = index[i], np.eye(4)
        else:
            owner[i] = body, T @ _along_or_about_z(float(q_0[i]), slides=tree.prismatic[i])
    mass, first, second = (np.zeros((len(moving), *shape)) for shape in ((), (3,), (3, 3)))
    for part in tree.masses:
        body, T = owner[part.body]
        if body < 0:
            continue
        R, c = T[:3, :3], T[:3, 3] + T[:3, :3] @ part.com
        mass[body] += part.mass
        first[body] += part.mass * c
        steiner = part.mass * (c @ c * np.eye(3) - np.outer(c, c))
        second[body] += R @ part.tensor @ R.T + steiner
    return tuple(
        RigidBody(
            robot.tree_row_names[i],
            *before[b],
            tree.prismatic[i],
            S[i, :count],
            float(q_0[i]),
            float(mass[b]),
            first[b],
            second[b],
        )
        for b, i in enumerate(moving)
    )


def _along_or_about_z(by: float, *, slides: bool) -> Array:
    """Return Z(q): a shift along z or a rotation about it, (4, 4)."""
    T = np.eye(4)
    if slides:
        T[2, 3] = by
    else:
        T[:2, :2] = [[np.cos(by), -np.sin(by)], [np.sin(by), np.cos(by)]]
    return T
