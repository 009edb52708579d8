"""Contributions of rounding and drive speed to the limits of a method; further limits.

The agreement with the model required of each method is in `sim.recording.schema.methods`.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.recording.schema.methods import REFERENCE_STEP, Method

EPS = float(np.finfo(np.float64).eps)

# Error of the engine's direct solver in a velocity [rad/s or m/s]: 4e-14 was observed on a rod of
# the palletizer among links a hundred times as heavy.
SOLVED = 2e-13

# Rounding of the quaternions of a tool that no joint rotates [rad]; up to 3.7e-15 was observed in
# the shipped scenarios, with six joints that rotate it.
TURNED = 16 * EPS

# Rounding of a cancelling sum of weights and moments, relative to the largest. A two-link arm at
# rest leaves 5 EPS of 20 J; an arm with loops 700 EPS of its largest torque.
CANCELLED = 1e-12

# Energies below this belong to a robot at rest [J]: solver errors of 4e-14 rad/s are 1e-24 J in an
# arm of 1000 kg·m², and limits are 1e-9 or 1e-12 of this value. 1e-37 J was observed.
AT_REST = 1e-12

# Lagrange's equation against Newton–Euler, relative to the joint's peak torque: both are exact, so
# this is rounding.
FORMULATIONS = 1e-11
FORMULATIONS_FLOOR = 1e-12
# Relative to the largest reaction component: rounding of components that cancel along the axis.
FORMULATIONS_ROUNDING = 1e-14

# For a velocity at the ends of a run, where the path is extrapolated by three terms of its series,
# halving the step leaves h³/288 d³v/dt³, and of its jump at a bend of a drive as much; for
# velocities in between, h⁴/480 d⁴v/dt⁴.
BEYOND = 480 / 288

# Positions may touch the end of a range; 396 degrees from -36 give 360 and a few 1e-15.
RANGE_ROUNDING = 1e-9  # [rad or m]

# A drive may touch a rating, which an engine exceeds by 3e-14, or by 4e-10 rad/s in a speed.
RATING_ROUNDING = 1e-9


def curvature(analytic: Array, corner: Mask) -> float:
    """Largest second difference of a curve away from its corners, h² d²y/dt².

    It indicates the speed of a drive relative to its step. A spike on a single sample is ignored:
    there the drive enters its next piece, and the error is no larger than before. With fewer
    samples than a difference needs only the size of the change is known: the result is twice that,
    as for a curve with its maximum at the start.

    Parameters
    ----------
    analytic : ndarray, shape (N,)
    corner : ndarray of bool, shape (N,)
    """
    if analytic.size < 3:
        return 0.0 if corner.any() else 2 * float(np.ptp(analytic))
    bent = np.abs(np.diff(analytic, 2))
    bent[np.convolve(corner, np.ones(5))[3:-3] > 0] = 0.0
    if bent.size < 3:
        return float(np.max(bent, initial=0.0))
    before, here, after = bent[:-2], bent[1:-1], bent[2:]
    low, high = np.minimum(before, here), np.maximum(before, here)
    return float(np.max(np.maximum(low, np.minimum(high, after))))  # medians of three


def third_differences(v: Array, a: Array, h: float, broken: Mask) -> Array:
    """Return h³ d³v/dt³ in the middle of each step, from velocity and acceleration at both ends.

    Parameters
    ----------
    v, a : ndarray, shape (N,)
        Velocity and acceleration.
    h : float
        Step [s].
    broken : ndarray of bool, shape (N - 1,)
        Steps with a corner in them or at an end; NaN in the result.
    """
    third = 12.0 * (v[:-1] - v[1:]) + 6.0 * h * (a[:-1] + a[1:])
    return np.where(broken, np.nan, third)


def left_by_halving(third: Array, bend: Mask) -> float:
    """Return 480 times the error that halving the step leaves of a smooth velocity.

    That is h⁴ d⁴v/dt⁴, and `BEYOND` times h³ d³v/dt³ at the ends, or its jump at a bend.

    Parameters
    ----------
    third : ndarray, shape (N - 1,)
        Of `third_differences`.
    bend : ndarray of bool, shape (N,)
        Samples where a higher derivative jumps.
    """
    change, at = np.diff(third), bend[1:-1]
    fourth, jump = np.where(at, 0.0, change), np.concatenate([third[[0, -1]], change[at]])
    return largest_known(fourth) + BEYOND * largest_known(jump)


def largest_known(values: Array) -> float:
    """Return the largest magnitude of the numbers among values, of which some may be NaN."""
    return float(np.fmax.reduce(np.abs(values), initial=0.0))


def rounding(method: Method, dt: float, q: float, qd: float, closing: float = 0.0) -> float:
    """Rounding of a position or a velocity, as an error of the acceleration.

    Parameters
    ----------
    method : Method
    dt : float
        [s]
    q, qd : float
        Largest position [rad or m] and velocity of one joint.
    closing : float
        Rounding of a position that closed loops determine [rad or m].
    """
    if not method.is_discretised:
        return (4 * EPS * qd + SOLVED) / REFERENCE_STEP
    # Second differences in both tables: (4 + 2 · 16) roundings of a position over h².
    return 40 * (EPS * q + closing) / dt**2


def energy_moved(ke: Array, pe: Array) -> float:
    """Scale of the energies [J]: the largest exchange, or at least the rounding of the total.

    Parameters
    ----------
    ke, pe : ndarray, shape (N,)
        Analytic kinetic and potential energy [J].
    """
    rounding = 1e-6 * float(np.max(np.abs(pe)))
    return max(float(np.max(ke)), float(np.ptp(pe)), float(np.ptp(ke + pe)), rounding, AT_REST)
