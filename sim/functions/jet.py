"""Second-order jets: the value of a function with its exact first and second time derivative.

Arithmetic and elementary functions propagate all three by the product and chain rules (forward
differentiation), so no derivative in this package is a finite difference.

Where a function switches, a jet holds the limits from the right (t → t⁺). The side of a switching
argument just after t follows from its jet: from its value or, if that is zero, from its first and
then its second derivative.

Undefined values are NaN. Callers silence NumPy's warnings.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from sim.maths.arrays import Array, frozen

ZERO = frozen(0.0)
ONE = frozen(1.0)


class Jet(Struct, frozen=True, eq=False):
    """f, f′ and f″ at sample times.

    The three broadcast against each other. A constant has three scalars, and the derivatives of an
    affine function of time are scalars: this keeps both cheap and recognisable.

    Parameters
    ----------
    value, first, second : ndarray, each of shape () or of the shape of the times
        f [u], df/dt [u/s], d²f/dt² [u/s²] in any unit u.
    """

    value: Array
    first: Array
    second: Array

    __array_ufunc__: ClassVar[None] = None  # makes NumPy leave `array * jet` to the jet

    @classmethod
    def constant(cls, value: ArrayLike) -> Jet:
        """Return a constant function."""
        return cls(np.asarray(value, dtype=np.float64), ZERO, ZERO)

    @classmethod
    def time(cls, t: ArrayLike) -> Jet:
        """Return time itself [s]: (t, 1, 0)."""
        return cls(np.asarray(t, dtype=np.float64), ONE, ZERO)

    @classmethod
    def resting(cls, values: Array) -> Jet:
        """Return a piecewise constant function with these values."""
        rest = np.zeros_like(values)
        return cls(values, rest, rest)

    @property
    def is_affine(self) -> bool:
        """True if the slope is a single number for all samples (of an array of times)."""
        return self.first.ndim == 0 and self.second.ndim == 0 and bool(self.second == 0.0)

    @property
    def is_constant(self) -> bool:
        """True if the slope is the single number zero."""
        return self.is_affine and bool(self.first == 0.0)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.first, -self.second)

    def __add__(self, other: Jet | float) -> Jet:
        a, b = self, _jet(other)
        if a.is_constant:
            a, b = b, a
        if b.is_constant:
            return Jet(a.value + b.value, a.first, a.second)
        return Jet(a.value + b.value, a.first + b.first, a.second + b.second)

    def __sub__(self, other: Jet | float) -> Jet:
        a, b = self, _jet(other)
        if b.is_constant:
            return Jet(a.value - b.value, a.first, a.second)
        return Jet(a.value - b.value, a.first - b.first, a.second - b.second)

    def __mul__(self, other: Jet | float) -> Jet:
        a, b = self, _jet(other)
        if a.is_constant:
            a, b = b, a
        if b.is_constant:
            return Jet(a.value * b.value, a.first * b.value, a.second * b.value)
        return Jet(
            a.value * b.value,
            a.first * b.value + a.value * b.first,
            a.second * b.value + 2.0 * (a.first * b.first) + a.value * b.second,
        )

    def __truediv__(self, other: Jet | float) -> Jet:
        a, b = self, _jet(other)
        divisor = _nan_unless(b.value, b.value != 0.0)
        quotient = a.value / divisor
        if b.is_constant:
            return Jet(quotient, a.first / divisor, a.second / divisor)
        first = (a.first - quotient * b.first) / divisor
        return Jet(
            quotient, first, (a.second - 2.0 * (first * b.first) - quotient * b.second) / divisor
        )

    def __radd__(self, other: float) -> Jet:
        return self + other

    def __rsub__(self, other: float) -> Jet:
        return _jet(other) - self

    def __rmul__(self, other: float) -> Jet:
        return self * other

    def __rtruediv__(self, other: float) -> Jet:
        return _jet(other) / self


def chain(x: Jet, f: Array, f1: Array, f2: Array) -> Jet:
    """Return the jet of f(x): f, f₁ x′, f₂ x′² + f₁ x″, with f₁, f₂ the derivatives of f by x."""
    at_rest = (x.first == 0.0) & (x.second == 0.0)
    if np.any(at_rest):  # an infinite slope, as of SQRT at 0, has no effect on an argument at rest
        f1, f2 = np.where(at_rest, 0.0, f1), np.where(at_rest, 0.0, f2)
    if x.is_affine:
        return Jet(f, f1 * x.first, f2 * (x.first * x.first))
    return Jet(f, f1 * x.first, f2 * (x.first * x.first) + f1 * x.second)


def sign_after(x: Jet) -> Array:
    """Return the sign of x just after t: -1, 0 (x stays zero, to second order), 1, or NaN."""
    sign = np.sign(x.value)
    zero = sign == 0.0
    return np.where(zero, heading(x), sign) if np.any(zero) else sign


def heading(x: Jet) -> Array:
    """Return -1, 0 or 1 if x falls, stays (to second order) or rises just after t."""
    return np.where(x.first != 0.0, np.sign(x.first), np.sign(x.second))


def truncate(x: Jet) -> Array:
    """Return the integer part of x just after t, truncated towards zero."""
    floor = np.floor(x.value)
    side = sign_after(Jet(x.value - floor, x.first, x.second))
    below = floor - (side < 0.0)
    return np.where((below < 0.0) & (side != 0.0), below + 1.0, below)


def round_half_away(x: Jet) -> Array:
    """Return the integer nearest to x just after t; if x stays halfway, away from zero."""
    floor = np.floor(x.value)
    side = sign_after(Jet(x.value - floor - 0.5, x.first, x.second))
    return floor + ((side > 0.0) | ((side == 0.0) & (x.value > 0.0)))


def choose(sign: Array, below: Jet, at: Jet, above: Jet) -> Jet:
    """Return `below`, `at` or `above` for a negative, zero or positive `sign`; NaN for NaN."""

    def pick(low: Array, middle: Array, high: Array) -> Array:
        rest = np.where(sign > 0.0, high, np.where(sign == 0.0, middle, np.nan))
        return np.where(sign < 0.0, low, rest)

    return Jet(
        pick(below.value, at.value, above.value),
        pick(below.first, at.first, above.first),
        pick(below.second, at.second, above.second),
    )


def power(a: Jet, b: Jet) -> Jet:
    """Return a ** b; NaN for a negative base with fractional b and for zero with negative b."""
    if not b.is_constant:
        grown = exp(b * log(a))  # for its derivatives only; the power itself is exact at a = 0
        return Jet(_power(a.value, b.value), grown.first, grown.second)
    n = b.value

    def term(factor: Array, exponent: Array) -> Array:
        return np.where(factor == 0.0, 0.0, factor * _power(a.value, exponent))

    return chain(a, _power(a.value, n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0))


def sqrt(x: Jet) -> Jet:
    """√x."""
    root = np.sqrt(x.value)
    return chain(x, root, 0.5 / root, -0.25 / (root * x.value))


def exp(x: Jet) -> Jet:
    """eˣ."""
    e = np.exp(x.value)
    return chain(x, e, e, e)


def log(x: Jet) -> Jet:
    """Natural logarithm; NaN at zero."""
    v = _nan_unless(x.value, x.value > 0.0)
    return chain(x, np.log(v), 1.0 / v, -1.0 / (v * v))


def log10(x: Jet) -> Jet:
    """Decimal logarithm; NaN at zero."""
    v = _nan_unless(x.value, x.value > 0.0)
    ln10 = np.log(10.0)
    return chain(x, np.log10(v), 1.0 / (v * ln10), -1.0 / (v * v * ln10))


def sin(x: Jet) -> Jet:
    """Sine of x [rad]."""
    s, c = np.sin(x.value), np.cos(x.value)
    return chain(x, s, c, -s)


def cos(x: Jet) -> Jet:
    """Cosine of x [rad]."""
    s, c = np.sin(x.value), np.cos(x.value)
    return chain(x, c, -s, -c)


def tan(x: Jet) -> Jet:
    """Tangent of x [rad]."""
    v = np.tan(x.value)
    slope = 1.0 + v * v
    return chain(x, v, slope, 2.0 * v * slope)


def asin(x: Jet) -> Jet:
    """Arc sine [rad], in [-π/2, π/2]."""
    v = x.value
    slope = 1.0 / np.sqrt((1.0 - v) * (1.0 + v))
    return chain(x, np.arcsin(v), slope, v * slope**3)


def acos(x: Jet) -> Jet:
    """Arc cosine [rad], in [0, π]."""
    v = x.value
    slope = 1.0 / np.sqrt((1.0 - v) * (1.0 + v))
    return chain(x, np.arccos(v), -slope, -v * slope**3)


def atan(x: Jet) -> Jet:
    """Arc tangent [rad], in (-π/2, π/2)."""
    slope = 1.0 / (1.0 + x.value * x.value)
    return chain(x, np.arctan(x.value), slope, -2.0 * x.value * slope * slope)


def atan2(a: Jet, b: Jet) -> Jet:
    """Angle [rad] of the point (b, a), in [-π, π]; NaN at the origin."""
    square = a.value * a.value + b.value * b.value
    square = _nan_unless(square, square > 0.0)
    angle = np.arctan2(a.value, b.value)
    on_cut = (a.value == 0.0) & (b.value < 0.0)
    if np.any(on_cut):
        angle = np.where(on_cut, np.where(sign_after(a) < 0.0, -np.pi, np.pi), angle)
    first = (a.first * b.value - a.value * b.first) / square
    turn = a.second * b.value - a.value * b.second
    growth = 2.0 * (a.value * a.first + b.value * b.first)
    return Jet(_nan_unless(angle, square > 0.0), first, (turn - first * growth) / square)


def sinh(x: Jet) -> Jet:
    """Hyperbolic sine."""
    s, c = np.sinh(x.value), np.cosh(x.value)
    return chain(x, s, c, s)


def cosh(x: Jet) -> Jet:
    """Hyperbolic cosine."""
    s, c = np.sinh(x.value), np.cosh(x.value)
    return chain(x, c, s, c)


def tanh(x: Jet) -> Jet:
    """Hyperbolic tangent."""
    v = np.tanh(x.value)
    slope = (1.0 - v) * (1.0 + v)
    return chain(x, v, slope, -2.0 * v * slope)


def _jet(x: Jet | float) -> Jet:
    return x if isinstance(x, Jet) else Jet.constant(x)


def _nan_unless(values: Array, where: NDArray[np.bool_]) -> Array:
    return values if np.all(where) else np.where(where, values, np.nan)


def _power(base: Array, exponent: Array) -> Array:
    result = base**exponent
    return _nan_unless(result, (base != 0.0) | (exponent >= 0.0))
