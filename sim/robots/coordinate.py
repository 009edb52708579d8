"""Coordinate: what one row of arrays (n, N) of positions, rates and efforts is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sim.maths.units import ANGULAR, LINEAR, Units

CoordinateKind = Literal["turning", "sliding"]
DEGREE = math.pi / 180


@dataclass(frozen=True)
class Limits:
    """Limits of a joint, [rad] [rad/s] [N·m] or [m] [m/s] [N]; infinite where not given."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    @property
    def has_range(self) -> bool:
        """True where both ends are given."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)


@dataclass(frozen=True)
class Coordinate:
    """One row of q, qd, qdd and tau, (n, N) or (n_tree, N).

    Name, unit and limits of a row are those of its coordinate, not of its joint: a joint may have
    several rows.

    Parameters
    ----------
    name : str
        Of the row, in channels such as ``tau.<name>``; of a ball ``<joint>.x``, ``.y`` and ``.z``.
    joint : str
        Name of its joint.
    kind : {"turning", "sliding"}
    axis : tuple of float
        Unit vector in the joint frame, about which it turns or along which it slides.
    limits : Limits
    """

    name: str
    joint: str
    kind: CoordinateKind
    axis: tuple[float, float, float]
    limits: Limits = Limits()

    @property
    def heading(self) -> str:
        """Heading of its column in a table for people."""
        return self.name.removesuffix("_joint")

    @property
    def units(self) -> Units:
        """SI units of its position, rates and effort."""
        return LINEAR if self.kind == "sliding" else ANGULAR

    @property
    def is_angle(self) -> bool:
        """True if the position is an angle [rad], and not a length [m]."""
        return self.units is ANGULAR

    @property
    def reaction(self) -> Literal["f", "m"]:
        """Whether its effort is a component of the joint's reaction force or moment."""
        return "m" if self.is_angle else "f"

    @property
    def degrees_or_metres(self) -> tuple[float, str]:
        """Size in SI units, and name, of the unit of positions for people."""
        return (DEGREE, "°") if self.is_angle else (1.0, "m")

    @property
    def degrees_or_millimetres(self) -> tuple[float, str]:
        """Factor and unit of display: degrees, or millimetres where it slides."""
        return (DEGREE, "°") if self.is_angle else (1e-3, "mm")


def rotation_channels(rows: Sequence[Coordinate]) -> dict[str, tuple[str, ...]]:
    """All three channels ``q.<ball>.x``, ``.y``, ``.z`` by each of them: they are one rotation."""
    by_joint: dict[str, list[str]] = {}
    for row in rows:
        by_joint.setdefault(row.joint, []).append(f"q.{row.name}")
    return {name: tuple(names) for names in by_joint.values() if len(names) == 3 for name in names}


def rotations_of(rows: Sequence[Coordinate]) -> tuple[tuple[str, ...], ...]:
    """The three channels of each ball's rotation vector."""
    return tuple(dict.fromkeys(rotation_channels(rows).values()))


def coordinates_of(
    joint: str, kind: str, axis: tuple[float, float, float], limits: Limits
) -> tuple[Coordinate, ...]:
    """The rows (n_tree, N) of a joint of a URDF kind, in their order; none of a fixed one."""
    if kind == "fixed":
        return ()
    if kind == "spherical":
        rows = zip("xyz", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
        return tuple(Coordinate(f"{joint}.{c}", joint, "turning", e, limits) for c, e in rows)
    row: CoordinateKind = "sliding" if kind == "prismatic" else "turning"
    return (Coordinate(joint, joint, row, axis, limits),)
