"""Curves over time with units: expressions, derivative, integral, filter, spectrum."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.curves.curve import Curve, Extreme, Statistics
    from sim.curves.language import calculate, function_names
    from sim.curves.signals import zero_phase
    from sim.curves.spectral_fit import Prior, SpectralFit, fit_spectrum
    from sim.curves.spectrum import WINDOWS, Spectrum
else:
    load_names_on_use(__name__)
