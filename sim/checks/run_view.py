"""RunView: a recording as the checks see it, with the limits and sizes that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim.checks.acceleration_rounding import (
    acceleration_rounding,
    rounding_samples,
    torque_rounding,
)
from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Bounds, Judgement
from sim.checks.limits import (
    BEYOND,
    CANCELLED,
    curvature,
    curvature_at_ends,
    rounding,
)
from sim.checks.run_sizes import RunSizes
from sim.checks.stiff_joints import stiff_noise
from sim.dynamics.force_element import ForceElement
from sim.errors import ExpressionError
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.corners import corner_samples, distance, samples_near
from sim.recording.schema.element_facts import value_of
from sim.recording.schema.horizon import horizon
from sim.recording.schema.methods import MethodLimits
from sim.recording.schema.watched_facts import WatchedFacts

# Under a controller engine and model are so near [rad or m]: the loop takes away what they differ.
CONTROLLED = 1e-9

# A channel -> what follows of its difference (N,), such as `StateDifferences.of`.
Follows = Callable[[str], Array]


@dataclass(frozen=True, eq=False)
class RunView(RunSizes):
    """The columns of a recording, with what is judged of them and how near they must come."""

    @cached_property
    def limits(self) -> MethodLimits:
        """Limits of agreement of the run's method at its step."""
        free = bool(self.run.settings.free)
        limits = self.run.solved_by.limits_at(self.dt, has_free_joints=free)
        if isinstance(self.run.controller, ControllerFacts):
            limits = replace(limits, position=min(limits.position, CONTROLLED))
        return limits

    @cached_property
    def corner(self) -> Mask:
        """The samples at a corner, shape (N,)."""
        return corner_samples(self.run, self.t)

    def judge_errors(
        self,
        name: str,
        channel: str,
        error: Array,
        limit: float | AllowedError,
        *,
        plot: str | None = None,
        bounds: Bounds | None = None,
        unit: str | None = None,
    ) -> Judgement:
        """The largest of non-negative errors against a limit; see `Judgement.of_errors`.

        The unit is that of the channel where none is given.
        """
        unit = self.unit(channel) if unit is None else unit
        return Judgement.of_errors(
            name, channel, unit, self.t, error, limit, plot=plot, bounds=bounds
        )

    def judge_agreement(
        self,
        name: str,
        channel: str,
        limit: AllowedError,
        follows: Array | None = None,
        propagation: Follows | None = None,
    ) -> Judgement:
        """Recorded against analytic; at a corner the analytic values around it count.

        What `follows` (N,) from differences that are judged by themselves is taken off first; and
        where that is not enough, what follows by `propagation` from it.
        """
        error = distance(self.recorded_values(channel), self.analytic(channel), self.corner)
        if follows is not None:
            left = np.maximum(error - follows, 0.0)
            limit, error = limit.with_taken_off("singular_loops", _most(error - left)), left
        error = self.comparable(error)
        if propagation is not None:
            error, limit = self.beyond(error, limit, propagation, channel)
        return self.judge_errors(name, channel, error, limit, bounds="error")

    def beyond(
        self, error: Array, limit: AllowedError, propagation: Follows, channel: str
    ) -> tuple[Array, AllowedError]:
        """The error (N,), where it exceeds its limit less what follows of the channel.

        The limit names the most of that.
        """
        exceeds = error > limit.total
        if not exceeds.any():
            return error, limit
        left = np.where(exceeds, np.maximum(error - propagation(channel), 0.0), error)
        return left, limit.with_taken_off("state", _most(error - left))

    def comparable(self, error: Array) -> Array:
        """A difference of engine and model as long as it shows their physics, else zero.

        See `sim.recording.schema.horizon`.
        """
        until = horizon(self.run)
        if self.first_flip is not None:
            until = self.t[self.first_flip[0]] - self.dt if until is None else until
        return error if until is None else np.where(self.t <= until + SAME_TIME, error, 0.0)

    @cached_property
    def first_flip(self) -> tuple[int, str] | None:
        """Sample and joint at which encoder steps of engine and model first differ.

        From there on the two are commanded differently, and are no longer the same motion.
        """
        controller = self.run.controller
        if not isinstance(controller, ControllerFacts) or controller.encoder_bits is None:
            return None
        rows, balls = self.run.robot.coordinates, self.rotations
        names = [row.name for row in rows if row.is_angle and f"q.{row.name}" not in balls]
        half = np.pi / 2.0**controller.encoder_bits
        flips = [
            (int(np.argmax(differs)), name)
            for name in names
            if np.any(differs := self._sensed_difference(name) > half)
        ]
        return min(flips, default=None)

    def _sensed_difference(self, joint: str) -> Array:
        channel = f"sensed.{joint}"
        return np.abs(self._column(channel, analytic=False) - self._column(channel, analytic=True))

    def curvature(self, channel: str) -> float:
        """Second difference of an analytic curve over a step, in the unit of the channel."""
        return curvature(self.analytic(channel), self.corner)

    def last_digits(self, joint: str) -> float:
        """Rounding in the acceleration of a joint."""
        q, qd = self.analytic(f"q.{joint}"), self.analytic(f"qd.{joint}")
        return rounding(self.run.solved_by, self.dt, q, qd)

    def allowed_velocity(self, joint: str) -> AllowedError:
        """Allowed error of the velocity of a joint."""
        bend = self._velocity_bends.get(joint, 0.0)
        return AllowedError.of(method=self.limits.velocity, discretisation=bend)

    def velocity_limit(self, joint: str) -> float:
        """Largest allowed error of the velocity of a joint."""
        return self.allowed_velocity(joint).total

    @cached_property
    def faster(self) -> float:
        """Share by which the velocities may be off because the drives are fast for their step."""
        _, highest = self.peaks("qd", self._velocity_bends)
        return max(self._velocity_bends.values()) / highest if highest else 0.0

    @cached_property
    def _velocity_bends(self) -> dict[str, float]:
        """Discretisation error of smooth velocities [rad/s or m/s]; empty without a step.

        A bend on a sample leaves nothing: the errors on its two sides are halved alike.
        """
        if not (share := self.limits.bend_velocity):
            return {}
        kink = self.corner | samples_near(self.run.settings.bends, self.t, self.dt)
        curves = {name: self.analytic(f"qd.{name}") for name in self.tree_row_names}
        return {
            name: share * (curvature(qd, kink, order=4) + BEYOND * curvature_at_ends(qd, kink))
            for name, qd in curves.items()
        }

    def allowed_acceleration(self, joint: str) -> AllowedError:
        """Allowed error of the acceleration of a joint."""
        limits = self.limits
        peaks, highest = self._acceleration_peaks
        return AllowedError.of(
            method=limits.acceleration * peaks[joint],
            floor=limits.floor * max(highest, 1.0),
            discretisation=limits.bend_acceleration * self.curvature(f"qdd.{joint}"),
            cancellation=self._acceleration_rounding.get(joint, 0.0),
            rounding=self.last_digits(joint),
            springs=self._stiff_noise.get(joint, 0.0),
        )

    def acceleration_limit(self, joint: str) -> float:
        """Largest allowed error of the acceleration of a joint."""
        return self.allowed_acceleration(joint).total

    @cached_property
    def _acceleration_rounding(self) -> dict[str, float]:
        """Rounding of accelerations that motors cancel, where an engine steps."""
        if not self.run.solved_by.is_discretised:
            return {}
        some = rounding_samples(self.t.size)
        q, qd = (
            np.array([self.analytic(f"{of}.{joint}")[some] for joint in self.row_names])
            for of in ("q", "qd")
        )
        noise = acceleration_rounding(self.robot, self.run.settings.gravity, q, qd)
        return {row.name: noise[row.is_angle] for row in self.tree_coordinates}

    @cached_property
    def elements_on_links(self) -> tuple[ForceElement | None, ...]:
        """The elements on links; None for one that is no expression, but a program's function.

        Raises
        ------
        SimError
            If one of them cannot be.
        """
        elements: list[ForceElement | None] = []
        for facts in self.run.elements:
            try:
                elements.append(value_of(facts))
            except ExpressionError:
                elements.append(None)
        return tuple(elements)

    @cached_property
    def _stiff_noise(self) -> dict[str, float]:
        """Errors of a solver's accelerations from springs and dampers."""
        if not (self.run.solved_by.solves_motion and self.run.settings.free):
            return {}
        q, qd = (
            np.array([self.analytic(f"{of}.{joint}")[0] for joint in self.row_names])
            for of in ("q", "qd")
        )
        on_links, free = self.elements_on_links, self.run.settings.free
        known = [element for element in on_links if element is not None]
        noise = stiff_noise(self.run.robot, self.robot, q, qd, free, known)
        return dict(zip(self.row_names, noise.tolist(), strict=True))

    def allowed_torque(self, joint: str) -> AllowedError:
        """Allowed error of the torque of a joint."""
        limits = self.limits
        peaks, highest = self._torque_peaks
        # the engine has friction exactly, however sharply it bends
        useful = self.analytic(f"tau.{joint}") - self.analytic(f"friction.{joint}")
        watched: Mapping[str, float] = {}
        if isinstance(self.run.watched, WatchedFacts):
            watched = self.run.watched.allowances
        return AllowedError.of(
            method=limits.torque * peaks[joint],
            floor=limits.floor * highest,
            rounding=self.torque_rounding(joint),
            watched=watched.get(joint, 0.0),
            discretisation=limits.bend_torque * curvature(useful, self.corner),
        )

    def torque_limit(self, joint: str) -> float:
        """Largest allowed error of the torque of a joint."""
        return self.allowed_torque(joint).total

    def torque_rounding(self, joint: str) -> float:
        """Rounding in the torque of a joint: of accelerations, and of terms that cancel in it."""
        noise = max(self.torque_noise, self._torque_rounding[joint])
        return noise + CANCELLED * self.terms(joint)

    @cached_property
    def _torque_rounding(self) -> dict[str, float]:
        """Rounding in the torque of each joint: of all accelerations, by the mass matrix.

        What moves slowly may have most of the mass, of which the energy tells nothing.
        """
        names = self.row_names
        digits = np.array([self.last_digits(name) for name in names])
        q = np.array([self.analytic(f"q.{name}") for name in names])
        return dict(zip(names, torque_rounding(self.robot, q, digits).tolist(), strict=True))

    def wrench_noise(self, kind: str) -> float:
        """Error of a joint's force ("f") [N] or moment ("m") [N·m] from errors of accelerations.

        Rounding; and where joints are free, what the errors of all steps before have made of their
        accelerations. It is of all that moves, I or √(I m) times an acceleration.
        """
        noise = self._last_digits
        if self.run.settings.free:
            noise += self.limits.torque * self._acceleration_peaks[1]
        return noise * self.moved_inertia(kind)

    @cached_property
    def torque_noise(self) -> float:
        """Rounding in a torque: that of the accelerations times the inertia that moves."""
        return self._inertia * self._last_digits

    @cached_property
    def _last_digits(self) -> float:
        """Rounding in the accelerations, of the joint that has most."""
        return max(map(self.last_digits, self.tree_row_names))


def _most(taken_off: Array) -> float:
    """The largest of what was taken off an error; zero where it is no number."""
    return float(np.nanmax(taken_off, initial=0.0))
