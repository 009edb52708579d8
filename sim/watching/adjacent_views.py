"""Views of arrays adjacent in memory, so that one copy takes them all."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise

from sim.maths.arrays import Array

GAP = 64  # bytes of alignment between two arrays that are still copied together
DOUBLE = ctypes.sizeof(ctypes.c_double)


def adjacent_views(arrays: Sequence[Array]) -> tuple[list[memoryview], list[slice]]:
    """Return bytes of arrays of doubles, neighbours merged, and the columns of each in a full row.

    The views hold no reference to the arrays' memory, which must outlive them.
    """
    groups: list[list[Array]] = [[arrays[0]]]
    for former, array in pairwise(arrays):
        gap = _address(array) - _address(former) - former.nbytes
        if former.size and array.size and 0 <= gap <= GAP:
            groups[-1].append(array)
        else:
            groups.append([array])
    views, columns, width = [], [], 0
    for group in groups:
        first = _address(group[0])
        size = (_address(group[-1]) + group[-1].nbytes - first) // DOUBLE
        for array in group:
            begin = width + (_address(array) - first) // DOUBLE
            columns.append(slice(begin, begin + array.size))
        if size:
            views.append(memoryview((ctypes.c_double * size).from_address(first)).cast("B"))
        width += size
    return views, columns


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
