"""Robot model of a controller: torques of its motors, including everything that they move.

If loops or balls move joints without a motor, the torques of the motors follow from hybrid dynamics
at their accelerations: passive joints follow, and balls are free.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.dynamics.constrained_dynamics import ConstrainedDynamics, with_closed_loops
from sim.dynamics.gravity import Gravity
from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
from sim.dynamics.single_state.instant import Instant
from sim.kinematics.closure import close_motion
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask, frozen
from sim.robots.robot import Robot


def has_motor(robot: Robot) -> Mask:
    """Return the mask of rows of q that a law moves, (n,): all except passive joints and balls."""
    is_ball = [row.joint in robot.ball_names for row in robot.coordinates]
    return np.asarray(~(passive_joints(robot) | is_ball))


class KnownRobot(Struct, frozen=True, eq=False, dict=True):
    """Robot model of a controller, assembled as at a pose.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        Assumed gravity, in the world [m/s²].
    pose : ndarray, shape (n,)
        Pose with nearly closed loops.
    """

    robot: Robot
    gravity: Gravity
    pose: Array

    @cached_property
    def has_motor(self) -> Mask:
        """Mask of the coordinates with a motor, (n,)."""
        return has_motor(self.robot)

    @cached_property
    def dynamics(self) -> HybridDynamics:
        """Dynamics of the model with closed loops."""
        tree = LagrangianDynamics(self.robot, self.gravity)
        ((_, dynamics),) = with_closed_loops([(0.0, tree)], self.closed_pose, self.has_motor)
        return dynamics

    @cached_property
    def closed_pose(self) -> Array:
        """Pose with all loops closed, shape (n,)."""
        if not self.robot.loops:
            return self.pose
        still = np.zeros((self.pose.size, 1))
        q, _, _ = close_motion(self.robot, np.zeros(1), self.pose[:, None], still, still)
        return q[:, 0]

    def torques(self, q: Array, qd: Array, qdd: Array | None = None) -> Array:
        """Return the motors' part of ``M qdd + C qd + g``, zero without a motor, (n,) [N·m or N].

        Parameters
        ----------
        q, qd : ndarray, shape (n,)
            Joint states; those of passive joints only as approximations.
        qdd : ndarray, shape (n,), optional
            Accelerations of joints with a motor (default: zero).
        """
        if self.has_motor.all():
            at = Instant(self.robot, self.gravity, q, qd)
            return at.bias if qdd is None else at.M @ qdd + at.bias
        held, none = self.has_motor, np.zeros((q.size, 1))
        if isinstance(self.dynamics, ConstrainedDynamics):
            q, qd = (x[:, 0] for x in self.dynamics.project(
                np.zeros(1), q[:, None], qd[:, None], held))  # fmt: skip
        at = Instant(self.robot, self.gravity, q, qd)
        accelerations = none[:, 0] if qdd is None else qdd
        _, effort = self.dynamics.at_instant(at, accelerations, held, none, ())
        return np.where(held, effort[:, 0], 0.0)

    @cached_property
    def inertia(self) -> Array:
        """Inertia that each motor moves alone at the pose, (n,) [kg·m² or kg].

        It is the diagonal of the mass matrix of joints with a motor, with rotors; zero for others.
        """
        q, still = self.closed_pose, np.zeros(self.pose.size)
        if self.has_motor.all():
            return frozen(np.diag(Instant(self.robot, self.gravity, q, still).M))
        weight = self.torques(q, still)
        units = np.diag(self.has_motor.astype(float))
        every = [self.torques(q, still, unit) - weight for unit in units]
        return frozen(np.diag(every))
