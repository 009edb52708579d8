"""ForeignTable: columns of another program's file, unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.errors import ForeignError
from sim.maths.arrays import Array

# Limit for packed files: a few kilobytes can claim any number. In memory they take 0.3 GB, and
# three times as much while they are read.
MOST_NUMBERS = 40_000_000


@dataclass(frozen=True, eq=False)
class ForeignColumn:
    """A column, in the file's own unit.

    A column is not checked on reading, since most files contain more than is needed. Its error is
    stored in `fault`, and raised when the column is requested.

    Parameters
    ----------
    title : str
        Its title in the file, without the unit.
    unit : str or None
        As written; None if the file gives none.
    values : ndarray, shape (N,)
        NaN where there is no number. Blank cells at the end are removed.
    texts : sequence of str, optional
        The numbers as printed, if the file is text: they show the number of significant digits.
    fault : str
        Description of an error, such as "is blank in line 7"; empty without error.
    block : str
        Part of the file that the column shares with its times; empty if there is one part.
    """

    title: str
    unit: str | None
    values: Array
    texts: Sequence[str] | None = None
    fault: str = ""
    block: str = ""


@dataclass(frozen=True, eq=False)
class ForeignTable:
    """Columns of a file.

    Parameters
    ----------
    source : str
        File name, and the program that wrote the file if it is stated.
    columns : tuple of ForeignColumn
        In file order, times included.
    word : str
        Name of a place in the file: "line", "row", "sample".
    places : ndarray of int, optional
        Line of each value (default: 1, 2, …).
    notes : tuple of str
        Joins and omissions on reading.
    """

    source: str
    columns: tuple[ForeignColumn, ...]
    word: str = "sample"
    places: Sequence[int] = field(default=())
    notes: tuple[str, ...] = ()

    def place(self, k: int) -> str:
        """Return the position of the value of index `k`, as text."""
        return f"{self.word} {self.places[k] if k < len(self.places) else k + 1}"

    def require_ascending(self, t: Array) -> None:
        """Check that the times `t` [s] do not decrease.

        Raises
        ------
        ForeignError
            If one does; the message names both times and the place.
        """
        back = np.flatnonzero(np.diff(t) < 0)
        if back.size:
            k = int(back[0])
            raise ForeignError(
                f"{self.source}: the times must ascend; {t[k + 1]:.9g} s in {self.place(k + 1)} "
                f"follows {t[k]:.9g} s"
            )

    def titles(self) -> list[str]:
        """Return the titles of the columns, without repetitions."""
        return list(dict.fromkeys(column.title for column in self.columns))


def column_of_numbers(
    title: str, unit: str | None, values: Array, block: str = ""
) -> ForeignColumn:
    """Return a column of a file that stores numbers, not text."""
    values = np.asarray(values, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    fault = f"is {values[bad[0]]:g} in sample {bad[0] + 1}" if bad.size else ""
    return ForeignColumn(title, unit, values, fault=fault, block=block)
