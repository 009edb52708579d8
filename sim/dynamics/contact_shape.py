"""ContactShape: a plane, sphere, capsule, cylinder, box or convex mesh for contacts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.contact_hull import Hull, hull_of
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, MESH, PLANE, SPHERE
from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.marker import WORLD, Marker
from sim.robots.quantity import Checker
from sim.showing.one_line import ChangesShown

KINDS = MappingProxyType(
    {
        "plane": PLANE,
        "sphere": SPHERE,
        "capsule": CAPSULE,
        "cylinder": CYLINDER,
        "box": BOX,
        "mesh": MESH,
    }
)
SIZES = MappingProxyType(
    {
        "plane": (),
        "sphere": ("radius",),
        "capsule": ("radius", "half length"),
        "cylinder": ("radius", "half length"),
        "box": ("half length in x", "half length in y", "half length in z"),
        "mesh": (),
    }
)


@checked
@dataclass(frozen=True, repr=False)
class ContactShape(ChangesShown):
    """A shape on a link; made by `sphere`, `capsule`, `cylinder`, `box`, `plane` and `mesh`.

    Parameters
    ----------
    kind : {"plane", "sphere", "capsule", "cylinder", "box", "mesh"}
    at : Marker
        Centre and axes of the shape: z is the axis of a capsule or a cylinder, and the normal of a
        plane, pointing away from the body behind it.
    size : array_like, shape (3,)
        Radius; radius and half length; or three half lengths; padded with zeros [m].
    points : tuple of 3 V floats
        Mesh only: x, y and z of the points of which it is the convex hull, in the axes of `at` [m].

    Raises
    ------
    ModelError
        If the kind is unknown, a size is not above 0, or a mesh is flat.
    """

    kind: str
    at: Marker
    size: ArrayLike = (0.0, 0.0, 0.0)
    points: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"Shape {self.kind!r}: choose one of {', '.join(KINDS)}")
        if not isinstance(self.at, Marker):
            raise ModelError(f"{self.label}: at must be a sim.Marker, got {self.at!r}")
        names, check = SIZES[self.kind], Checker(self.label)
        try:
            values = [float(one) for one in np.asarray(self.size)]
        except (TypeError, ValueError):
            values = []
        extra = values[len(names) :]
        least = check.not_negative if self.kind == "sphere" else check.positive  # zero is a point
        values = [least(name, x, "m") for name, x in zip(names, values, strict=False)]
        if len(values) < len(names) or any(extra):
            raise ModelError(f"{self.label}: size {self.size!r} m must be {', '.join(names)}")
        x, y, z = (*values, 0.0, 0.0, 0.0)[:3]
        object.__setattr__(self, "size", (x, y, z))
        self._set_points()

    def _set_points(self) -> None:
        """Check the points of a mesh, and store them as numbers."""
        points = np.asarray(self.points, dtype=np.float64).ravel()
        is_mesh = self.kind == "mesh"
        if (points.size > 0) != is_mesh or points.size % 3 or not np.isfinite(points).all():
            must = "x, y and z of at least four points" if is_mesh else "empty"
            raise ModelError(f"{self.label}: points ({points.size} numbers) must be {must}")
        object.__setattr__(self, "points", tuple(points.tolist()))
        if is_mesh:
            _ = self.hull

    @property
    def label(self) -> str:
        """Text for a message: ``Sphere on 'ball'``."""
        on = repr(self.at.link) if isinstance(self.at, Marker) else "a link"
        return f"{self.kind.capitalize()} on {on}"

    @cached_property
    def hull(self) -> Hull | None:
        """Faces and edges of a mesh; None for other shapes."""
        if self.kind != "mesh":
            return None
        return hull_of(np.asarray(self.points).reshape(-1, 3), self.label)

    @cached_property
    def smallest(self) -> float:
        """Smallest radius or half length [m]; infinite for a plane and a point."""
        if self.hull is not None:
            return self.hull.smallest
        sizes = np.asarray(self.size)
        return float(sizes[sizes > 0.0].min(initial=np.inf))

    @classmethod
    def sphere(cls, link: str, radius: float, at: ArrayLike = (0, 0, 0)) -> ContactShape:
        """Return a sphere about a point of a link [m]."""
        return cls("sphere", Marker("sphere", link, at), (radius, 0.0, 0.0))

    @classmethod
    @checked
    def capsule(
        cls,
        link: str,
        radius: float,
        length: float,
        at: ArrayLike = (0, 0, 0),
        rpy: ArrayLike = (0, 0, 0),
    ) -> ContactShape:
        """Return a cylinder of this length with hemispheres at its ends, along z [m], [rad]."""
        return cls("capsule", Marker("capsule", link, at, rpy), (radius, 0.5 * length, 0.0))

    @classmethod
    @checked
    def cylinder(
        cls,
        link: str,
        radius: float,
        length: float,
        at: ArrayLike = (0, 0, 0),
        rpy: ArrayLike = (0, 0, 0),
    ) -> ContactShape:
        """Return a cylinder along z of its axes [m], [rad]."""
        return cls("cylinder", Marker("cylinder", link, at, rpy), (radius, 0.5 * length, 0.0))

    @classmethod
    @checked
    def box(
        cls, link: str, size: ArrayLike, at: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)
    ) -> ContactShape:
        """Return a box with three full lengths along its axes [m], [rad]."""
        halves = 0.5 * np.asarray(size, dtype=np.float64)
        return cls("box", Marker("box", link, at, rpy), halves)

    @classmethod
    @checked
    def mesh(
        cls,
        link: str,
        file: str | PathLike[str],
        scale: float = 1.0,
        at: ArrayLike = (0, 0, 0),
        rpy: ArrayLike = (0, 0, 0),
        hull: bool = False,
    ) -> ContactShape:
        """Return a closed convex body of an OBJ or STL file, in a frame of a link [m], [rad].

        Parameters
        ----------
        scale : float
            Length of the file's unit [m], such as 1e-3 for millimetres.
        hull : bool
            Whether to use the convex hull of the file's whole content.

        Raises
        ------
        ModelError
            If the file cannot be read, is open, not convex or has several bodies.
        """
        shapes = cls.meshes(link, file, scale, at, rpy, hull)
        if len(shapes) > 1:
            raise ModelError(
                f"mesh {file}: it has {len(shapes)} bodies; ContactShape.meshes returns them all, "
                "one contact for each"
            )
        return shapes[0]

    @classmethod
    @checked
    def meshes(
        cls,
        link: str,
        file: str | PathLike[str],
        scale: float = 1.0,
        at: ArrayLike = (0, 0, 0),
        rpy: ArrayLike = (0, 0, 0),
        hull: bool = False,
    ) -> tuple[ContactShape, ...]:
        """Return the closed convex bodies of an OBJ or STL file; see `mesh`."""
        from sim.dynamics.contact_meshes import convex_bodies  # reads mesh files: seldom used

        frame = Marker("mesh", link, at, rpy)
        bodies = convex_bodies(Path(file), float(scale), as_hull=hull)
        return tuple(cls.from_points(frame, body) for body in bodies)

    @classmethod
    def from_points(cls, frame: Marker, points: ArrayLike) -> ContactShape:
        """Return the convex hull of points (V, 3) in a frame [m], centred on its bounding box."""
        places = np.asarray(points, dtype=np.float64)
        middle = (places.min(axis=0) + places.max(axis=0)) / 2
        T = frame.T_lm
        at = Marker(frame.name, frame.link, T[:3, :3] @ middle + T[:3, 3], frame.rpy)
        return cls("mesh", at, points=tuple((places - middle).ravel().tolist()))

    @classmethod
    @checked
    def plane(
        cls, link: str = WORLD, at: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)
    ) -> ContactShape:
        """Return a plane through a point, by its normal (of any length) away from the body.

        Raises
        ------
        ModelError
            If the normal is zero.
        """
        components = np.asarray(normal, dtype=np.float64)
        if components.shape != (3,) or not 0.0 < np.linalg.norm(components) < np.inf:
            raise ModelError(f"Plane on {link!r}: normal {normal!r} has no direction")
        x, y, z = components.tolist()
        rpy = (0.0, float(np.arctan2(np.hypot(x, y), z)), float(np.arctan2(y, x)))
        return cls("plane", Marker("plane", link, at, rpy))
