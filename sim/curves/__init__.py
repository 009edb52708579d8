"""Curves over time with their units: expressions, derivative, integral, filter, spectrum."""

from sim.curves.curve import Curve, Extreme, Statistics
from sim.curves.language import FUNCTION_NAMES, calculate
from sim.curves.spectrum import WINDOWS, Spectrum

__all__ = [
    "FUNCTION_NAMES",
    "WINDOWS",
    "Curve",
    "Extreme",
    "Spectrum",
    "Statistics",
    "calculate",
]
