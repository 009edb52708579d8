"""A run on disk: its tables, its description and what each channel means."""

from sim.recording.adams_results import adams_reference
from sim.recording.channels import unit_of
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.recording.reference import Reference
from sim.recording.reference_limits import Growth, SourceError

__all__ = [
    "Growth",
    "Recording",
    "Reference",
    "SourceError",
    "adams_reference",
    "robot_of",
    "unit_of",
]
