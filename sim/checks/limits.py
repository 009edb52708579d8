"""How well a method must agree with the analytic model, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.spatial import Array, Mask

# At this step the limits below hold as they stand; what is left after extrapolation, and the
# trapezoidal rule of the work integral, are of second order in the step.
REFERENCE_STEP = 1e-3  # [s]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Limits:
    """Largest allowed differences of one method.

    Parameters
    ----------
    torque, acceleration : float
        Relative to the joint's peak.
    bend_torque, bend_acceleration : float
        Relative to the largest second difference of the joint's analytic curve, see `bend`.
    floor : float
        Relative to the largest peak of all joints: rounding, for joints that carry nothing.
    velocity : float
        [rad/s or m/s]
    energy : float
        Kinetic and potential, relative to the energy moved.
    work : float
        Work done minus energy gained, relative to the energy moved.
    position, tool : float
        Driven joints [rad or m]; tool [m].
    halving : float
        Estimated error of the torque at the full step, relative to the joint's peak. Above it the
        step is too coarse for the extrapolation to be trusted.
    """

    torque: float
    acceleration: float
    bend_torque: float
    bend_acceleration: float
    floor: float
    velocity: float
    energy: float
    work: float
    position: float
    tool: float
    halving: float


# Measured on the UR10 at 1 ms: torque 1.4e-6 (a wrist joint that carries 2 mN·m) and 5e-7 (all
# others), acceleration 5e-6 of the peak, velocity 4e-10 rad/s, energies 4e-11. Of an acceleration
# a, extrapolation leaves h²/24 d²a/dt²; of a torque, up to four times as much in a light joint that
# feels the errors of heavier ones. Step halving sees the first-order error of the full step, which
# the extrapolation takes away. Its limit is a choice: drives of half a second show up to 1.2e-2 and
# yet agree with the model, and the shipped scenarios stay below 5e-3.
STEPPED = Limits(
    torque=2e-6,
    acceleration=1e-5,
    bend_torque=1 / 4,
    bend_acceleration=1 / 12,
    floor=1e-9,
    velocity=1e-5,
    energy=1e-5,
    work=1e-5,
    position=1e-9,
    tool=1e-9,
    halving=2e-2,
)

# Nothing is discretised but the work integral: what is left is rounding.
IDEAL = Limits(
    torque=1e-11,
    acceleration=1e-9,
    bend_torque=0.0,
    bend_acceleration=0.0,
    floor=1e-12,
    velocity=1e-12,
    energy=1e-9,
    work=1e-6,
    position=1e-12,
    tool=1e-12,
    halving=0.0,
)

# The solver keeps each step to 1e-12, whatever the sampling; a motion that is sensitive to its
# start makes more of it. Seen on the pendulums and free arms of the tests: 1e-11 to 2e-9.
ADAPTIVE = Limits(
    torque=1e-7,
    acceleration=1e-7,
    bend_torque=0.0,
    bend_acceleration=0.0,
    floor=1e-9,
    velocity=1e-7,
    energy=1e-7,
    work=1e-6,
    position=1e-7,
    tool=1e-7,
    halving=0.0,
)

# What the engine's direct solver leaves of a velocity [rad/s or m/s]: 4e-14 was seen on a rod of
# the palletizer among links a hundred times as heavy.
SOLVED = 2e-13

# A joint that nothing drives goes where the errors of all steps before have put it.
FREE = 1e-3


def limits_of(info: Mapping[str, Any]) -> Limits:
    """Limits for the method and step of a run."""
    if info["method"] == "adaptive":
        return ADAPTIVE
    base = IDEAL if info["method"] == "ideal" else STEPPED
    settings = info["settings"]
    coarse = max(1.0, (settings["dt"] / REFERENCE_STEP) ** 2)
    work = base.work * coarse
    if base is IDEAL:
        return replace(base, work=work)
    scaled = replace(
        base,
        torque=base.torque * coarse,
        acceleration=base.acceleration * coarse,
        velocity=base.velocity * coarse,
        energy=base.energy * coarse,
        work=work,
    )
    if not settings["free"]:
        return scaled
    loose = dict.fromkeys(
        ("torque", "acceleration", "velocity", "energy", "work", "position", "tool"), FREE * coarse
    )
    return replace(scaled, **loose)


def bend(analytic: Array, corner: Mask) -> float:
    """Largest second difference of a curve away from its corners, h² d²y/dt².

    It says how fast a drive is for its step. A spike on a single sample is not counted: there the
    drive goes over into its next piece, and the error is not larger than before.

    Parameters
    ----------
    analytic : ndarray, shape (N,)
    corner : ndarray of bool, shape (N,)
    """
    second = np.abs(np.diff(analytic, 2))
    near_corner = np.convolve(corner, np.ones(5))[2:-2] > 0
    second[near_corner[1:-1]] = 0.0
    if second.size < 3:
        return float(np.max(second, initial=0.0))
    return float(np.max(np.median([second[:-2], second[1:-1], second[2:]], axis=0)))


def rounding(info: Mapping[str, Any], q: Array, qd: Array) -> float:
    """What the last digits of a position, or of a velocity, are in an acceleration.

    Parameters
    ----------
    q, qd : ndarray
        Positions [rad or m] and velocities of one joint.
    """
    if info["method"] != "stepped":
        return (4 * EPS * float(np.max(np.abs(qd))) + SOLVED) / REFERENCE_STEP
    # Second differences of both runs: (4 + 2 · 16) roundings of a position over h².
    return 40 * EPS * float(np.max(np.abs(q))) / float(info["settings"]["dt"]) ** 2


# Lagrange's equation against Newton–Euler, relative to the joint's peak torque: both are exact,
# so this is rounding.
FORMULATIONS = 1e-11
FORMULATIONS_FLOOR = 1e-12

# Positions may touch the end of a joint's range; 396 degrees from -36 make 360 and a few 1e-15.
RANGE_ROUNDING = 1e-9  # [rad or m]
