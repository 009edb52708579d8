"""Jacobians of any frame of a robot, their time derivatives, and the distance from singularity.

Three kinds of twist of the same motion, all (linear, angular):

=========  ===========================  ============
kind       linear part                  axes
=========  ===========================  ============
geometric  velocity of the frame        world
spatial    velocity at the world origin world
body       velocity of the frame        the frame's
=========  ===========================  ============
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.kinematics.forward import frame_of, poses_of
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, columns
from sim.maths.rotations import cross, inverse_pose, pose
from sim.maths.screws import adjoint, bracket
from sim.robots.robot import Robot

Kind = Literal["geometric", "spatial", "body"]


@of_states("q")
def jacobian(
    robot: Robot, q: ArrayLike, frame: str | None = None, kind: Kind = "geometric"
) -> Array:
    """Return J(q) of the twist V = J qd of a link's frame, shape (6, n, N).

    Parameters
    ----------
    q : array_like, shape (n, N), (n,) or (N, n)
        [rad or m]; the result has its time axis where `q` has, see `of_states`.
    frame : str, optional
        Name of the link (default: the tool frame).
    kind : str
        ``geometric``, ``spatial`` or ``body``.

    Raises
    ------
    ModelError
        If the robot has no such link.
    ValueError
        If `q` has another shape.
    """
    (q,) = columns(len(robot.coordinates), q=q)
    J, _, T = _spatial(robot, q, None, frame)
    return _of_kind(J, T, kind)


def jacobian_rate(
    robot: Robot, q: ArrayLike, qd: ArrayLike, frame: str | None = None, kind: Kind = "geometric"
) -> Array:
    """Return the time derivative of J along the motion, shape (6, n, N); ``Vd = J qdd + Jd qd``.

    Arguments are those of `jacobian`, and the joint velocities `qd` [rad/s or m/s].
    """
    return jacobian_and_rate(robot, q, qd, frame, kind)[1]


def jacobian_and_rate(
    robot: Robot, q: ArrayLike, qd: ArrayLike, frame: str | None = None, kind: Kind = "geometric"
) -> tuple[Array, Array]:
    """Return `jacobian` and `jacobian_rate`, in the time of the second."""
    q, qd = columns(len(robot.coordinates), q=q, qd=qd)
    J, Jd, T = _spatial(robot, q, qd, frame)
    in_kind = _of_kind(J, T, kind)
    if kind == "spatial":
        return in_kind, Jd
    V = np.einsum("anN,nN->aN", J, qd)
    if kind == "body":  # Ad(T⁻¹) changes at the rate -Ad(T⁻¹) [V, .]
        return in_kind, _in_frame(Jd - bracket(np.broadcast_to(V[:, None], J.shape), J), T)
    velocity = V[:3] + cross(V[3:], T[:3, 3])
    rate = _at_frame(Jd, T)
    rate[:3] += cross(J[3:], velocity[:, None])
    return in_kind, rate


def twist(
    robot: Robot, q: ArrayLike, qd: ArrayLike, frame: str | None = None, kind: Kind = "geometric"
) -> Array:
    """Return the twist V = J(q) qd of a link's frame, (6, N); arguments of `jacobian_rate`."""
    q, qd = columns(len(robot.coordinates), q=q, qd=qd)
    return np.einsum("anN,nN->aN", jacobian(robot, q, frame, kind), qd)


def manipulability(J: Array) -> Array:
    """Return the product of the singular values of J, Yoshikawa's √det(J Jᵀ), shape (N,).

    For fewer joints than rows, √det(Jᵀ J). Zero exactly if the frame loses a direction.
    """
    return np.prod(_singular_values(J), axis=-1)


def distance_from_singularity(J: Array, length: float = 1.0) -> Array:
    """Return the smallest singular value of J, linear rows divided by `length` [m], shape (N,).

    It is the smallest change of that matrix, in the spectral norm, that makes it singular (Eckart
    and Young 1936), in radians of tool motion per radian of joint motion. `length` is the number of
    metres that count as one radian; the reach of the arm is a natural choice.
    """
    scaled = np.concatenate([J[:3] / length, J[3:]])
    return _singular_values(scaled)[:, -1]


def chain_length(robot: Robot, frame: str | None = None) -> float:
    """Return the sum of distances from joint to joint, and on to a link's frame, at q = 0 [m].

    A metre of tool motion corresponds to a radian at this distance. At least 1 mm, for example for
    a single joint with the frame on its axis.

    Raises
    ------
    ModelError
        If the robot has no such link.
    """
    tree = tree_of(robot)
    body, T_bl = frame_of(robot, frame)
    poses = poses_of(robot, np.zeros((len(robot.coordinates), 1)))
    places = [poses.p[j][:, 0] for j in tree.ancestors(body)]
    places.append(poses.point(body, T_bl[:3, 3])[:, 0])
    return max(float(sum(np.linalg.norm(np.diff(places, axis=0), axis=1))), 1e-3)


@of_states("q")
def least_singular_value(robot: Robot, q: ArrayLike, frame: str | None = None) -> Array:
    """Return the least singular value of J of a link's frame, lengths over `chain_length`, (N,).

    It is zero exactly if the frame loses a direction of motion or, with fewer than six joints, if
    joints move without the frame; also if no joint moves it. See `distance_from_singularity`.
    Lengths of the frame and of prismatic joints are divided by `chain_length`, so that units are
    not mixed. Joints off the chain are ignored.

    Parameters
    ----------
    q : array_like, shape (n, N), (n,) or (N, n)
        [rad or m]; the result has its time axis where `q` has, see `of_states`.

    Raises
    ------
    ModelError
        If the robot has no such link.
    """
    (q,) = columns(len(robot.coordinates), q=q)
    length = chain_length(robot, frame)
    S, _ = robot.coupling
    moving = np.any(S[list(tree_of(robot).ancestors(frame_of(robot, frame)[0]))] != 0, axis=0)
    if not moving.any():
        return np.zeros(q.shape[1])
    slides = np.array([not row.is_angle for row in robot.coordinates])[moving]
    J = jacobian(robot, q, frame)[:, moving] * np.where(slides, length, 1.0)[:, None]
    return distance_from_singularity(J, length)


def _singular_values(J: Array) -> Array:
    # LAPACK fails for all if one matrix is not finite
    finite: Mask = np.all(np.isfinite(J), axis=(0, 1))
    values = np.linalg.svd(np.moveaxis(np.where(finite, J, 0.0), -1, 0), compute_uv=False)
    return np.where(finite[:, None], values, np.nan)


def _spatial(
    robot: Robot, q: Array, qd: Array | None, frame: str | None
) -> tuple[Array, Array, Array]:
    """Return the spatial Jacobian, its rate (zero without velocities), and the frame's poses."""
    tree = tree_of(robot)
    body, T_bl = frame_of(robot, frame)
    S, _ = robot.coupling
    poses = poses_of(robot, q)
    qd_tree = None if qd is None else S @ qd
    J = np.zeros((6, *q.shape))
    Jd = np.zeros_like(J)
    V = np.zeros((6, q.shape[1]))  # spatial twist of the body before the joint
    ball = V
    for j in tree.ancestors(body):
        z = poses.axis(j)
        xi = np.concatenate([z, 0 * z] if tree.prismatic[j] else [cross(poses.p[j], z), z])
        weights = S[j][None, :, None]
        J += xi[:, None] * weights
        if qd_tree is None:
            continue
        if j in tree.balls:  # its three axes rotate with all of them
            rows = poses.R[j : j + 3, :, 2] * qd_tree[j : j + 3, None]
            w = rows.sum(axis=0)
            ball = V + np.concatenate([cross(poses.p[j], w), w])
        carried = ball if tree.after[j] - 2 in tree.balls else V
        Jd += bracket(carried, xi)[:, None] * weights
        V = V + xi * qd_tree[j]
    return J, Jd, pose(poses.rotation(body, T_bl[:3, :3]), poses.point(body, T_bl[:3, 3]))


def _of_kind(J: Array, T: Array, kind: Kind) -> Array:
    """Convert a spatial Jacobian to another kind."""
    if kind == "spatial":
        return J
    return _at_frame(J, T) if kind == "geometric" else _in_frame(J, T)


def _at_frame(J: Array, T: Array) -> Array:
    shifted = J.copy()
    shifted[:3] += cross(J[3:], T[:3, 3, None])
    return shifted


def _in_frame(J: Array, T: Array) -> Array:
    return np.einsum("abN,bnN->anN", adjoint(inverse_pose(T)), J)


def frame_acceleration(
    robot: Robot, frame: str | None, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> Array:
    """Return the acceleration ``J qdd + Jd qd`` of a link's frame, (6, N) [m/s², rad/s²].

    It is the second time derivative of the position of the frame's origin, and the time derivative
    of the frame's angular velocity; world axes.

    Parameters
    ----------
    frame : str or None
        Name of the link; the tool frame for None.
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])

    Raises
    ------
    ModelError
        If the robot has no such link.
    ValueError
        If a shape is not (n, N).
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    J, Jd = jacobian_and_rate(robot, q, qd, frame)
    return np.einsum("anN,nN->aN", J, qdd) + np.einsum("anN,nN->aN", Jd, qd)
