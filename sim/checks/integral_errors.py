"""Sampling errors of works: integrals of a power that is known at samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim.checks.run_view import RunView
from sim.maths.arrays import Array, Mask
from sim.maths.quadrature import cubic_of_steps, cumulative
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.corners import are_on_samples, samples_near

# Relative to the energy moved: rounding, and the error of a cubic through samples of a smooth
# power. A method that solves for the motion integrates the works with it, to the same error.
EXACT = 1e-6


def integral_error_at_breaks(view: RunView, energy: str, power: Callable[[], Array]) -> Array:
    """Integration error of a work at corners, bends and events, (N,) [J].

    A power that jumps at a sample has two values, of which a table has one; between samples with
    bends the table does not show its course. A method with both sides, like the model, computes its
    work with both: the sampling error is therefore taken from the model's table, only in steps
    whose cubic includes such a sample. The same holds for an impact between two samples, if the
    motion is solved for. `power` returns the model's (N,).
    """
    if not view.run.solved_by.is_two_sided:
        return np.zeros_like(view.t)
    steps = np.diff(view.analytic(energy) - cumulative(power(), view.t))
    breaks = np.sort([*_sudden_times(view), *view.run.settings.bends])
    first, last = cubic_of_steps(view.t.size)
    begun = np.searchsorted(breaks, view.t[last] + SAME_TIME)
    ended = np.searchsorted(breaks, view.t[first] - SAME_TIME)
    touched = (begun > ended) | _has_blow(view)
    return np.concatenate([[0.0], np.cumsum(np.where(touched, steps, 0.0))])


def _has_blow(view: RunView) -> Mask:
    """Steps (N - 1,) with a speed change of a free joint that no sampled acceleration explains.

    Jumps of a controller's commands have limits of their own.
    """
    missed = np.zeros(view.t.size - 1, dtype=bool)
    if isinstance(view.run.controller, ControllerFacts) or not view.run.solved_by.solves_motion:
        return missed
    for joint in view.run.settings.free:
        speed, rate = (view.analytic(f"{of}.{joint}") for of in ("qd", "qdd"))
        change = np.diff(speed - cumulative(rate, view.t))
        missed |= np.abs(change) > EXACT * np.max(np.abs(speed))
    return missed


def _sudden_times(view: RunView) -> Array:
    """Return the times of corners and events, ascending [s]."""
    return np.sort([*view.run.settings.corners, *(event.t for event in view.run.events)])


def integral_error(view: RunView, power: Array, *, two_sided: bool) -> float:
    """Return the largest integration error of a work given at samples [J].

    This is the difference caused by omitting every second sample, plus the change of the power
    within one step of a corner or an event. Those on a sample do not count if the work is
    `two_sided`.
    """
    t, h = view.t, view.dt
    if t.size < 3:  # a single step shows only the size of the change
        return h * float(np.ptp(power))
    sudden = _sudden_times(view)
    coarse = t[::2]
    errors = np.diff(cumulative(power, t)[::2] - cumulative(power[::2], coarse))
    if two_sided:
        known = are_on_samples(sudden, t)
        # cubics through every second sample extend four samples beyond their step
        begun = np.searchsorted(sudden[known], coarse[1:] + 5 * h)
        errors[begun > np.searchsorted(sudden[known], coarse[:-1] - 5 * h, side="right")] = 0.0
        sudden = sudden[~known]
    near = np.flatnonzero(samples_near(sudden, t, h))
    accumulated = float(np.max(np.abs(np.cumsum(errors)), initial=0.0))
    return accumulated + float(np.sum(np.gradient(t)[near] * _change_across(power, near)))


def _change_across(power: Array, k: NDArray[np.intp]) -> Array:
    """Return half the change of a power across samples k near jumps, (K,) [W].

    A power that jumps and returns at once shows no change between the samples on both sides; the
    extrapolations from either side to the sample differ by the jump.
    """
    far, before, after, beyond = (power[np.clip(k + j, 0, power.size - 1)] for j in (-2, -1, 1, 2))
    jump = np.abs(2.0 * before - far - (2.0 * after - beyond))
    return np.maximum(0.5 * jump, np.abs(np.gradient(power)[k]))
