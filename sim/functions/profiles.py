"""Smooth profiles of the ADAMS language on jets: steps, series and sweeps.

z = (x - x0)/(x1 - x0) throughout. Sources: MSC Adams Solver function reference; for SWEEP the
SolidWorks motion reference, which documents the same language.
"""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from sim.functions.impact import impact as impact_force
from sim.functions.jet import ZERO, Jet, chain, choose, cos, heading, power, sign_after, sin


def step(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> Jet:
    """Return the cubic from h0 at x0 to h1 at x1: h0 + (h1 - h0) z²(3 - 2z)."""
    return h0 + (h1 - h0) * _cubic(_ramp(x, x0, x1))


def step5(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> Jet:
    """Return the quintic from h0 at x0 to h1 at x1: h0 + (h1 - h0) z³(10 - 15z + 6z²)."""
    return h0 + (h1 - h0) * _quintic(_ramp(x, x0, x1))


def havsin(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> Jet:
    """Return the haversine from h0 at x0 to h1 at x1: h0 + (h1 - h0) (1 - cos πz)/2."""
    return h0 + (h1 - h0) * _haversine(_ramp(x, x0, x1))


def _ramp(x: Jet, x0: Jet, x1: Jet) -> Jet:
    """Return z = (x - x0)/(x1 - x0); NaN unless x1 > x0."""
    width = x1 - x0
    positive = np.where(width.value > 0.0, width.value, np.nan)
    return (x - x0) / Jet(positive, width.first, width.second)


def _cubic(z: Jet) -> Jet:
    """Return z²(3 - 2z) on [0, 1], constant outside."""
    v = np.clip(z.value, 0.0, 1.0)
    rest = v * (1.0 - v)
    return chain(
        z, v * v * (3.0 - 2.0 * v), 6.0 * rest, np.where(_is_inside(z), 6.0 - 12.0 * v, 0.0)
    )


def _quintic(z: Jet) -> Jet:
    """Return z³(10 - 15z + 6z²) on [0, 1], constant outside."""
    v = np.clip(z.value, 0.0, 1.0)
    rest = v * (1.0 - v)
    value = v * v * v * (10.0 + v * (6.0 * v - 15.0))
    return chain(z, value, 30.0 * rest * rest, 60.0 * rest * (1.0 - 2.0 * v))


def _haversine(z: Jet) -> Jet:
    """Return (1 - cos πz)/2 on [0, 1], constant outside."""
    v = np.clip(z.value, 0.0, 1.0)
    within = _is_inside(z)
    slope = np.where(within, 0.5 * np.pi * np.sin(np.pi * v), 0.0)
    bend = np.where(within, 0.5 * np.pi**2 * np.cos(np.pi * v), 0.0)
    return chain(z, np.sin(0.5 * np.pi * v) ** 2, slope, bend)


def _is_inside(z: Jet) -> NDArray[np.bool_]:
    """Whether 0 < z < 1 just after t."""
    v, way = z.value, heading(z)
    begins, ends = (v == 0.0) & (way > 0.0), (v == 1.0) & (way < 0.0)
    return np.asarray(((v > 0.0) & (v < 1.0)) | begins | ends)


def sweep(x: Jet, a: Jet, x0: Jet, f0: Jet, x1: Jet, f1: Jet, dx: Jet) -> Jet:
    """Return a chirp a·sin(2π n(x)), dn/dx from f0 at x0 to f1 at x1, faded in from x0 to x0 + dx.

    n(x) = f0 x + (f1 - f0)(x - x0)²/(2 (x1 - x0)) between; the fade is a STEP5. (The reference
    prints it as beginning at 0, which contradicts its own definition of dx unless x0 = 0.)
    """
    zero, width, u = Jet(ZERO, ZERO, ZERO), x1 - x0, x - x0
    u_begun = choose(sign_after(u), zero, zero, u)
    u_swept = choose(sign_after(u_begun - width), u_begun, width, width)
    cycles = f0 * x + (f1 - f0) / width * u_swept * (u - 0.5 * u_swept)
    return a * sin(2.0 * np.pi * cycles) * _quintic(_ramp(x, x0, x0 + dx))


def shf(x: Jet, x0: Jet, a: Jet, w: Jet, phi: Jet, b: Jet) -> Jet:
    """Return the harmonic a·sin(w (x - x0) - phi) + b."""
    return a * sin(w * (x - x0) - phi) + b


def poly(x: Jet, x0: Jet, *a: Jet) -> Jet:
    """Return the polynomial Σ aⱼ (x - x0)ʲ."""
    u = x - x0
    return reduce(lambda sum_, a_j: sum_ * u + a_j, reversed(a))


def cheby(x: Jet, x0: Jet, *a: Jet) -> Jet:
    """Return the Chebyshev series Σ aⱼ Tⱼ(x - x0)."""
    u = x - x0
    total, before, now = a[0], Jet.constant(1.0), u
    for a_j in a[1:]:
        total = total + a_j * now
        before, now = now, 2.0 * (u * now) - before
    return total


def forcos(x: Jet, x0: Jet, w: Jet, *a: Jet) -> Jet:
    """Return the Fourier cosine series a0 + Σ aⱼ cos(j w (x - x0))."""
    angle = w * (x - x0)
    return reduce(add, (a_j * cos(float(j) * angle) for j, a_j in enumerate(a[1:], 1)), a[0])


def forsin(x: Jet, x0: Jet, w: Jet, *a: Jet) -> Jet:
    """Return the Fourier sine series a0 + Σ aⱼ sin(j w (x - x0))."""
    angle = w * (x - x0)
    return reduce(add, (a_j * sin(float(j) * angle) for j, a_j in enumerate(a[1:], 1)), a[0])


def impact(x: Jet, xd: Jet, x1: Jet, k: Jet, e: Jet, cmax: Jet, d: Jet) -> Jet:
    """Return the force of a stop below x1, `sim.functions.impact.impact`, with derivatives."""
    zero, force = Jet.constant(0.0), unclipped_impact(x, xd, x1, k, e, cmax, d)
    law = choose(sign_after(force), zero, zero, force)
    values = (one.value for one in (x, xd, x1, k, e, cmax, d))
    return Jet(impact_force(*values), law.first, law.second)  # type: ignore[arg-type]


def unclipped_impact(x: Jet, xd: Jet, x1: Jet, k: Jet, e: Jet, cmax: Jet, d: Jet) -> Jet:
    """Return the force of a stop including negative values, zero above x1."""
    zero, p = Jet.constant(0.0), x1 - x
    force = k * power(p, e) - cmax * xd * step(p, zero, zero, d, Jet.constant(1.0))
    return choose(sign_after(p), zero, zero, force)


def bistop(x: Jet, xd: Jet, x1: Jet, x2: Jet, k: Jet, e: Jet, cmax: Jet, d: Jet) -> Jet:
    """Return the force of two stops, `sim.functions.impact.bistop`, with its derivatives."""
    law = k, e, cmax, d
    return impact(x, xd, x1, *law) - impact(-x, -xd, -x2, *law)
