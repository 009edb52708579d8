"""ForeignTable: columns of another program's file, unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.errors import ForeignError
from sim.maths.arrays import Array

# Of a file that packs them: a few kilobytes can claim any number. In memory they take 0.3 GB, and
# three times as much while they are read.
MOST_NUMBERS = 40_000_000


@dataclass(frozen=True, eq=False)
class ForeignColumn:
    """One column, in the file's own unit.

    A column is not judged when it is read: most files hold more than is needed of them. An error in
    it stands in `fault`, and is reported when the column is requested.

    Parameters
    ----------
    title : str
        Its name in the file, without its unit.
    unit : str or None
        As written; None where the file gives none.
    values : ndarray, shape (N,)
        NaN where there is no number. Blank cells at the end are left out.
    texts : sequence of str, optional
        The numbers as printed, where the file is a text: they show how many digits count.
    fault : str
        What is wrong with it, such as "is blank in line 7"; empty where nothing is.
    block : str
        The part of the file that it shares with its times; empty where there is one part.
    """

    title: str
    unit: str | None
    values: Array
    texts: Sequence[str] | None = None
    fault: str = ""
    block: str = ""


@dataclass(frozen=True, eq=False)
class ForeignTable:
    """The columns of a file.

    Parameters
    ----------
    source : str
        The file's name, and the program that wrote it where the file states it.
    columns : tuple of ForeignColumn
        In the order of the file; times among them.
    word : str
        Name of a place in the file: "line", "row", "sample".
    places : ndarray of int, optional
        The line of each value (default: 1, 2, …).
    notes : tuple of str
        What was joined or left out when it was read.
    """

    source: str
    columns: tuple[ForeignColumn, ...]
    word: str = "sample"
    places: Sequence[int] = field(default=())
    notes: tuple[str, ...] = ()

    def place(self, k: int) -> str:
        """Place of the value of index `k`, as text."""
        return f"{self.word} {self.places[k] if k < len(self.places) else k + 1}"

    def require_ascending(self, t: Array) -> None:
        """Check that no time `t` [s] is before the one above it.

        Raises
        ------
        ForeignError
            If one is; names both and the place.
        """
        back = np.flatnonzero(np.diff(t) < 0)
        if back.size:
            k = int(back[0])
            raise ForeignError(
                f"{self.source}: the times must ascend; {t[k + 1]:.9g} s in {self.place(k + 1)} "
                f"follows {t[k]:.9g} s"
            )

    def titles(self) -> list[str]:
        """Titles of the columns, each once."""
        return list(dict.fromkeys(column.title for column in self.columns))


def column_of_numbers(
    title: str, unit: str | None, values: Array, block: str = ""
) -> ForeignColumn:
    """A column of a file that holds numbers and no text."""
    values = np.asarray(values, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    fault = f"is {values[bad[0]]:g} in sample {bad[0] + 1}" if bad.size else ""
    return ForeignColumn(title, unit, values, fault=fault, block=block)
