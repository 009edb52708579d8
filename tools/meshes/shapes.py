"""Building blocks of robot models: lathed bodies, castings, boxes, hoses.

Points are in metres in the robot's base frame at its zero position; every body is a closed
`Manifold`. Edges are rounded, because sharp ones look like a drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from manifold3d import CrossSection, Manifold, Mesh
from numpy.typing import ArrayLike

from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_aligning_z

Corner = tuple[float, ...]  # radius, distance along the axis, and optionally the fillet

FINE = 0.0125  # a fillet of at least this radius [m] is an arc, a smaller one a chamfer


def segments(radius: float) -> int:
    """Return the segments of a circle: enough to look round, few enough for small files."""
    return int(np.clip(4 * round(84 * np.sqrt(radius) / 4), 12, 40))


def moved(body: Manifold, at: ArrayLike, along: ArrayLike = (0, 0, 1)) -> Manifold:
    """Return a body drawn upwards from the origin, placed at a point along a direction."""
    T = pose(rotation_aligning_z(unit(along)), at)
    return body.transform(T[:3])


def unit(v: ArrayLike) -> Array:
    """Return the direction of a vector."""
    v = np.asarray(v, dtype=np.float64)
    direction: Array = v / np.sqrt(v @ v)
    return direction


def lathe(
    at: ArrayLike, along: ArrayLike, corners: Iterable[Corner], sides: int | None = None
) -> Manifold:
    """Return a turned body with corners (radius, distance along the axis, fillet) from the axis."""
    outline = filleted(list(corners))
    sides = segments(max(radius for radius, _ in outline)) if sides is None else sides
    body = Manifold.revolve(CrossSection([_anticlockwise(outline)]), sides)
    return moved(body, at, along)


def disc(
    at: ArrayLike, along: ArrayLike, radius: float, length: float, fillet: float = 0.0
) -> Manifold:
    """Return a cylinder centred at a point, with both rims rounded."""
    h = length / 2
    return lathe(at, along, [(0, -h), (radius, -h, fillet), (radius, h, fillet), (0, h)])


def tube(
    start: ArrayLike,
    end: ArrayLike,
    radius: float,
    end_radius: float | None = None,
    fillet: float = 0.0,
) -> Manifold:
    """Return a rod or cone from point to point."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    top = radius if end_radius is None else end_radius
    return lathe(
        start, end - start, [(0, 0), (radius, 0, fillet), (top, length, fillet), (0, length)]
    )


def ring(
    at: ArrayLike, along: ArrayLike, radius: float, bore: float, length: float, fillet: float = 0.0
) -> Manifold:
    """Return a flat tube centred at a point."""
    h = length / 2
    outline = filleted([(bore, -h), (radius, -h, fillet), (radius, h, fillet), (bore, h)], True)
    body = Manifold.revolve(CrossSection([_anticlockwise(outline)]), segments(radius))
    return moved(body, at, along)


def box(middle: ArrayLike, size: ArrayLike, edge: float = 0.0) -> Manifold:
    """Return a box with bevelled edges."""
    size = np.asarray(size, dtype=np.float64)
    inner = np.maximum(size - 2 * edge, 1e-6)
    if edge <= 0:
        body = Manifold.cube(tuple(size), True)
    else:
        bars = []
        for axis in range(3):
            bar = inner.copy()
            bar[axis] = size[axis]
            bars.append(Manifold.cube(tuple(bar), True))
        body = Manifold.batch_hull(bars)
    return body.translate(tuple(np.asarray(middle, dtype=np.float64)))


def hull(*bodies: Manifold) -> Manifold:
    """Return the convex hull of several bodies, such as a casting between two bosses."""
    return Manifold.batch_hull(list(bodies))


def hose(points: Sequence[ArrayLike], radius: float, sides: int = 8, steps: int = 16) -> Manifold:
    """Return a cable that passes smoothly through points."""
    from scipy.interpolate import CubicSpline

    corners = np.array([np.asarray(point, dtype=np.float64) for point in points])
    chords = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(np.sqrt(chords))])
    path = CubicSpline(at, corners)
    s = np.linspace(0.0, at[-1], steps + 1)
    centres, tangents = path(s), path(s, 1)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    side = rotation_aligning_z(tangents[0])[:, 0]
    angles = 2 * np.pi * np.arange(sides) / sides
    rings = []
    for centre, tangent in zip(centres, tangents, strict=True):
        side = unit(side - (side @ tangent) * tangent)  # transported without twist
        up = np.cross(tangent, side)
        rings.append(
            centre + radius * (np.outer(np.cos(angles), side) + np.outer(np.sin(angles), up))
        )
    return _skin(np.array(rings), centres[0], centres[-1])


def circle_of(
    at: ArrayLike, along: ArrayLike, radius: float, count: int, phase: float = 0.0
) -> list[Array]:
    """Return points on a circle around an axis, such as those of bolts."""
    R = rotation_aligning_z(unit(along))
    angles = phase + 2 * np.pi * np.arange(count) / count
    around = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)])
    return list(np.asarray(at, dtype=np.float64) + radius * (R @ around).T)


def bolts(
    at: ArrayLike, along: ArrayLike, radius: float, count: int, size: float, phase: float = 0.0
) -> list[Manifold]:
    """Return hexagonal heads on a circle, on the plane through its centre."""
    height = 0.6 * size
    head = Manifold.cylinder(1.5 * height, size / 2, circular_segments=6)
    head = head.translate((0, 0, -0.5 * height))
    return [moved(head, point, along) for point in circle_of(at, along, radius, count, phase)]


def motor(at: ArrayLike, along: ArrayLike, radius: float, length: float) -> Manifold:
    """Return a servo motor on a point: flange, body, and the narrower cap of its brake."""
    flange, body = 0.1 * length, 0.72 * length
    return lathe(
        at,
        along,
        [
            (0, 0),
            (1.12 * radius, 0),
            (1.12 * radius, flange),
            (radius, flange),
            (radius, body),
            (0.88 * radius, body + 0.08 * radius),
            (0.88 * radius, length, 0.12 * radius),
            (0, length),
        ],
        sides=20,
    )


def filleted(corners: Sequence[Corner], closed: bool = False) -> list[tuple[float, float]]:
    """Return an outline with its corners rounded by their fillets."""
    points = [np.array(corner[:2], dtype=np.float64) for corner in corners]
    outline: list[tuple[float, float]] = []
    for index, corner in enumerate(corners):
        radius = corner[2] if len(corner) == 3 else 0.0
        inner = closed or 0 < index < len(corners) - 1
        if radius <= 0 or not inner:
            outline.append((float(corner[0]), float(corner[1])))
            continue
        before = unit(points[index - 1] - points[index])
        after = unit(points[(index + 1) % len(points)] - points[index])
        outline += _arc(points[index], before, after, radius)
    return outline


def _arc(corner: Array, before: Array, after: Array, radius: float) -> list[tuple[float, float]]:
    half = np.arccos(np.clip(before @ after, -1, 1)) / 2
    reach = radius / np.tan(half)
    centre = corner + unit(before + after) * radius / np.sin(half)
    start, end = corner + reach * before - centre, corner + reach * after - centre
    sweep = np.pi - 2 * half
    steps = 2 if radius >= FINE else 1
    arc = []
    for step in range(steps + 1):
        share = step / steps
        weights = np.sin((1 - share) * sweep), np.sin(share * sweep)
        point = centre + (weights[0] * start + weights[1] * end) / np.sin(sweep)
        arc.append((float(point[0]), float(point[1])))
    return arc


def _anticlockwise(outline: Sequence[tuple[float, float]]) -> Array:
    points = np.array(outline)
    x, y = points.T
    area = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    return points if area > 0 else points[::-1]


def _skin(rings: Array, start: Array, end: Array) -> Manifold:
    rows, sides = rings.shape[:2]
    vertices = np.concatenate([rings.reshape(-1, 3), [start, end]])
    row, side = np.meshgrid(np.arange(rows - 1), np.arange(sides), indexing="ij")
    a = (row * sides + side).ravel()
    b = (row * sides + (side + 1) % sides).ravel()
    walls = np.concatenate([np.stack([a, b, b + sides]), np.stack([a, b + sides, a + sides])], 1).T
    turn = np.arange(sides)
    after = (turn + 1) % sides
    first, last = rows * sides, rows * sides + 1
    top = (rows - 1) * sides
    lids = [np.stack([np.full(sides, first), after, turn], 1)]
    lids.append(np.stack([np.full(sides, last), top + turn, top + after], 1))
    faces = np.concatenate([walls, *lids]).astype(np.uint32)
    return Manifold(Mesh(vertices.astype(np.float32), faces))
