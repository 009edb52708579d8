"""Joint-state messages as one table: several publishers on a topic, joined by time stamps.

Messages with the same joints and quantities form a stream. Each joint is read from one stream: one
with positions and efforts, and of several the one with most messages. Samples are at the stamps
of the stream with most joints; joints of other streams are interpolated linearly between two of
their own messages.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.errors import ForeignError
from sim.foreign.foreign_table import MOST_NUMBERS, ForeignColumn, column_of_numbers
from sim.maths.arrays import Array, Mask

Places = NDArray[np.intp]

GROUPS = ("q", "qd", "tau")
LONGEST = 5.0  # steps of a stream; longer pauses are not interpolated
SAME_STAMP = 1e-9  # [s]

# stamp [s], names, positions, velocities, efforts; each of the latter three may be empty
Numbers = Sequence[float] | Array
Message = tuple[float, Sequence[str], Numbers, Numbers, Numbers]


@dataclass(frozen=True, eq=False)
class _Stream:
    """Messages with the same joints and the same quantities."""

    names: tuple[str, ...]
    groups: tuple[int, ...]
    t: Array
    values: Array  # (groups, names, messages)

    @property
    def rank(self) -> tuple[bool, int]:
        """Sort key of the streams of a joint: positions and efforts, then number of messages."""
        return {0, 2} <= {*self.groups}, self.t.size


def joint_columns_of(
    source: str, messages: Sequence[Message], joints: Collection[str] = ()
) -> tuple[list[ForeignColumn], tuple[str, ...]]:
    """Return columns ``t``, ``q.JOINT``, ``qd.JOINT`` and ``tau.JOINT``, and notes on streams.

    Parameters
    ----------
    source : str
        Name of the recording, for messages.
    messages : sequence of Message
        In recorded order.
    joints : collection of str
        Joints that every sample must have (default: those of the stream with most joints). Others
        have columns if they are known in all these samples.

    Raises
    ------
    ForeignError
        If there are too many numbers, or stamps of several streams do not ascend.
    """
    streams = _streams(source, messages)
    named = list(dict.fromkeys(name for stream in streams for name in stream.names))
    needed = [name for name in named if name in joints]
    chosen = _choose(streams, needed)
    if not needed and streams:
        base = max(streams, key=lambda one: (len(one.names) * one.t.size, one.rank))
        needed, chosen = list(base.names), _choose(streams, base.names)
    if not chosen:
        return [column_of_numbers("t", "s", np.zeros(0))], ()
    base = max(chosen.values(), key=lambda one: (len({*one.names} & {*needed}), one.t.size))
    sources = [one for one in streams if any(one is other for other in chosen.values())]
    whole = np.ones(base.t.size, bool)
    for stream in sources:
        whole &= _is_covered(source, stream, base)
    if len(named) * int(whole.sum()) > MOST_NUMBERS:
        raise ForeignError(f"{source} has more than {MOST_NUMBERS} numbers; cut it")
    columns = [column_of_numbers("t", "s", _since_first(base.t[whole]))]
    optional = _choose(streams, [name for name in named if name not in needed])
    at = {id(one): _at(one, base)[..., whole] for one in sources}
    for group in range(len(GROUPS)):
        for name in named:
            stream = chosen.get(name) or optional[name]
            if stream not in sources and not _has_all_samples(stream, base, whole):
                continue
            values = at.setdefault(id(stream), _at(stream, base)[..., whole])
            row = values[group, stream.names.index(name)]
            if np.isfinite(row).any():
                columns.append(column_of_numbers(f"{GROUPS[group]}.{name}", None, row))
    return columns, tuple(_notes(streams, sources, base, whole))


def _streams(source: str, messages: Sequence[Message]) -> list[_Stream]:
    by_kind: dict[tuple[frozenset[str], tuple[int, ...]], list[Message]] = {}
    for message in messages:
        names = message[1]
        lengths = [len(message[2]), len(message[3]), len(message[4])]
        groups = tuple(g for g, length in enumerate(lengths) if length == len(names) > 0)
        if groups and len({*names}) == len(names):
            by_kind.setdefault((frozenset(names), groups), []).append(message)
    numbers = sum(len(kind[0]) * len(GROUPS) * len(of_kind) for kind, of_kind in by_kind.items())
    if numbers > MOST_NUMBERS:
        raise ForeignError(f"{source} has more than {MOST_NUMBERS} numbers; cut it")
    streams = []
    for (_, groups), of_kind in by_kind.items():
        names = tuple(of_kind[0][1])
        place = {name: k for k, name in enumerate(names)}
        values = np.full((len(GROUPS), len(names), len(of_kind)), np.nan)
        for k, message in enumerate(of_kind):
            rows = [place[name] for name in message[1]]
            for group in groups:
                values[group, rows, k] = message[2:][group]
        streams.append(_Stream(names, groups, np.array([one[0] for one in of_kind]), values))
    return streams


def _choose(streams: Sequence[_Stream], names: Collection[str]) -> dict[str, _Stream]:
    """Return the stream from which each joint is read."""
    chosen = {}
    for name in names:
        if candidates := [stream for stream in streams if name in stream.names]:
            chosen[name] = max(candidates, key=lambda stream: stream.rank)
    return chosen


def _is_covered(source: str, stream: _Stream, base: _Stream) -> Mask:
    """Return a mask of the base's stamps that are between two messages of a stream, (N,)."""
    if stream is base:
        return np.ones(base.t.size, bool)
    for one in (stream, base):
        back = np.flatnonzero(np.diff(one.t) < 0)
        if back.size:
            k = int(back[0])
            raise ForeignError(
                f"{source}: joints are in messages of several publishers, and stamps of "
                f"{', '.join(one.names[:3])} go back by {one.t[k] - one.t[k + 1]:.6g} s; such "
                "messages cannot be joined: record one publisher, or cut the recording there"
            )
    before, after, inside = _neighbours(stream.t, base.t)
    step = float(np.median(np.diff(stream.t))) if stream.t.size > 1 else 0.0
    return inside & (stream.t[after] - stream.t[before] <= LONGEST * step + SAME_STAMP)


def _neighbours(t: Array, at: Array) -> tuple[Places, Places, Mask]:
    """Return neighbours before and after each stamp, and whether both exist."""
    after = np.searchsorted(t, at - SAME_STAMP)
    before = np.searchsorted(t, at + SAME_STAMP, side="right") - 1
    inside = (before >= 0) & (after < t.size)
    return np.clip(before, 0, None), np.clip(after, None, t.size - 1), inside


def _has_all_samples(stream: _Stream, base: _Stream, whole: Mask) -> bool:
    """Whether an optional stream has values at all samples."""
    try:
        return bool(whole.any()) and bool(_is_covered("", stream, base)[whole].all())
    except ForeignError:
        return False


def _at(stream: _Stream, base: _Stream) -> Array:
    """Return the values of a stream at the stamps of the base, (groups, names, N)."""
    if stream is base:
        return stream.values
    before, after, _ = _neighbours(stream.t, base.t)
    one, other = stream.values[..., before], stream.values[..., after]
    length = stream.t[after] - stream.t[before]
    share = np.clip((base.t - stream.t[before]) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    # a wrapped angle is not interpolated across the wrap
    share = np.where(np.abs(other[:1] - one[:1]) > np.pi, np.round(share), share)
    return np.asarray(np.where(length > 0, one + share * (other - one), one))


def _since_first(t: Array) -> Array:
    return t - t[0] if t.size else t


def _notes(
    streams: Sequence[_Stream], sources: Sequence[_Stream], base: _Stream, whole: Mask
) -> list[str]:
    notes = []
    for stream in sources:
        if stream is not base:
            notes.append(
                f"{_first_names(stream.names)} come in messages of their own; interpolated at the "
                f"stamps of {_first_names(base.names)}"
            )
    if unmatched := int((~whole).sum()):
        notes.append(
            f"{unmatched} messages of {_first_names(base.names)} have no others near; left out"
        )
    for stream in streams:
        shared = [name for name in stream.names if any(name in one.names for one in sources)]
        if shared and stream not in sources:
            lacks = [word for k, word in enumerate(_WORDS) if k not in stream.groups]
            without = f" without {' and '.join(lacks)}" if lacks else ""
            notes.append(
                f"{stream.t.size} messages of {_first_names(stream.names)}{without} are left out"
            )
    return notes


_WORDS = ("positions", "velocities", "efforts")


def _first_names(names: Sequence[str]) -> str:
    """Return the first names of a list, as text."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
