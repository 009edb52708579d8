"""Tool paths of the window: a line, an arc, a heart or stops at points, as functions of time."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

import msgspec
import numpy as np

import sim
from sim.maths.arrays import Array
from sim.studio.refusal import RefusalError
from sim.studio.setup import Text

Point = tuple[float, float, float]
FLAT = 1e-9  # relative to the size of an arc; three points this collinear have no circle


class Line(msgspec.Struct, frozen=True, tag="line", forbid_unknown_fields=True):
    """A straight line in a given time [m, s], at rest at both ends."""

    begin: Point
    end: Point
    time: float


class Arc(msgspec.Struct, frozen=True, tag="arc", forbid_unknown_fields=True):
    """An arc through three points in a given time [m, s], at rest at both ends."""

    begin: Point
    via: Point
    end: Point
    time: float


class Heart(msgspec.Struct, frozen=True, tag="heart", forbid_unknown_fields=True):
    """The curve of `sim.heart`: size, centre, period, ramp [m, s]."""

    size: float
    centre: Point
    time: float
    plane: Literal["xy", "yz", "xz"] = "xy"
    ramp: float = 0.0


class Stops(msgspec.Struct, frozen=True, tag="stops", forbid_unknown_fields=True):
    """Straight lines between points, each in a given time [m, s], at rest at each point."""

    points: Annotated[list[Point], msgspec.Meta(min_length=2, max_length=40)]
    time: float


Shape = Line | Arc | Heart | Stops


def path_functions(shape: Shape) -> dict[str, Text]:
    """Return functions of time of the components x, y and z [m].

    Raises
    ------
    RefusalError, SimError
        If the shape does not exist; with a message for the user of the window.
    """
    if not (np.isfinite(shape.time) and shape.time > 0):
        raise RefusalError(422, "the time must be above 0 s")
    match shape:
        case Line(begin, end, time):
            return _stops([begin, end], time)
        case Stops(points, time):
            return _stops(points, time)
        case Heart(size, centre, time, plane, ramp):
            return sim.heart(size, centre, plane=plane, period=time, ramp=ramp)
        case Arc():
            return _arc(shape)


def _stops(points: list[Point], time: float) -> dict[str, Text]:
    rows = {}
    for axis, values in zip("xyz", np.array(points).T.tolist(), strict=True):
        steps = [
            f"STEP5(time, {k * time!r}, 0, {(k + 1) * time!r}, {_format(after - before)})"
            for k, (before, after) in enumerate(pairwise(values))
            if after != before
        ]
        rows[axis] = " + ".join([_format(values[0]), *steps])
    return rows


def _arc(shape: Arc) -> dict[str, Text]:
    """Return centre + U cos θ + V sin θ, where U points to the start and V is a quarter turn on."""
    centre, turn, u, v = _circle(*(np.array(p) for p in (shape.begin, shape.via, shape.end)))
    angle = f"STEP5(time, 0, 0, {shape.time!r}, {_format(turn)})"
    return {
        axis: f"{_format(centre[k])} + {_format(u[k])}*COS({angle}) + {_format(v[k])}*SIN({angle})"
        for k, axis in enumerate("xyz")
    }


def _circle(begin: Array, via: Array, end: Array) -> tuple[Array, float, Array, Array]:
    """Return centre, angle from the first point through the second to the third, and two radii."""
    a, b = via - begin, end - begin
    normal = np.cross(a, b)
    size = float(normal @ normal)
    if size <= FLAT * float(a @ a) * float(b @ b):
        raise RefusalError(422, "the three points of the arc are in one line: they have no circle")
    to_centre = (np.cross(normal, a) * (b @ b) + np.cross(b, normal) * (a @ a)) / (2 * size)
    u = -to_centre
    v = np.cross(normal, u) / np.sqrt(size)
    last = b - to_centre
    return begin + to_centre, float(np.arctan2(last @ v, last @ u) % (2 * np.pi)), u, v


def _format(value: float) -> str:
    """Return a number to a nanometre, without a minus before zero."""
    return repr(round(float(value), 9) + 0.0)
