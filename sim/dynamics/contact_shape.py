"""ContactShape: a plane, sphere, capsule, cylinder or box on a link, which may touch another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, PLANE, SPHERE
from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.marker import WORLD, Marker
from sim.robots.quantity import Checker
from sim.showing.one_line import changed_fields

KINDS = MappingProxyType(
    {"plane": PLANE, "sphere": SPHERE, "capsule": CAPSULE, "cylinder": CYLINDER, "box": BOX}
)
SIZES = MappingProxyType(
    {
        "plane": (),
        "sphere": ("radius",),
        "capsule": ("radius", "half length"),
        "cylinder": ("radius", "half length"),
        "box": ("half length in x", "half length in y", "half length in z"),
    }
)


@checked
@dataclass(frozen=True)
class ContactShape:
    """A shape on a link; `sphere`, `capsule`, `cylinder`, `box` and `plane` make one.

    Parameters
    ----------
    kind : {"plane", "sphere", "capsule", "cylinder", "box"}
    at : Marker
        The middle of the shape and its axes: z is the axis of a capsule or a cylinder, and the
        normal of a plane, out of what is touched.
    size : array_like, shape (3,)
        Radius; radius and half length; or three half lengths, with zeros after them [m].

    Raises
    ------
    ModelError
        If there is no such shape, or a size is not above 0.
    """

    kind: str
    at: Marker
    size: ArrayLike = (0.0, 0.0, 0.0)

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
        least = check.not_negative if self.kind == "sphere" else check.positive  # it may be a point
        values = [least(name, x, "m") for name, x in zip(names, values, strict=False)]
        if len(values) < len(names) or any(extra):
            raise ModelError(f"{self.label}: size {self.size!r} m must be {', '.join(names)}")
        x, y, z = (*values, 0.0, 0.0, 0.0)[:3]
        object.__setattr__(self, "size", (x, y, z))

    def __repr__(self) -> str:
        return changed_fields(self)

    @property
    def label(self) -> str:
        """Text for a message: ``Sphere on 'ball'``."""
        on = repr(self.at.link) if isinstance(self.at, Marker) else "a link"
        return f"{self.kind.capitalize()} on {on}"

    @cached_property
    def smallest(self) -> float:
        """The smallest radius or half length [m]; infinite for a plane and a point."""
        sizes = np.asarray(self.size)
        return float(sizes[sizes > 0.0].min(initial=np.inf))

    @classmethod
    def sphere(cls, link: str, radius: float, at: ArrayLike = (0, 0, 0)) -> ContactShape:
        """A sphere about a point of a link [m]."""
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
        """A cylinder of some length between two half spheres, along z of its axes [m], [rad]."""
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
        """A cylinder along z of its axes [m], [rad]."""
        return cls("cylinder", Marker("cylinder", link, at, rpy), (radius, 0.5 * length, 0.0))

    @classmethod
    @checked
    def box(
        cls, link: str, size: ArrayLike, at: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)
    ) -> ContactShape:
        """A box with three whole lengths along its axes [m], [rad]."""
        halves = 0.5 * np.asarray(size, dtype=np.float64)
        return cls("box", Marker("box", link, at, rpy), halves)

    @classmethod
    @checked
    def plane(
        cls, link: str = WORLD, at: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)
    ) -> ContactShape:
        """A plane through a point, by its normal, out of what is touched; of any length.

        Raises
        ------
        ModelError
            If the normal has no direction.
        """
        components = np.asarray(normal, dtype=np.float64)
        if components.shape != (3,) or not 0.0 < np.linalg.norm(components) < np.inf:
            raise ModelError(f"Plane on {link!r}: normal {normal!r} has no direction")
        x, y, z = components.tolist()
        rpy = (0.0, float(np.arctan2(np.hypot(x, y), z)), float(np.arctan2(y, x)))
        return cls("plane", Marker("plane", link, at, rpy))
