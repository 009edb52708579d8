"""SVG drawings as text: charts with two scales, and texts in pixels."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.reports.svg.chart import Chart
    from sim.reports.svg.marks import text
    from sim.reports.svg.scales import num, room_for
else:
    load_names_on_use(__name__)
