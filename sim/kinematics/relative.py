"""Motion of one frame of a robot as seen from another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian, jacobian_and_rate
from sim.maths.arrays import Array
from sim.maths.rotations import cross, inverse_pose
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Frame e seen from frame r.

    Parameters
    ----------
    R : ndarray, shape (3, 3, N)
        R_re.
    p : ndarray, shape (3, N)
        Origin of e in r [m].
    J, Jd : ndarray, shape (6, n, N)
        Jacobian of the velocity of e's origin and of its angular velocity relative to r, along the
        axes of r, and its time derivative: ``V = J qd``, ``Vd = J qdd + Jd qd``.
    """

    R: Array
    p: Array
    J: Array
    Jd: Array


def relative_motion(
    robot: Robot, frame: str | None, reference: str | Array, q: Array, qd: Array | None = None
) -> RelativeMotion:
    """Return pose, Jacobian and its rate of a link's frame relative to a link or a fixed pose.

    Parameters
    ----------
    frame : str or None
        Link; the tool frame for None.
    reference : str or ndarray of shape (4, 4)
        Link, which may move too, or a pose in the world [m].
    q, qd : ndarray, shape (n, N)
        Without `qd` the rate of the Jacobian is zero.

    Raises
    ------
    ModelError
        If the robot has no such link.
    """
    T_0e = frame_pose(robot, q, frame)
    J, Jd = _jacobians(robot, frame, q, qd)
    if not isinstance(reference, str):
        R_r0, p_r0 = inverse_pose(reference)[:3, :3], inverse_pose(reference)[:3, 3]
        R = np.einsum("ab,bcN->acN", R_r0, T_0e[:3, :3])
        p = R_r0 @ T_0e[:3, 3] + p_r0[:, None]
        return RelativeMotion(R, p, _rotate_rows(R_r0, J), _rotate_rows(R_r0, Jd))
    T_0r = frame_pose(robot, q, reference)
    J_r, Jd_r = _jacobians(robot, reference, q, qd)
    qd = np.zeros_like(q) if qd is None else qd
    R_0r, d = T_0r[:3, :3], T_0e[:3, 3] - T_0r[:3, 3]
    w_r = np.einsum("anN,nN->aN", J_r[3:], qd)
    dd = np.einsum("anN,nN->aN", (J - J_r)[:3], qd)
    # v_re = v_e - v_r - ω_r × d, then along the axes of r, which rotate with ω_r
    J_seen, Jd_seen = J - J_r, Jd - Jd_r
    J_seen[:3] += cross(d[:, None], J_r[3:])
    Jd_seen[:3] += cross(dd[:, None], J_r[3:]) + cross(d[:, None], Jd_r[3:])
    Jd_seen[:3] -= cross(w_r[:, None], J_seen[:3])
    Jd_seen[3:] -= cross(w_r[:, None], J_seen[3:])
    R = np.einsum("baN,bcN->acN", R_0r, T_0e[:3, :3])
    p = np.einsum("baN,bN->aN", R_0r, d)
    R_r0 = np.swapaxes(R_0r, 0, 1)
    return RelativeMotion(R, p, _rotate_rows(R_r0, J_seen), _rotate_rows(R_r0, Jd_seen))


def _jacobians(robot: Robot, frame: str | None, q: Array, qd: Array | None) -> tuple[Array, Array]:
    if qd is not None:
        return jacobian_and_rate(robot, q, qd, frame)
    J = jacobian(robot, q, frame)
    return J, np.zeros_like(J)


def _rotate_rows(R: Array, J: Array) -> Array:
    """Return linear and angular rows of J along other axes; R is (3, 3) or (3, 3, N)."""
    pattern = "ab,bnN->anN" if R.ndim == 2 else "abN,bnN->anN"
    return np.concatenate([np.einsum(pattern, R, J[:3]), np.einsum(pattern, R, J[3:])])
