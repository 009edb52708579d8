"""Reader of Wavefront OBJ files, with the colours of their materials."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.disk_cache import Arrays, cached_arrays
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.guarded_file import read_regular_file
from sim.robots.mesh_places import is_a_path, own_places, report_outside, require_allowed
from sim.shapes import palette
from sim.shapes.triangles import Triangles, numbers

PLAIN = (184, 188, 192)  # of a face with an unknown material
REMEMBERED = 128  # files in the cache: those of a robot
LARGEST_LIBRARY = 10_000_000  # bytes of a material library; colours take hundreds
_VERTICES = re.compile(r"^[ \t]*v[ \t]+(.*)$", re.MULTILINE)
_FACES = re.compile(r"^[ \t]*f[ \t]+(.*)$", re.MULTILINE)
_BEHIND_PLACE = re.compile(r"/\S*")  # texture and normal of a corner
Rows = list[tuple[int, str]]  # line number, and the text after the first word


def read_obj(data: bytes, folder: Path) -> Triangles:
    """Read the triangles of an OBJ file; polygons are divided into fans.

    A face whose material has the palette as texture gets the colour of its swatch, any other the
    diffuse colour of its material. Other textures are ignored.

    Parameters
    ----------
    data : bytes
    folder : Path
        Folder of the material libraries.

    Raises
    ------
    ModelError
        If a line is invalid; the message names it.
    """
    parsed = _parse(data)
    v, t, n = parsed.corners[..., 0], parsed.corners[..., 1], parsed.corners[..., 2]
    colours = None
    if parsed.libraries:
        known = _materials(parsed.libraries, folder)
        named = [known.get(name, PLAIN) for name in parsed.materials]
        colours = _colours(named, parsed.u, t[:, 0], parsed.face)
    normals = parsed.normals[n] if n.size and n.min() >= 0 else None
    return Triangles(parsed.vertices, v, normals, colours)


def read_places(data: bytes, folder: Path) -> Triangles:
    """Read triangles without normals and colours, in a quarter of the time.

    Files with several kinds of polygons, and invalid ones, take the slow path.

    Raises
    ------
    ModelError
        As in `read_obj`.
    """
    places = cached_arrays([data], lambda: _places(data), ["numpy"])
    return Triangles(*places) if places else read_obj(data, folder)


def _places(data: bytes) -> Arrays:
    """Return vertices, and those of each triangle; empty if polygons are of several kinds."""
    text = data.decode("utf-8", "replace")
    points = _VERTICES.findall(text)
    sides = _BEHIND_PLACE.sub("", "\n".join(_FACES.findall(text))).splitlines()
    if not points or not sides:
        return ()
    try:
        vertices = np.loadtxt(points, usecols=(0, 1, 2), ndmin=2)
        polygons = np.loadtxt(sides, dtype=np.int64, ndmin=2)
    except (ValueError, IndexError):
        return ()
    places = np.where(polygons < 0, len(vertices) + polygons, polygons - 1)
    corners = np.arange(polygons.shape[1])
    if len(corners) < 3 or places.min() < 0 or places.max() >= len(vertices):
        return ()
    fan = np.stack([0 * corners[2:], corners[1:-1], corners[2:]], axis=1)
    return vertices, places[:, fan].reshape(-1, 3)


class _Parsed(Struct, frozen=True, eq=False):
    """Content of an OBJ file itself, without the colours of its materials."""

    vertices: Array
    normals: Array
    u: Array
    corners: NDArray[np.int64]
    face: NDArray[np.int64]
    materials: Sequence[str]
    libraries: Sequence[str]


@lru_cache(maxsize=REMEMBERED)
def _parse(data: bytes) -> _Parsed:
    """Parse a file, cached since an audit and a page both use the meshes of a robot."""
    arrays = cached_arrays([data], lambda: _read_lines(data), uses=[numbers])
    for array in arrays:
        array.setflags(write=False)
    vertices, normals, u, corners, face, names = arrays
    materials, libraries = json.loads(names.tobytes())
    return _Parsed(vertices, normals, u, corners, face, materials, libraries)


def _read_lines(data: bytes) -> Arrays:
    """Return the arrays of a file, and the names of its materials and libraries as JSON bytes."""
    rows: dict[str, Rows] = {"v": [], "vt": [], "vn": [], "f": [], "mtllib": []}
    material, materials = "", []
    for line, text in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        key, _, rest = text.replace("\t", " ").strip().partition(" ")
        if key == "usemtl":
            material = rest.strip()
        elif key in rows:
            rows[key].append((line, rest))
            if key == "f":
                materials.append(material)
    vertices, normals = numbers(rows["v"]), numbers(rows["vn"])
    u = numbers(rows["vt"], 1)[:, 0]
    corners, face = _corners(rows["f"], (len(vertices), len(u), len(normals)))
    libraries = [rest.strip() for _, rest in rows["mtllib"]]
    names = json.dumps([materials, libraries]).encode()
    return vertices, normals, u, corners, face, np.frombuffer(names, np.uint8)


def _corners(
    faces: Rows, counts: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return indices of vertex, texture and normal at triangle corners, and the face of each.

    Shapes (F, 3, 3) and (F,); a missing index is -1.
    """
    words = [text.split() for _, text in faces]
    sides = np.array([len(row) for row in words], dtype=np.int64)
    if (sides < 3).any():
        place = int(np.argmax(sides < 3))
        raise ModelError(f"line {faces[place][0]}: a face has {sides[place]} corners, it needs 3")
    corners = " ".join(word for row in words for word in row).replace("//", "/0/").split()
    owner = np.repeat(np.arange(len(faces)), sides)
    try:
        named = _indices(corners)
    except (ValueError, OverflowError):
        pieces = ((word + "/0/0").split("/")[:3] for word in corners)
        place = next(k for k, row in enumerate(pieces) if not all(map(_is_index, row)))
        line, text = faces[owner[place]]
        raise ModelError(f"line {line}: {text[:60]!r} is not a list of corners") from None
    size = np.array(counts)
    table = np.where(named < 0, size + named, named - 1)  # from one, or backwards from the last
    wrong = ((table < 0) & (named != 0)) | (table >= size)
    wrong[:, 0] |= table[:, 0] < 0
    if wrong.any():
        line, text = faces[owner[int(np.argmax(wrong.any(axis=1)))]]
        raise ModelError(f"line {line}: face {text[:60]!r} names a corner that the file has not")
    first = np.repeat(np.cumsum(sides) - sides, sides - 2)
    face = np.repeat(np.arange(len(faces)), sides - 2)
    step = np.arange(len(first)) - np.repeat(np.cumsum(sides - 2) - (sides - 2), sides - 2)
    return table[np.stack([first, first + step + 1, first + step + 2], axis=1)], face


def _indices(corners: Sequence[str]) -> NDArray[np.int64]:
    """Parse the numbers of ``v``, ``v/t`` or ``v/t/n``, 0 if missing, shape (N, 3)."""
    slashes = {word.count("/") for word in corners}
    if len(slashes) == 1 and slashes <= {0, 1, 2}:  # as in nearly every file
        texts = " ".join(corners).replace("/", " ").split()
    else:
        slashes = {2}
        texts = [text for word in corners for text in (word + "/0/0").split("/")[:3]]
    indices = np.array([int(text) for text in texts], dtype=np.int64)
    named = np.zeros((len(corners), 3), dtype=np.int64)
    if corners:
        named[:, : slashes.pop() + 1] = indices.reshape(len(corners), -1)
    return named


def _is_index(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isdecimal() and len(digits) <= 15  # more is not a count, and does not fit int64


def _materials(libraries: Sequence[str], folder: Path) -> dict[str, tuple[int, int, int] | None]:
    """Return the colour of each material; None for the palette. Missing libraries are ignored."""
    colours: dict[str, tuple[int, int, int] | None] = {}
    for library in libraries:
        path = folder / library
        if not is_a_path(path):
            continue
        require_allowed(path, library)
        try:
            data = read_regular_file(path, LARGEST_LIBRARY)
        except OSError:
            continue
        report_outside(path, library, folder, own_places(folder))
        lines = data.decode("utf-8", "replace").splitlines()
        name = ""
        for line, text in enumerate(lines, 1):
            key, _, rest = text.strip().partition(" ")
            if key == "newmtl":
                name = rest.strip()
            elif key == "Kd":
                shares = np.rint(255 * np.clip(numbers([(line, rest)])[0], 0, 1))
                colours.setdefault(name, (int(shares[0]), int(shares[1]), int(shares[2])))
            elif key == "map_Kd" and Path(rest.strip()).name == palette.FILE:
                colours[name] = None
    return colours


def _colours(
    materials: Sequence[tuple[int, int, int] | None],
    u: Array,
    t: NDArray[np.int64],
    face: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Return the colour of each triangle from its face's material and its texture coordinate."""
    painted = np.array([material is None for material in materials])[face] & (t >= 0)
    plain = np.array([PLAIN if material is None else material for material in materials])
    colours = plain.astype(np.uint8)[face]
    if painted.any():
        colours[painted] = palette.colours_at(u[t[painted]])
    return colours
