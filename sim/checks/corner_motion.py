"""Torques, reactions and tool motion at corners of the drives, by the recorded joint motion.

A central difference over a corner mixes both sides. At a corner of all joints the mix is the same,
so that torques and reactions are between those of both sides; where joints have their corners at
several times within a few steps they may be outside. They then follow from the velocities and
accelerations, which are checked one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from sim.checks.expected_channels import WRENCH
from sim.checks.robot_by_description import robot_by_description, stages
from sim.checks.run_view import RunView
from sim.dynamics import newton_euler
from sim.dynamics.reactions import Measure, measure
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
        """Return by how much a joint's torque differs due to the motion, (N,).

        It is negative where the torque is not that of the motion, though it may be in the band
        between both sides: the law of a step holds to rounding, unless joints are free.
        """
        if not self.at.any():
            return None
        expected = self._of_model(f"tau.{joint}")
        expected += self._torques[self.view.row_names.index(joint)]
        is_exact = not self.view.run.settings.free
        return self.view.following(f"tau.{joint}", expected, self.at, is_exact=is_exact)

    def reaction(self, channel: str) -> Array | None:
        """Return by how much a component of a reaction differs due to the motion, (N,)."""
        vector, _, component = channel.rpartition(".")
        if not self.at.any() or vector not in self._reactions:
            return None
        expected = self._of_model(channel) + self._reactions[vector][WRENCH.index(component)]
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
    def _torques(self) -> Array:
        """Torques (n, K) due to the differences in motion, by the law of a step.

        As in `sim.engines.stepped`, a torque is that of half steps twice less that of full steps,
        each at the start of the step. Velocities of full steps follow from the positions, continued
        by a Taylor series at both ends; the recorded ones are combinations of both.
        """
        view, h, (_, qd, qdd) = self.view, self.view.dt, self._engine_motion
        q, ends = view.rows(view.table(analytic=False), "q"), np.array([0, -1])
        V, A = view.analytic_rows("qd", "qdd", at=ends)
        beyond = q[:, ends] + [-h, h] * V + 0.5 * h * h * A
        speeds = np.diff(np.hstack([beyond[:, :1], q, beyond[:, 1:]])) / h
        before, after = speeds[:, :-1][:, self.at], speeds[:, 1:][:, self.at]
        rate = (after - before) / h
        rate_of_half = 0.5 * (qdd + rate)
        of_half = 0.25 * (3.0 * qd + 0.5 * (before + after) - h * rate_of_half)
        if view.run.settings.free:  # whose positions contain the errors of all steps before
            before, rate, of_half, rate_of_half = qd, qdd, qd, qdd
        return self._differences(
            ((2.0, of_half, rate_of_half), (-1.0, before, rate)),
            lambda *moving: newton_euler.wrenches(*moving).tau,
        )

    @cached_property
    def _reactions(self) -> Mapping[str, Array]:
        """Components (6, K) due to the differences in motion, by vector: ``reaction.elbow``."""
        view = self.view
        names = [f"reaction.{joint}" for joint in view.tree_row_names]
        measures = [Measure(**asdict(one)) for one in view.run.measures]

        def rows(*moving: Any) -> Array:
            reaction = newton_euler.wrenches(*moving).reaction
            others = (measure(moving[0], one, *moving[1:])[None] for one in measures)
            return np.concatenate([reaction, *others])

        names += [f"measure.{one.name}" for one in measures]
        values = self._differences(((1.0, *self._engine_motion[1:]),), rows)
        return dict(zip(names, values, strict=True))

    def _differences(
        self, motions: Iterable[tuple[float, Array, Array]], values: Callable[..., Array]
    ) -> Array:
        """Return values (..., K) summed over weighted rates qd and qdd, less those of the model."""
        view = self.view
        q, speeds, rates = view.analytic_rows("q", "qd", "qdd", at=self.at)
        every, parts = (*motions, (-1.0, speeds, rates)), []
        for part, robot in stages(robot_by_description(view), view.run.events, view.t[self.at]):
            rows = (
                of * values(robot, q[:, part], qd[:, part], qdd[:, part], NO_GRAVITY)
                for of, qd, qdd in every
            )
            parts.append(sum(rows))
        return np.concatenate(parts, axis=-1)
