"""A plane through the workspace, and tool poses in it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.maths.rotations import cross

AXES = "xyz"
PLANES = MappingProxyType({"yz": 0, "xz": 1, "xy": 2})  # index of the coordinate that is zero
TOOLS = MappingProxyType(
    {
        "down": (0.0, 0.0, -1.0),
        "up": (0.0, 0.0, 1.0),
        "+x": (1.0, 0.0, 0.0),
        "-x": (-1.0, 0.0, 0.0),
        "+y": (0.0, 1.0, 0.0),
        "-y": (0.0, -1.0, 0.0),
    }
)
"""Directions of the tool's z axis in the world, by name."""

_GOLDEN = math.pi * (3 - math.sqrt(5))


@dataclass(frozen=True)
class Section:
    """Plane of all points whose coordinate `held` is `at`.

    Parameters
    ----------
    held : int
        0, 1 or 2: x, y or z of the world.
    at : float
        [m]
    """

    held: int
    at: float

    @classmethod
    def of(cls, text: str) -> Section:
        """Parse ``xz``, ``yz``, ``xy`` through the world's origin, or such as ``z=0.5`` [m].

        Raises
        ------
        ScenarioError
            If the text is none of these.
        """
        plane = re.fullmatch(r"([xyz]{2})|([xyz])=(\S+)", text.strip().lower().replace(" ", ""))
        if plane and plane[1] and "".join(sorted(plane[1])) in PLANES:
            return cls(PLANES["".join(sorted(plane[1]))], 0.0)
        try:
            if plane and plane[2] and plane[3].isascii() and "_" not in plane[3]:
                at = float(plane[3])
                if abs(at) < 1e6:
                    return cls(AXES.index(plane[2]), at)
        except ValueError:
            pass
        raise ScenarioError(
            f"{text!r} is not a section of a workspace; allowed: xz, yz, xy, or a coordinate of "
            "the world in metres, such as z=0.5"
        )

    @property
    def text(self) -> str:
        """Text such as ``y = 0 m``."""
        return f"{AXES[self.held]} = {self.at:g} m"

    @property
    def key(self) -> str:
        """Part of file names: ``xz``, or such as ``z=0.5``."""
        plane = next(name for name, held in PLANES.items() if held == self.held)
        return f"{AXES[self.held]}={self.at:g}" if self.at else plane

    @property
    def across(self) -> tuple[int, int]:
        """Coordinates to the right and upwards in pictures."""
        u, v = (k for k in range(3) if k != self.held)
        return u, v

    @property
    def names(self) -> tuple[str, str]:
        """Names of `across`, of x, y and z."""
        u, v = self.across
        return AXES[u], AXES[v]

    @property
    def normal(self) -> Array:
        """Unit normal of the plane, shape (3,)."""
        return np.eye(3)[self.held]

    def points(self, u: Array, v: Array) -> Array:
        """Return points of the plane in the world, shape (3, N) [m]."""
        p = np.full((3, u.size), self.at)
        p[list(self.across)] = u, v
        return p

    def directions(self, count: int, *, sphere: bool = False) -> Array:
        """Return even unit vectors in the plane or, on Fibonacci's spiral, the sphere, (count, 3).

        In the plane the first points down or, in a horizontal plane, against its second axis.
        """
        k = np.arange(count)
        if sphere:
            height, turn = 1 - (2 * k + 1) / count, _GOLDEN * k
            flat = np.sqrt(1 - height**2)
            return np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=1)
        pitch = -np.pi + 2 * np.pi * k / count
        z = np.zeros((count, 3))
        z[:, self.across[0]], z[:, self.across[1]] = np.sin(pitch), np.cos(pitch)
        return np.round(z, 15)

    def orientation(self, z: Array) -> Array:
        """Return the rotation of a tool with z axis `z` and y axis most normal to the plane.

        For a tool normal to the plane, the y axis is the second axis of the plane.

        Parameters
        ----------
        z : array_like, shape (3,)
            Unit vector.

        Returns
        -------
        ndarray, shape (3, 3)
        """
        z = np.asarray(z, dtype=np.float64)
        y = self.normal - (self.normal @ z) * z
        if np.linalg.norm(y) < 1e-9:
            y = np.eye(3)[self.across[1]]
        y = y / np.linalg.norm(y)
        return np.stack([cross(y, z), y, z], axis=1)


def tool_direction(name: str) -> Array:
    """Return the direction of the tool's z axis by its name, shape (3,).

    Raises
    ------
    ScenarioError
        If there is no such name.
    """
    if name not in TOOLS:
        raise ScenarioError(
            f"Direction {name!r} of the tool is unknown; allowed: {', '.join(TOOLS)}"
        )
    return np.array(TOOLS[name])


def poses(points: Array, R: Array) -> Array:
    """Return tool poses with one orientation at many points, shape (4, 4, N)."""
    T = np.zeros((4, 4, points.shape[1]))
    T[:3, :3] = R[:, :, None]
    T[:3, 3] = points
    T[3, 3] = 1.0
    return T
