"""Triangles of a visual shape of any kind, with normals and colours.

OBJ and STL are read by `sim.shapes.wavefront` and `sim.shapes.triangles`: importing ``trimesh``
takes 0.65 s and 86 MB, half of a whole run. Tests compare the results with it, file by file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.errors import ModelError, missing, unreadable
from sim.maths.arrays import Array, distinct_rows
from sim.robots.guarded_file import read_regular_file
from sim.shapes.triangles import MOST_FACES, Triangles, read_stl, require_few_faces
from sim.shapes.visuals import Visual
from sim.shapes.wavefront import PLAIN, read_obj, read_places

KINDS = (".obj", ".stl")
LARGEST_FILE = 200_000_000  # bytes; pictures need no more
SIDES = 40  # of a circle


class Surface(Struct, frozen=True, eq=False):
    """Triangles in the frame of a shape.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        [m], already scaled.
    normals : ndarray, shape (V, 3)
        Outward unit vectors; a vertex on a crease occurs once for each side.
    faces : ndarray of int, shape (F, 3)
        Indices of vertices, counter-clockwise from outside.
    colours : ndarray of uint8, shape (F, 4)
        Red, green, blue (sRGB) and opacity of each face.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int64]
    colours: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for array in (self.vertices, self.normals, self.faces, self.colours):
            array.setflags(write=False)


def surface(visual: Visual) -> Surface:
    """Return the triangles of a mesh file (OBJ or STL), or of a box, a cylinder or a sphere.

    The colour in the URDF overrides the colours in the file.

    Raises
    ------
    ModelError
        If the mesh is missing, of another format, or invalid; the message names the link and the
        file.
    """
    triangles = triangles_of(visual)
    scale = np.array(visual.scale)
    vertices, faces = triangles.vertices * scale, triangles.faces
    normals = triangles.normals
    if scale.prod() < 0:  # mirroring turns the faces inside out
        faces = faces[:, ::-1]
        normals = None if normals is None else normals[:, ::-1]
    normals = corner_normals(vertices, faces) if normals is None else normals / scale
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    normals = normals / np.where(length > 0, length, 1.0)
    # One vertex per position and direction. A thousandth of a direction is not visible.
    pairs = np.column_stack([faces.ravel(), np.rint(1000 * normals.reshape(-1, 3)).astype(int)])
    first, index = distinct_rows(pairs)
    return Surface(
        vertices[faces.ravel()[first]],
        normals.reshape(-1, 3)[first],
        index.reshape(-1, 3),
        _colours(visual, triangles),
    )


def triangles_of(visual: Visual, sides: int = SIDES, most: int = MOST_FACES) -> Triangles:
    """Return the triangles of a shape as in its file, neither scaled nor coloured.

    Parameters
    ----------
    visual : Visual
    sides : int
        Sides of the circles of a cylinder or a sphere.
    most : int
        Largest number of faces of a mesh.

    Raises
    ------
    ModelError
        As in `surface`.
    """
    return _read(visual, most) if visual.shape == "mesh" else _primitive(visual, sides)


def solid_in_link(
    visual: Visual, sides: int = SIDES, most: int = MOST_FACES
) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices of a shape in the link frame, (V, 3) [m], and its faces, shape (F, 3).

    The faces are counter-clockwise from outside, including in a mirrored mesh.

    Raises
    ------
    ModelError
        As in `surface`.
    """
    triangles = triangles_of(visual, sides, most)
    scale, T = np.array(visual.scale), visual.T_lv
    vertices = (triangles.vertices * scale) @ T[:3, :3].T + T[:3, 3]
    return vertices, triangles.faces[:, ::-1] if scale.prod() < 0 else triangles.faces


def read_mesh(path: Path, most: int = MOST_FACES, *, only_places: bool = False) -> Triangles:
    """Read the triangles of an OBJ or STL file as written; on request without their colours.

    Raises
    ------
    ModelError
        If the file is missing, of another format, invalid, or has more than `most` faces.
    """
    where = f"mesh {path}"
    if not path.is_file():
        raise ModelError(missing(where))
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ModelError(f"{where} is of the kind {kind!r}; allowed: {', '.join(KINDS)}")
    try:
        data = read_regular_file(path, LARGEST_FILE)
        read_wavefront = read_places if only_places else read_obj
        triangles = read_wavefront(data, path.parent) if kind == ".obj" else read_stl(data, most)
        if len(triangles.faces) == 0:
            raise ModelError("has no faces")
        require_few_faces(len(triangles.faces), most)
        if not np.isfinite(triangles.vertices).all():
            raise ModelError("has coordinates that are not finite")
    except OSError as error:
        raise ModelError(unreadable(where, error)) from None
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None
    return triangles


def _read(visual: Visual, most: int) -> Triangles:
    if visual.path is None:
        raise ModelError(visual.lost or f"link {visual.link!r}: mesh None does not exist")
    try:
        return read_mesh(visual.path, most)
    except ModelError as error:
        raise ModelError(f"link {visual.link!r}: {error}") from None


def _primitive(visual: Visual, sides: int) -> Triangles:
    if visual.shape == "box":
        corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        faces = [corner for a, b, c, d in quads for corner in ((a, b, c), (a, c, d))]
        return Triangles(np.array(corners) * visual.size, np.array(faces))
    if visual.shape == "cylinder":
        radius, length = visual.size
        heights = length * np.array([-0.5, -0.5, 0.5, 0.5])
        return _revolve(np.array([0, radius, radius, 0]), heights, sides)
    latitude = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    radius, length = (*visual.size, 0.0)[:2]
    r, z = radius * np.cos(latitude), radius * np.sin(latitude)
    if visual.shape == "capsule":
        half = sides // 4  # latitudes below the equator
        below, above = slice(None, half + 1), slice(half + sides // 2 % 2, None)
        r = np.concatenate([r[below], r[above]])
        z = np.concatenate([z[below] - length / 2, z[above] + length / 2])
    return _revolve(r, z, sides)


def _revolve(r: Array, z: Array, sides: int) -> Triangles:
    """Rotate the outline (r, z), upwards from axis to axis, about Z."""
    turn = 2 * np.pi * np.arange(sides) / sides
    rings = np.stack(
        [np.outer(r[1:-1], np.cos(turn)), np.outer(r[1:-1], np.sin(turn)),
         np.outer(z[1:-1], np.ones(sides))], axis=2,
    )  # fmt: skip
    vertices = np.concatenate([rings.reshape(-1, 3), [[0, 0, z[0]], [0, 0, z[-1]]]])
    side, after = np.arange(sides), (np.arange(sides) + 1) % sides
    bottom, top, last = len(vertices) - 2, len(vertices) - 1, len(vertices) - 2 - sides
    faces = [np.stack([np.full(sides, bottom), after, side], axis=1)]
    for start in range(0, last, sides):
        a, b = start + side, start + after
        faces += [np.stack([a, b, b + sides], axis=1), np.stack([a, b + sides, a + sides], 1)]
    faces.append(np.stack([np.full(sides, top), last + side, last + after], axis=1))
    return Triangles(vertices, np.concatenate(faces))


def _colours(visual: Visual, triangles: Triangles) -> NDArray[np.uint8]:
    colours = np.full((len(triangles.faces), 4), 255, dtype=np.uint8)
    if visual.rgba is not None:
        colours[:] = np.rint(255 * np.clip(visual.rgba, 0, 1))
    else:
        colours[:, :3] = PLAIN if triangles.colours is None else triangles.colours
    return colours


CREASE = np.radians(40)  # larger angles are edges


def corner_normals(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Return the unit normal at each corner of each face, (F, 3, 3); zero for faces without area.

    It is the area-weighted sum over the faces around the vertex that deviate by less than `CREASE`
    from this one, so that a flat face stays flat next to a narrow rounded edge.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        Faces are neighbours if they share a vertex.
    faces : ndarray of int, shape (F, 3)
        Counter-clockwise from outside.
    """
    a, b, c = vertices[faces].transpose(1, 0, 2)
    area = np.cross(b - a, c - a)
    flat = _unit(area)
    corner, other = _corners_that_share_a_vertex(faces.ravel(), len(vertices))
    face, neighbour = corner // 3, other // 3
    near = np.einsum("ij,ij->i", flat[face], flat[neighbour]) > np.cos(CREASE)
    weights = area[neighbour] * near[:, None]
    sums = [np.bincount(corner, weights[:, axis], minlength=faces.size) for axis in range(3)]
    return _unit(np.stack(sums, axis=1)).reshape(-1, 3, 3)


def _corners_that_share_a_vertex(
    vertex: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs (corner, other corner) of a vertex, including each corner with itself."""
    by_vertex = np.argsort(vertex, kind="stable")
    degree = np.bincount(vertex, minlength=count)
    first = np.cumsum(degree) - degree
    partners = degree[vertex]
    corner = np.repeat(np.arange(len(vertex)), partners)
    place = np.arange(len(corner)) - np.repeat(np.cumsum(partners) - partners, partners)
    return corner, by_vertex[first[vertex[corner]] + place]


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.where(length > 0, length, 1.0)[:, None]
