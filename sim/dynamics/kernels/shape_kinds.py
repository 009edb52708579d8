"""Kinds of shapes and of the laws of their contact, by number."""

from __future__ import annotations

PLANE, SPHERE, CAPSULE, CYLINDER, BOX, MESH = range(6)
IMPACT, HUNT_CROSSLEY = range(2)
TOTALS = 16  # numbers that a contact gives at a state

# Than where it was looked at, shapes may come so much faster nearer within a step.
FASTER = 2.0
