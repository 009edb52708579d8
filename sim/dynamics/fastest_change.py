"""The force or torque that changes fastest with the motion, for messages on short steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.dynamics.element_sum import STEP, ElementSum
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.force_element import ElementState, ForceElement, Slopes
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.sticking_dynamics import mobility
from sim.errors import SimError
from sim.maths.arrays import Array


def fastest_change(mechanism: Mechanism, t: float, y: Array) -> tuple[str, float]:
    """Return what alone makes the free joints' motion fastest at a state (size,), and |λ| [1/s].

    λ are the eigenvalues of M⁻¹ ∂τ/∂qd, and the roots of those of M⁻¹ ∂τ/∂q; infinite for what has
    no finite value next to the state. Far away, where no slope is left of the digits, it is the
    largest force. The text is empty without forces.
    """
    q, _, _ = mechanism.motion(np.array([t]), y[:, None])
    P, rates = mobility(mechanism.dynamics, q, ~mechanism.prescription.free)[0], [("", 0.0)]
    with np.errstate(all="ignore"):
        for label, slopes in _slopes(mechanism, t, y):
            parts = [P @ x[..., 0] for x in (slopes.q, slopes.qd)]
            if not all(np.isfinite(x).all() for x in parts):
                return label, np.inf
            k, c = (float(np.abs(np.linalg.eigvals(x)).max()) for x in parts)
            rates.append((label, max(np.sqrt(k), c)))
        if (most := max(rates, key=lambda one: one[1]))[0]:
            return most
        sizes = [
            (float(np.abs(P @ ElementSum(at.robot, (one,)).torque(at)).max()), one)
            for one, at in _elements(mechanism, t, y)
        ]
    largest = max(sizes, key=lambda one: one[0], default=(0.0, None))[1]
    return ("", 0.0) if largest is None else (_name_of(largest, mechanism), np.inf)


def _elements(
    mechanism: Mechanism, t: float, y: Array
) -> Iterator[tuple[ForceElement, ElementState]]:
    if isinstance(loads := mechanism.loads, ElementSum):
        times = np.array([t])
        q, qd, _ = mechanism.motion(times, y[:, None])
        yield from loads.each(loads.at(times, q, qd, y[mechanism.layout.elements, None]))


def _slopes(mechanism: Mechanism, t: float, y: Array) -> Iterator[tuple[str, Slopes]]:
    """Yield the slopes of each force element, of the motors and of viscous friction."""
    q, qd, _ = mechanism.motion(np.array([t]), y[:, None])
    none = np.zeros((len(q), len(q), 1))
    for one, state in _elements(mechanism, t, y):
        try:
            slopes = one.slopes(state)
        except SimError:  # the force has no value next to this state
            slopes = Slopes(none + np.inf, none)
        if slopes is not None:
            yield _name_of(one, mechanism), slopes
    viscous = viscous_matrix(mechanism.dynamics.robot)[..., None]
    yield "viscous friction of the joints", Slopes(none, viscous)
    if (motors := mechanism.prescription.actuation) is not None:
        aside = STEP * np.hstack([np.eye(2 * len(q)), -np.eye(2 * len(q))])
        q_aside, qd_aside = np.split(np.concatenate([q, qd]) + aside, 2)
        z = np.repeat(mechanism.motor_states(y)[:, None], aside.shape[1], axis=1)
        ahead, behind = np.split(motors(np.full(len(z.T), t), q_aside, qd_aside, z), 2, axis=1)
        of_q, of_qd = np.split((ahead - behind)[..., None] / (2 * STEP), 2, axis=1)
        yield "the torque of the motors", Slopes(of_q, of_qd)


def _name_of(element: ForceElement, mechanism: Mechanism) -> str:
    """Return the text for a message: ``Contact 'foot'``, ``"joint 'elbow' has an end stop"``."""
    name = getattr(element, "label", "")
    return str(name) if name else element.title(mechanism.dynamics.robot)
