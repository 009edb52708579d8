"""Figures of a run for papers and slides: PNG and SVG."""

from sim.reports.figures.figures import write_figures
