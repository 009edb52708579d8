"""Kinds of shapes and of the laws of their contact, by number."""

from __future__ import annotations

PLANE, SPHERE, CAPSULE, CYLINDER, BOX, MESH = range(6)
IMPACT, HUNT_CROSSLEY = range(2)
TOTALS = 16  # length of a contact's result at a state

# Factor by which the rate of approach of shapes may increase after its evaluation.
FASTER = 2.0
