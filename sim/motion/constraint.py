"""Prescribed components of a frame's motion as equations for the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.relative import relative_motion
from sim.maths.arrays import Array, Mask
from sim.maths.screws import log_rotation
from sim.motion.target import (
    COMPONENTS,
    Target,
    angles_123,
    rate_matrix,
    rate_matrix_rate,
    rotation_123,
)
from sim.robots.robot import Robot

# Condition number up to which a direction is used; beyond it the rounding of a pose, 1e-16, would
# become 1e-11 rad and more.
REGULAR = 1e5


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
