"""Drawings as SVG text: marks, scales with round ticks, frames."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.reports.svg.marks import drawing, line, polyline, text
    from sim.reports.svg.scales import Frame, num, room_for
else:
    load_names_on_use(__name__)

__all__ = ["Frame", "drawing", "line", "num", "polyline", "room_for", "text"]
