"""Times of a recorder's table: units, concatenated episodes, repeated samples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.foreign import ForeignTable, Naming
from sim.foreign.matching import TIME, is_time
from sim.foreign.unit_names import SMALL_TIMES
from sim.maths.arrays import Array

SHORTEST = 50  # samples of a recording among others
APART = 10.0  # [s] inserted between episodes
MOST_STEP = {"s": 0.999, "ms": 100.0, "us": 1e5}  # of times without a unit, else ns
EPOCH = 1e9, 4.2e9  # [s] since 1970, the years 2001 to 2102
UNITS_OF_TIME = {"s", "sec", "ms", "us", "ns", "min"}


def with_clock(table: ForeignTable, naming: Naming) -> tuple[ForeignTable, tuple[str, ...]]:
    """Return the table with the unit of its times, where it follows from steps of whole seconds.

    The size of times since 1970 shows their unit. Recorders of robots write 10 to 10 000 samples
    per second: of other times without a unit, a step of 1 to 100 is in ms, one up to 1e5 in us, and
    a larger one in ns.
    """
    clock = next(
        (
            column
            for column in table.columns
            if (naming.channels.get(column.title) == TIME)
            or (TIME not in naming.channels.values() and is_time(column.title))
        ),
        None,
    )
    if clock is None or clock.unit or clock.title in naming.units or clock.fault:
        return table, ()
    if clock.values.size < 2 or any(part in UNITS_OF_TIME for part in _words(clock.title)):
        return table, ()
    step = float(np.median(np.diff(clock.values)))
    unit = _unit_since_1970(clock.values) or next(
        (unit for unit, most in MOST_STEP.items() if step <= most), "ns"
    )
    if unit == "s":
        return table, ()
    columns = tuple(replace(c, unit=unit) if c is clock else c for c in table.columns)
    return replace(table, columns=columns), (
        f"times are taken as {unit}: they have no unit, and steps of {step:.4g}",
    )


def _unit_since_1970(t: Array) -> str | None:
    """Return the unit of times since 1970; None if they fit none."""
    for second, unit in ((1.0, "s"), *SMALL_TIMES.items()):
        if EPOCH[0] < t.min() / second and t.max() / second < EPOCH[1]:
            return unit
    return None


def since_first_sample(t: Array, start: float) -> tuple[Array, tuple[str, ...]]:
    """Return times [s]; those since 1970 from the first sample on, unless `start` is since 1970."""
    if abs(start) > EPOCH[0] or not t.size or not EPOCH[0] < t[0] < EPOCH[1]:
        return t, ()
    return t - t[0], (f"times count from the first sample, {t[0]:.6f} s since 1970",)


def _words(title: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", title.casefold())


def one_after_the_other(table: ForeignTable) -> tuple[ForeignTable, tuple[str, ...]]:
    """Concatenate episodes whose times restart, with a gap between them."""
    by_title = {column.title.casefold(): column for column in table.columns}
    episode = by_title.get("episode_index")
    clock = next((column for column in table.columns if is_time(column.title)), None)
    if clock is None or clock.fault or clock.values.size < 2:
        return table, ()
    t = clock.values
    if episode is None:
        begins = _begun_anew(t)
    elif episode.values.size == t.size:
        begins = np.flatnonzero(np.diff(episode.values)) + 1
    else:
        return table, ()
    anew = begins[t[begins] <= t[begins - 1]]
    if not anew.size:
        return table, ()
    t = t.copy()
    for k in anew:
        t[k:] += t[k - 1] - t[k] + APART
    columns = tuple(replace(c, values=t, texts=None) if c is clock else c for c in table.columns)
    count = begins.size + 1
    return replace(table, columns=columns), (
        f"{count} episodes one after the other, {APART:g} s apart",
    )


def _begun_anew(t: Array) -> NDArray[np.intp]:
    """Return indices where times return to their first one; empty if any returns elsewhere.

    Concatenated recordings do so, samples out of order do not.
    """
    back = np.flatnonzero(np.diff(t) < 0) + 1
    step = float(np.median(np.diff(t)))
    lengths = np.diff([0, *back, t.size])
    is_anew = bool((np.abs(t[back] - t[0]) <= step).all()) and int(lengths.min()) >= SHORTEST
    return back if is_anew else back[:0]


def without_repeats(
    table: ForeignTable, t: Array, values: Mapping[str, Array]
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """Return samples with new times; a recorder that lags writes some samples twice."""
    table.require_ascending(t)
    keep = np.concatenate([[True], np.diff(t) > 0])
    count = int((~keep).sum())
    note = (f"{count} samples repeat the time of the one before and are left out",) if count else ()
    return t[keep], {name: value[keep] for name, value in values.items()}, note
