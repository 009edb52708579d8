"""ChannelCurves: channels of a table as curves, each read on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from sim.curves.curve import Curve
from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in


class ChannelCurves(Mapping[str, Curve]):
    """Curves by channel; the caller's own curves override channels of the same name.

    Parameters
    ----------
    table : Table
    units : mapping of str to str
        By channel.
    added : mapping of str to Curve
    """

    def __init__(self, table: Table, units: Mapping[str, str], added: Mapping[str, Curve]) -> None:
        self.table, self.units, self.added = table, units, added
        self._read: dict[str, Curve] = {}

    def __getitem__(self, name: str) -> Curve:
        if name in self.added:
            return self.added[name]
        if name not in self.table:
            raise KeyError(name)
        if name not in self._read:
            values = numbers_in(self.table, name)
            self._read[name] = Curve(self._t, values, self.units.get(name, "1"), name)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self.added or name in self.table

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.added, *map(str, self.table.columns)]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    @cached_property
    def _t(self) -> Array:
        return self.table.index.to_numpy(dtype=np.float64)
