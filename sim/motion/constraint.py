"""The prescribed components of a frame's motion as equations for the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.relative import relative_motion
from sim.maths.arrays import Array
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


@dataclass(frozen=True, eq=False)
class Equations:
    """m equations at N states: ``A dq = gap``, ``A qd = rate``, ``A qdd + Ad qd = acceleration``.

    Parameters
    ----------
    gap : ndarray, shape (m, N)
        Prescribed minus present, [m] and [rad].
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
    """Which components of which frame are prescribed, relative to what.

    Parameters
    ----------
    robot : Robot
    frame : str or None
    reference : str or ndarray, shape (4, 4)
    prescribed : tuple of str
        Names out of `COMPONENTS`.
    """

    robot: Robot
    frame: str | None
    reference: str | Array
    prescribed: tuple[str, ...]

    def equations(self, goal: Target, q: Array, qd: Array | None = None) -> Equations:
        """The equations at joint states (n, N) for the goal at the same N times.

        Without velocities `Ad` is zero.

        With all three angles prescribed the orientation is compared as a rotation, which has no
        singular angles. With one or two the angles themselves are compared.
        """
        seen = relative_motion(self.robot, self.frame, self.reference, q, qd)
        rows = [COMPONENTS.index(name) for name in self.prescribed if name in "xyz"]
        gap = [goal.value[rows] - seen.p[rows]]
        A, Ad = [seen.J[rows]], [seen.Jd[rows]]
        rate, acceleration = [goal.rate[rows]], [goal.acceleration[rows]]
        angles = [COMPONENTS.index(name) - 3 for name in self.prescribed if name[0] == "b"]
        b, bd, bdd = goal.value[3:], goal.rate[3:], goal.acceleration[3:]
        if len(angles) == 3:
            wanted = rotation_123(b)
            turn = np.einsum("abN,cbN->acN", wanted, seen.R)
            gap.append(log_rotation(turn))
            A.append(seen.J[3:])
            Ad.append(seen.Jd[3:])
            E, Ed = rate_matrix(b), rate_matrix_rate(b, bd)
            rate.append(_times(E, bd))
            acceleration.append(_times(E, bdd) + _times(Ed, bd))
        elif angles:
            own = angles_123(seen.R)
            E_inverse = _inverse(rate_matrix(own))
            own_rate = _times(E_inverse, _times(seen.J[3:], np.zeros_like(q) if qd is None else qd))
            J_b = _times(E_inverse, seen.J[3:])
            Ed = rate_matrix_rate(own, own_rate)
            Jd_b = _times(E_inverse, seen.Jd[3:] - _times(Ed, J_b))
            difference = b[angles] - own[angles]
            gap.append(np.remainder(difference + np.pi, 2 * np.pi) - np.pi)
            A.append(J_b[angles])
            Ad.append(Jd_b[angles])
            rate.append(bd[angles])
            acceleration.append(bdd[angles])
        return Equations(*(np.concatenate(part) for part in (gap, A, Ad, rate, acceleration)))


def least_norm(A: Array, b: Array) -> Array:
    """The x of least norm with A x = b (least squares if there is none), (m, n, N), (m, N)."""
    matrices, right = np.moveaxis(A, -1, 0), b.T[..., None]
    m, n = A.shape[:2]
    if m == n:
        x = np.linalg.solve(matrices, right)
    elif m < n:
        transposed = np.swapaxes(matrices, 1, 2)
        x = transposed @ np.linalg.solve(matrices @ transposed, right)
    else:
        x = np.linalg.pinv(matrices) @ right
    return np.asarray(x[..., 0].T, dtype=np.float64)


def rates(equations: Equations) -> tuple[Array, Array]:
    """Joint velocities of least norm, and the accelerations that keep them so.

    With fewer equations than joints ``qd = Aᵀ λ``; differentiating that and the equations gives
    ``qdd = Adᵀ λ + Aᵀ λd``. The accelerations mean something only if the equations were set up at
    the velocities.
    """
    A, Ad = equations.A, equations.Ad
    velocity = least_norm(A, equations.rate)
    if A.shape[0] >= A.shape[1]:
        return velocity, least_norm(A, equations.acceleration - _times(Ad, velocity))
    gram = np.einsum("inN,jnN->ijN", A, A)
    multiplier = least_norm(gram, equations.rate)
    mixed = np.einsum("inN,jnN->ijN", Ad, A)
    drift = _times(mixed + np.swapaxes(mixed, 0, 1), multiplier)
    multiplier_rate = least_norm(gram, equations.acceleration - drift)
    transposed, rate_transposed = np.swapaxes(A, 0, 1), np.swapaxes(Ad, 0, 1)
    return velocity, _times(rate_transposed, multiplier) + _times(transposed, multiplier_rate)


def _times(M: Array, x: Array) -> Array:
    """Matrix times vector or matrix, sample by sample."""
    if x.ndim == 2:
        return np.einsum("abN,bN->aN", M, x)
    return np.einsum("abN,bnN->anN", M, x)


def _inverse(M: Array) -> Array:
    inverses = np.linalg.inv(np.moveaxis(M, -1, 0))
    return np.asarray(np.moveaxis(inverses, 0, -1), dtype=np.float64)
