"""What the shapes of a link allow its body to be: between which volumes, within which hull.

Nothing here takes a union: findings are the same whatever is installed. The union of closed
bodies is no smaller than the largest of them, and no larger than their hull; what is drawn as a
cover has its mass inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.audit.sizes import LARGEST_MESH
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.inertia import FARTHEST
from sim.shapes.closed_bodies import Faces, weld
from sim.shapes.mass_properties import volume_moments
from sim.shapes.mesh_faults import mesh_faults
from sim.shapes.surface import solid_in_link
from sim.shapes.visuals import Visual, placed_shape

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
        """How far a place is outside of the hull, by the plane that it is furthest from [m]."""
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
    from scipy.spatial import ConvexHull, QhullError

    try:
        drawn, hidden = (
            [_visual(shape, folder) for shape in link.iterchildren(role)]
            for role in ("visual", "collision")
        )
        drawn = drawn or hidden
        weighed = [solid_in_link(shape) for shape in drawn]
        points = [solid_in_link(shape)[0] for shape in hidden] + [each[0] for each in weighed]
    except (ModelError, OSError, ValueError):
        return None
    if not weighed or not np.abs(np.concatenate(points)).max() <= FARTHEST:
        return None
    try:
        hull = ConvexHull(np.concatenate(points))
    except QhullError:  # all in one plane
        return None
    corners = hull.points[hull.vertices]
    return LinkShape(
        corners,
        hull.equations,
        _largest_body(weighed),
        float(hull.volume),
        any(map(_is_drawn, drawn)),
    )


def _largest_body(meshes: list[tuple[Array, Faces]]) -> float:
    """Volume of the largest closed body [m³]; 0 where one is not closed."""
    volumes = []
    for vertices, faces in meshes:
        mesh = weld(vertices, faces)
        if mesh_faults(mesh):
            return 0.0
        volumes += [abs(volume_moments(body).content) for body in mesh.bodies]
    return max(volumes)


def _visual(shape: _Element, folder: Path | None) -> Visual:
    """The shape of a ``<visual>`` or ``<collision>``.

    Raises
    ------
    ModelError
        If it is malformed, or its mesh is larger than an audit reads.
    """
    visual = placed_shape(Node(shape, "", ""), folder)
    if visual.path is not None and visual.path.stat().st_size > LARGEST_MESH:
        raise ModelError("its mesh is too large for an audit")
    return visual


def _is_drawn(visual: Visual) -> bool:
    """Whether a shape is a mesh that does not call itself an illustration in its first line."""
    if visual.path is None:
        return False
    with visual.path.open("rb") as file:
        return b"illustrative" not in file.readline(200)
