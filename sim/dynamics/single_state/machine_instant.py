"""One state whose M and C qd + g come from machine code, with the constants of its bodies."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.friction import viscous_matrix
from sim.dynamics.gravity import Gravity
from sim.dynamics.single_state.instant import Instant, constants_of
from sim.dynamics.single_state.switch import is_on
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
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
    return Joints(*joints, free, held, loose, robot.rotor_inertia, joint_work(tree, n, loose.size))


class MachineInstant(Instant, frozen=True, eq=False, dict=True):
    """`Instant` with M and bias from the kernels, and joint loads from NumPy."""

    @cached_property
    def M(self) -> Array:
        """Mass matrix including rotors, shape (n, n) [kg·m², kg·m, kg]."""
        return self._mass_and_bias[0]

    @cached_property
    def bias(self) -> Array:
        """C qd + g, shape (n,) [N·m or N]."""
        return self._mass_and_bias[1]

    @cached_property
    def _mass_and_bias(self) -> tuple[Array, Array]:
        from sim.dynamics.kernels.bodies import mass_and_bias

        robot, q, qd = self.robot, self.q, self.qd
        S, q_0 = robot.coupling
        if not robot.is_plain:
            q, qd = S @ q + q_0.ravel(), S @ qd
        bodies = body_constants(robot, self.gravity)
        lower, bias = mass_and_bias(bodies, np.ascontiguousarray(q), np.ascontiguousarray(qd))
        M = lower + lower.T
        M.flat[:: q.size + 1] *= 0.5
        if not robot.is_plain:
            M, bias = S.T @ M @ S, S.T @ bias
        if robot.has_drives:
            M.flat[:: len(M) + 1] += robot.rotor_inertia
        return M, bias


def instant_of(robot: Robot, gravity: Gravity, q: Array, qd: Array) -> Instant:
    """Return one state of a robot, by the kernels if machine code is used; see `Instant`."""
    return (MachineInstant if is_on() else Instant)(robot, gravity, q, qd)
