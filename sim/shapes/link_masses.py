"""Mass properties of a robot's links from their shapes, compared with its URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.inertia import FARTHEST, Inertia
from sim.robots.robot import Robot
from sim.shapes.mass_properties import FAR, MOST_TRIANGLES, MassProperties, of_mesh
from sim.shapes.mesh_faults import SMALLEST
from sim.shapes.surface import solid_in_link
from sim.shapes.visuals import Visual, collisions, visuals

UNIT = (1.0, 1.0, 1.0)  # scale of a mesh in metres, or without a stated unit
WATER = 1000.0  # [kg/m³] default without a material: masses are then those of water
SIDES = 256  # of circles: a cylinder lacks 1e-4 of its volume, a sphere 2.5e-4


@dataclass(frozen=True, eq=False)
class LinkMass:
    """Mass of one link by its shapes.

    Parameters
    ----------
    link : str
    shapes : tuple of Visual
        Shapes used for the mass; collision shapes if there are no visual ones.
    in_urdf : Inertia or None
        Inertia in the URDF.
    by_shapes : MassProperties or None
        From the shapes, in the link frame; None if they have a fault.
    fault : str
        Fault of the shapes; empty if none.
    """

    link: str
    shapes: tuple[Visual, ...]
    in_urdf: Inertia | None
    by_shapes: MassProperties | None
    fault: str = ""

    @property
    def implied_density(self) -> float | None:
        """Mass in the URDF over the volume of the shapes [kg/m³]."""
        if self.in_urdf is None or self.by_shapes is None:
            return None
        return self.in_urdf.mass / self.by_shapes.volume

    @property
    def centres_apart(self) -> float | None:
        """Distance between the mass centres of URDF and shapes [m]."""
        if self.in_urdf is None or self.by_shapes is None:
            return None
        return float(np.linalg.norm(self.in_urdf.com - self.by_shapes.com))


def link_masses(
    robot: Robot, densities: Mapping[str, float], thickness: float | None = None
) -> tuple[LinkMass, ...]:
    """Return the links with shapes, each with its mass by them.

    Parameters
    ----------
    robot : Robot
    densities : mapping of str to float
        For links by name [kg/m³]; the others have the density of water.
    thickness : float, optional
        Thickness of shells, for the links in `densities` [m] (default: solid).

    Raises
    ------
    ModelError
        If a link of that name does not exist or has no shape, or a mesh is missing.
    SimError
        If bodies of a link overlap and manifold3d is missing.
    """
    by_link = shapes_by_link(robot)
    for name in densities:
        if name not in by_link:
            robot.link(name)  # raises if there is none
            known = ", ".join(by_link) or "none"
            raise ModelError(f"link {name!r} has no shape; links with shapes: {known}")
    return tuple(
        _weigh(robot, name, shapes, densities.get(name), thickness)
        for name, shapes in by_link.items()
    )


def shapes_by_link(robot: Robot) -> dict[str, tuple[Visual, ...]]:
    """Return the shapes of each link that has any, in the order of the links.

    Raises
    ------
    ModelError
        If a mesh is missing, or a shape is malformed.
    """
    shown, contacts = visuals(robot), collisions(robot)
    by_link = {}
    for link in robot.links:
        of_link = tuple(s for s in shown if s.link == link.name)
        of_link = of_link or tuple(s for s in contacts if s.link == link.name)
        if of_link:
            by_link[link.name] = of_link
    return by_link


def _weigh(
    robot: Robot,
    name: str,
    shapes: tuple[Visual, ...],
    density: float | None,
    thickness: float | None,
) -> LinkMass:
    inertia = robot.link(name).inertia
    shell = None if density is None else thickness
    try:
        properties = of_shapes(shapes, density or WATER, shell)
    except ModelError as error:
        return LinkMass(name, shapes, inertia, None, str(error))
    return LinkMass(name, shapes, inertia, properties)


def of_shapes(
    shapes: Sequence[Visual], density: float, thickness: float | None = None
) -> MassProperties:
    """Return mass properties of the union of a link's shapes, in the link frame.

    A single primitive shape is computed by formula, everything else by triangles.

    Raises
    ------
    ModelError
        As in `sim.shapes.mass_properties.inertia_of`; the message names link and file.
    """
    for shape in shapes:
        _require_size(shape)
    if len(shapes) == 1 and shapes[0].shape != "mesh" and thickness is None:
        return _mass_by_formula(shapes[0], density)
    corners, faces, count = [], [], 0
    for shape in shapes:
        vertices, triangles = solid_in_link(shape, SIDES, MOST_TRIANGLES)
        corners.append(vertices)
        faces.append(triangles + count)
        count += len(vertices)
    what = f"link {shapes[0].link!r}: {', '.join(map(_name, shapes))}"
    points = np.concatenate(corners)
    if any(shape.shape == "mesh" and shape.scale == UNIT for shape in shapes):
        require_metres(points, what)
    return of_mesh(points, np.concatenate(faces), density, thickness=thickness, what=what)


def require_metres(points: Array, what: str) -> None:
    """Refuse a mesh without scale, (N, 3) in metres, whose size indicates millimetres.

    Raises
    ------
    ModelError
    """
    largest = float(np.ptp(points, axis=0).max())
    if largest > FAR:
        raise ModelError(
            f"{what} is {largest:.4g} m large; if it is in millimetres, give it "
            'scale="0.001 0.001 0.001" in the URDF'
        )


def _require_size(shape: Visual) -> None:
    """Refuse a primitive shape larger than any link; meshes are checked when they are read."""
    if shape.size and not SMALLEST <= min(shape.size) <= max(shape.size) <= FARTHEST:
        raise ModelError(
            f"link {shape.link!r}: {shape.shape} has the size "
            f"({', '.join(f'{length:g}' for length in shape.size)}) m; at least {SMALLEST:g} and "
            f"at most {FARTHEST:g} m are allowed"
        )


def _mass_by_formula(shape: Visual, density: float) -> MassProperties:
    """Compute a box, a cylinder or capsule about Z, or a sphere by formula."""
    if shape.shape == "box":
        a, b, c = shape.size
        volume, area = a * b * c, 2 * (a * b + b * c + c * a)
        moments = np.array([b * b + c * c, c * c + a * a, a * a + b * b]) / 12
    elif shape.shape == "cylinder":
        r, h = shape.size
        volume, area = np.pi * r * r * h, 2 * np.pi * r * (r + h)
        moments = np.array([3 * r * r + h * h, 3 * r * r + h * h, 6 * r * r]) / 12
    elif shape.shape == "capsule":
        r, h = shape.size
        volume, area = np.pi * r * r * (h + 4 / 3 * r), 2 * np.pi * r * (h + 2 * r)
        ends = 4 / 3 * r / (h + 4 / 3 * r)  # fraction of the volume
        along = (1 - ends) * r * r / 2 + ends * 0.4 * r * r
        across = (1 - ends) * (3 * r * r + h * h) / 12
        across += ends * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
        moments = np.array([across, across, along])
    else:
        (r,) = shape.size
        volume, area = 4 / 3 * np.pi * r**3, 4 * np.pi * r * r
        moments = np.full(3, 0.4 * r * r)
    mass, R = density * volume, shape.T_lv[:3, :3]
    tensor = mass * (R * moments) @ R.T
    return MassProperties(mass, shape.T_lv[:3, 3], tensor, volume, area, density)


def _name(shape: Visual) -> str:
    return f"mesh {shape.path}" if shape.shape == "mesh" else shape.shape
