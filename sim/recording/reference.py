"""Reference: what another program computed for a scenario, and how near a run must come to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.facts import ReferenceFacts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Reference:
    """A table of another program, with tolerances.

    Parameters
    ----------
    source : str
        Who computed it, and where it was read.
    table : pandas.DataFrame
        One column a channel that the run records too, index ``t`` [s].
    digits : int
        Significant digits with which the numbers were printed. A number stands for all that are
        printed alike, so a difference counts from half a unit of its last digit on.
    tolerances : mapping of str to float
        Largest difference for channels that match a pattern, in the channel's unit.
    peer : str
        Another program that is compared with the same table in public.
    peer_tolerances : mapping of str to float
        The root mean square of the difference that is accepted there, by pattern.

    Raises
    ------
    RecordingError
        If a channel has no tolerance.
    """

    source: str
    table: pd.DataFrame
    digits: int
    tolerances: Mapping[str, float]
    peer: str
    peer_tolerances: Mapping[str, float]

    def __post_init__(self) -> None:
        for channel in self.table.columns:
            tolerance_of(channel, self.tolerances)
            tolerance_of(channel, self.peer_tolerances)

    def described(self) -> ReferenceFacts:
        """What a run's description says of it."""
        return ReferenceFacts(
            source=self.source,
            digits=self.digits,
            tolerances=dict(self.tolerances),
            peer=self.peer,
            peer_tolerances=dict(self.peer_tolerances),
            channels=tuple(map(str, self.table.columns)),
        )

    def require_in(self, channels: Collection[str], t: Array) -> None:
        """Check that a run with these channels and sample times can be judged by it.

        Raises
        ------
        RecordingError
            Naming the first channel or time that the run does not have.
        """
        for channel in self.table.columns:
            if channel not in channels:
                raise RecordingError(
                    f"The reference ({self.source}) has a channel {channel!r} that the run does "
                    "not record"
                )
        samples_at(t, self.table.index.to_numpy(dtype=np.float64))


def samples_at(t: Array, wanted: Array) -> NDArray[np.intp]:
    """Index of the sample at each wanted time.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending sample times of a run [s].
    wanted : ndarray, shape (M,)
        [s]

    Raises
    ------
    RecordingError
        If the run has no sample at one of them; names the first.
    """
    nearest = np.clip(np.searchsorted(t, wanted - SAME_TIME), 0, t.size - 1)
    off = np.abs(t[nearest] - wanted) > SAME_TIME
    if off.any():
        raise RecordingError(
            f"The reference has a sample at t = {wanted[np.argmax(off)]:.9g} s and the run has "
            f"none, from {t[0]:.9g} to {t[-1]:.9g} s in steps of {t[1] - t[0]:.9g} s"
        )
    return nearest


def tolerance_of(channel: str, tolerances: Mapping[str, float]) -> float:
    """Tolerance of the first pattern that a channel matches.

    Raises
    ------
    RecordingError
        If it matches none.
    """
    for pattern, tolerance in tolerances.items():
        if fnmatchcase(channel, pattern):
            return float(tolerance)
    raise RecordingError(
        f"The reference has no tolerance for channel {channel!r}; there are some for "
        f"{', '.join(tolerances) or 'none'}"
    )
