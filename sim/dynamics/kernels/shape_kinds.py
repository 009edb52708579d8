"""Kinds of shapes and of the laws of their contact, by number."""

from __future__ import annotations

PLANE, SPHERE, CAPSULE, CYLINDER, BOX, MESH = range(6)
IMPACT, HUNT_CROSSLEY = range(2)
TOTALS = 27  # length of a contact's result at a state

# Factor by which the rate of approach of shapes may increase after its evaluation.
FASTER = 2.0

# Slips [m/s] of a contact with stiction: below AT_REST it is at rest. When it starts to slide,
# START is added along the starting direction and fades out at a slip of FADED.
AT_REST, START, FADED = 1e-9, 1e-6, 1e-3
