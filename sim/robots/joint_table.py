"""Table of a robot's joints for display, in degrees and millimetres."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.robots.coordinate import Coordinate
from sim.robots.joint import Joint
from sim.showing.fragments import html_table


def joint_table(caption: str, joints: Sequence[Joint]) -> str:
    """Return HTML with one row per joint: kind, range, largest speed, largest effort."""
    heads = ("joint", "kind", "range", "speed", "effort")
    rows = (_row(joint, row) for joint in joints for row in joint.coordinates)
    return html_table(caption, heads, rows)


def _row(joint: Joint, row: Coordinate) -> tuple[str, ...]:
    limits = row.limits
    scale, unit = row.degrees_or_millimetres
    ends = [f"{end / scale:.5g}" for end in (limits.lower, limits.upper)]
    unbounded = math.isinf(limits.lower) and math.isinf(limits.upper)
    follows = "" if joint.mimic is None else f", follows {joint.mimic.leaders}"
    return (
        row.name,
        joint.kind + follows,
        "–" if unbounded else f"{ends[0]} … {ends[1]} {unit}",
        _rating_text(limits.velocity / scale, f"{unit}/s"),
        _rating_text(limits.effort, row.units.effort),
    )


def _rating_text(value: float, unit: str) -> str:
    return "–" if math.isinf(value) else f"{value:.5g} {unit}"
