"""Distances between links, and to a floor, along a run, at samples and between them."""

from sim.clearance.request import FLOOR, Clearance
