"""Distances of links to each other and to a floor along a run, known between its samples too."""

from sim.clearance.request import FLOOR, Clearance

__all__ = ["FLOOR", "Clearance"]
