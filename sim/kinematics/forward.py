"""Forward kinematics and geometric Jacobians of a tree, batched over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import ALONG_XYZ, Tree, tree_of
from sim.maths.arrays import Array, columns, frozen
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import cross, pose
from sim.robots.marker import ABSOLUTE, WORLD, Angle, Marker
from sim.robots.robot import Robot

MOST_KEPT = 65536  # number of cached positions; their poses have twelve times as many numbers


class BodyPoses(msgspec.Struct, frozen=True, eq=False):
    """World poses of the moving bodies.

    Parameters
    ----------
    R : ndarray, shape (n, 3, 3, N)
        Rotation of each body frame in the world; its third column is the joint axis.
    p : ndarray, shape (n, 3, N)
        Origin of each body frame in the world [m].
    """

    R: Array
    p: Array

    def axis(self, body: int) -> Array:
        """Return the unit vector of the joint axis in the world, shape (3, N)."""
        return self.R[body, :, 2]

    def point(self, body: int, p_b: Array) -> Array:
        """Return the world position of a point fixed in a body (-1: the world), (3, N) [m]."""
        if body < 0:
            return np.broadcast_to(p_b[:, None], (3, self.p.shape[-1]))
        return self.p[body] + np.einsum("abN,b->aN", self.R[body], p_b)

    def rotation(self, body: int, R_bl: Array) -> Array:
        """Return the world rotation of a frame fixed in a body (-1: the world), (3, 3, N)."""
        if body < 0:
            return np.broadcast_to(R_bl[:, :, None], (3, 3, self.p.shape[-1]))
        return np.einsum("abN,bc->acN", self.R[body], R_bl)


def body_poses(tree: Tree, q_tree: Array) -> BodyPoses:
    """Return world poses of all bodies, T_0i = T_0p T_pi Z(q_i); for balls R_0i = R_0p R_pi exp(q).

    Parameters
    ----------
    q_tree : ndarray, shape (n, N)
        Positions of all tree joints, including mimics [rad or m].
    """
    N = q_tree.shape[1]
    R = np.empty((tree.n, 3, 3, N))
    p = np.empty((tree.n, 3, N))
    rest_of_balls = {first + k for first in tree.balls for k in (1, 2)}
    for i, parent in enumerate(tree.parent):
        if i in rest_of_balls:
            continue
        R_pi, p_pi = tree.T_pi[i, :3, :3], tree.T_pi[i, :3, 3]
        if parent < 0:
            R_0i, p_0i = np.broadcast_to(R_pi[:, :, None], (3, 3, N)), p_pi[:, None]
        else:
            R_0i = np.einsum("abN,bc->acN", R[parent], R_pi)
            p_0i = p[parent] + np.einsum("abN,b->aN", R[parent], p_pi)
        if tree.prismatic[i]:
            R[i] = R_0i
            p[i] = p_0i + R_0i[:, 2] * q_tree[i]
        elif i in tree.balls:
            rows = slice(i, i + 3)
            R_0c = np.einsum("abN,bcN->acN", R_0i, rotations_of_vectors(q_tree[rows]))
            R[rows], p[rows] = np.einsum("abN,kbc->kacN", R_0c, ALONG_XYZ), p_0i
        else:
            c, s = np.cos(q_tree[i]), np.sin(q_tree[i])
            R[i, :, 0] = R_0i[:, 0] * c + R_0i[:, 1] * s
            R[i, :, 1] = R_0i[:, 1] * c - R_0i[:, 0] * s
            R[i, :, 2] = R_0i[:, 2]
            p[i] = p_0i
    return BodyPoses(R, p)


def poses_of(robot: Robot, q: Array) -> BodyPoses:
    """Return world poses of all bodies of a robot; cached unless there are too many.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].
    """
    if q.size > MOST_KEPT:
        return body_poses(tree_of(robot), robot.q_tree(q))
    keep = _poses_of_state if q.shape[1] == 1 else _poses_of_states
    return keep(robot, np.asarray(q, dtype=np.float64).tobytes(), q.shape)


def _kept_poses(robot: Robot, states: bytes, shape: tuple[int, int]) -> BodyPoses:
    q = np.frombuffer(states).reshape(shape)
    poses = body_poses(tree_of(robot), robot.q_tree(q))
    for array in (poses.R, poses.p):
        array.setflags(write=False)
    return poses


_poses_of_state = lru_cache(maxsize=8)(_kept_poses)
_poses_of_states = lru_cache(maxsize=2)(_kept_poses)  # for samples and the times between them


def point_jacobian(
    tree: Tree, poses: BodyPoses, body: int, point: Array
) -> tuple[tuple[int, ...], Array, Array]:
    """Return geometric Jacobian columns of a point that moves with a body: v = Jv qd, ω = Jw qd.

    Parameters
    ----------
    point : ndarray, shape (3, N)
        World position [m].

    Returns
    -------
    joints : tuple of int, length k
        Joints that move the body, from the root on; all other columns are zero.
    Jv, Jw : ndarray, shape (k, 3, N)
        World axes.
    """
    joints = tree.ancestors(body)
    rows = list(joints)
    axes = poses.R[rows, :, 2]
    levers = point - poses.p[rows]
    slides = np.array([tree.prismatic[j] for j in joints], dtype=bool)[:, None, None]
    turned = cross(axes, levers, axis=1)
    return joints, np.where(slides, axes, turned), np.where(slides, 0.0, axes)


def frame_of(robot: Robot, frame: str | None = None) -> tuple[int, Array]:
    """Return the body of a link (-1: the world) and the constant pose of its frame in that body.

    Parameters
    ----------
    frame : str, optional
        Name of the link (default: the tool frame).

    Raises
    ------
    ModelError
        If the robot has no such link, or no tool frame and no link is given.
    """
    frames = tree_of(robot).frames
    name = robot.require_tool() if frame is None else frame
    if name not in frames:
        raise ModelError(
            f"Frame {name!r} is not in robot {robot.name!r}; available: {', '.join(frames)}"
        )
    return frames[name]


@lru_cache(maxsize=1024)
def marker_place(robot: Robot, marker: Marker) -> tuple[int, Array]:
    """Return the body of a marker (-1: the world) and its constant pose in that body.

    Raises
    ------
    ModelError
        If the robot has no such link; the message lists the links.
    """
    frames = tree_of(robot).frames
    if marker.link == ABSOLUTE or (marker.link == WORLD and WORLD not in frames):
        return -1, marker.T_lm
    if marker.link not in frames:
        raise ModelError(
            f"Marker {marker.name!r}: link {marker.link!r} is not in robot {robot.name!r}; "
            f"available: {', '.join(frames)}, and {WORLD!r} for the world"
        )
    body, T_bl = frames[marker.link]
    return body, frozen(T_bl @ marker.T_lm)


def require_markers(robot: Robot, markers: Iterable[Marker], label: str) -> None:
    """Refuse markers on links that are not in a robot, in the name of what reads them."""
    try:
        for marker in markers:
            marker_place(robot, marker)
    except ModelError as error:
        raise ModelError(f"{label}: {error}") from None


@of_states("q")
def frame_pose(robot: Robot, q: ArrayLike, frame: str | None = None) -> Array:
    """Return poses T_0e of a link's frame in the world, shape (4, 4, N) [m].

    Parameters
    ----------
    q : array_like, shape (n, N), (n,) or (N, n)
        [rad or m]; the result has its time axis where `q` has, see `of_states`.
    frame : str, optional
        Name of the link (default: the tool frame).

    Raises
    ------
    ModelError
        If the robot has no such link.
    ValueError
        If `q` has another shape.
    """
    (q,) = columns(len(robot.coordinates), q=q)
    body, T_bl = frame_of(robot, frame)
    poses = poses_of(robot, q)
    return pose(poses.rotation(body, T_bl[:3, :3]), poses.point(body, T_bl[:3, 3]))


class FrameMotion(msgspec.Struct, frozen=True, eq=False):
    """Pose and twist of a link's frame in the world over time.

    Parameters
    ----------
    R : ndarray, shape (3, 3, N)
    p, v, w : ndarray, shape (3, N)
        Origin [m], its velocity [m/s], angular velocity [rad/s]; world axes.
    """

    R: Array
    p: Array
    v: Array
    w: Array


class Kinematics(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Poses and velocities of a robot at N states, each computed once.

    Parameters
    ----------
    robot : Robot
    q, qd : ndarray, shape (n, N)
        States of the independent joints [rad or m], [rad/s or m/s].
    states : mapping of str or Angle to ndarray, shape (N,)
        Other states with a rate: those of DIF by name in capitals, and angles with counted turns
        [rad].
    """

    robot: Robot
    q: Array
    qd: Array
    states: Mapping[str | Angle, Array] = msgspec.field(default_factory=dict)

    @cached_property
    def on_tree(self) -> tuple[Array, Array]:
        """Positions and velocities of all tree joints, (n_tree, N) each."""
        q, qd = self.robot.on_tree(self.q, self.qd)
        return q, qd

    @cached_property
    def poses(self) -> BodyPoses:
        """World poses of the moving bodies."""
        return poses_of(self.robot, self.q)

    @cached_property
    def forces(self) -> dict[object, tuple[Array, tuple[Array, Array]]]:
        """Times, force and torque of forces read by others, each computed once, by force."""
        return {}

    @cached_property
    def _frames(self) -> dict[str | Marker, FrameMotion]:
        return {}

    def frame(self, name: str) -> FrameMotion:
        """Return pose and velocity of a link's frame.

        Raises
        ------
        ModelError
            If the robot has no such link.
        """
        if name not in self._frames:
            self._frames[name] = self._motion_of(*frame_of(self.robot, name))
        return self._frames[name]

    def marker(self, marker: Marker) -> FrameMotion:
        """Return pose and velocity of a marker; raises as `marker_place`."""
        if marker not in self._frames:
            self._frames[marker] = self._motion_of(*marker_place(self.robot, marker))
        return self._frames[marker]

    def place(self, marker: Marker) -> tuple[Array, Array]:
        """Return origin [m] and z axis of a marker, (3, N) or (3, 1); raises as `marker_place`."""
        body, T = marker_place(self.robot, marker)
        if body < 0:
            return T[:3, 3:], T[:3, 2:3]
        return self.poses.point(body, T[:3, 3]), self.poses.rotation(body, T[:3, 2:3])[:, 0]

    def _motion_of(self, body: int, T_bf: Array) -> FrameMotion:
        """Return the motion of a frame fixed in a body.

        v = Σ a_k × (p - p_k) qd_k, or a_k qd_k if prismatic, and ω = Σ a_k qd_k: in a third of the
        time of a Jacobian by `point_jacobian` and its product with qd.
        """
        if body < 0:
            return _at_rest(T_bf, self.q.shape[1])
        tree, poses = tree_of(self.robot), self.poses
        p, joints = poses.point(body, T_bf[:3, 3]), list(tree.ancestors(body))
        along = np.swapaxes(poses.R[joints, :, 2] * self.on_tree[1][joints][:, None], 0, 1)
        slides = np.array([tree.prismatic[joint] for joint in joints])
        turns = np.where(slides[:, None], 0.0, along) if slides.any() else along
        levers = p[:, None] - np.swapaxes(poses.p[joints], 0, 1)
        v = cross(turns, levers).sum(axis=1)
        if slides.any():
            v = v + (along - turns).sum(axis=1)
        return FrameMotion(poses.rotation(body, T_bf[:3, :3]), p, v, turns.sum(axis=1))

    def rotation(self, name: str) -> Array:
        """Return the rotation of a link's frame in the world, (3, 3, N); raises as `frame`."""
        body, T_bl = frame_of(self.robot, name)
        return self.poses.rotation(body, T_bl[:3, :3])


def kinematics_of(robot: Robot, q: Array, qd: Array) -> Kinematics:
    """Return `Kinematics` at states (n, N); cached unless there are too many."""
    if q.shape[1] == 1 or q.size > MOST_KEPT:
        return Kinematics(robot, q, qd)
    return _kept_kinematics(robot, np.stack([q, qd], dtype=np.float64).tobytes(), q.shape)


@lru_cache(maxsize=2)  # as for poses
def _kept_kinematics(robot: Robot, states: bytes, shape: tuple[int, int]) -> Kinematics:
    return Kinematics(robot, *np.frombuffer(states).reshape(2, *shape))


def _at_rest(T: Array, N: int) -> FrameMotion:
    """Return the motion of a frame that is fixed in the world."""
    R, p, zero = T[:3, :3, None], T[:3, 3, None], np.zeros((3, N))
    if N > 1:  # for a single state the shape is right, and broadcasting costs more than the rest
        R, p = np.broadcast_to(R, (3, 3, N)), np.broadcast_to(p, (3, N))
    return FrameMotion(R, p, zero, zero)


def frame_motion(robot: Robot, frame: str, q: Array, qd: Array) -> FrameMotion:
    """Return pose and velocity of a link's frame, for q and qd (n, N); raises as `frame_of`."""
    return Kinematics(robot, q, qd).frame(frame)
