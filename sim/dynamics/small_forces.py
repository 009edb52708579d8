"""Forces between markers under small motions: their values and exact derivatives."""

from __future__ import annotations

import numpy as np

from sim.dynamics.components import Components
from sim.errors import ScenarioError
from sim.functions.syntax import evaluate
from sim.kinematics.moving_frame import Pair, subtract
from sim.kinematics.small_change import ChangeReading, SmallChange, turned_along, unit_along
from sim.maths.differences import OFFSETS, WEIGHTS
from sim.maths.screws import inverse_left_jacobian, log_rotation
from sim.robots.marker import Marker

TURN = 1e-3  # rad, step of the six-point differences of a bushing's torque by its rotation vector

Ends = tuple[Marker, Marker]
"""Markers i and j of a force."""


def arm_of(ends: Ends, small: SmallChange) -> Pair:
    """Return the vector from j to i, and its change."""
    i, j = (small.frame(marker) for marker in ends)
    return subtract(i.p, j.p)


def change_on_i(label: str, law: Components, ends: Ends, small: SmallChange) -> tuple[Pair, Pair]:
    """Return force and torque on i at i's origin, world axes, with their changes, (3, K).

    Raises
    ------
    ScenarioError
        If a slope is not finite; names the force by its label.
    """
    state = ChangeReading(small, law.names)
    with np.errstate(all="ignore"):
        jets = [evaluate(one, small.time, state) for one in law.expressions]
    rows = np.stack(
        [np.broadcast_to(x, small.t.shape) for one in jets for x in (one.value, one.first)]
    )
    if not np.isfinite(rows).all():
        raise ScenarioError(
            f"{label}: its value or derivative is not finite at this pose, so that it cannot be "
            "linearised; use another pose or another law"
        )
    if law.along is None:
        u, du = unit_along(arm_of(ends, small))
        none = np.zeros_like(u)
        return (rows[0] * u, rows[1] * u + rows[0] * du), (none, none)
    frame = small.frame(law.along)
    pairs = (rows[:6].reshape(3, 2, -1), rows[6:].reshape(3, 2, -1))
    components = [(pair[:, 0], pair[:, 1]) for pair in pairs]
    if any(law.turning_stiffness):
        components[1] = _with_turning(components[1], law.turning_stiffness, ends, small)
    force, torque = (turned_along(frame.R, frame.spin, one) for one in components)
    return force, torque


def _with_turning(
    torque: Pair, stiffness: tuple[float, ...], ends: Ends, small: SmallChange
) -> Pair:
    """Return torque with a bushing's -J⁻ᵀ K φ, along j's axes; its slope by six points along dφ."""
    i, j = (small.frame(marker) for marker in ends)
    R = np.broadcast_to(j.R, (3, 3, small.t.size))
    phi = log_rotation(np.einsum("baN,bcN->acN", R, i.R + 0.0 * R[:1, :1]))
    turning = np.einsum("baN,bN->aN", R, i.spin - j.spin)
    rate = np.einsum("abN,bN->aN", inverse_left_jacobian(phi), turning)
    size = np.sqrt(np.sum(rate**2, axis=0))
    way = rate / np.where(size == 0.0, 1.0, size)
    k = np.array(stiffness)[:, None]
    places = phi[..., None] + TURN * OFFSETS * way[..., None]
    full = np.concatenate([phi[..., None], places], axis=-1).reshape(3, -1)
    elastic = np.einsum("baN,bN->aN", inverse_left_jacobian(full), k * full)
    elastic = elastic.reshape(3, small.t.size, -1)
    slope = elastic[..., 1:] @ WEIGHTS / TURN * size
    return torque[0] - elastic[..., 0], torque[1] - slope
