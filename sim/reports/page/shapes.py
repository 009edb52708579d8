"""Shapes of a robot's links as GLB meshes: vertices with a normal and a colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.reports.page.glb import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Document
from sim.robots.inertia import Link
from sim.robots.robot import Robot
from sim.shapes.look import bare_note, shapes_shown
from sim.shapes.plain import box_of, skeleton
from sim.shapes.surface import Surface, surface

STEP = 2.0**-15  # [m]; vertices on this grid compress well and 30 micrometres are not visible

MOST_FACES = 500_000  # of a robot: a page of 12 MB, drawn in 20 s


def shapes_of(robot: Robot) -> tuple[dict[str, list[tuple[Array, Surface]]], list[str]]:
    """Return surfaces of each link, and notes on shapes that could not be shown."""
    notes: list[str] = []
    shapes: dict[str, list[tuple[Array, Surface]]] = {}
    try:
        described = shapes_shown(robot)
        notes += filter(None, [bare_note(robot)])
    except ModelError as error:
        described, notes = skeleton(robot), [str(error)]
    lost: dict[str, str] = {}
    beyond: set[str] = set()
    drawn = 0
    for visual in described:
        parts = shapes.setdefault(visual.link, [])
        if drawn > MOST_FACES:
            beyond.add(visual.link)
            continue
        try:
            drawing = surface(visual)
            drawn += len(drawing.faces)
            parts.append((visual.T_lv, drawing))
        except ModelError as error:
            lost.setdefault(visual.link, str(error).partition("; tried")[0])
    if beyond:
        notes.append(
            f"drawn as rods, after {drawn} faces of other links, where {MOST_FACES} are enough: "
            f"{', '.join(sorted(beyond))}"
        )
    for shape in skeleton(robot):
        if shape.link in beyond:
            shapes[shape.link].append((shape.T_lv, surface(shape)))
    for link in robot.links:
        if link.name in lost.keys() - beyond:
            notes.append(f"{lost[link.name]}; {_stand_in(robot, link, shapes[link.name])}")
    return {link: parts for link, parts in shapes.items() if parts}, notes


def _stand_in(robot: Robot, link: Link, parts: list[tuple[Array, Surface]]) -> str:
    """Add a box to a link without readable shapes; return what is drawn of the link."""
    if parts:
        return "its other shapes are drawn"
    box = box_of(robot, link)
    parts.append((box.T_lv, surface(box)))
    edges = " × ".join(f"{1000 * edge:.4g}" for edge in box.size)
    return f"a box of {edges} mm around its collision shapes, joints and mass centre is drawn"


def add_mesh(document: Document, parts: list[tuple[Array, Surface]]) -> int:
    """Return the index of one mesh of all shapes of a link, each at its pose in the link frame."""
    p, n, rgb, faces = [], [], [], []
    for T_lv, shape in parts:
        corner, colour, triangles = _corners(shape)
        p.append(shape.vertices[corner] @ T_lv[:3, :3].T + T_lv[:3, 3])
        n.append(shape.normals[corner] @ T_lv[:3, :3].T)
        faces.append(triangles + sum(len(rows) for rows in p[:-1]))
        rgb.append(colour)
    corners = (np.round(np.concatenate(p) / STEP) * STEP).astype("f4")
    normals = np.round(127 * np.concatenate(n)).astype("i1")
    seen = np.concatenate(rgb) / 255
    # glTF stores linear colours, the URDF those of a screen (sRGB).
    light = np.where(seen <= 0.04045, seen / 12.92, ((seen + 0.055) / 1.055) ** 2.4)
    colours = np.ones((len(corners), 4))
    colours[:, :3] = light
    attributes = {
        "POSITION": document.add(corners, target=ARRAY_BUFFER, bounds=True),
        "NORMAL": document.add(normals, target=ARRAY_BUFFER, normalized=True),
        "COLOR_0": document.add(
            np.round(65535 * colours).astype("u2"), target=ARRAY_BUFFER, normalized=True
        ),
    }
    order = np.concatenate(faces).reshape(-1)
    kind = "u2" if len(corners) <= np.iinfo("u2").max else "u4"
    indices = document.add(order.astype(kind), target=ELEMENT_ARRAY_BUFFER)
    document.tree["meshes"].append(
        {"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}
    )
    return len(document.tree["meshes"]) - 1


def _corners(shape: Surface) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """Split vertices where triangles of two colours meet.

    Returns
    -------
    vertex : ndarray of int, shape (N,)
        Index of the original vertex of each new one.
    rgb : ndarray of uint8, shape (N, 3)
    faces : ndarray of int, shape (F, 3)
        Vertices of each triangle.
    """
    r, g, b = shape.colours[:, :3].astype(np.int64).T
    colour = (r << 16) | (g << 8) | b
    pairs = (shape.faces << 24) | colour[:, None]
    corners, faces = np.unique(pairs.reshape(-1), return_inverse=True)
    rgb = np.stack([corners >> 16 & 255, corners >> 8 & 255, corners & 255], axis=1)
    return corners >> 24, rgb.astype(np.uint8), faces.reshape(-1, 3)
