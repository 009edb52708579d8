"""Motors and gears out of catalogues for a run: what it asks of them at the shaft, which hold."""

from sim.sizing.catalogue import read_gears, read_motors
from sim.sizing.choice import MotorChoice, MotorSizing, size_motors
from sim.sizing.pair import Pair
from sim.sizing.parts import Gear, Motor
from sim.sizing.shaft import ShaftLoad, shaft_load

__all__ = [
    "Gear",
    "Motor",
    "MotorChoice",
    "MotorSizing",
    "Pair",
    "ShaftLoad",
    "read_gears",
    "read_motors",
    "shaft_load",
    "size_motors",
]
