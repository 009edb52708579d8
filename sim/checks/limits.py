"""Rounding and drive speed in the limits of a method; further limits.

How near the model each method must come stands in `sim.recording.schema.methods`.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.recording.schema.methods import REFERENCE_STEP, Method

EPS = float(np.finfo(np.float64).eps)

# What the engine's direct solver leaves of a velocity [rad/s or m/s]: 4e-14 was seen on a rod of
# the palletizer among links a hundred times as heavy.
SOLVED = 2e-13

# Rounding of the quaternions of a tool that no joint turns [rad]; up to 3.7e-15 was seen in the
# shipped scenarios, with six joints that turn it.
TURNED = 16 * EPS

# Rounding of a sum of weights and moments that cancel, of the largest of them. A two-link arm that
# hangs or lies still leaves 5 EPS of 20 J; an arm with loops makes 700 EPS of its largest torque.
CANCELLED = 1e-12

# Energies below this are those of a robot at rest [J]: 4e-14 rad/s that the solver leaves are
# 1e-24 J in an arm of 1000 kg·m², and a limit takes 1e-9 or 1e-12 of this. 1e-37 J was seen.
AT_REST = 1e-12

# Lagrange's equation against Newton–Euler, relative to the joint's peak torque: both are exact,
# so this is rounding.
FORMULATIONS = 1e-11
FORMULATIONS_FLOOR = 1e-12
# Of the largest component of a reaction: along the axis they cancel but for the rounding of each.
FORMULATIONS_ROUNDING = 1e-14

# Of a velocity at the ends of a run, beyond which a path is run on by three terms of its series,
# halving the step leaves h³/288 d³v/dt³; of the velocity between them, h⁴/480 d⁴v/dt⁴.
BEYOND = 480 / 288

# Positions may touch the end of a joint's range; 396 degrees from -36 make 360 and a few 1e-15.
RANGE_ROUNDING = 1e-9  # [rad or m]

# A drive may touch a rating, of which an engine leaves 3e-14 more, or 4e-10 rad/s of a speed.
RATING_ROUNDING = 1e-9


def curvature(analytic: Array, corner: Mask, order: int = 2) -> float:
    """Largest second difference of a curve away from its corners, h² d²y/dt²; or one of order four.

    It shows how fast a drive is for its step. A spike on a single sample is not counted: there the
    drive goes over into its next piece, and the error is not larger than before. Of fewer samples
    than a difference takes only the size of the change is known: twice that, for one that is
    at its highest at the start.

    Parameters
    ----------
    analytic : ndarray, shape (N,)
    corner : ndarray of bool, shape (N,)
    order : int
        An even number.
    """
    if analytic.size <= order:
        return 0.0 if corner.any() else 2 * float(np.ptp(analytic))
    reach = order // 2
    bent = np.abs(np.diff(analytic, order))
    near_corner = np.convolve(corner, np.ones(2 * reach + 3))[reach + 1 : -reach - 1] > 0
    bent[near_corner[reach:-reach]] = 0.0
    if bent.size < 3:
        return float(np.max(bent, initial=0.0))
    before, here, after = bent[:-2], bent[1:-1], bent[2:]
    low, high = np.minimum(before, here), np.maximum(before, here)
    return float(np.max(np.maximum(low, np.minimum(high, after))))  # of the medians of three


def curvature_at_ends(analytic: Array, corner: Mask) -> float:
    """The larger of a curve's third differences at its two ends, h³ d³y/dt³.

    Not where a corner is near; the parameters are those of `curvature`.
    """
    if analytic.size < 5:
        return float(np.max(np.abs(np.diff(analytic, 3)), initial=0.0))
    ends = ((analytic[:4], corner[:5]), (analytic[-4:], corner[-5:]))
    return max(abs(float(np.diff(y, 3)[0])) if not near.any() else 0.0 for y, near in ends)


def rounding(method: Method, dt: float, q: Array, qd: Array) -> float:
    """Rounding of a position or a velocity, as an error of the acceleration.

    Parameters
    ----------
    method : Method
    dt : float
        [s]
    q, qd : ndarray
        Positions [rad or m] and velocities of one joint.
    """
    if not method.is_discretised:
        return (4 * EPS * float(np.max(np.abs(qd))) + SOLVED) / REFERENCE_STEP
    # Second differences of both runs: (4 + 2 · 16) roundings of a position over h².
    return 40 * EPS * float(np.max(np.abs(q))) / dt**2


def energy_moved(ke: Array, pe: Array) -> float:
    """Scale of the energies [J]: the largest exchange seen, or what rounding makes of the total.

    Parameters
    ----------
    ke, pe : ndarray, shape (N,)
        Analytic kinetic and potential energy [J].
    """
    rounding = 1e-6 * float(np.max(np.abs(pe)))
    return max(float(np.max(ke)), float(np.ptp(pe)), float(np.ptp(ke + pe)), rounding, AT_REST)
