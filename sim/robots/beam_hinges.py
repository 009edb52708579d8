"""Positions and stiffnesses of the hinges that divide a uniform beam into rigid pieces.

Each element has two hinges, at the points of Gauss quadrature x_i = h (1/2 ± 1/√12), each with the
stiffness EI over its weight h/2. Under a load at the end, or a uniform load, the bending moment is
a polynomial of at most second degree, so that deflection and slope of the end,

    w = ∫ M (L - x) / EI dx,      φ = ∫ M / EI dx,

are exact for any number of elements; hinges in the middle of equal pieces would leave an error of
second order. Frequencies converge with the fourth power of the number of hinges.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array

ALLOWED = 1e-3  # relative frequency error that determines the number of hinges
MOST_HINGES = 60
MOST_MODES = 8


class Hinges(NamedTuple):
    """Positions (n,) of hinges along a beam of length 1, and beam lengths (n,) lumped in them."""

    places: Array
    weights: Array


@cache
def hinges_of(count: int) -> Hinges:
    """Return the hinges of a beam, two in each element; `count` is even."""
    offsets, weights = np.polynomial.legendre.leggauss(2)
    h = 2.0 / count
    middles = h * (np.arange(count // 2) + 0.5)
    places = (middles[:, None] + 0.5 * h * offsets).ravel()
    return Hinges(places, np.tile(0.5 * h * weights, count // 2))


def clamped_roots(count: int) -> Array:
    """Return the first roots β, (count,), of cosh β cos β = -1 (clamped Euler-Bernoulli beam)."""
    beta = (np.arange(count) + 0.5) * np.pi
    for _ in range(20):  # Newton's method on cos β + 1/cosh β
        f = np.cos(beta) + 1.0 / np.cosh(beta)
        slope = -np.sin(beta) - np.tanh(beta) / np.cosh(beta)
        beta = beta - f / slope
    return np.asarray(beta)


@cache
def piecewise_roots(count: int) -> Array:
    """Return the roots β, (count,), of a clamped beam of rigid pieces with `count` hinges."""
    places, weights = hinges_of(count)
    a, b = places[:, None], places[None, :]

    def moment(s: Array | float) -> Array:  # antiderivative of (s - a)(s - b)
        return np.asarray(s**3 / 3 - (a + b) * s**2 / 2 + a * b * s)

    M = moment(1.0) - moment(np.maximum(a, b))
    root = np.sqrt(weights)
    flexibility = np.linalg.eigvalsh(root[:, None] * M * root)  # 1/ω²
    return np.asarray(np.sort(flexibility)[::-1] ** -0.25)


def frequency_error(count: int, modes: int) -> float:
    """Return the largest relative error of the first frequencies of a clamped piecewise beam."""
    exact = clamped_roots(modes)
    return float(np.max(np.abs((piecewise_roots(count)[:modes] / exact) ** 2 - 1.0)))


@cache
def hinges_needed(modes: int) -> int:
    """Return the smallest even number of hinges whose first frequencies are within `ALLOWED`.

    Raises
    ------
    ModelError
        If `modes` is not between 1 and `MOST_MODES`.
    """
    if not 1 <= modes <= MOST_MODES:
        raise ModelError(f"Flexible link: modes must be 1 to {MOST_MODES}, got {modes}")
    counts = range(2 * modes, MOST_HINGES + 1, 2)
    return next(count for count in counts if frequency_error(count, modes) <= ALLOWED)
