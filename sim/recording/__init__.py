"""A run on disk: its tables, its description and what each channel means."""

from sim.recording.adams_results import adams_reference
from sim.recording.channels import unit_of
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.recording.reference import Reference

__all__ = [
    "Recording",
    "Reference",
    "adams_reference",
    "robot_of",
    "unit_of",
]
