"""What a robot looks like; no torque depends on it."""

from sim.shapes.look import Look, look_of
from sim.shapes.plain import length_of, skeleton
from sim.shapes.surface import Surface
from sim.shapes.visuals import Visual, collisions

__all__ = [
    "Look",
    "Surface",
    "Visual",
    "collisions",
    "length_of",
    "look_of",
    "skeleton",
]
