"""Friction, payload and inertia of a real robot from a log of its motion and torques."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.identification.doubts import Doubt, suspicions
    from sim.identification.follow_log import follow_log
    from sim.identification.identify import identify
    from sim.identification.log import Log
    from sim.identification.result import FrictionLaw, Identification, JointScore, Parameter
else:
    load_names_on_use(__name__)
