"""RunView: a recording with the limits and scales shared by the checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sim.checks.acceleration_rounding import (
    acceleration_rounding,
    rounding_samples,
    torque_rounding,
)
from sim.checks.allowed_error import AllowedError
from sim.checks.closing_rounding import closing_rounding
from sim.checks.judgement import Bounds, Judgement
from sim.checks.limits import (
    CANCELLED,
    curvature,
    largest_known,
    left_by_halving,
    rounding,
)
from sim.checks.run_sizes import RunSizes
from sim.checks.stiff_joints import stiff_noise
from sim.dynamics.force_element import ForceElement
from sim.errors import ExpressionError
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.recording.recorded_robot import with_kept_loops
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.corners import corner_samples, distance, samples_near
from sim.recording.schema.element_facts import value_of
from sim.recording.schema.horizon import horizon
from sim.recording.schema.methods import MethodLimits
from sim.recording.schema.verdicts import EnergyBalance
from sim.recording.schema.watched_facts import WatchedFacts

# Difference of engine and model under a controller [rad or m]: the loop reduces it.
CONTROLLED = 1e-9

# Maps a channel to the part of its difference that follows from others (N,): `StateDifferences.of`.
Follows = Callable[[str], Array]


class RunView(RunSizes, frozen=True, eq=False, dict=True):
    """Columns of a recording, with methods for judging them and their allowed errors."""

    @cached_property
    def limits(self) -> MethodLimits:
        """Limits of agreement of the run's method at its step."""
        free = bool(self.run.settings.free)
        limits = self.run.solved_by.limits_at(self.dt, has_free_joints=free)
        if isinstance(self.run.controller, ControllerFacts):
            limits = replace(limits, position=min(limits.position, CONTROLLED))
        return limits

    @cached_property
    def balances(self) -> dict[bool, tuple[Judgement, EnergyBalance]]:
        """Energy balances that are judged, of the recorded (False) and the analytic table."""
        return {}

    @cached_property
    def corner(self) -> Mask:
        """Mask of the samples at a corner, shape (N,)."""
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
        """Judge the largest of non-negative errors against a limit; see `Judgement.of_errors`.

        The default unit is that of the channel.
        """
        unit = self.unit(channel) if unit is None else unit
        return Judgement.of_errors(
            name, channel, unit, self.t, error, limit, plot=plot, bounds=bounds
        )

    def judge_samples(
        self, name: str, channel: str, k: NDArray[np.intp], error: Array,
        limit: float | AllowedError, unit: str | None = None
    ) -> Judgement:  # fmt: skip
        """Judge errors at samples k, (K,); there is no error between them."""
        between = np.zeros_like(self.t)
        between[k] = error
        return self.judge_errors(name, channel, between, limit, unit=unit)

    def judge_count(self, name: str, channel: str, count: float) -> Judgement:
        """Judge a number of faults, of which none is allowed."""
        return Judgement.of_number(name, channel, float(count), 0.0, "1", float(self.t[0]))

    def judge_agreement(
        self,
        name: str,
        channel: str,
        limit: AllowedError,
        follows: Array | None = None,
        propagation: Follows | None = None,
        reason: str = "singular_loops",
    ) -> Judgement:
        """Judge recorded against analytic; at a corner the adjacent analytic values count.

        First `follows` (N,), which results from separately judged differences or is noted, is
        subtracted, with the `reason` of `TERMS`; if this is not sufficient, the result of
        `propagation` is subtracted too.
        """
        error = distance(self.recorded_values(channel), self.analytic(channel), self.corner)
        if follows is not None:
            rest = np.maximum(error - follows, 0.0)
            limit, error = limit.with_taken_off(reason, _most(error - rest)), rest
        error = self.comparable(error)
        if propagation is not None:
            error, limit = self.beyond(error, limit, propagation, channel)
        return self.judge_errors(name, channel, error, limit, bounds="error")

    def following(
        self, channel: str, expected: Array, at: Mask, *, is_exact: bool = False
    ) -> Array:
        """Return by how much a channel differs because others do, (N,): zero but at samples `at`.

        `expected` (K,) is its value by the recorded values of the others, which are checked by
        themselves; the rest of the difference is that of the recorded value from the expected one,
        also if that is larger and the expected value `is_exact`.
        """
        recorded, follows = self.recorded_values(channel), np.zeros_like(self.t)
        total = distance(recorded, self.analytic(channel), self.corner)[at]
        follows[at] = total - np.abs(recorded[at] - expected)
        if not is_exact:
            follows = np.maximum(follows, 0.0)
        return follows

    def beyond(
        self, error: Array, limit: AllowedError, propagation: Follows, channel: str
    ) -> tuple[Array, AllowedError]:
        """Return the error (N,), reduced by the result of `propagation` where it exceeds its limit.

        The returned limit records the largest reduction.
        """
        exceeds = error > limit.total
        if not exceeds.any():
            return error, limit
        rest = np.where(exceeds, np.maximum(error - propagation(channel), 0.0), error)
        return rest, limit.with_taken_off("state", _most(error - rest))

    def comparable(self, error: Array) -> Array:
        """Return a difference of engine and model, or zero beyond the horizon.

        See `sim.recording.schema.horizon`.
        """
        until = horizon(self.run)
        if self.first_flip is not None:
            until = self.t[self.first_flip[0]] - self.dt if until is None else until
        return error if until is None else np.where(self.t <= until + SAME_TIME, error, 0.0)

    @cached_property
    def first_flip(self) -> tuple[int, str] | None:
        """Sample and joint at which encoder steps of engine and model first differ.

        From then on the two receive different commands and have different motions.
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
        """Return the second difference of an analytic curve over a step, in the channel's unit."""
        return curvature(self.analytic(channel), self.corner)

    def last_digits(self, joint: str) -> float:
        """Return the rounding in the acceleration of a joint."""
        q, qd = self.peak(f"q.{joint}"), self.peak(f"qd.{joint}")
        return rounding(self.run.solved_by, self.dt, q, qd, self._closing.get(joint, 0.0))

    @cached_property
    def _closing(self) -> dict[str, float]:
        """Rounding of the positions that closed loops determine, if the run has their geometry."""
        if not (self.run.settings.passive and self.run.solved_by.is_discretised):
            return {}
        (q,) = self.analytic_rows("q")
        return closing_rounding(with_kept_loops(self.robot, self.recording), q)

    def allowed_velocity(self, joint: str) -> AllowedError:
        """Return the allowed error of the velocity of a joint."""
        bend = self._velocity_bends.get(joint, 0.0)
        return AllowedError.of(method=self.limits.velocity, discretisation=bend)

    def velocity_limit(self, joint: str) -> float:
        """Return the largest allowed error of the velocity of a joint."""
        return self.allowed_velocity(joint).total

    @cached_property
    def faster(self) -> float:
        """Relative velocity error because the drives are fast for the step."""
        _, highest = self.peaks("qd", self._velocity_bends)
        return max(self._velocity_bends.values()) / highest if highest else 0.0

    @cached_property
    def _velocity_bends(self) -> dict[str, float]:
        """Discretisation error of smooth velocities [rad/s or m/s]; empty without a step."""
        if not (share := self.limits.bend_velocity):
            return {}
        bend = samples_near(self.run.settings.bends, self.t, self.dt)
        names = self.tree_row_names
        return {name: share * left_by_halving(self.third_differences(name), bend) for name in names}

    def allowed_acceleration(self, joint: str) -> AllowedError:
        """Return the allowed error of the acceleration of a joint."""
        limits, bend = self.limits, 0.0
        peaks, highest = self._acceleration_peaks
        if share := limits.bend_acceleration:
            bend = share * largest_known(self.third_differences(joint)) / self.dt
        return AllowedError.of(
            method=limits.acceleration * peaks[joint],
            floor=limits.floor * max(highest, 1.0),
            discretisation=bend,
            cancellation=self._acceleration_rounding.get(joint, 0.0),
            rounding=self.last_digits(joint),
            springs=self._stiff_noise.get(joint, 0.0),
        )

    def acceleration_limit(self, joint: str) -> float:
        """Return the largest allowed error of the acceleration of a joint."""
        return self.allowed_acceleration(joint).total

    @cached_property
    def _acceleration_rounding(self) -> dict[str, float]:
        """Rounding of accelerations balanced by motors, in a stepping engine."""
        if not self.run.solved_by.is_discretised:
            return {}
        q, qd = self.analytic_rows("q", "qd", at=rounding_samples(self.t.size))
        noise = acceleration_rounding(self.robot, self.run.settings.gravity, q, qd)
        return {row.name: noise[row.is_angle] for row in self.tree_coordinates}

    @cached_property
    def elements_on_links(self) -> tuple[ForceElement | None, ...]:
        """Elements on links; None for one defined by a Python function instead of an expression.

        Raises
        ------
        SimError
            If one of them is impossible.
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
        """Errors of a solver's accelerations due to springs and dampers."""
        if not (self.run.solved_by.solves_motion and self.run.settings.free):
            return {}
        q, qd = (rows[:, 0] for rows in self.analytic_rows("q", "qd", at=slice(1)))
        on_links, free = self.elements_on_links, self.run.settings.free
        known = [element for element in on_links if element is not None]
        noise = stiff_noise(self.run.robot, self.robot, q, qd, free, known)
        return dict(zip(self.row_names, noise.tolist(), strict=True))

    def allowed_torque(self, joint: str) -> AllowedError:
        """Return the allowed error of the torque of a joint."""
        limits = self.limits
        peaks, highest = self._torque_peaks
        # the engine evaluates friction exactly, even if it varies steeply
        useful = self.analytic(f"tau.{joint}") - self.analytic(f"friction.{joint}")
        return AllowedError.of(
            method=limits.torque * peaks[joint],
            floor=limits.floor * highest,
            rounding=self.torque_rounding(joint),
            discretisation=limits.bend_torque * curvature(useful, self.corner),
        )

    def torque_limit(self, joint: str) -> float:
        """Return the largest difference of the torque of a joint that may remain."""
        return self.allowed_torque(joint).total + self.noted_torque(joint)

    def noted_torque(self, joint: str) -> float:
        """Return the noted differences of a watched loop; zero for other runs."""
        watched = self.run.watched
        return watched.allowances.get(joint, 0.0) if isinstance(watched, WatchedFacts) else 0.0

    def torque_rounding(self, joint: str) -> float:
        """Return the torque rounding of a joint: of accelerations, and of cancelling terms."""
        noise = max(self.torque_noise, self._torque_rounding[joint])
        return noise + CANCELLED * self.terms(joint)

    @cached_property
    def _torque_rounding(self) -> dict[str, float]:
        """Rounding in the torque of each joint: of all accelerations, by the mass matrix.

        Slow joints may carry most of the mass, which the energy does not show.
        """
        names, (q,) = self.row_names, self.analytic_rows("q")
        digits = np.array([self.last_digits(name) for name in names])
        return dict(zip(names, torque_rounding(self.robot, q, digits).tolist(), strict=True))

    def wrench_noise(self, kind: str) -> float:
        """Return the error of a joint's force ("f") [N] or moment ("m") [N·m] due to accelerations.

        It includes rounding and, if joints are free, the accumulated effect of previous steps on
        their accelerations. The inertia is that of all moving bodies, I or √(I m).
        """
        noise = self._last_digits
        if self.run.settings.free:
            noise += self.limits.torque * self._acceleration_peaks[1]
        return noise * self.moved_inertia(kind)

    @cached_property
    def torque_noise(self) -> float:
        """Rounding in a torque: rounding of the accelerations times the moving inertia."""
        return self._inertia * self._last_digits

    @cached_property
    def _last_digits(self) -> float:
        """Rounding in the accelerations, largest over the joints."""
        return max(map(self.last_digits, self.tree_row_names))


def _most(taken_off: Array) -> float:
    """Return the largest amount subtracted from an error; zero if it is not finite."""
    return float(np.nanmax(taken_off, initial=0.0))
