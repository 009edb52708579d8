"""Body 3-1-3 angles of another program, which may be other numbers of the same orientation.

(ψ, θ, φ) and (ψ + π, -θ, φ + π) are one orientation, whole turns of each angle do not count, and
where θ is 0 or π only ψ + φ or ψ - φ is determined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim.maths.arrays import Array
from sim.reference.alignment import AlignedCurve

NAMES = ("psi", "theta", "phi")
ALIGNED = 1e-4  # rad of θ from 0 or π, within which ψ and φ turn about one axis
SAME = 1e-9  # rad

_ANGLE = re.compile(r"(part\..*)\.(psi|theta|phi)")


def same_orientations(
    aligned: Sequence[AlignedCurve],
) -> tuple[list[AlignedCurve], tuple[str, ...]]:
    """External angles as those of equal orientations nearest to ours, and a note on each part.

    Only parts with all three angles at the same times.
    """
    by_channel = {one.channel: one for one in aligned}
    matches = (_ANGLE.fullmatch(channel) for channel in by_channel)
    changed: list[str] = []
    for part in dict.fromkeys(match[1] for match in matches if match):
        three = [by_channel.get(f"{part}.{name}") for name in NAMES]
        some = [one for one in three if one is not None]
        if len(some) < 3 or not all(np.array_equal(one.t, some[0].t) for one in some):
            continue
        mine, theirs = (np.stack([getattr(one, of) for one in some]) for of in ("mine", "theirs"))
        near = _nearest(mine, theirs)
        if np.max(np.abs(near - theirs)) > SAME:
            changed.append(part)
        by_channel |= {
            one.channel: replace(one, theirs=row) for one, row in zip(some, near, strict=True)
        }
    notes = [
        f"{part}: external psi, theta and phi are converted to the equivalent angles closest to "
        "that are wrapped, or not determined where theta is 0 or 180 degrees, are other numbers"
        for part in changed
    ]
    return list(by_channel.values()), tuple(notes)


def _nearest(mine: Array, theirs: Array) -> Array:
    """Angles (3, N) of the orientations of `theirs` that are nearest to `mine`."""
    psi, theta, phi = theirs
    other = np.stack([psi + np.pi, -theta, phi + np.pi])
    first, second = (mine + _wrap(one - mine) for one in (theirs, other))
    far = [np.sum(np.abs(one - mine), axis=0) for one in (first, second)]
    nearest = np.where(far[0] <= far[1], first, second)
    sign = np.where(np.cos(theta) > 0, 1.0, -1.0)
    about_one = np.stack([mine[0], theta, phi + sign * (psi - mine[0])])
    about_one = mine + _wrap(about_one - mine)
    is_aligned = (np.abs(np.sin(theta)) < ALIGNED) & (np.abs(np.sin(mine[1])) < ALIGNED)
    return np.where(is_aligned, about_one, nearest)


def _wrap(angle: Array) -> Array:
    return np.asarray(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))
