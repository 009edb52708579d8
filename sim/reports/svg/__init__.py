"""Drawings as SVG text: marks, scales with round ticks, frames."""

from sim.reports.svg.marks import drawing, line, polyline, text
from sim.reports.svg.scales import Frame, num, room_for

__all__ = ["Frame", "drawing", "line", "num", "polyline", "room_for", "text"]
