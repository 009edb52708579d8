"""What the command prints of a run."""

from sim.reports.terminal.compared import comparison
from sim.reports.terminal.summary import show, summary

__all__ = [
    "comparison",
    "show",
    "summary",
]
