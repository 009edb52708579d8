"""What of a robot's bodies and joints does not change, as machine code takes it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.friction import viscous_matrix
from sim.dynamics.gravity import Gravity
from sim.dynamics.single_state.instant import constants_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Mask
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.single_state import kernels


@lru_cache(maxsize=64)
def body_constants(robot: Robot, gravity: Gravity) -> kernels.Robot:
    """Constants of a robot as arrays, a row a body."""
    tree, merged = tree_of(robot), constants_of(robot)
    n, bodies = tree.n, merged.bodies
    mass, com, axes, moments = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3))
    mass[bodies], com[bodies] = merged.mass[:, 0], merged.com[:, :3, 0]
    axes[bodies], moments[bodies] = merged.axes, merged.moments
    parent, slides = np.array(tree.parent, dtype=np.intp), np.array(tree.prismatic, dtype=bool)
    g = np.array(gravity, dtype=float)
    ball = np.zeros(n, dtype=np.intp)
    for first in tree.balls:
        ball[first : first + 3] = 1, 2, 3
    return parent, slides, np.array(tree.T_pi), mass, com, axes, moments, g, ball


def joint_constants(robot: Robot, free: Mask, held: Mask) -> kernels.Joints:
    """What does not change of the joints, as contiguous arrays."""
    S, q_0 = (np.array(x, dtype=float, order="C") for x in robot.coupling)
    coulomb = np.array([joint.friction for joint in robot.tree_row_joints])
    viscous = np.ascontiguousarray(viscous_matrix(robot))
    rotors = robot.rotor_inertia.copy()
    return S, q_0.ravel(), viscous, coulomb, free.copy(), held, np.flatnonzero(~held), rotors
