"""History of a scenario: errors against limits, peaks, CPU time, by commit."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.history.entry import HistoryEntry, Measured
    from sim.history.files import HISTORY, keep, read_entry, read_history, scenarios
    from sim.history.jumps import Jump, jumps_in
else:
    load_names_on_use(__name__)
