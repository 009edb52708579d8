"""Derivatives by differences of high order: an oracle for what is differentiated by formula."""

from __future__ import annotations

from collections.abc import Callable

from sim.maths import Array

WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def central_difference(function: Callable[[Array], Array], t: Array, step: float) -> Array:
    """df/dt from eight neighbours; the error is step⁸ / 630 times the ninth derivative."""
    total = 0.0 * function(t)
    for k, weight in WEIGHTS.items():
        total = total + weight * (function(t + k * step) - function(t - k * step)) / step
    return total
