"""Error propagation from joint errors to the tool."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.checks.allowed_error import AllowedError
from sim.checks.run_view import RunView
from sim.kinematics.jacobian import jacobian
from sim.maths.arrays import Array, distinct

# Lever arms vary as smoothly as the joint positions: number of instants to find their maximum.
INSTANTS = 500


class ErrorPropagation(Struct, frozen=True, eq=False):
    """Largest columns of the tool's Jacobian along a run, and the resulting tool errors.

    For a tool with v = Σ J_v qd and w = Σ J_w qd, first-order bounds over all joints; a position
    error also rotates the columns of J and shifts their reference point.

    Parameters
    ----------
    way : ndarray, shape (n,)
        Largest |J_v| of each joint, or |J_w| if the tool's rotation is judged [m or 1].
    turn : ndarray, shape (n,)
        Largest |J_w| of each joint [1].
    qd, qdd : ndarray, shape (n,)
        Peak values of the joints.
    position : float
        Largest allowed error of each joint.
    velocity : ndarray, shape (n,)
        Largest allowed errors of the joints.
    shift : float
        Largest allowed error of the tool position [m]: the only lever arm of a tool on a joint's
        axis. 0 if the rotation is judged.
    """

    way: Array
    turn: Array
    qd: Array
    qdd: Array
    position: float
    velocity: Array
    shift: float = 0.0

    def velocity_limit(self) -> AllowedError:
        """Return the limit Σ |J| dqd + |dJ| qd."""
        way, turn, qd = self.way, self.turn, self.qd
        turned = self.position * turn.sum() * (way @ qd) + self._tool_shift * (turn @ qd)
        return AllowedError.of(lever=float(self._reach @ self.velocity), turned=turned)

    def acceleration_limit(self, dqdd: Array) -> AllowedError:
        """Return the limit Σ |J| dqdd + |dJ| qdd, plus errors of the terms quadratic in velocities.

        These terms are at most 2 Σ |J_w| qd Σ |J| qd.

        Parameters
        ----------
        dqdd : ndarray, shape (n,)
            Largest allowed error of the acceleration of each joint.
        """
        way, turn, qd, qdd = self.way, self.turn, self.qd, self.qdd
        spun, carried = turn @ qd, way @ qd
        faster = 2 * (turn @ self.velocity * carried + way @ self.velocity * spun)
        turned = self.position * turn.sum() * (way @ qdd + 4 * spun * carried)
        turned += self._tool_shift * (turn @ qdd + 2 * spun**2)
        return AllowedError.of(lever=float(self._reach @ dqdd), rates=float(faster), turned=turned)

    @property
    def _reach(self) -> Array:
        """Lever arms including the allowed shift of the tool, shape (n,)."""
        return self.way + self.shift * self.turn

    @property
    def _tool_shift(self) -> float:
        """Largest distance of the tool from its nominal position."""
        return self.position * float(self.way.sum()) + self.shift


def instants(samples: int) -> NDArray[np.int_]:
    """Return the indices of `INSTANTS` samples, evenly spaced over a run, including both ends."""
    return distinct(np.linspace(0, samples - 1, INSTANTS).round().astype(int))


def error_propagation(view: RunView) -> tuple[ErrorPropagation, ErrorPropagation]:
    """Return the error propagation to the tool's position, and to its rotation.

    Raises
    ------
    RecordingError
        If the run has no URDF.
    """
    joints = view.row_names
    at = instants(view.t.size)
    (q,) = view.analytic_rows("q", at=at)
    J = jacobian(view.robot, q)
    way, turn = (np.sqrt((part**2).sum(axis=0)).max(axis=1) for part in (J[:3], J[3:]))
    qd, qdd = (
        np.array([view.peak(f"{group}.{joint}") for joint in joints]) for group in ("qd", "qdd")
    )
    velocity = np.array([view.velocity_limit(joint) for joint in joints])
    rest = (turn, qd, qdd, view.limits.position, velocity)
    return ErrorPropagation(way, *rest, shift=view.limits.tool), ErrorPropagation(turn, *rest)
