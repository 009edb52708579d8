"""Where in a step of a march a joint leaves its mode of dry friction."""

from __future__ import annotations

import numpy as np

from sim.dynamics.dormand_prince import ALL_STAGES
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.march_step import fill_solution, interpolate, march_rate, solution_at
from sim.dynamics.kernels.records import MarchWork, System
from sim.maths.arrays import Array

SAME_PART = 1e-9  # difference of two points of a step that count as one
HALVINGS = 40  # bisections to find a point of a step where a joint that starts at rest slides


@inner
def _margin(
    F: Array, y: Array, x: float, row: int, sense: float, speeds: Array
) -> tuple[float, float]:  # fmt: skip
    """Distance of a joint's speed from its range, at the part x of a step, and its slope by x.

    The distance is negative beyond the range.
    """
    speed, slope = solution_at(F, y, x, row)
    above, below = sense * speed - speeds[0], speeds[1] - sense * speed
    return (above, sense * slope) if above <= below else (below, -sense * slope)


@inner
def _least_margin(
    F: Array, y: Array, row: int, sense: float, speeds: Array, low: float, high: float
) -> tuple[float, float]:  # fmt: skip
    """Return a part of a step at which a margin that dips is negative or least, and the margin."""
    while True:
        middle = 0.5 * (low + high)
        margin, slope = _margin(F, y, middle, row, sense, speeds)
        if margin < 0.0 or middle in (low, high):
            return middle, margin
        if slope < 0.0:
            low = middle
        else:
            high = middle


@inner
def _still_slides(
    F: Array, y: Array, row: int, sense: float, speeds: Array, low: float, high: float
) -> float:
    """A part of a step after `low`, where a joint is at rest, at which it slides; `low` if none."""
    for halvings in range(1, HALVINGS + 1):
        part = low + (high - low) * 0.5**halvings
        if _margin(F, y, part, row, sense, speeds)[0] > 0.0:
            return part
    return low


@inner
def _change_in_step(
    F: Array, y: Array, row: int, sense: float, speeds: Array, t: float, end: float,
    samples: Array, checks: int
) -> float:  # fmt: skip
    """The part of a step at which a sliding joint leaves its range of speed; 2 if it does not.

    The lower bound of the range is rest where it is zero.

    The velocity is checked at some points of the step, and at the samples in it.
    """
    low, k = 0.0, 0
    fall = _margin(F, y, low, row, sense, speeds)[1]
    for check in range(1, checks + 1):
        last = False
        while not last:
            last = k == samples.size or (samples[k] - t) / (end - t) >= check / checks
            high = check / checks if last else (samples[k] - t) / (end - t)
            k += not last
            margin, slope = _margin(F, y, high, row, sense, speeds)
            if margin >= 0.0 and fall < 0.0 < slope:
                dip, margin = _least_margin(F, y, row, sense, speeds, low, high)
                high = dip if margin < 0.0 else high
            if margin >= 0.0:
                low, fall = high, slope
                continue
            starts_at_rest = _margin(F, y, low, row, sense, speeds)[0] <= 0.0
            if starts_at_rest:  # perhaps there and back
                most, low = low, _still_slides(F, y, row, sense, speeds, low, high)
                if low == most:
                    return low
            while True:
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    return low
                if _margin(F, y, middle, row, sense, speeds)[0] > 0.0:
                    low = middle
                else:
                    high = middle
    return 2.0


@inner
def _least_spare(
    system: System, work: MarchWork, y: Array, t: float, h: float, x: float
) -> tuple[float, int]:  # fmt: skip
    """Least spare friction of the stuck joints at the part x of a step, and its joint or -1.

    If no friction fits there, it is minus infinity.
    """
    least, joint = np.inf, -1
    fill_solution(work.F, y, x, work.at)
    if not march_rate(system, work, t + x * h, work.at, work.K[ALL_STAGES - 1]):
        return -np.inf, -1
    for i in system.joints.stuck:
        if system.joints.work.spare[i] < least:
            least, joint = system.joints.work.spare[i], i
    return least, joint


@inner
def _lowest(x: float, y: float, z: float, f: float, g: float, h: float) -> float:
    """Where the parabola with values f, g, h at x < y < z has its minimum, if f > g < h."""
    left, right = (g - f) / (y - x), (h - g) / (z - y)
    return 0.5 * (x + y - left * (z - x) / (right - left))


@inner
def _first_slip(
    system: System, work: MarchWork, y: Array, t: float, h: float, inside: Array, checks: int,
    until: float
) -> tuple[float, int]:  # fmt: skip
    """Part of a step at which the first stuck joint slips, up to a part, and the joint.

    The part is 2 if none does, and -1 if no friction fits. Samples are checked, too.
    """
    low, before, k = 0.0, 0.0, 0
    at_start, joint = _least_spare(system, work, y, t, h, low)
    last_spare, spare = at_start, at_start  # at `before` and `low`
    for check in range(1, checks + 1):
        last = False
        while not last and low < until:
            last = k == inside.size or (inside[k] - t) / h >= check / checks
            high = min(check / checks if last else (inside[k] - t) / h, until)
            k += not last
            if high - low < SAME_PART:
                continue
            after, joint = _least_spare(system, work, y, t, h, high)
            if after >= 0.0 and last_spare > spare < after:
                x = _lowest(before, low, high, last_spare, spare, after)
                dip, first = _least_spare(system, work, y, t, h, x)
                if dip < 0.0:
                    after, joint, high, low = dip, first, x, low if x > low else before
            if after >= 0.0:
                before, low, last_spare, spare = low, high, spare, after
                continue
            if low == 0.0 and at_start <= 0.0:
                return (low, joint) if joint >= 0 else (-1.0, -1)
            while joint >= 0:
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    return high, joint
                after, first = _least_spare(system, work, y, t, h, middle)
                if after > 0.0:
                    low = middle
                else:
                    high, joint = middle, first
            return -1.0, -1
    return 2.0, -1


@inner
def first_change(
    system: System, work: MarchWork, speeds: Array, y: Array, t: float, end: float, inside: Array,
    checks: int
) -> tuple[float, int]:  # fmt: skip
    """Part of a step at which the first joint leaves its range of speed or slips, and the joint.

    The part is 2 if none does, and -1 if no friction fits; then the joint is -1.
    """
    F, h, friction, first, changed = work.F, end - t, system.friction, 2.0, -1
    if not interpolate(system, work, t, y, h):
        return -1.0, -1
    for x in range(friction.joints.size):
        joint, sense = friction.joints[x], friction.sense[x]
        row = system.joints.held.size + joint
        part = _change_in_step(F, y, row, sense, speeds[joint], t, end, inside, checks)
        if part < first:
            first, changed = part, joint
    if system.joints.stuck.size:
        part, joint = _first_slip(system, work, y, t, h, inside, checks, min(first, 1.0))
        if part < first:
            first, changed = part, joint
    return first, changed
