"""Kinds of shapes and of the laws of their contact, by number."""

from __future__ import annotations

PLANE, SPHERE, CAPSULE, CYLINDER, BOX, MESH = range(6)
IMPACT, HUNT_CROSSLEY = range(2)
TOTALS = 16  # numbers that a contact gives at a state
