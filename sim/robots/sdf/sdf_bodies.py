"""Links of an SDF model: mass, mass centre, tensor, and shapes in URDF form."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.inertia import Inertia
from sim.robots.sdf.sdf_models import locate
from sim.robots.sdf.sdf_values import child, number, pose_of, relative_to, tag_of, text_of, vector
from sim.robots.urdf_elements import MOMENTS, add_origin, number_text

WATER = 1000.0  # [kg/m³] default of the format
SIZES = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def inertia_of(link: Node, place: Callable[[Node], Array]) -> Inertia:
    """Return the body of a link in its frame; the format's defaults are 1 kg and a unit tensor.

    Without mass it is a frame, regardless of the tensor.

    Parameters
    ----------
    link : Node
    place : callable
        Pose of a shape in the frame of the link, shape (4, 4).

    Raises
    ------
    ModelError
        If the inertia is impossible, or must be computed from a shape that is not primitive.
    """
    if (node := child(link, "inertial")) is None:
        return Inertia(1.0, np.zeros(3), np.eye(3))
    if node.element.get("auto", "").lower() in ("true", "1"):
        return _automatic_inertia(link, node, place)
    where = child(node, "pose")
    if relative_to(where):
        raise node.error("its <pose> is in the frame of the link; relative_to is not allowed here")
    T, mass, tensor = pose_of(where), number(node, "mass", 1.0), np.eye(3)
    if (moments := child(node, "inertia")) is not None:
        xx, xy, xz, yy, yz, zz = (number(moments, key, float(key[1] == key[2])) for key in MOMENTS)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0:  # as in files for PyBullet, which then fixes the link
        return Inertia(0.0, np.zeros(3), np.zeros((3, 3)))
    if mass < 0:
        raise node.error(f"its mass {mass:g} kg is negative; it must be at least 0")
    R = T[:3, :3]
    return Inertia(mass, T[:3, 3], R @ tensor @ R.T)


def _automatic_inertia(link: Node, node: Node, place: Callable[[Node], Array]) -> Inertia:
    """Return the body filled by the collision shapes of a link, with the mass if there is one."""
    usual = number(node, "density", WATER)
    bodies = list[Inertia]()
    for one in link.element:
        if tag_of(one) != "collision":
            continue
        shape = Node(one, link.source, link.subject)
        if (geometry := child(shape, "geometry")) is None:
            continue
        T = place(shape)
        volume, second = _solid(geometry)
        mass = number(shape, "density", usual) * volume
        tensor = mass * (np.trace(second) * np.eye(3) - second)
        bodies.append(Inertia(mass, T[:3, 3], T[:3, :3] @ tensor @ T[:3, :3].T))
    mass = sum(one.mass for one in bodies)
    if not mass > 0:
        raise node.error('its inertia is to come from its shapes (auto="true"), and it has none')
    com = sum((one.mass * one.com for one in bodies), np.zeros(3)) / mass
    parts = (one.tensor + one.mass * _point_tensor(one.com - com) for one in bodies)
    whole = number(node, "mass", mass)
    if not whole > 0:
        raise node.error(f"its mass {whole:g} kg must be positive where shapes give its inertia")
    return Inertia(whole, com, whole / mass * sum(parts, np.zeros((3, 3))))


def _point_tensor(r: Array) -> Array:
    """Return the tensor of a unit mass at r [m²]."""
    return np.asarray((r @ r) * np.eye(3) - np.outer(r, r))


def _solid(geometry: Node) -> tuple[float, Array]:
    """Return the volume [m³] and the second moments per mass [m²] of a solid."""
    for one in geometry.element:
        kind, node = tag_of(one), Node(one, geometry.source, geometry.subject)
        if kind == "box":
            size = _vector(node, "size")
            return float(np.prod(size)), np.diag(size**2) / 12
        if kind == "ellipsoid":
            radii = _vector(node, "radii")
            return float(4 / 3 * np.pi * np.prod(radii)), np.diag(radii**2) / 5
        if kind in SIZES:
            r, length = number(node, "radius", 0.5), number(node, "length", 1.0)
            return _round(kind, r, length)
    kinds = ", ".join(filter(None, map(tag_of, geometry.element)))
    raise geometry.error(
        f'its inertia is to come from its shapes (auto="true"); of {kinds or "none"} it is not '
        f"computed here, of box, ellipsoid, {', '.join(SIZES)} it is; give mass and inertia"
    )


def _round(kind: str, r: float, length: float) -> tuple[float, Array]:
    if kind == "sphere":
        return 4 / 3 * np.pi * r**3, np.eye(3) * r**2 / 5
    tube, caps = np.pi * r**2 * length, 4 / 3 * np.pi * r**3
    across, along = r**2 / 4, length**2 / 12
    if kind == "cylinder":
        return tube, np.diag([across, across, along])
    # half spheres at both ends, whose mass centres are 3/8 r beyond the cylinder
    ends = r**2 / 5 + length**2 / 4 + 3 / 8 * r * length
    whole = tube + caps
    side = (tube * across + caps * r**2 / 5) / whole
    return whole, np.diag([side, side, (tube * along + caps * ends) / whole])


def _vector(node: Node, tag: str) -> Array:
    one = child(node, tag)
    return np.ones(3) if one is None else vector(one)


def add_shapes(
    link: Node,
    element: Element,
    offset: Array,
    place: Callable[[Node], Array],
    folder: Path,
    folders: tuple[Path, ...],
) -> Iterator[tuple[str, str]]:
    """Write the shapes of a link; yield element and kind of those that a URDF cannot have.

    Parameters
    ----------
    link : Node
    element : Element
        The link of the URDF.
    offset : ndarray, shape (3,)
        Origin of the URDF link in the frame of the SDF link [m].
    place : callable
        Pose of a shape in the frame of the SDF link, shape (4, 4).
    folder : Path
        Base folder of mesh file names in the URDF.
    folders : tuple of Path
        Folders from which the file may read.
    """
    for one in link.element:
        if (role := tag_of(one)) not in ("visual", "collision"):
            continue
        shape = Node(one, link.source, link.subject)
        geometry = child(shape, "geometry")
        solid = None if geometry is None else _shape(geometry, folder, folders)
        if isinstance(solid, str):
            yield f"{role} {one.get('name', '')!r}", solid
        if solid is None or isinstance(solid, str):
            continue
        outer = SubElement(element, role, name=one.get("name", role))
        T = place(shape)
        add_origin(outer, T[:3, 3] - offset, T[:3, :3])
        SubElement(outer, "geometry").append(solid)
        _add_colour(shape, outer)


def _shape(geometry: Node, folder: Path, folders: tuple[Path, ...]) -> Element | str | None:
    """Return the shape in URDF form, or its kind if there is no such form."""
    for one in geometry.element:
        kind, node = tag_of(one), Node(one, geometry.source, geometry.subject)
        if kind in ("", "empty"):
            continue
        if kind == "box":
            return Element("box", size=number_text(_vector(node, "size")))
        if kind in SIZES:
            numbers = {key: repr(number(node, key, 1.0)) for key in SIZES[kind]}
            return Element(kind, numbers)
        if kind == "mesh":
            uri, scale = text_of(node, "uri"), number_text(_vector(node, "scale"))
            path = locate(uri, folders)
            name = uri.replace("model://", "package://", 1)
            name = name if path is None else os.path.relpath(path, folder)
            return Element("mesh", filename=name, scale=scale)
        return kind
    return None


def _add_colour(shape: Node, element: Element) -> None:
    material = child(shape, "material")
    colour = None if material is None else child(material, "diffuse")
    if colour is None or element.tag != "visual":
        return
    count = len((colour.element.text or "").split())
    rgba = [*vector(colour, 3 if count == 3 else 4), 1.0][:4]
    name = f"colour_{'_'.join(f'{x:g}' for x in rgba)}"
    SubElement(SubElement(element, "material", name=name), "color", rgba=number_text(rgba))
