"""Bounds on a link's body from its shapes: its volumes and its hull.

Nothing here takes a union: findings are the same whatever is installed. The union of closed
bodies is no smaller than the largest of them, and no larger than their hull; what is drawn as a
cover has its mass inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.audit.solids import Solid, largest_body, solid_of
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.inertia import FARTHEST
from sim.shapes.convex_hull import convex_hull
from sim.shapes.surface import solid_in_link
from sim.shapes.visuals import placed_shape

if TYPE_CHECKING:
    from lxml.etree import _Element


@dataclass(frozen=True, eq=False)
class LinkShape:
    """The shapes of one link, in its frame.

    Parameters
    ----------
    corners : ndarray, shape (N, 3)
        Vertices of their convex hull [m].
    planes : ndarray, shape (F, 4)
        Its faces as outward normal and offset: n·x + d is the distance to the outside [m].
    least, most : float
        Between which the volume of their union is [m³]; `least` is 0 where a mesh is not closed.
    is_drawn : bool
        Whether a mesh shows it that does not call itself an illustration.
    """

    corners: Array
    planes: Array
    least: float
    most: float
    is_drawn: bool

    @property
    def size(self) -> float:
        """Diagonal of the box around them [m]."""
        return float(np.linalg.norm(np.ptp(self.corners, axis=0)))

    def outside(self, place: Array) -> float:
        """Distance of a place outside the hull, by the plane that it is furthest from [m]."""
        return float((self.planes[:, :3] @ place + self.planes[:, 3]).max())

    def largest_spread(self, centre: Array, along: Array, slack: float = 0.0) -> float:
        """Root of the largest ∫ (u·(x - c))² dm/m of any mass in the hull with this centre [m].

        √((b - μ)(μ - a)), where the hull reaches from a to b along u and μ = u·c (Bhatia and
        Davis, American Mathematical Monthly 107 (2000) 353, theorem 1). The hull is larger by
        `slack` [m] on either side.
        """
        heights = (self.corners - centre) @ along
        above, below = heights.max() + slack, slack - heights.min()
        return float(np.sqrt(max(0.0, above) * max(0.0, below)))


def shape_of(link: _Element, folder: Path | None) -> LinkShape | None:
    """The shapes of a link; None where there is none, or one that cannot be read."""
    try:
        drawn, hidden = (
            [_place(shape, folder) for shape in link.iterchildren(role)]
            for role in ("visual", "collision")
        )
    except (ModelError, OSError, ValueError):
        return None
    points = [one.corners for one in drawn + hidden]
    if not points or not np.abs(np.concatenate(points)).max() <= FARTHEST:
        return None
    hull = convex_hull(np.concatenate(points))
    if hull is None:
        return None
    drawn = drawn or hidden
    volumes = [one.volume for one in drawn]
    return LinkShape(
        hull.corners,
        hull.planes,
        max(volumes) if all(volumes) else 0.0,
        hull.volume,
        any(one.is_drawn for one in drawn),
    )


def _place(shape: _Element, folder: Path | None) -> Solid:
    """The solid of a ``<visual>`` or ``<collision>`` in the link frame [m].

    Raises
    ------
    ModelError, OSError
        If it is malformed, or its mesh cannot be read.
    """
    visual = placed_shape(Node(shape, "", ""), folder)
    if visual.path is None:
        vertices, faces = solid_in_link(visual)
        return Solid(vertices, largest_body(vertices, faces), False)
    solid, scale, T = solid_of(visual.path), np.array(visual.scale), visual.T_lv
    if solid is None:
        raise ModelError(f"its mesh {visual.path} cannot be read")
    corners = (solid.corners * scale) @ T[:3, :3].T + T[:3, 3]
    return Solid(corners, solid.volume * abs(float(scale.prod())), solid.is_drawn)
