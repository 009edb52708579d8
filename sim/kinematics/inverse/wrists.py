"""Both rotations of a wrist: its branches, and where they coincide."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array, Mask

WRISTS = ("wrist unflipped", "wrist flipped")


def opposite_angle(angle: Array) -> Array:
    """Return the angle plus or minus π, inside [-π, π]."""
    return angle - np.copysign(np.pi, angle)


def one_wrist(arrays: tuple[Array, ...], free: Mask) -> tuple[Array, ...]:
    """Return the arrays with the second wrist branch equal to the first where `free`."""
    if not free.any():
        return arrays
    return tuple(np.where(free, x[:, :, :1], x) if x.shape[2] > 1 else x for x in arrays)
