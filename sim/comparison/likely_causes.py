"""Possible causes of different curves: unit, sign, zero, step, clock, joint."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.comparison.clock import ENOUGH, FEWEST, UNITS, Clock, find_clock
from sim.foreign.unit_names import SMALL_TIMES
from sim.maths.arrays import Array
from sim.showing.one_line import count_text

LINE = 1e-3  # of our range may remain with a factor and a constant: many curves are alike
RINGS = 3  # samples on each side of a step, over which a cubic oscillates
FINE = 1e-5  # of a step may remain if all its digits are printed
_INCH, _POUND = 0.0254, 4.4482216152605
# Common factors: ours over theirs, and the unit or convention of theirs.
FACTORS = (
    (math.pi / 180, "are they in deg"),
    (180 / math.pi, "are they in rad, and declared as deg"),
    (1e-3, "are they in mm or N*mm"),
    (1e3, "are they in kN, or in m and declared as mm"),
    (1e-2, "are they in cm"),
    (_INCH, "are they in inch"),
    (_POUND, "are they in lbf"),
    (_POUND * _INCH, "are they in lbf*in"),
    (_POUND * 12 * _INCH, "are they in lbf*ft"),
    (9.80665, "are they in kgf"),
)


@dataclass(frozen=True, eq=False)
class CurvePair:
    """Our values and theirs of one channel, at the same times."""

    channel: str
    unit: str
    t: Array
    mine: Array
    theirs: Array
    limit: float

    @property
    def differs(self) -> bool:
        """Whether the curves differ by more than is allowed."""
        return bool(np.max(np.abs(self.mine - self.theirs)) > self.limit)


def likely_causes(
    pairs: Sequence[CurvePair], t_own: Array, recorded: Mapping[str, Array], start: float
) -> Iterator[str]:
    """Yield possible explanations of the differences, as text; the curves are not changed.

    Parameters
    ----------
    pairs : sequence of CurvePair
    t_own : ndarray, shape (N,)
        Sample times of the run [s].
    recorded : mapping of str to ndarray, shape (N,)
        Channels of the run.
    start : float
        Time in their table at which the run begins [s].
    """
    wrapped = {pair.channel: text for pair in pairs if (text := _whole_turns(pair)) is not None}
    yield from (f"{channel}: {text}" for channel, text in wrapped.items())
    pairs = [pair for pair in pairs if pair.channel not in wrapped]
    if not pairs:
        return
    if (clock := find_clock(pairs, t_own, recorded)) is not None:
        yield _clock_text(clock, start, "their time")
        return
    late, rest = _late_groups(pairs, t_own, recorded)
    yield from (
        _clock_text(clock, None, f"the time of {', '.join(names)}") for names, clock in late
    )
    far = [pair for pair in rest if pair.differs and pair.t.size >= FEWEST]
    causes: dict[str, list[str]] = {}
    for pair in far:
        if (cause := _find_swap(pair, t_own, recorded) or _factor(pair)) is not None:
            causes.setdefault(cause, []).append(pair.channel)
    if far and not causes and (clock := find_clock(far, t_own, recorded, scaled=True)) is not None:
        yield _clock_text(clock, start, "their time, with other units or signs,")
        far = [_read_by_clock(pair, clock, t_own, recorded) for pair in far]
        for pair in far:
            if (cause := _factor(pair)) is not None:
                causes.setdefault(cause, []).append(pair.channel)
    yield from (f"{', '.join(names)}: {cause}" for cause, names in causes.items())
    for pair in far:
        yield from _constant(pair) or _step(pair)


def _whole_turns(pair: CurvePair) -> str | None:
    """Return a note on an angle that differs by a changing number of turns: one is wrapped."""
    if pair.unit != "rad" or not pair.differs:
        return None
    turns = np.round((pair.theirs - pair.mine) / math.tau)
    if np.count_nonzero(np.diff(turns)) < 2:  # a constant or a step has its own note
        return None
    residual = float(np.max(np.abs(pair.theirs - pair.mine - math.tau * turns)))
    if residual > max(pair.limit, math.tau * LINE):
        return None
    first = int(np.argmax(np.diff(turns) != 0)) + 1
    whose, size = (
        ("the external curve", pair.theirs)
        if np.ptp(pair.theirs) < np.ptp(pair.mine)
        else ("the curve of the run", pair.mine)
    )
    return (
        f"{whose} is wrapped to {np.min(size):.4g} … {np.max(size):.4g} rad: the difference, "
        "external minus run, is "
        f"{int(turns.min())} to {int(turns.max())} whole turns, first changing at "
        f"t = {pair.t[first]:.6g} s; unwrapped, the difference is {residual:.2g} rad"
    )


def _clock_text(clock: Clock, start: float | None, what: str) -> str:
    """Describe a clock, and its correction."""
    if clock.rate in UNITS:
        longer = max(clock.rate, 1 / clock.rate)
        whose = "the times of the run" if clock.rate > 1 else "the external times"
        return (
            f"a time scale explains it: external times × {clock.rate:g} match the run; are "
            f"{whose} in {SMALL_TIMES[longer]}? Set --unit TIME={SMALL_TIMES[longer]}"
        )
    if clock.rate != 1:
        way = "slow" if clock.rate > 1 else "fast"
        return (
            f"a time scale explains it: the external clock is {100 * abs(clock.rate - 1):.3g} % "
            f"{way}; external times × {clock.rate:.6g} match the run"
        )
    way = "later" if clock.shift < 0 else "earlier"
    remedy = ""
    if start is not None:
        remedy = f"; --start {round(start - clock.shift, 6):.12g} removes it"
    return (
        f"a shift of {what} explains it: the external curves are {abs(clock.shift) * 1e3:.3g} ms "
        f"{way} than the run{remedy}"
    )


def _read_by_clock(
    pair: CurvePair, clock: Clock, t_own: Array, recorded: Mapping[str, Array]
) -> CurvePair:
    """Return the pair with our values read by a clock, at the times that we have."""
    at = clock.rate * pair.t + clock.shift
    there = (at >= t_own[0]) & (at <= t_own[-1])
    t = pair.t[there]
    mine = clock.read(t_own, recorded[pair.channel], t)
    return replace(pair, t=t, mine=mine, theirs=pair.theirs[there])


def _late_groups(
    pairs: Sequence[CurvePair], t_own: Array, recorded: Mapping[str, Array]
) -> tuple[list[tuple[list[str], Clock]], list[CurvePair]]:
    """Return groups of channels, each explained by its own clock, and the pairs of all others."""
    late, rest = list[tuple[list[str], Clock]](), list[CurvePair]()
    groups = dict.fromkeys(pair.channel.partition(".")[0] for pair in pairs)
    for group in groups:
        mine = [pair for pair in pairs if pair.channel.partition(".")[0] == group]
        clock = find_clock(mine, t_own, recorded) if len(groups) > 1 else None
        if clock is None or clock.rate != 1:
            rest += mine
        else:
            late.append(([pair.channel for pair in mine], clock))
    return late, rest


def _find_swap(pair: CurvePair, t_own: Array, recorded: Mapping[str, Array]) -> str | None:
    """Return a note on a foreign curve that is ours of another joint."""
    group, _, name = pair.channel.partition(".")
    size = float(np.max(np.abs(pair.theirs)))
    if not np.ptp(pair.theirs) > 0:
        return None
    for channel, values in recorded.items():
        other, _, joint = channel.partition(".")
        if other == group and joint != name and np.ptp(values) > 0:
            away = np.max(np.abs(np.interp(pair.t, t_own, values) - pair.theirs))
            if away <= ENOUGH * size:
                return (
                    f"the external curve matches {channel} of the run; are joints swapped? "
                    "Use --map"
                )
    return None


def _factor(pair: CurvePair) -> str | None:
    """Return a note on our curve as a multiple of the foreign one."""
    size, mine_size = np.max(np.abs(pair.theirs)), np.max(np.abs(pair.mine))
    if size == 0 or mine_size == 0:
        return None
    theirs, mine = pair.theirs / size, pair.mine / mine_size
    factor = float(np.dot(mine, theirs) / np.dot(theirs, theirs))
    residual = np.max(np.abs(mine - factor * theirs))
    factor *= float(mine_size / size)
    if residual > ENOUGH:
        return _line(pair)
    if abs(factor - 1) <= ENOUGH:
        return None
    if abs(factor + 1) <= ENOUGH:
        return "opposite sign; use --map THEIRS=-OURS"
    for number, name in FACTORS:
        if abs(abs(factor) / number - 1) <= 2 * ENOUGH:
            return (
                f"the run is about {number:.5g} times the external curve; {name}? Use --unit "
                "THEIRS=UNIT"
            )
    return f"the run is {factor:.4g} times the external curve throughout"


def _line(pair: CurvePair) -> str | None:
    """Return a note on our curve as a multiple of the foreign one plus a constant."""
    moves = float(np.ptp(pair.theirs))
    if not (moves > 0 and np.ptp(pair.mine) > 0):
        return None
    slope, constant = np.polyfit(pair.theirs, pair.mine, 1)
    residual = np.max(np.abs(pair.mine - slope * pair.theirs - constant))
    if residual > LINE * abs(slope) * moves or abs(slope - 1) <= ENOUGH:
        return None
    sign = "less" if constant < 0 else "and"
    return (
        f"the run is {slope:.4g} times the external curve {sign} {abs(constant):.4g} "
        f"{pair.unit} throughout"
    )


def _constant(pair: CurvePair) -> list[str]:
    """Return a note on curves that differ by a constant; empty if they do not."""
    difference = pair.theirs - pair.mine
    steady = np.max(np.abs(difference - difference.mean())) <= pair.limit
    moves = np.ptp(pair.mine) > 0 and np.ptp(pair.theirs) > 0
    if not (steady and moves) or abs(difference.mean()) <= pair.limit:
        return []
    size = _size_text(pair, float(difference.mean()))
    return [f"{pair.channel}: the external curve is larger by a constant {size}"]


def _step(pair: CurvePair) -> list[str]:
    """Return a note on a curve that steps once; empty if that is uncertain."""
    difference = pair.theirs - pair.mine
    first = int(np.argmax(np.abs(np.diff(difference)))) + 1
    for gap in range(RINGS + 1):
        if min(first, difference.size - first) - gap < FEWEST:
            break
        sides = difference[: first - gap], difference[first + gap :]
        before, after = (float(np.median(side)) for side in sides)
        step, off = abs(after - before), max(float(np.ptp(side)) / 2 for side in sides)
        if step <= pair.limit or off > max(pair.limit, ENOUGH * step):
            continue
        digits = 6 if off <= FINE * step else 3
        until = f"before by {_size_text(pair, before, digits)}"
        if abs(before) <= max(pair.limit, ENOUGH * step):
            most = float(np.max(np.abs(sides[0])))
            to = "" if most <= pair.limit else f" to {most:.2g} {pair.unit}"
            until = f"before they agree{to}"
        size = _size_text(pair, after, digits)
        at = f"from t = {pair.t[first]:.6g} s on"
        return [f"{pair.channel}: {at} the external curve is larger by {size}; {until}"]
    return []


def _size_text(pair: CurvePair, value: float, digits: int = 6) -> str:
    """Return a constant between two curves with its unit, and its number of full turns."""
    turns = value / math.tau
    is_turns = pair.unit == "rad" and round(turns) and abs(turns - round(turns)) <= 1e-3
    words = f" ({count_text(round(turns), 'whole turn')})" if is_turns else ""
    return f"{value:.{digits}g} {pair.unit}{words}"
