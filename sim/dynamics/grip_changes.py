"""Times at which a contact with stiction comes to rest or starts to slide within a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from sim.dynamics.equations_of_motion import FrictionModes
from sim.dynamics.grips import GripChange, Grips
from sim.dynamics.kernels.shape_kinds import AT_REST
from sim.dynamics.slips import Patches
from sim.dynamics.solver import DenseSolution
from sim.dynamics.stick_slip import CHECKS
from sim.maths.arrays import Array, Mask

APART = 1e9  # N that is lacking where a contact that sticks does not touch
PARTS = 1e-13  # s, in which one that parts does so after it lacks anything
CAUGHT = 1e-6  # m/s of slip, below which one whose slip has turned back is at rest


def first_change(
    grips: Grips, solution: DenseSolution, end: float, modes: FrictionModes
) -> GripChange | None:
    """Return the first change of mode of a contact within a step; None if there is none."""
    times = np.linspace(solution.t_old, solution.t, CHECKS + 1)
    let_go = _let_go(grips, solution, times, modes)
    changes = [*let_go, *_come_to_rest(grips, solution, times, modes)]
    change = min(changes, key=lambda one: one.t, default=None)
    return change if change is not None and change.t < end else None


def _let_go(
    grips: Grips, solution: DenseSolution, times: Array, modes: FrictionModes
) -> Iterator[GripChange]:
    if not grips.sticking:
        return
    from scipy.optimize import brentq

    def margin(t: Array) -> Array:
        y = solution(t)
        return np.where(_are_apart(grips, t, y), -APART, grips.margins(t, y, modes))

    def of_one(t: float, k: int) -> float:
        return float(margin(np.array([t]))[k, 0])

    def parts(k: int, t: float) -> bool:
        return of_one(t, k) <= -APART

    values = margin(times[1:])
    for k in np.flatnonzero((values < 0.0).any(axis=1)).tolist():
        m = int(np.argmax(values[k] < 0.0))
        low, high = times[m : m + 2].tolist()
        if of_one(low, k) > 0.0:
            low = brentq(of_one, low, high, args=(k,), xtol=1e-15)
        if of_one(min(high, low + PARTS), k) > -APART:
            starts = (grips.starts(t, solution(t), modes, [k]) for t in (low, high))
            yield GripChange(low, starts=next(filter(None, starts), {}))
        else:
            yield GripChange(_first_time(partial(parts, k), low, high))


def _are_apart(grips: Grips, t: Array, y: Array) -> Mask:
    """Return which sticking contacts do not touch at states (size, N), (C, N)."""
    sticks = np.array([one.sticks for one in grips.modes])
    return np.asarray(sticks[:, None] & (grips.patches(t, y).push <= 0.0))


def _come_to_rest(
    grips: Grips, solution: DenseSolution, times: Array, modes: FrictionModes
) -> Iterator[GripChange]:
    """Yield the first rest of each sliding contact, and the first touch of each without slip."""
    if len(grips.sticking) == len(grips.modes):
        return
    patches = grips.patches(times, solution(times))
    for k, mode in enumerate(grips.modes):
        if mode.sticks:
            continue
        for m in range(1, times.size):
            if patches.push[k, m] > 0.0:
                change = _rest_between(grips, solution, times[m - 1 : m + 1], k, patches, m)
                if change is None and any(mode.start_of_slip):
                    change = _held_again(grips, solution, times[m - 1 : m + 1], k, patches, modes)
                if change is not None:
                    yield change
                    break


def _rest_between(
    grips: Grips, solution: DenseSolution, between: Array, k: int, patches: Patches, m: int
) -> GripChange | None:
    """Return the change if contact k, which touches at time m, has come to rest since time m - 1.

    `between` has both times, `patches` belong to all of them.
    """
    (low, high), (before, behind) = between.tolist(), patches.slip[k, :, m - 1 : m + 1].T

    def touches(t: float) -> bool:
        at = np.array([t])
        return bool(grips.patches(at, solution(at)).push[k, 0] > 0.0)

    slow, start = patches.speed[k, m - 1] <= AT_REST, grips.modes[k].start_of_slip
    if patches.push[k, m - 1] <= 0.0:
        is_still = patches.speed[k, m] <= AT_REST and not any(start)
        return GripChange(_first_time(touches, low, high)) if is_still else None
    if slow and any(start):  # it has gone back to where it started
        return GripChange(high, (k,)) if behind @ np.array(start) < -AT_REST else None
    if slow:
        return GripChange(low, (k,))
    along = before / np.linalg.norm(before)
    if behind @ along > 0.0 and patches.speed[k, m] > AT_REST:
        return None

    def slip(t: float) -> Array:
        at = np.array([t])
        return grips.patches(at, solution(at)).slip[k, :, 0]

    stop = high
    if behind @ along < 0.0:
        from scipy.optimize import brentq

        stop = float(brentq(lambda t: float(slip(t) @ along), low, high, xtol=1e-16))
    return GripChange(stop, (k,)) if np.linalg.norm(slip(stop)) <= CAUGHT else None


def _held_again(
    grips: Grips,
    solution: DenseSolution,
    between: Array,
    k: int,
    patches: Patches,
    modes: FrictionModes,
) -> GripChange | None:
    """Return the change if contact k, which joints at rest kept from sliding, can hold again.

    `patches` belong to all checked times of the step, of which `between` are two.
    """
    if not modes.stuck.any() or patches.speed[k].max() > AT_REST:
        return None

    def holds(t: float) -> bool:
        y = solution(t)[:, None]
        return bool(grips.holding_too(k).margins(np.array([t]), y, modes)[k, 0] > 0.0)

    low, high = between.tolist()
    if not holds(high):
        return None
    return GripChange(low if holds(low) else _first_time(holds, low, high), (k,))


def _first_time(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the first time between low and high at which a condition holds, by bisection."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
