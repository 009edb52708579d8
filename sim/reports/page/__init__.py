"""The page of a run: one HTML file with the robot, the curves and the verdict."""

from sim.reports.page.overlay import Overlay
from sim.reports.page.report import write_report

__all__ = [
    "Overlay",
    "write_report",
]
