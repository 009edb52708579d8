"""Pieces: a long run in parts that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sim.maths.arrays import Array

# Samples of a piece: all that is known of a UR10 at so many, in every stage, takes some 50 MB.
PIECE = 16384


def pieces(count: int) -> Iterator[slice]:
    """Slices that cover `count` samples in order, `PIECE` of them each."""
    for begin in range(0, count, PIECE):
        yield slice(begin, min(begin + PIECE, count))


def is_one_piece(count: int) -> bool:
    """True if `count` samples are not divided."""
    return count <= PIECE


def by_pieces(count: int, rows: Callable[[slice], Array]) -> Array:
    """Concatenate `rows` of each piece, (..., its samples), to (..., count)."""
    if is_one_piece(count):
        return rows(slice(0, count))
    first, *others = pieces(count)
    begun = rows(first)
    whole = np.empty((*begun.shape[:-1], count))
    whole[..., first] = begun
    for part in others:
        whole[..., part] = rows(part)
    return whole
