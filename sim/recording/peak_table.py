"""Table of the peaks of a run's joints for display, in degrees and millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from sim.maths.arrays import Array
from sim.recording.schema.facts import RobotFacts
from sim.robots.coordinate import Coordinate
from sim.showing.fragments import html_table
from sim.showing.shares import percent

HEADS = ("joint", "peak torque", "of rating", "peak speed", "of rating", "range used")


Reached = Callable[[str], Array]


def peak_table(caption: str, robot: RobotFacts, reached: Reached, units: Mapping[str, str]) -> str:
    """Return HTML with one row per joint: peak torque and speed, use of ratings and range.

    `reached` returns all values of a channel, and raises KeyError if it was not recorded.
    """
    rows = (_row(row, reached, units) for row in robot.coordinates)
    return html_table(caption, HEADS, rows)


def _row(row: Coordinate, reached: Reached, units: Mapping[str, str]) -> tuple[str, ...]:
    scale, unit = row.degrees_or_millimetres

    def values(group: str) -> Array:
        try:
            return reached(f"{group}.{row.name}")
        except KeyError:
            return np.full(1, np.nan)

    torque, speed = (float(np.max(np.abs(values(group)))) for group in ("tau", "qd"))
    q = values("q") / scale
    return (
        row.name,
        _number(torque, units.get(f"tau.{row.name}", "")),
        _share(torque, row.limits.effort),
        _number(speed / scale, f"{unit}/s"),
        _share(speed, row.limits.velocity),
        _number(float(np.max(q)), unit, f"{float(np.min(q)):.4g} … "),
    )


def _number(value: float, unit: str, before: str = "") -> str:
    return "–" if math.isnan(value) else f"{before}{value:.4g} {unit}"


def _share(load: float, rating: float) -> str:
    return "–" if rating in (0, math.inf) or math.isnan(load) else percent(load / rating)
