"""What the command prints of a run."""

from sim.reports.terminal.summary import comparison, show, summary

__all__ = [
    "comparison",
    "show",
    "summary",
]
