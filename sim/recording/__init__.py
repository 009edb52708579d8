"""A run on disk: its tables, its description and what each channel means."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.recording.recorded_robot import robot_of
    from sim.recording.recording import Recording
    from sim.recording.schema.channels import unit_of
    from sim.recording.schema.measured_facts import MeasuredFacts
else:
    load_names_on_use(__name__)

__all__ = [
    "MeasuredFacts",
    "Recording",
    "robot_of",
    "unit_of",
]
