"""Pieces: division of a long run into parts that fit into memory."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from sim.maths.arrays import Array

# Samples per piece: all results of a UR10 for so many samples take some 50 MB.
PIECE = 16384
LARGE = 16e6  # bytes of an array from which on it is stored in a file

_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()  # files of arrays in use


def pieces(count: int) -> Iterator[slice]:
    """Yield slices that cover `count` samples in order, `PIECE` of them each."""
    for begin in range(0, count, PIECE):
        yield slice(begin, min(begin + PIECE, count))
        release_memory()


def is_one_piece(count: int) -> bool:
    """Whether `count` samples are not divided."""
    return count <= PIECE


def by_pieces(count: int, rows: Callable[[slice], Array]) -> Array:
    """Concatenate `rows` of each piece, (..., its samples), to (..., count)."""
    if is_one_piece(count):
        return rows(slice(0, count))
    whole = np.empty(0)
    for part in pieces(count):
        values = rows(part)
        if part.start == 0:
            whole = empty_rows((*values.shape[:-1], count))
        whole[..., part] = values
    return whole


def empty_rows(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised array for a whole run; a large one is an unnamed file if possible.

    Its parts are in memory while they are used, until the end of the piece that uses them. The file
    is in the folder of `tempfile`, and its space is reserved here; without enough space, or a way
    to reserve it (macOS, Windows), the array is in memory.
    """
    size = 8 * math.prod(shape)
    if size <= LARGE or not hasattr(os, "posix_fallocate"):
        return np.empty(shape)
    try:
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, size)
            mapped = mmap.mmap(file.fileno(), size)
    except OSError:
        return np.empty(shape)
    _mapped.add(mapped)
    return np.frombuffer(mapped).reshape(shape)


def release_memory() -> None:
    """Return freed memory, and that of arrays in files, which keep their values, to the system."""
    for mapped in tuple(_mapped):
        mapped.madvise(mmap.MADV_DONTNEED)
    if (trim := _heap_trimmer()) is not None:
        trim(0)


@cache
def _heap_trimmer() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`, or None; freed arrays of some megabytes stay on its heap."""
    import ctypes

    try:
        return getattr(ctypes.CDLL("libc.so.6"), "malloc_trim", None)
    except OSError:
        return None
