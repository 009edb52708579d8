"""Roots of an engine: its accelerations about a pose, differentiated, without any M or K.

    A = ∂(qd, qdd)/∂(q, qd),      qdd by the engine under tau = tau_0 - k (q - q_0) - d qd + e

Six-point central differences leave (step)⁶ of truncation and rounding over the step.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.friction import viscous_matrix
from sim.dynamics.hybrid import HybridDynamics
from sim.maths.arrays import Array
from sim.vibration.modes import Modes, first_order, roots_of

OFFSETS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0
STEP = 0.01  # rad, m and per second


def differentiated_roots(modes: Modes, dynamics: HybridDynamics) -> Array:
    """Roots with Im s >= 0 by an engine's accelerations, ascending by size [1/s].

    Parameters
    ----------
    dynamics : HybridDynamics
        Of the same robot under the same gravity; an engine's, or any other.
    """
    drives = modes.drives
    loose = np.flatnonzero(drives.loose)
    rows = np.concatenate([loose, loose + modes.q.size])
    steps = np.zeros((2 * modes.q.size, rows.size, OFFSETS.size))
    steps[rows, np.arange(rows.size)] = STEP * OFFSETS
    dq, dqd = np.split(steps.reshape(2 * modes.q.size, -1), 2)
    q, still = modes.q[:, None] + dq, np.zeros_like(dq)
    held = np.zeros(modes.q.size, dtype=bool)
    pose = modes.q[:, None]
    everything = np.ones_like(held)
    resting = dynamics.hybrid_dynamics(pose, 0 * pose, 0 * pose, everything, 0 * pose, ())[1]
    held[~drives.loose] = True
    rubbing = viscous_matrix(drives.robot)
    effort = resting - drives.stiffness[:, None] * dq - drives.damping[:, None] * dqd
    effort += _elements(modes, q, dqd) - _elements(modes, pose, 0 * pose) - rubbing @ dqd
    qdd = dynamics.hybrid_dynamics(q, dqd, still, held, effort, ())[0][loose]
    slopes = qdd.reshape(loose.size, rows.size, OFFSETS.size) @ WEIGHTS / STEP
    m = loose.size
    A = np.zeros((2 * m, 2 * m))
    A[:m, m:], A[m:] = np.eye(m), slopes
    return roots_of(A)[0]


def roots_apart(modes: Modes, dynamics: HybridDynamics) -> float:
    """Largest difference of a root from that of an engine, of the root.

    Each root has the partner that makes their sum least: s and -s of a pose that runs away without
    damping are of one size, so that rounding decides in which order they come.
    """
    from scipy.optimize import linear_sum_assignment

    own, other = roots_of(first_order(modes.system))[0], differentiated_roots(modes, dynamics)
    if own.shape != other.shape:
        return float("inf")
    with np.errstate(all="ignore"):  # roots that are no numbers agree with nothing
        apart = np.abs(own[:, None] - other) / np.abs(own)[:, None]
    if not np.isfinite(apart).all():
        return float("inf")
    return float(apart[linear_sum_assignment(apart)].max())


def _elements(modes: Modes, q: Array, qd: Array) -> Array:
    """Joint torques of the steady force elements, (n, N)."""
    elements = modes.drives.elements
    steady = type(elements)(
        elements.robot, tuple(one for one in elements.elements if not one.is_sudden)
    )
    z = np.repeat(steady.start[:, None], q.shape[1], axis=1)
    return steady.torque(steady.at(np.full(q.shape[1], modes.t), q, qd, z))
