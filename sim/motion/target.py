"""Prescribed motion of a frame, position and Body-123 angles over time, as equations for joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from sim.functions.time_function import TimeFunction
from sim.kinematics.relative import relative_motion
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import pose
from sim.maths.screws import log_rotation
from sim.robots.robot import Robot

POSITION = ("x", "y", "z")
ANGLES = ("b1", "b2", "b3")
COMPONENTS = POSITION + ANGLES

# Condition number up to which a direction is used; beyond it the rounding of a pose, 1e-16, would
# become 1e-11 rad and more.
REGULAR = 1e5


class Target(Struct, frozen=True, eq=False):
    """Prescribed components at N times; free ones are zero.

    Parameters
    ----------
    value, rate, acceleration : ndarray, shape (6, N)
        x y z [m], b1 b2 b3 [rad] and their first and second time derivatives.
    """

    value: Array
    rate: Array
    acceleration: Array

    @property
    def poses(self) -> Array:
        """Poses with the positions and angles of `value`, shape (4, 4, N) [m]."""
        return pose(rotation_123(self.value[3:]), self.value[:3])


def target(functions: Mapping[str, TimeFunction], t: Array) -> Target:
    """Return values and exact derivatives of the prescribed components at times `t` [s]."""
    parts = np.zeros((3, 6, t.size))
    for row, name in enumerate(COMPONENTS):
        if name in functions:
            parts[:, row] = functions[name].derivatives(t)
    return Target(*parts)


def rotation_123(b: Array) -> Array:
    """Return R = Rx(b1) Ry(b2) Rz(b3), ADAMS's Body 1-2-3 angles, (3, N) -> (3, 3, N)."""
    (c1, c2, c3), (s1, s2, s3) = np.cos(b), np.sin(b)
    return np.array(
        [
            [c2 * c3, -c2 * s3, s2],
            [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
            [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
        ]
    )


def angles_123(R: Array) -> Array:
    """Return Body 1-2-3 angles of rotations, (3, 3, N) -> (3, N) [rad]; b2 in [-90°, 90°]."""
    b1 = np.arctan2(-R[1, 2], R[2, 2])
    b2 = np.arctan2(R[0, 2], np.hypot(R[0, 0], R[0, 1]))
    # Undoing b1 first keeps the digits of b3 at b2 = ±90°, where only b1 and b3 together matter.
    c1, s1 = np.cos(b1), np.sin(b1)
    b3 = np.arctan2(c1 * R[1, 0] + s1 * R[2, 0], c1 * R[1, 1] + s1 * R[2, 1])
    return np.stack([b1, b2, b3])


def rate_matrix(b: Array) -> Array:
    """Return E with ω = E(b) ḃ, ω along the reference axes; shape (3, 3, N).

    The columns are the axes of the three rotations: x, then y rotated by b1, then z rotated by
    both. E is singular at b2 = ±90°.
    """
    c1, s1, c2, s2 = np.cos(b[0]), np.sin(b[0]), np.cos(b[1]), np.sin(b[1])
    one, zero = np.ones_like(c1), np.zeros_like(c1)
    return np.array([[one, zero, s2], [zero, c1, -s1 * c2], [zero, s1, c1 * c2]])


def rate_matrix_rate(b: Array, bd: Array) -> Array:
    """Return dE/dt, so that the angular acceleration is E b̈ + Ė ḃ; shape (3, 3, N)."""
    c1, s1, c2, s2 = np.cos(b[0]), np.sin(b[0]), np.cos(b[1]), np.sin(b[1])
    zero = np.zeros_like(c1)
    return np.array(
        [
            [zero, zero, c2 * bd[1]],
            [zero, -s1 * bd[0], -c1 * c2 * bd[0] + s1 * s2 * bd[1]],
            [zero, c1 * bd[0], -s1 * c2 * bd[0] - c1 * s2 * bd[1]],
        ]
    )


@dataclass(frozen=True, eq=False)
class ConstraintEquations:
    """m equations at N states: ``A dq = gap``, ``A qd = rate``, ``A qdd + Ad qd = acceleration``.

    Parameters
    ----------
    gap : ndarray, shape (m, N)
        Prescribed minus actual, [m] and [rad].
    A, Ad : ndarray, shape (m, n, N)
    rate, acceleration : ndarray, shape (m, N)
    """

    gap: Array
    A: Array
    Ad: Array
    rate: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class Constraint:
    """Prescribed components of a frame relative to another.

    Parameters
    ----------
    robot : Robot
    frame : str or None
    reference : str or ndarray, shape (4, 4)
    prescribed : tuple of str
        Names from `COMPONENTS`.
    """

    robot: Robot
    frame: str | None
    reference: str | Array
    prescribed: tuple[str, ...]

    def equations(self, goal: Target, q: Array, qd: Array | None = None) -> ConstraintEquations:
        """Return the equations at joint states (n, N) for the goal at the same N times.

        Without velocities `Ad` is zero. If all three angles are prescribed the orientation is
        compared as a rotation, which has no singular angles, otherwise the angles themselves are
        compared.
        """
        relative = relative_motion(self.robot, self.frame, self.reference, q, qd)
        rows = [COMPONENTS.index(name) for name in self.prescribed if name in "xyz"]
        gap = [goal.value[rows] - relative.p[rows]]
        A, Ad = [relative.J[rows]], [relative.Jd[rows]]
        rate, acceleration = [goal.rate[rows]], [goal.acceleration[rows]]
        angles = [COMPONENTS.index(name) - 3 for name in self.prescribed if name[0] == "b"]
        b, bd, bdd = goal.value[3:], goal.rate[3:], goal.acceleration[3:]
        if len(angles) == 3:
            target = rotation_123(b)
            turn = np.einsum("abN,cbN->acN", target, relative.R)
            gap.append(log_rotation(turn))
            A.append(relative.J[3:])
            Ad.append(relative.Jd[3:])
            E, Ed = rate_matrix(b), rate_matrix_rate(b, bd)
            rate.append(_times(E, bd))
            acceleration.append(_times(E, bdd) + _times(Ed, bd))
        elif angles:
            angles_now = angles_123(relative.R)
            E_inverse = _inverse(rate_matrix(angles_now))
            own_rate = _times(
                E_inverse, _times(relative.J[3:], np.zeros_like(q) if qd is None else qd)
            )
            J_b = _times(E_inverse, relative.J[3:])
            Ed = rate_matrix_rate(angles_now, own_rate)
            Jd_b = _times(E_inverse, relative.Jd[3:] - _times(Ed, J_b))
            difference = b[angles] - angles_now[angles]
            gap.append(np.remainder(difference + np.pi, 2 * np.pi) - np.pi)
            A.append(J_b[angles])
            Ad.append(Jd_b[angles])
            rate.append(bd[angles])
            acceleration.append(bdd[angles])
        return ConstraintEquations(
            *(np.concatenate(part) for part in (gap, A, Ad, rate, acceleration))
        )


def least_norm(A: Array, b: Array) -> Array:
    """Return the least-norm x with A x = b (else least squares), (m, n, N), (m, N)."""
    return _times(_inverse_of_least_norm(A), b)


def rates(equations: ConstraintEquations) -> tuple[Array, Array]:
    """Return joint velocities of least norm, and the accelerations that keep them so.

    ``qd = A⁺ rate``; with ``dA⁺ = -A⁺ dA A⁺ + (1 - A⁺ A) dAᵀ A⁺ᵀ A⁺`` for feasible rates,
    ``qdd = A⁺ (acceleration - Ad qd) + (1 - A⁺ A) Adᵀ A⁺ᵀ qd``. The accelerations are only valid if
    the equations were set up at the velocities.

    References
    ----------
    Golub and Pereyra 1973, The differentiation of pseudo-inverses, eq. (4.12).
    """
    A, Ad = equations.A, equations.Ad
    inverse = _inverse_of_least_norm(A)
    qd = _times(inverse, equations.rate)
    qdd = _times(inverse, equations.acceleration - _times(Ad, qd))
    if A.shape[0] < A.shape[1] or not _is_regular(A, inverse).all():
        turned = _times(np.swapaxes(Ad, 0, 1), _times(np.swapaxes(inverse, 0, 1), qd))
        qdd += turned - _times(inverse, _times(A, turned))
    return qd, qdd


def _inverse_of_least_norm(A: Array) -> Array:
    """Return A⁺, shape (n, m, N); directions in which A is rounding are dropped."""
    rows = np.moveaxis(A, -1, 0)
    m, n = A.shape[:2]
    if m > n:
        return _pseudo_inverse(A)
    across = np.swapaxes(rows, 1, 2)
    try:
        inverses = np.linalg.inv(rows if m == n else rows @ across)
    except np.linalg.LinAlgError:
        return _pseudo_inverse(A)
    inverse = np.asarray(
        np.moveaxis(inverses if m == n else across @ inverses, 0, -1), dtype=np.float64
    )
    singular = ~_is_regular(A, inverse)
    if singular.any():
        inverse[..., singular] = _pseudo_inverse(A[..., singular])
    return inverse


def _pseudo_inverse(A: Array) -> Array:
    inverses = np.linalg.pinv(np.moveaxis(A, -1, 0), rcond=1 / REGULAR)
    return np.asarray(np.moveaxis(inverses, 0, -1))


def _is_regular(A: Array, inverse: Array) -> Mask:
    """Return the mask of samples at which plain inversion is accurate to rounding, (N,)."""
    size = np.sqrt(np.sum(A * A, axis=(0, 1)) * np.sum(inverse * inverse, axis=(0, 1)))
    regular: Mask = size < (REGULAR if A.shape[0] == A.shape[1] else np.sqrt(REGULAR))
    return regular


def _times(M: Array, x: Array) -> Array:
    """Return matrix times vector or matrix, sample by sample."""
    if x.ndim == 2:
        return np.einsum("abN,bN->aN", M, x)
    return np.einsum("abN,bnN->anN", M, x)


def _inverse(M: Array) -> Array:
    inverses = np.linalg.inv(np.moveaxis(M, -1, 0))
    return np.asarray(np.moveaxis(inverses, 0, -1), dtype=np.float64)
