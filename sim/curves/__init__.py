"""Curves over time with their units: expressions, derivative, integral, filter, spectrum."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.curves.curve import Curve, Extreme, Statistics
    from sim.curves.language import FUNCTION_NAMES, calculate
    from sim.curves.signals import zero_phase
    from sim.curves.spectral_fit import Fit, Prior, fit_spectrum
    from sim.curves.spectrum import WINDOWS, Spectrum
else:
    load_names_on_use(__name__)

__all__ = [
    "FUNCTION_NAMES",
    "WINDOWS",
    "Curve",
    "Extreme",
    "Fit",
    "Prior",
    "Spectrum",
    "Statistics",
    "calculate",
    "fit_spectrum",
    "zero_phase",
]
