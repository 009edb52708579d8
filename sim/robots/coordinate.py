"""Coordinate: description of one row of arrays (n, N) of positions, rates and efforts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from sim.maths.units import ANGULAR, LINEAR, Units

CoordinateKind = Literal["turning", "sliding"]
DEGREE = math.pi / 180


class Limits(Struct, frozen=True):
    """Limits of a joint, [rad] [rad/s] [N·m] or [m] [m/s] [N]; infinite if absent."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    @property
    def has_range(self) -> bool:
        """True if both ends are given."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)


class Coordinate(Struct, frozen=True):
    """One row of q, qd, qdd and tau, (n, N) or (n_tree, N).

    Name, unit and limits of a row are those of its coordinate, not of its joint: a joint may have
    several rows.

    Parameters
    ----------
    name : str
        Name of the row, in channels such as ``tau.<name>``; of a ball ``<joint>.x`` etc.
    joint : str
        Name of the joint.
    kind : {"turning", "sliding"}
    axis : tuple of float
        Unit vector in the joint frame, the axis of rotation or the direction of sliding.
    limits : Limits
    """

    name: str
    joint: str
    kind: CoordinateKind
    axis: tuple[float, float, float]
    limits: Limits = Limits()

    @property
    def heading(self) -> str:
        """Column heading in a table for display."""
        return self.name.removesuffix("_joint")

    @property
    def units(self) -> Units:
        """SI units of its position, rates and effort."""
        return LINEAR if self.kind == "sliding" else ANGULAR

    @property
    def is_angle(self) -> bool:
        """True if the position is an angle [rad]rather than a length [m]."""
        return self.units is ANGULAR

    @property
    def reaction(self) -> Literal["f", "m"]:
        """Kind of reaction component that its effort is: force "f" or moment "m"."""
        return "m" if self.is_angle else "f"

    @property
    def degrees_or_metres(self) -> tuple[float, str]:
        """Size in SI units, and symbol, of the display unit of positions."""
        return (DEGREE, "°") if self.is_angle else (1.0, "m")

    @property
    def degrees_or_millimetres(self) -> tuple[float, str]:
        """Factor and unit of display: degrees, or millimetres for a sliding coordinate."""
        return (DEGREE, "°") if self.is_angle else (1e-3, "mm")


def rotation_channels(rows: Sequence[Coordinate]) -> dict[str, tuple[str, ...]]:
    """Map each channel ``q.<ball>.x``, ``.y``, ``.z`` to all three of its rotation vector."""
    by_joint: dict[str, list[str]] = {}
    for row in rows:
        by_joint.setdefault(row.joint, []).append(f"q.{row.name}")
    return {name: tuple(names) for names in by_joint.values() if len(names) == 3 for name in names}


def rotations_of(rows: Sequence[Coordinate]) -> tuple[tuple[str, ...], ...]:
    """Channels of the rotation vector of each ball, three per ball."""
    return tuple(dict.fromkeys(rotation_channels(rows).values()))


def coordinates_of(
    joint: str, kind: str, axis: tuple[float, float, float], limits: Limits
) -> tuple[Coordinate, ...]:
    """Return the rows (n_tree, N) of a joint of a URDF type, in order; none for a fixed joint."""
    if kind == "fixed":
        return ()
    if kind == "spherical":
        rows = zip("xyz", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
        return tuple(Coordinate(f"{joint}.{c}", joint, "turning", e, limits) for c, e in rows)
    row: CoordinateKind = "sliding" if kind == "prismatic" else "turning"
    return (Coordinate(joint, joint, row, axis, limits),)
