"""What a person sees of a run: the terminal summary, the figures and the page."""

from sim.reports.writing import report

__all__ = ["report"]
