"""Long arrays piece by piece, in memory and in files."""

import os

import numpy as np
import pytest

from sim.maths import pieces

COUNT = 3 * pieces.PIECE + 5


def squares(part):
    return np.stack([np.arange(part.start, part.stop) ** 2.0, np.ones(part.stop - part.start)])


def refuse_space(number, begin, size):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("largest", [0, np.inf], ids=["in a file", "in memory"])
def test_rows_of_pieces_are_those_of_the_whole(monkeypatch, largest):
    monkeypatch.setattr(pieces, "LARGE", largest)
    whole = pieces.by_pieces(COUNT, squares)
    assert bool(pieces._mapped) is (largest == 0 and hasattr(os, "posix_fallocate"))
    assert np.array_equal(whole, squares(slice(0, COUNT)))
    del whole
    assert not pieces._mapped  # the file ends with its array


def test_array_is_in_memory_where_the_disk_is_full(monkeypatch):
    monkeypatch.setattr(pieces, "LARGE", 0)
    monkeypatch.setattr(os, "posix_fallocate", refuse_space, raising=False)
    assert np.array_equal(pieces.by_pieces(COUNT, squares), squares(slice(0, COUNT)))
    assert not pieces._mapped
