"""Extent of each link, from its shapes, or from the positions of its joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sim.audit.lenient import number, numbers, pose_of
from sim.audit.solids import solid_of
from sim.errors import ModelError
from sim.maths.arrays import Array

if TYPE_CHECKING:
    from lxml.etree import _Element

MARKER = 0.02  # [m]; a smaller shape marks a frame, and does not show the link
_CORNERS = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, 8)


class Extent(Struct, frozen=True, eq=False):
    """Box around a link, in its own frame.

    Parameters
    ----------
    low, high : ndarray, shape (3,)
        Corners of the box around its shapes, its origin and its child joints [m].
    shape : float or None
        Diagonal of the box around its shapes alone [m]; None if none could be read, or only the
        mark of a frame.
    volume : float or None
        Volume of that box [m³].
    is_whole : bool
        Whether each of its shapes could be read.
    joints : float
        Distance from its origin to the furthest child joint [m].
    meshes : tuple of (element, float or None)
        Each ``<mesh>`` with the diagonal of its box [m]; None if it could not be read.
    """

    low: Array
    high: Array
    shape: float | None
    volume: float | None
    is_whole: bool
    joints: float
    meshes: tuple[tuple[_Element, float | None], ...] = ()

    @property
    def length(self) -> float:
        """Diagonal of the shapes, or else the distance of its joints [m]; 0 without either."""
        return max(self.shape or 0.0, self.joints)


def extents(root: _Element, folder: Path | None) -> dict[str, Extent]:
    """Return the extent of each link by name; shapes that cannot be read are left out."""
    ends: dict[str, list[Array]] = {}
    for joint in root.iterchildren("joint"):
        if (parent := joint.find("parent")) is not None:
            ends.setdefault(parent.get("link", ""), []).append(pose_of(joint)[:3, 3])
    by_link = {}
    meshes: dict[tuple[str, tuple[float, ...]], Array | None] = {}
    for link in root.iterchildren("link"):
        name = link.get("name", "")
        by_role = [
            [*_boxes(link.iterchildren(role), folder, meshes)] for role in ("visual", "collision")
        ]
        boxes = [box for role in by_role for _, box in role]
        drawn = [(body, box) for role in by_role for body, box in role if body.tag == "mesh"]
        corners = [box for role in by_role for box in _if_whole(role) if np.isfinite(box).all()]
        hung = np.array([np.zeros(3), *ends.get(name, [])]).T
        is_whole = all(each is not None for each in boxes)
        box = None if not corners else np.ptp(np.concatenate(corners, axis=1), axis=1)
        if box is not None and not is_whole and np.linalg.norm(box) < MARKER:
            corners, box = [], None
        all_points = np.concatenate([hung, *corners], axis=1)
        by_link[name] = Extent(
            all_points.min(axis=1),
            all_points.max(axis=1),
            None if box is None else float(np.linalg.norm(box)),
            None if box is None else float(np.prod(box)),
            is_whole,
            float(np.linalg.norm(hung, axis=0).max()),
            tuple((mesh, None if box is None else _diagonal(box)) for mesh, box in drawn),
        )
    return by_link


def _diagonal(box: Array) -> float:
    return float(np.linalg.norm(box[:, 0] - box[:, -1]))


def _if_whole(shapes: list[tuple[_Element, Array | None]]) -> list[Array]:
    """Return the boxes of all visual or all collision shapes; none if one is missing.

    A part of the shapes would be smaller than the link.
    """
    boxes = [box for _, box in shapes if box is not None]
    return boxes if len(boxes) == len(shapes) else []


def _boxes(
    shapes: Iterable[_Element],
    folder: Path | None,
    meshes: dict[tuple[str, tuple[float, ...]], Array | None],
) -> Iterator[tuple[_Element, Array | None]]:
    """Yield shapes with the corners of their boxes in the link frame, (3, 8) [m], or None."""
    for shape in shapes:
        for body in shape.iterfind("geometry/*"):
            box: Array | None
            if body.tag == "mesh":
                key = (body.get("filename", ""), numbers(body, "scale") or (1.0, 1.0, 1.0))
                if key not in meshes:
                    meshes[key] = _mesh_box(*key, folder)
                box = meshes[key]
            else:
                size = _size(body)
                box = None if size is None else np.array(size)[:, None] * _CORNERS
            T = pose_of(shape)
            yield body, None if box is None else T[:3, :3] @ box + T[:3, 3:]


def _size(body: _Element) -> tuple[float, float, float] | None:
    """Return the edges of the box around a simple shape [m]."""
    if body.tag == "box":
        edges = numbers(body, "size")
        return None if edges is None or len(edges) != 3 else (edges[0], edges[1], edges[2])
    if (radius := number(body, "radius")) is None:
        return None
    if body.tag == "sphere":
        return (2 * radius,) * 3
    if (length := number(body, "length")) is not None and body.tag == "capsule":
        length += 2 * radius
    return None if length is None else (2 * radius, 2 * radius, length)


def _mesh_box(filename: str, scale: tuple[float, ...], folder: Path | None) -> Array | None:
    """Return corners of the box around a mesh, shape (3, 8) [m]; None if it cannot be read."""
    from sim.shapes.mesh_files import mesh_path

    try:
        solid = solid_of(mesh_path(filename, folder, report=False))
        x, y, z = scale
    except (ModelError, OSError, ValueError):
        return None
    if solid is None:
        return None
    points = solid.corners * (x, y, z)
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high)[:, None] / 2 + (high - low)[:, None] * _CORNERS
