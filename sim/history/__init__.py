"""The history of a scenario: errors against limits, peaks, CPU time, by commit."""

from sim.history.entry import Entry, Measured
from sim.history.files import HISTORY, keep, read_entry, read_history, scenarios
from sim.history.jumps import Jump, jumps_in

__all__ = [
    "HISTORY",
    "Entry",
    "Jump",
    "Measured",
    "jumps_in",
    "keep",
    "read_entry",
    "read_history",
    "scenarios",
]
