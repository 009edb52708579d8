"""Rotations in tables without a robot: three columns that form one rotation vector."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from sim.comparison.clock import lag_of
from sim.foreign.map_curves import MappedCurve, MappedTable
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import displace_rows, steady_quaternions
from sim.reference.alignment import AlignedCurve

BALL = re.compile(r"q\..+\.x")
HALF_TURN = np.pi * (1 + 1e-6)  # rad


def rotations_in(
    mapped: MappedTable, ours: Mapping[str, MappedCurve], units: Mapping[str, str]
) -> tuple[tuple[str, ...], ...]:
    """Return columns q.<ball>.x, .y, .z that are angles up to half a turn in both: rotations."""
    theirs = {curve.channel: curve for curve in mapped.curves}
    rotations = []
    for three in ((name, f"{name[:-1]}y", f"{name[:-1]}z") for name in theirs):
        if not BALL.fullmatch(three[0]) or any(name not in theirs for name in three):
            continue
        some = [[table[name] for name in three] for table in (theirs, ours)]
        angles = [np.array([c.values for c in each if c.t.size == each[0].t.size]) for each in some]
        if (
            all(len(each) == 3 for each in angles)
            and all(
                units[name] == "rad" and np.array_equal(each[0].t, c.t)
                for each in some
                for name, c in zip(three, each, strict=True)
            )
            and all(np.linalg.norm(each, axis=0).max() <= HALF_TURN for each in angles)
        ):
            rotations.append(three)
    return tuple(rotations)


def smooth_curves(
    channel: str, ours: Mapping[str, MappedCurve], rotations: Sequence[Sequence[str]]
) -> Sequence[Array]:
    """Return our values of a channel; of a rotation its quaternions, continuous at half a turn."""
    for three in rotations:
        if channel in three:
            return list(steady_quaternions(np.stack([ours[name].values for name in three])))
    return [ours[channel].values]


def lag(one: AlignedCurve, ours: Mapping[str, MappedCurve]) -> float | None:
    """Return the delay of our curve [s]; of a rotation, that of its continuous quaternion."""
    mine, theirs = ours[one.channel].values, one.theirs
    if one.others:
        three = sorted(one.every, key=lambda each: each.channel)
        row = [each.channel for each in three].index(one.channel)
        our_rows = np.stack([each.mine for each in three])
        # theirs are represented by the rotation that separates them from ours
        away = our_rows - np.stack([each.theirs for each in three])
        first = steady_quaternions(np.stack([ours[each.channel].values for each in three]))
        second = steady_quaternions(displace_rows([slice(0, 3)], our_rows, -away))
        sign = np.sign(np.sum(first[:, 0] * second[:, 0])) or 1.0
        mine, theirs = first[row], sign * second[row]
    return lag_of(one.t, theirs, ours[one.channel].t, mine)
