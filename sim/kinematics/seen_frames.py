"""Pose and motion of one frame of a loop relative to the other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array


class Seen(Struct, frozen=True, eq=False, dict=True):
    """Frame b as seen from frame a, along the axes of a.

    Parameters
    ----------
    p : ndarray, shape (3, N)
        Position of point b relative to point a [m].
    R_a, R_b : ndarray, shape (3, 3, N)
        Rotations of both frames in the world.
    turns : mapping of int to ndarray, shape (N,), or None
        Angles of b in a about x, y or z, by index, with whole turns, if hinges about that axis
        connect the two frames [rad]; None if not requested.
    """

    p: Array
    R_a: Array
    R_b: Array
    turns: Mapping[int, Array] | None = None

    @cached_property
    def R(self) -> Array:
        """Rotation of b in a, shape (3, 3, N)."""
        return np.einsum("baN,bcN->acN", self.R_a, self.R_b)


class SeenRates(Struct, frozen=True, eq=False):
    """Relative velocity and acceleration, linear and angular, (3, N) each, along a."""

    v: Array
    a: Array
    w: Array
    wd: Array
