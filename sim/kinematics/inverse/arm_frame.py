"""Axes of the arm frame, and rotations of them."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array

# Columns: radial, up, n in the arm frame.
PLANE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def turn_z(angle: float) -> Array:
    """Return the rotation about z, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def turn_y(angle: float) -> Array:
    """Return the rotation about y, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def drop_rounding(length: float) -> float:
    """Return the length [m], or zero if it is only rounding."""
    return 0.0 if abs(length) < 1e-14 else float(length)
