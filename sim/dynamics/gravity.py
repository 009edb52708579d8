"""Gravity: the acceleration of free fall."""

from __future__ import annotations

Gravity = tuple[float, float, float]  # in the world [m/s²]

GRAVITY: Gravity = (0.0, 0.0, -9.81)  # at the surface of the earth
