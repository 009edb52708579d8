"""What a person sees of a run: the terminal summary and the figures."""

from sim.reports.figures import figures as report

__all__ = ["report"]
