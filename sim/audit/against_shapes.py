"""Masses, mass centres and tensors that contradict a link's shapes.

They are warnings if a mesh shows the link, and notes if only simple shapes represent it, or a mesh
that is called an illustration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sim.audit.finding import Finding, Severity
from sim.audit.inertias import InertialText, inertials, stand_ins
from sim.audit.sizes import Extent
from sim.audit.solids import ShapeSolid, largest_body, solid_of
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.inertia import FARTHEST
from sim.shapes.convex_hull import convex_hull
from sim.shapes.surface import solid_in_link
from sim.shapes.visuals import placed_shape

if TYPE_CHECKING:
    from lxml.etree import _Element

THIN, DENSE = 200.0, 20_000.0  # [kg/m³] of parts including cavities: no arm is outside
THINNEST = 20.0  # [kg/m³]; above, a closed mesh may represent a thin shell
CLEAR = 0.1  # of a link's size; smaller differences may be screws or a cover that are not drawn
SIMPLIFIED = 0.4  # of a spread: the same
WHOLE = 3000.0  # [kg/m³] of a hull: a denser link has parts that are not drawn
IN_PART = 3.0  # factor of those limits for such links
ROUNDED = 0.01  # of a link's size, or of a spread: accuracy of drawings and printed digits


def against_shapes(
    root: _Element, folder: Path | None, extents: dict[str, Extent], doubted: Collection[str]
) -> Iterator[Finding]:
    """Yield findings on links whose shapes can be read, except those in `doubted`."""
    bodies = list(inertials(root, extents))
    passed_over = {*doubted, *stand_ins(root, bodies)}
    for body in bodies:
        if body.link in passed_over or body.mass <= 0:
            continue
        if (shape := shape_of(body.element, folder)) is not None:
            yield from _density(body, shape)
            yield from _centre_and_spread(body, shape)


def _density(body: InertialText, shape: LinkShape) -> Iterator[Finding]:
    least = body.mass / shape.most
    most = body.mass / shape.least if shape.least else float("inf")
    if most >= THIN and least <= DENSE:
        return
    thin = most < THIN
    litres = f"{1000 * (shape.least if thin else shape.most):.3g} l"
    text = (
        f"{body.mass:g} kg in shapes of {'at least' if thin else 'at most'} {litres}: "
        f"{most if thin else least:.3g} kg/m³, {'less' if thin else 'more'} than "
        f"{THIN if thin else DENSE:g}"
    )
    is_clear = not thin or most < THINNEST
    grave, remedy = _judge(shape, "check mass, shapes and their scale: sim mass FILE", is_clear)
    yield Finding(grave, "implied-density", body.link, body.line, text, remedy)


def _centre_and_spread(body: InertialText, shape: LinkShape) -> Iterator[Finding]:
    centre, slack = np.array(body.com), ROUNDED * shape.size
    drawn = IN_PART if body.mass > WHOLE * shape.most else 1.0
    outside = shape.outside(centre)
    if outside > slack:
        shown = " ".join(f"{value:g}" for value in body.com)
        text = (
            f"the mass centre ({shown}) m is {1000 * outside:.3g} mm outside the convex hull of "
            "its shapes"
        )
        is_clear = outside > CLEAR * drawn * shape.size
        grave, remedy = _judge(shape, "give the mass centre in the link frame, in metres", is_clear)
        yield Finding(grave, "centre-outside-shape", body.link, body.line, text, remedy)
        return
    for along, spread in _spreads(body):
        largest = shape.largest_spread(centre, along, slack)
        if spread > (1 + ROUNDED) * largest:
            shown = " ".join(f"{value:g}" for value in np.round(along, 2) + 0.0)
            text = (
                f"along ({shown}) its tensor implies a mass spread of {1000 * spread:.3g} mm RMS; "
                f"its shapes allow at most {1000 * largest:.3g} mm"
            )
            from_cad = "export mass and tensor from CAD: about the mass centre, in kg·m²"
            grave, remedy = _judge(shape, from_cad, spread > (1 + SIMPLIFIED * drawn) * largest)
            yield Finding(grave, "inertia-beyond-shape", body.link, body.line, text, remedy)
            return


def _judge(shape: LinkShape, remedy: str, is_clear: bool) -> tuple[Severity, str]:
    """Return the severity of a contradiction, and its remedy.

    A warning needs a mesh of the link, and a difference larger than omissions of the mesh explain.
    """
    if shape.is_drawn and is_clear:
        return "warning", remedy
    return "note", f"none if the shapes are placeholders; otherwise {remedy}"


def _spreads(body: InertialText) -> Iterator[tuple[Array, float]]:
    """Yield the principal axes in the link frame, and the spread of the mass along each [m]."""
    tensor = body.tensor_in_link
    second = np.trace(tensor) / 2 * np.eye(3) - tensor
    squares, axes = np.linalg.eigh(second / body.mass)
    for square, axis in zip(squares, axes.T, strict=True):
        yield axis, float(np.sqrt(max(0.0, square)))


class LinkShape(Struct, frozen=True, eq=False):
    """Shapes of one link, in its frame.

    Parameters
    ----------
    corners : ndarray, shape (N, 3)
        Vertices of their convex hull [m].
    planes : ndarray, shape (F, 4)
        Faces of the hull as outward normal and offset: n·x + d is the distance to the outside [m].
    least, most : float
        Bounds of the volume of their union [m³]; `least` is 0 if a mesh is not closed.
    is_drawn : bool
        Whether a mesh shows the link that is not called an illustration.
    """

    corners: Array
    planes: Array
    least: float
    most: float
    is_drawn: bool

    @property
    def size(self) -> float:
        """Diagonal of the box around the shapes [m]."""
        return float(np.linalg.norm(np.ptp(self.corners, axis=0)))

    def outside(self, place: Array) -> float:
        """Return the distance of a point outside the hull, from its furthest plane [m]."""
        return float((self.planes[:, :3] @ place + self.planes[:, 3]).max())

    def largest_spread(self, centre: Array, along: Array, slack: float = 0.0) -> float:
        """Return the root of the largest ∫ (u·(x - c))² dm/m of a mass in the hull with centre c.

        √((b - μ)(μ - a)), where the hull extends from a to b along u and μ = u·c (Bhatia and Davis,
        American Mathematical Monthly 107 (2000) 353, theorem 1). The hull is enlarged by `slack`
        [m] on either side.
        """
        heights = (self.corners - centre) @ along
        above, below = heights.max() + slack, slack - heights.min()
        return float(np.sqrt(max(0.0, above) * max(0.0, below)))


def shape_of(link: _Element, folder: Path | None) -> LinkShape | None:
    """Return the shapes of a link; None if there are none, or one cannot be read."""
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
    if (hull := convex_hull(np.concatenate(points))) is None:
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


def _place(shape: _Element, folder: Path | None) -> ShapeSolid:
    """Return the solid of a ``<visual>`` or ``<collision>`` in the link frame [m].

    Raises
    ------
    ModelError, OSError
        If it is malformed, or its mesh cannot be read.
    """
    visual = placed_shape(Node(shape, "", ""), folder)
    if visual.path is None:
        vertices, faces = solid_in_link(visual)
        return ShapeSolid(vertices, largest_body(vertices, faces), False)
    solid, scale, T = solid_of(visual.path), np.array(visual.scale), visual.T_lv
    if solid is None:
        raise ModelError(f"its mesh {visual.path} cannot be read")
    corners = (solid.corners * scale) @ T[:3, :3].T + T[:3, 3]
    return ShapeSolid(corners, solid.volume * abs(float(scale.prod())), solid.is_drawn)
