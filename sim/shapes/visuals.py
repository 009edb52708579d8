"""Visual shapes of a robot's links, from its URDF."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from msgspec import structs

from sim.errors import ModelError
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import pose
from sim.robots.document import Node
from sim.robots.inertia import origin_pose
from sim.robots.mending import mend
from sim.robots.payload import is_payload
from sim.robots.robot import Robot
from sim.shapes.mesh_files import mesh_path

Shape = Literal["mesh", "box", "cylinder", "sphere", "capsule"]
Role = Literal["visual", "collision"]
Colours = dict[str, tuple[float, ...] | None]

_SHAPES: tuple[str, ...] = get_args(Shape)
_UNIT_SCALE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Visual:
    """One shape of a link.

    Parameters
    ----------
    link : str
        Link to which it is attached.
    T_lv : ndarray, shape (4, 4)
        Pose of the shape in the link frame [m].
    shape : str
        ``mesh``, ``box``, ``cylinder``, ``sphere`` or ``capsule``, a cylinder with half spheres at
        its ends; all except meshes about their centre, axes along Z.
    path : Path or None
        Mesh file.
    size : tuple of float
        Edges of a box; radius and length of a cylinder, also within a capsule; radius of a sphere
        [m]; empty for a mesh.
    scale : tuple of three floats
        Factors that convert the coordinates of a mesh to metres.
    rgba : tuple of four floats or None
        Colour of the URDF's material, from 0 to 1; None if it has none.
    lost : str
        Why the mesh has no file; empty if it has one.
    """

    link: str
    T_lv: Array
    shape: Shape
    path: Path | None = None
    size: tuple[float, ...] = ()
    scale: tuple[float, float, float] = _UNIT_SCALE
    rgba: tuple[float, ...] | None = None
    lost: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_lv", frozen(self.T_lv, (4, 4)))


def visuals(robot: Robot) -> tuple[Visual, ...]:
    """Return the shapes shown in a picture of the robot, in the order of its URDF text.

    Raises
    ------
    ModelError
        If a shape is malformed or a mesh does not exist; the message names the link and the file.
        The content of meshes is read by `sim.shapes.surface.surface`.
    """
    return _require_found(visuals_or_lost(robot))


def visuals_or_lost(robot: Robot) -> tuple[Visual, ...]:
    """Return the shapes of `visuals`; a mesh without a file has the reason instead of a path.

    Raises
    ------
    ModelError
        If a shape is malformed.
    """
    return _shapes(robot, "visual")


def payload_links(robot: Robot) -> frozenset[str]:
    """Return the links of payloads, whose blocks are drawn by this program, not by the URDF."""
    source = f"robot {robot.name!r}"
    links = Node(mend(robot.text, source), source, source).children("link")
    return frozenset(link.name() for link in links if is_payload(link.element))


def collisions(robot: Robot) -> tuple[Visual, ...]:
    """Return the collision shapes of the URDF, like `visuals`; no run uses them.

    Raises
    ------
    ModelError
        As in `visuals`.
    """
    return _require_found(collisions_or_lost(robot))


def collisions_or_lost(robot: Robot) -> tuple[Visual, ...]:
    """Return the shapes of `collisions`; a mesh without a file has the reason instead of a path.

    Raises
    ------
    ModelError
        If a shape is malformed.
    """
    return _shapes(robot, "collision")


def _require_found(shapes: tuple[Visual, ...]) -> tuple[Visual, ...]:
    for shape in shapes:
        if shape.lost:
            raise ModelError(shape.lost)
    return shapes


def _shapes(robot: Robot, role: Role) -> tuple[Visual, ...]:
    source = f"robot {robot.name!r}"
    root = Node(mend(robot.text, source), source, source)
    colours = named_colours(root)
    shapes = []
    for each in root.children("link"):
        link = structs.replace(each, subject=f"link {each.name()!r}")
        for node in link.children(role):
            shape = _place_shape(node, robot.folder)
            rgba = rgba_of(node.only("material"), colours)
            shapes.append(replace(shape, link=link.name(), rgba=rgba))
    return tuple(shapes)


def named_colours(root: Node) -> Colours:
    """Return the colours of the materials of a URDF, by name."""
    return {each.attribute("name"): _colour(each) for each in root.children("material")}


def placed_shape(node: Node, folder: Path | None) -> Visual:
    """Return the shape of a ``<visual>`` or ``<collision>``, without link name and colour.

    Raises
    ------
    ModelError
        As in `visuals`.
    """
    (shape,) = _require_found((_place_shape(node, folder),))
    return shape


def _place_shape(node: Node, folder: Path | None) -> Visual:
    shape = _shape(node.require_child("geometry"), folder)
    return replace(shape, T_lv=origin_pose(node))


def _shape(geometry: Node, folder: Path | None) -> Visual:
    """Return the shape itself, without its pose."""
    bodies = [child for name in _SHAPES for child in geometry.children(name)]
    if len(bodies) != 1:
        allowed = ", ".join(f"<{name}>" for name in _SHAPES)
        raise geometry.error(f"has {len(bodies)} known shapes; <geometry> needs one of {allowed}")
    body, name = bodies[0], cast(Shape, bodies[0].element.tag)
    if name != "mesh":
        return Visual("", pose(), name, size=_size(body, name))
    x, y, z = body.vector("scale", _UNIT_SCALE).tolist()
    if x * y * z == 0:
        raise body.error(f"its scale ({x:g}, {y:g}, {z:g}) makes it flat; no factor may be 0")
    try:
        path, error_text = mesh_path(body.attribute("filename"), folder), ""
    except ModelError as error:
        path, error_text = None, str(body.error(str(error)))
    return Visual("", pose(), name, path, scale=(x, y, z), lost=error_text)


def rgba_of(material: Node | None, colours: Colours) -> tuple[float, ...] | None:
    """Return the colour of a material, which may be defined in the robot under the same name."""
    if material is None:
        return None
    return _colour(material) or colours.get(material.element.get("name", ""))


def _colour(material: Node) -> tuple[float, ...] | None:
    colour = material.only("color")
    return None if colour is None else tuple(colour.vector("rgba", length=4).tolist())


def _size(body: Node, shape: Shape) -> tuple[float, ...]:
    if shape == "box":
        size = tuple(body.vector("size").tolist())
    elif shape in ("cylinder", "capsule"):
        size = (body.number("radius"), body.number("length"))
    else:
        size = (body.number("radius"),)
    if min(size) <= 0:
        shown = ", ".join(f"{length:g}" for length in size)
        raise body.error(f"<{shape}> has the size {shown} m; every length must be positive")
    return size
