"""The page of a run: one HTML file with the robot, the curves and the verdict."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.reports.page.overlay import Overlay
    from sim.reports.page.report import write_report
else:
    load_names_on_use(__name__)
