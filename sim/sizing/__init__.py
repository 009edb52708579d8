"""Selection of motors and gears from catalogues for a run, by the loads at their shafts."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.sizing.catalogue import read_gears, read_motors
    from sim.sizing.choice import MotorChoice, MotorSizing, size_motors
    from sim.sizing.pair import Pair
    from sim.sizing.parts import Gear, Motor
    from sim.sizing.shaft import ShaftLoad, shaft_load
else:
    load_names_on_use(__name__)
