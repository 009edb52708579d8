"""Triangles of a mesh file, and the STL reader."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.errors import ModelError
from sim.maths.arrays import Array, distinct_rows

MOST_FACES = 150_000  # of a mesh: 590 000 took 25 s and 1.4 GB, for invisible details

_HEAD = 84  # bytes before the first face of a binary STL
_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class Triangles(Struct, frozen=True, eq=False):
    """Content of a mesh file.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
    faces : ndarray of int, shape (F, 3)
        Indices of vertices, counter-clockwise from outside.
    normals : ndarray, shape (F, 3, 3), or None
        At each corner of each face.
    colours : ndarray of uint8, shape (F, 3), or None
        sRGB of each face.
    """

    vertices: Array
    faces: NDArray[np.int64]
    normals: Array | None = None
    colours: NDArray[np.uint8] | None = None


def numbers(rows: list[tuple[int, str]], width: int = 3) -> Array:
    """Parse the first `width` numbers of text rows, each with its line number.

    Raises
    ------
    ModelError
        If a row has fewer, or text that is not a number; the message names the line.
    """
    words = [text.split()[:width] for _, text in rows]
    try:
        values = [float(word) for row in words for word in row]
    except ValueError:
        values = []
    if len(values) == width * len(rows):
        return np.array(values, dtype=np.float64).reshape(-1, width)
    row, text = next((k, " ".join(row)) for k, row in enumerate(words) if not _fits(row, width))
    raise ModelError(f"line {rows[row][0]}: {text[:60]!r} is not {width} number(s)")


def _fits(words: list[str], width: int) -> bool:
    try:
        return len([float(word) for word in words]) == width
    except ValueError:
        return False


def require_few_faces(count: int, most: int = MOST_FACES) -> None:
    """Check that a mesh can be drawn in seconds.

    Raises
    ------
    ModelError
        If it has more than `most` faces.
    """
    if count > most:
        raise ModelError(
            f"has {count} faces; at most {most} are {'drawn' if most == MOST_FACES else 'read'}: "
            "simplify the mesh in the program that made it"
        )


def read_stl(data: bytes, most: int = MOST_FACES) -> Triangles:
    """Read the triangles of an STL file, text or binary; equal corners become one vertex.

    Raises
    ------
    ModelError
        If it is not STL, or is truncated.
    """
    count = int.from_bytes(data[_HEAD - 4 : _HEAD], "little")
    if len(data) == _HEAD + _FACE.itemsize * count:
        corners = np.frombuffer(data, _FACE, offset=_HEAD)["corners"].reshape(-1, 3)
    elif data.lstrip().startswith(b"solid"):
        lines = [line.split(maxsplit=1) for line in data.decode("ascii", "replace").splitlines()]
        rows = [(k, row[-1]) for k, row in enumerate(lines, 1) if row and row[0] == "vertex"]
        if len(rows) % 3 or not any(row and row[0] == "endsolid" for row in lines):
            raise ModelError("ends too early: the last face or 'endsolid' is missing")
        corners = numbers(rows)
    else:
        raise ModelError(
            f"is not an STL: it does not start with 'solid', and its {len(data)} bytes are not "
            f"{_HEAD} and {_FACE.itemsize} for each face"
        )
    require_few_faces(len(corners) // 3, most)
    corners = corners.astype(np.float64)
    first, index = distinct_rows(corners)
    return Triangles(corners[first], index.reshape(-1, 3))
