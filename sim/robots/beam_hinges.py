"""A uniform beam as rigid pieces with hinges between them: where these are, and how stiff.

Of each element two hinges stand at the points of Gauss's quadrature, x_i = h (1/2 ± 1/√12), each of
the stiffness EI over its weight h/2. Of a load at the end, or an even one, the bending moment is a
polynomial of at most second degree, so that deflection and slope of the end,

    w = ∫ M (L - x) / EI dx,      φ = ∫ M / EI dx,

are exact with any number of elements; hinges in the middle of even pieces would leave an error of
second order. Frequencies converge with the fourth power of the number of hinges.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array

ALLOWED = 1e-3  # of a frequency, by which the number of hinges is chosen
MOST_HINGES = 60
MOST_MODES = 8


class Hinges(NamedTuple):
    """Places (n,) along a beam of length 1, and the lengths (n,) over which each bends for it."""

    places: Array
    weights: Array


@cache
def hinges_of(count: int) -> Hinges:
    """An even number of hinges, two in each element."""
    offsets, weights = np.polynomial.legendre.leggauss(2)
    h = 2.0 / count
    middles = h * (np.arange(count // 2) + 0.5)
    places = (middles[:, None] + 0.5 * h * offsets).ravel()
    return Hinges(places, np.tile(0.5 * h * weights, count // 2))


def clamped_roots(count: int) -> Array:
    """The first roots β of cosh β cos β = -1, of Euler's and Bernoulli's clamped beam, (count,)."""
    beta = (np.arange(count) + 0.5) * np.pi
    for _ in range(20):  # Newton's method on cos β + 1/cosh β
        f = np.cos(beta) + 1.0 / np.cosh(beta)
        slope = -np.sin(beta) - np.tanh(beta) / np.cosh(beta)
        beta = beta - f / slope
    return np.asarray(beta)


@cache
def piecewise_roots(count: int) -> Array:
    """The β, (count,), of a clamped beam in rigid pieces with `count` hinges."""
    places, weights = hinges_of(count)
    a, b = places[:, None], places[None, :]

    def moment(s: Array | float) -> Array:  # of (s - a)(s - b)
        return np.asarray(s**3 / 3 - (a + b) * s**2 / 2 + a * b * s)

    M = moment(1.0) - moment(np.maximum(a, b))
    root = np.sqrt(weights)
    flexibility = np.linalg.eigvalsh(root[:, None] * M * root)  # 1/ω²
    return np.asarray(np.sort(flexibility)[::-1] ** -0.25)


def frequency_error(count: int, modes: int) -> float:
    """The largest error of the first frequencies of a clamped beam in pieces, of their values."""
    exact = clamped_roots(modes)
    return float(np.max(np.abs((piecewise_roots(count)[:modes] / exact) ** 2 - 1.0)))


@cache
def hinges_needed(modes: int) -> int:
    """The least even number of hinges that has the first frequencies within `ALLOWED`.

    Raises
    ------
    ModelError
        If there are not 1 to `MOST_MODES`.
    """
    if not 1 <= modes <= MOST_MODES:
        raise ModelError(f"Flexible link: modes must be 1 to {MOST_MODES}, got {modes}")
    counts = range(2 * modes, MOST_HINGES + 1, 2)
    return next(count for count in counts if frequency_error(count, modes) <= ALLOWED)
