"""What the page of a study shows: answers in words, and drawings as SVG written as text."""

from sim.studies.report.pictures.case_table import case_table
from sim.studies.report.pictures.grid_chart import KEYS
from sim.studies.report.pictures.layouts import layout_of
from sim.studies.report.pictures.study_data import data_of

__all__ = [
    "KEYS",
    "case_table",
    "data_of",
    "layout_of",
]
