"""Torques, reactions and tool motion at corners of the drives, by the recorded joint motion.

A central difference over a corner mixes both sides. At a corner of all joints the mix is the same,
so that torques and reactions are between those of both sides; where joints have their corners at
several times within a few steps they may be outside. They then follow from the accelerations, which
are checked one by one, and in which they are linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.checks.expected_channels import WRENCH
from sim.checks.robot_by_description import robot_by_description, stages
from sim.checks.run_view import RunView
from sim.dynamics import newton_euler
from sim.kinematics.jacobian import frame_acceleration, twist
from sim.maths.arrays import Array, Mask

NO_GRAVITY = (0.0, 0.0, 0.0)


class CornerMotion(Struct, frozen=True, eq=False, dict=True):
    """Values that follow from the recorded motion at the K samples at corners.

    Parameters
    ----------
    view : RunView
    """

    view: RunView

    @cached_property
    def at(self) -> Mask:
        """Mask of the samples, shape (N,); none of a run with closed loops."""
        view = self.view
        return np.zeros(view.t.size, dtype=bool) if view.robot.loops else view.corner

    def torque(self, joint: str) -> Array | None:
        """Return by how much a joint's torque differs for the accelerations, (N,)."""
        if not self.at.any():
            return None
        row = self.view.row_names.index(joint)
        expected = self._of_model(f"tau.{joint}") + self._forces[0][row]
        return self.view.following(f"tau.{joint}", expected, self.at)

    def reaction(self, channel: str) -> Array | None:
        """Return by how much a component of a reaction differs for the accelerations, (N,)."""
        group, _, rest = channel.partition(".")
        joint, _, component = rest.rpartition(".")
        rows = self.view.tree_row_names
        if group != "reaction" or joint not in rows or not self.at.any():
            return None
        expected = self._of_model(channel)
        expected += self._forces[1][rows.index(joint), WRENCH.index(component)]
        return self.view.following(channel, expected, self.at)

    @cached_property
    def tool(self) -> Mapping[str, Array]:
        """Velocity v, w and acceleration a, wd of the tool by the recorded joints, (3, K) each."""
        robot, motion = self.view.robot, self._engine_motion
        V, A = twist(robot, *motion[:2]), frame_acceleration(robot, None, *motion)
        return {"v": V[:3], "w": V[3:], "a": A[:3], "wd": A[3:]}

    def _of_model(self, channel: str) -> Array:
        return self.view.analytic(channel)[self.at]

    @cached_property
    def _engine_motion(self) -> tuple[Array, Array, Array]:
        """q, qd and qdd of the engine at the samples, (n, K) each."""
        view, table = self.view, self.view.table(analytic=False)
        q, qd, qdd = (view.rows(table, group, self.at) for group in ("q", "qd", "qdd"))
        return q, qd, qdd

    @cached_property
    def _forces(self) -> tuple[Array, Array]:
        """Torques (n, K) and reactions (n_tree, 6, K) of the differences in acceleration."""
        view = self.view
        q, qdd = view.analytic_rows("q", "qdd", at=self.at)
        off, still = self._engine_motion[2] - qdd, np.zeros_like(q)
        tau, reaction = np.zeros_like(q), np.zeros((len(view.tree_row_names), 6, q.shape[1]))
        for part, robot in stages(robot_by_description(view), view.run.events, view.t[self.at]):
            forces = newton_euler.wrenches(
                robot, q[:, part], still[:, part], off[:, part], NO_GRAVITY
            )
            tau[:, part], reaction[..., part] = forces.tau, forces.reaction
        return tau, reaction
