"""Bitwise equality of two tables, and the size of their differences."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Array, largest_finite
from sim.maths.sampling import SAME_TIME
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.schema.channels import group_of

if TYPE_CHECKING:
    import pandas as pd


class ChannelDifference(Struct, frozen=True):
    """Largest difference of a channel between two tables.

    Parameters
    ----------
    channel : str
    worst : float
        Largest magnitude of the difference, in the channel's unit; infinite if one of the two is
        NaN.
    relative : float or None
        Share of the channel's previous peak; None if that was zero.
    at : float
        Its time [s].
    """

    channel: str
    worst: float
    relative: float | None
    at: float


class Sameness(Struct, frozen=True):
    """Comparison of a table with an earlier one.

    Parameters
    ----------
    same : bool
        Bitwise: columns, their order, times and values.
    same_times : bool
    apart : tuple of str
        Channels whose values differ in any bit, at the times that both have.
    furthest : ChannelDifference or None
        The one of these with the largest difference relative to its peak, channels that were zero
        last; None if no number differs.
    missing, new : tuple of str
        Channels that only the earlier, or only this table has.
    """

    same: bool
    same_times: bool
    apart: tuple[str, ...]
    furthest: ChannelDifference | None
    missing: tuple[str, ...]
    new: tuple[str, ...]


def same_to_the_bit(a: Table, b: Table) -> bool:
    """Whether two tables of numbers have the same columns in one order, times and values.

    Bits are compared: 0 and -0 differ. All NaNs are the same, since a Parquet file does not
    preserve their bits.
    """
    return (
        list(a.columns) == list(b.columns)
        and _same_bits(a.index.to_numpy(), b.index.to_numpy())
        and all(_same_bits(a[c], b[c]) for c in map(str, a.columns))
    )


def digest(table: Table) -> str:
    """Return the SHA-256 of names and values of all compared channels of a table."""
    sha256 = hashlib.sha256()
    for channel in sorted(map(str, table.columns)):
        if group_of(channel).is_compared:
            sha256.update(channel.encode())
            sha256.update(np.ascontiguousarray(table[channel].to_numpy(dtype="<f8")).tobytes())
    return sha256.hexdigest()


def sameness(table: Table, earlier: Table) -> Sameness:
    """Compare a table with an earlier one, channel by channel at the times of both."""
    mine, theirs = list(map(str, table.columns)), list(map(str, earlier.columns))
    here, there = _common_times(_times(table), _times(earlier))
    differences = []
    for channel in (channel for channel in theirs if channel in mine):
        now, before = numbers_in(table, channel)[here], numbers_in(earlier, channel)[there]
        if not _same_bits(now, before):
            differences.append(_largest_difference(channel, _times(table)[here], now, before))
    numbers = [one for one in differences if one.worst > 0]
    return Sameness(
        same=same_to_the_bit(table, earlier),
        same_times=_same_bits(_times(table), _times(earlier)),
        apart=tuple(one.channel for one in differences),
        furthest=max(numbers, key=_farness, default=None),
        missing=tuple(channel for channel in theirs if channel not in mine),
        new=tuple(channel for channel in mine if channel not in theirs),
    )


def _largest_difference(channel: str, t: Array, now: Array, before: Array) -> ChannelDifference:
    equal = (now == before) | (np.isnan(now) & np.isnan(before))
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        size = np.where(equal, 0.0, np.abs(now - before))
    size = np.where(np.isnan(size), np.inf, size)
    k = int(np.argmax(size))
    worst = float(size[k])
    peak = largest_finite(before)
    relative = worst / peak if peak > 0 else None
    return ChannelDifference(channel, worst, relative, float(t[k]))


def _farness(one: ChannelDifference) -> tuple[bool, float, float]:
    """Return a sort key: lost numbers first; channels that were zero, with only rounding, last."""
    return math.isinf(one.worst), -1.0 if one.relative is None else one.relative, one.worst


def _times(table: Table) -> Array:
    return table.index.to_numpy(dtype=np.float64)


def _common_times(a: Array, b: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices in two grids of their common times."""
    nearest = np.clip(np.searchsorted(b, a - SAME_TIME), 0, b.size - 1)
    here = np.flatnonzero(np.abs(b[nearest] - a) <= SAME_TIME)
    return here, nearest[here]


def _same_bits(a: pd.Series | Array, b: pd.Series | Array) -> bool:
    one, other = np.asarray(a), np.asarray(b)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return _without_bits_of_nan(one) == _without_bits_of_nan(other)


def _without_bits_of_nan(values: Array) -> bytes:
    return np.where(np.isnan(values), np.nan, values).tobytes()
