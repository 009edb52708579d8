"""Slopes of the joint torques of force elements along small motions, on either side of a state.

They are derivatives of each element's law, exact even close to a point where a law switches. A
user-defined element that only has values is differentiated by six-point differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.small_motions import POSES, differences_along, displace
from sim.kinematics.forward import marker_place
from sim.kinematics.moving_frame import Pair
from sim.kinematics.small_change import SmallChange
from sim.maths.arrays import Array, evaluate_in_batches
from sim.robots.robot import Robot

Of = Literal["q", "qd"]
OF: tuple[Of, ...] = ("q", "qd")
Side = Literal[-1, 0, 1]
"""Slopes ahead, behind, or the mean of both, which is either where a law is smooth."""

ROUGH = 1e-9  # relative to an element's slopes or torque: smaller differences are rounding


@dataclass(frozen=True, eq=False)
class ElementStates:
    """N states of force elements.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q, qd : ndarray, shape (n, N)
    z : ndarray, shape (states, N)
        State variables of the elements.
    """

    t: Array
    q: Array
    qd: Array
    z: Array


@dataclass(frozen=True, eq=False)
class Roughness:
    """Kink of an element at a state, in the joint where it is largest.

    Parameters
    ----------
    title : str
        Title of the element: "Spring 'rope' acts on it".
    row, column : int
        Joint of the torque, and joint of the motion.
    of : {"q", "qd"}
        Whether positions or velocities change.
    behind, ahead : float
        Slopes to either side of the state.
    jump : float
        Jump of the torque between the sides [N·m or N].
    """

    title: str
    row: int
    column: int
    of: Of
    behind: float
    ahead: float
    jump: float


def slopes_along(
    elements: ElementSum, at: ElementStates, Z: Array, of: Of, side: Side = 0
) -> Array:
    """Return ∂e/∂q or ∂e/∂qd of the joint torques of all elements along columns of Z, (n, m, N).

    Parameters
    ----------
    Z : ndarray, shape (n, m, N)
    side : {0, 1, -1}
        0 for the mean of both sides at a corner of a law, or one side.
    """
    total = np.zeros_like(Z)
    for one in elements.elements:
        total += _slopes_of(elements, one, at, Z, of, side)
    return total


def roughness(elements: ElementSum, at: ElementStates, Z: Array) -> Iterator[Roughness]:
    """Yield elements that are not smooth at the first state, along columns of Z (n, m, N)."""
    first = ElementStates(*(x[..., :1] for x in (at.t, at.q, at.qd, at.z)))
    for one in elements.elements:
        if _changes(elements.robot, one, _small(elements, first, 0.0 * first.q, "q")) is None:
            continue
        for of in OF:
            both = [_one_sided(elements, one, first, sign * Z[..., :1], of) for sign in (1.0, -1.0)]
            (value, ahead), (other, behind) = both[0], (both[1][0], -both[1][1])
            bent, jump = np.abs(ahead - behind), np.abs(value - other)
            is_bent = bent > ROUGH * np.maximum(np.abs(ahead), np.abs(behind)).max(initial=0.0)
            is_torn = jump > ROUGH * np.maximum(np.abs(value), np.abs(other)).max(initial=0.0)
            if not (is_bent.any() or is_torn.any()):
                continue
            most = np.argmax(jump if is_torn.any() else bent)
            row, column, _ = (int(k) for k in np.unravel_index(most, jump.shape))
            sizes = (float(x[row, column, 0]) for x in (behind, ahead, jump))
            yield Roughness(one.title(elements.robot), row, column, of, *sizes)


def side_numbers(elements: ElementSum, at: ElementStates) -> Array:
    """Return numbers (k, N) that differ between states on different sides of a law's switches."""
    small = _small(elements, at, np.zeros_like(at.q), "q")
    rows = [side for one in elements.elements for side in one.sides(small)]
    return np.reshape([np.broadcast_to(row, at.t.shape) for row in rows], (len(rows), at.t.size))


def _slopes_of(
    elements: ElementSum, one: ForceElement, at: ElementStates, Z: Array, of: Of, side: Side
) -> Array:
    """Return the slopes of one element, (n, m, N)."""
    first = ElementStates(*(x[..., :1] for x in (at.t, at.q, at.qd, at.z)))
    if _changes(elements.robot, one, _small(elements, first, 0.0 * first.q, "q")) is None:
        return _by_differences(elements, one, at, Z, of)

    def kernel(Z: Array, t: Array, q: Array, qd: Array, z: Array) -> tuple[Array]:
        states = ElementStates(t, q, qd, z)
        sides = [
            sign * _one_sided(elements, one, states, sign * Z, of)[1]
            for sign in (1.0, -1.0)
            if side in (0, sign)
        ]
        return (np.asarray(sum(sides) / len(sides)),)

    return evaluate_in_batches(kernel, POSES, Z, at.t, at.q, at.qd, at.z)[0]


def _small(elements: ElementSum, at: ElementStates, way: Array, of: Of) -> SmallChange:
    known = elements.at(at.t, at.q, at.qd, at.z).kinematics
    none = np.zeros_like(at.q)
    return SmallChange(at.t, known, *((way, none) if of == "q" else (none, way)))


def _one_sided(
    elements: ElementSum, one: ForceElement, at: ElementStates, Z: Array, of: Of
) -> Pair:
    """Return torques of an element on one side of states along Z, and slopes, (n, m, N) each."""
    n, m, N = Z.shape
    many = ElementStates(*(np.tile(x, m) for x in (at.t, at.q, at.qd, at.z)))
    changes = _changes(elements.robot, one, _small(elements, many, Z.reshape(n, m * N), of))
    assert changes is not None
    value, change = (x.reshape(n, m, N) for x in changes)
    return value, change


def _changes(robot: Robot, one: ForceElement, small: SmallChange) -> Pair | None:
    """Return joint torques of an element and their derivatives, (n, K) each, or None."""
    wrenches = one.wrench_changes(small)
    if wrenches is None:
        return None
    efforts = one.effort_changes(small)
    if efforts is None and type(one).joint_efforts is not ForceElement.joint_efforts:
        return None
    shape = len(robot.tree_coordinates), small.t.size
    value, change = (np.zeros(shape), np.zeros(shape)) if efforts is None else efforts
    for wrench in wrenches:
        body, _ = marker_place(robot, wrench.marker)
        frame = small.frame(wrench.marker)
        more, growth = small.joint_torque(body, frame.p, wrench.force, wrench.torque)
        value, change = value + more, change + growth
    S, _ = robot.coupling
    return S.T @ value, S.T @ change


def _by_differences(
    elements: ElementSum, one: ForceElement, at: ElementStates, Z: Array, of: Of
) -> Array:
    robot = elements.robot
    alone, rows = ElementSum(robot, (one,)), elements.state_rows

    def torque(small: Array, q: Array, qd: Array, t: Array, z: Array) -> Array:
        displaced = (displace(robot, q, small), qd) if of == "q" else (q, qd + small)
        states = np.repeat(alone.start[:, None], t.size, axis=1)
        known = {name: z[row] for name, row in rows.items()}
        return alone.torque(alone.at(t, *displaced, states, known))

    return differences_along(torque, Z, at.q, at.qd, at.t, at.z)
