"""Constants of a robot's bodies and joints, as records for kernels."""

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
    from sim.dynamics.kernels.records import Bodies, Joints


@lru_cache(maxsize=64)
def body_constants(robot: Robot, gravity: Gravity) -> Bodies:
    """Return the constants of a robot's bodies."""
    from sim.dynamics.kernels.records import Bodies, workspace_for

    tree, merged = tree_of(robot), constants_of(robot)
    n, bodies = tree.n, merged.bodies
    mass, com, axes, moments = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3))
    mass[bodies], com[bodies] = merged.mass[:, 0], merged.com[:, :3, 0]
    axes[bodies], moments[bodies] = merged.axes, merged.moments
    ball = np.zeros(n, dtype=np.intp)
    for first in tree.balls:
        ball[first : first + 3] = 1, 2, 3
    still = np.array(tree.parent), np.array(tree.prismatic), np.array(tree.T_pi)
    return Bodies(*still, mass, com, axes, moments, np.array(gravity), ball, workspace_for(n))


def joint_constants(robot: Robot, free: Mask, held: Mask) -> Joints:
    """Return constants of a robot's joints, some free and some held, and memory for them."""
    from sim.dynamics.kernels.records import Joints, joint_work

    S, q_0 = robot.coupling
    coulomb = np.array([joint.friction for joint in robot.tree_row_joints])
    viscous, loose = viscous_matrix(robot), np.flatnonzero(~held)
    joints = S, q_0.ravel(), viscous if viscous.any() else np.empty((0, 0)), coulomb
    tree, n = S.shape
    stuck, work = np.flatnonzero(free & held), joint_work(tree, n, loose.size)
    return Joints(*joints, free, held, loose, robot.rotor_inertia, stuck, work)
