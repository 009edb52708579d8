"""Quadratic response surface: least squares with the significance of each term.

Parameters are coded from -1 at the lower end of the range to 1 at the upper, which makes
coefficients comparable.

References
----------
Myers, Montgomery and Anderson-Cook, Response Surface Methodology, 4th ed., sec. 2.3 and 2.4.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np

from sim.maths.arrays import Array

EXACT = 1e-12  # of the largest value: smaller residuals are rounding


class SurfaceTerm(msgspec.Struct, frozen=True, kw_only=True):
    """A term of a surface.

    Parameters
    ----------
    name : str
        Name such as ``1``, ``k``, ``k^2`` or ``k*m``.
    coefficient : float
    error : float or None
        Standard error; None if there are not more points than terms.
    t, p : float or None
        Student's t, and the probability of a larger value for a zero term.
    """

    name: str
    coefficient: float
    error: float | None = None
    t: float | None = None
    p: float | None = None


class ResponseSurface(msgspec.Struct, frozen=True, kw_only=True):
    """A quadratic polynomial in the coded parameters.

    Parameters
    ----------
    response, unit : str
    parameters : list of str
    terms : list of SurfaceTerm
    points : int
        Number of fitted points.
    r2, r2_adjusted : float or None
        Coefficient of determination; None for a constant response.
    residual : float or None
        Standard deviation of the residual.
    """

    response: str
    unit: str
    parameters: list[str]
    terms: list[SurfaceTerm]
    points: int
    r2: float | None
    r2_adjusted: float | None
    residual: float | None

    def evaluate(self, coded: Array) -> Array:
        """Return the values at coded points (N, n)."""
        matrix = columns(coded)
        return np.asarray(matrix @ np.array([term.coefficient for term in self.terms]))


def columns(coded: Array) -> Array:
    """Return the terms at coded points (N, n): constant, linear, squares, products."""
    count, size = coded.shape
    pairs = itertools.combinations(range(size), 2)
    return np.column_stack(
        [np.ones(count), coded, coded**2, *(coded[:, i] * coded[:, k] for i, k in pairs)]
    )


def term_names(names: Sequence[str]) -> list[str]:
    """Return the names of the terms, in the order of `columns`."""
    pairs = (f"{a}*{b}" for a, b in itertools.combinations(names, 2))
    return ["1", *names, *(f"{name}^2" for name in names), *pairs]


def fit_surface(
    response: str, unit: str, names: Sequence[str], coded: Array, values: Array
) -> ResponseSurface | None:
    """Fit a surface to values (N,) at coded points (N, n); None if it is underdetermined.

    Points without a value (NaN) are ignored.
    """
    known = np.isfinite(values)
    matrix, y = columns(coded[known]), values[known]
    count, size = matrix.shape
    if count < size or np.linalg.matrix_rank(matrix) < size:
        return None
    coefficients: Array = np.linalg.lstsq(matrix, y, rcond=None)[0].astype(np.float64)
    residual = y - matrix @ coefficients
    free = count - size
    total = float(np.sum((y - y.mean()) ** 2))
    residual_sum = float(residual @ residual)
    r2 = 1.0 - residual_sum / total if total > 0 else None
    adjusted = None if r2 is None or not free else 1.0 - (1.0 - r2) * (count - 1) / free
    deviation = float(np.sqrt(residual_sum / free)) if free else None
    if deviation is not None and deviation <= EXACT * float(np.max(np.abs(y), initial=0.0)):
        deviation = 0.0
    return ResponseSurface(
        response=response,
        unit=unit,
        parameters=list(names),
        terms=_terms(term_names(names), coefficients, matrix, deviation, free),
        points=count,
        r2=r2,
        r2_adjusted=adjusted,
        residual=deviation,
    )


def _terms(
    names: Sequence[str], coefficients: Array, matrix: Array, deviation: float | None, free: int
) -> list[SurfaceTerm]:
    """Return terms with their statistics; an exact fit has errors of 0 and no t."""
    if deviation is None:
        return [
            SurfaceTerm(name=n, coefficient=float(c))
            for n, c in zip(names, coefficients, strict=True)
        ]
    from scipy.stats import t as student

    spread = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)))
    terms = []
    for name, value, share in zip(names, coefficients, spread, strict=True):
        error = float(deviation * share)
        t = float(value / error) if error > 0 else None
        p = None if t is None else float(2 * student.sf(abs(t), free))
        terms.append(SurfaceTerm(name=name, coefficient=float(value), error=error, t=t, p=p))
    return terms
