"""Reference: results of another program for a scenario, with tolerances."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import RecordingError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.recording.schema.facts import GrowthFacts, ReferenceFacts, SourceErrorFacts
from sim.recording.schema.measured_facts import MeasuredFacts
from sim.reference.alignment import samples_at
from sim.reference.limits import Growth, SourceError, require_positive, tolerance_of
from sim.showing.one_line import count_text, one_line

if TYPE_CHECKING:
    import pandas as pd


MOST_DIGITS = 17  # distinguishable by a double


@checked
@dataclass(frozen=True, eq=False)
class Reference:
    """A table of another program, with tolerances.

    Parameters
    ----------
    source : str
        Program that computed it, and file.
    table : pandas.DataFrame
        One column per channel that the run records too; its index is the time [s].
    digits : int
        Significant digits of the printed numbers. A difference counts from half a unit of the last
        digit on.
    tolerances : mapping of str to float
        Largest difference for channels that match a pattern, in the channel's unit.
    peer : str
        Another program that is publicly compared with the same table.
    peer_tolerances : mapping of str to float
        Accepted root mean square of the difference there, by pattern.
    growth : mapping of str to Growth
        By pattern, growth of both tolerances with the peak of a printed curve.
    own : SourceError, optional
        Error of the source itself, by which the largest difference may be larger.
    measured : MeasuredFacts, optional
        Given if the table is a real robot's log: positions and torques by joint are compared with
        the run's after a low-pass and need no tolerances.

    Raises
    ------
    RecordingError
        If a channel has no tolerance, one is not a positive number, or the table is empty or has a
        value that is not finite.
    """

    source: str
    table: pd.DataFrame
    digits: int
    tolerances: Mapping[str, float]
    peer: str
    peer_tolerances: Mapping[str, float]
    growth: Mapping[str, Growth] = field(default_factory=dict)
    own: SourceError | None = None
    measured: MeasuredFacts | None = None

    def __post_init__(self) -> None:
        _require_numbers(self.source, self.table)
        object.__setattr__(self, "table", self.table.rename_axis("t"))
        if type(self.digits) is not int or not 1 <= self.digits <= MOST_DIGITS:
            raise RecordingError(
                f"The reference ({self.source}) must be printed with 1 to {MOST_DIGITS} digits, "
                f"got {self.digits!r}"
            )
        for tolerances in (self.tolerances, self.peer_tolerances):
            for pattern, tolerance in tolerances.items():
                require_positive(f"the tolerance of {pattern!r}", tolerance)
            for channel in () if self.measured else self.table.columns:
                tolerance_of(channel, tolerances)

    def __repr__(self) -> str:
        samples, channels = self.table.shape
        size = f"{count_text(channels, 'channel')} × {count_text(samples, 'sample')}"
        return one_line("Reference:", size, self.source)

    def describe(self) -> ReferenceFacts:
        """Return the entry of the reference in a run's description."""
        return ReferenceFacts(
            source=self.source,
            digits=self.digits,
            tolerances=dict(self.tolerances),
            peer=self.peer,
            peer_tolerances=dict(self.peer_tolerances),
            channels=tuple(map(str, self.table.columns)),
            growth={pattern: GrowthFacts(**vars(grown)) for pattern, grown in self.growth.items()},
            own=None
            if self.own is None
            else SourceErrorFacts(errors=dict(self.own.errors), reason=self.own.reason),
            measured=self.measured,
        )

    def require_in(self, channels: Collection[str], t: Array) -> None:
        """Check that a run with these channels and sample times can be compared with it.

        Raises
        ------
        RecordingError
            Names the first channel or time that the run lacks.
        """
        for channel in self.table.columns:
            if channel not in channels:
                raise RecordingError(
                    f"The reference ({self.source}) has a channel {channel!r} that the run does "
                    "not record"
                )
        samples_at(t, self.table.index.to_numpy(dtype=np.float64))


def _require_numbers(source: str, table: pd.DataFrame) -> None:
    """Check that there are samples of channels, all finite, at ascending times."""
    if table.empty:
        raise RecordingError(f"The reference ({source}) has no samples")
    try:
        t = table.index.to_numpy(dtype=np.float64)
        values = table.to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RecordingError(f"The reference ({source}) must hold numbers: {error}") from None
    if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise RecordingError(f"The times of the reference ({source}) must be finite and ascend")
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        row, place = wrong[0]
        raise RecordingError(
            f"The reference ({source}) has a value that is not finite in channel "
            f"{str(table.columns[place])!r} at t = {t[row]:.9g} s"
        )
