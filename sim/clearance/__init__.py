"""Distances of links to each other and to a floor along a run, at samples and between them."""

from sim.clearance.request import FLOOR, Clearance
