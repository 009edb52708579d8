"""Largest speed and payload of a robot on a motion, within its ratings."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.capacity.fit_time import FitTime, fit_time
    from sim.capacity.largest_payload import LargestPayload, largest_payload
    from sim.capacity.rated_motion import RatedMotion
    from sim.capacity.ratings import Ratings
    from sim.capacity.time_optimal import TimeOptimal, time_optimal
else:
    load_names_on_use(__name__)
