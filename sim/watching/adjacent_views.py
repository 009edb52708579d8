"""Views of arrays adjacent in memory, so that one copy takes them all."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from sim.maths.arrays import Array

GAP = 128  # bytes between two arrays that are copied with them: a second copy takes longer
DOUBLE = ctypes.sizeof(ctypes.c_double)


def adjacent_views(arrays: Sequence[Array]) -> tuple[list[memoryview], list[slice]]:
    """Return bytes of arrays of doubles, neighbours merged, and the columns of each in a full row.

    The views hold no reference to the arrays' memory, which must outlive them.
    """
    groups, end = list[list[int]](), -1
    for number, array in enumerate(arrays):
        if array.size:
            if groups and 0 <= _address(array) - end <= GAP:
                groups[-1].append(number)
            else:
                groups.append([number])
            end = _address(array) + array.nbytes
    views, columns, width = [], [slice(0)] * len(arrays), 0
    for group in groups:
        first, last = _address(arrays[group[0]]), arrays[group[-1]]
        size = (_address(last) + last.nbytes - first) // DOUBLE
        for number in group:
            begin = width + (_address(arrays[number]) - first) // DOUBLE
            columns[number] = slice(begin, begin + arrays[number].size)
        views.append(memoryview((ctypes.c_double * size).from_address(first)).cast("B"))
        width += size
    return views, columns


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
