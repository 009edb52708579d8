"""One state of a robot: M, C qd + g and the loads of joints, without ∂M/∂q.

The sums are those of `sim.dynamics.virtual_work`, for a single state and all bodies at once. With a
single sample the cost is the number of NumPy calls. Each body has three rows of J for its mass
centre and three for its rotation about the principal axes,

    M = Jᵀ D J,    C qd + g = Jᵀ h,    D = (m m m, λ1 λ2 λ3),    h = D (J̇ qd - g) + ω × λ ω

The load of a joint is the sum of the inertia forces of all bodies that it moves: no wrench is
passed from link to link.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.kinematics.tree import ALONG_XYZ, Tree, tree_of
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import pose
from sim.robots.robot import Robot

# u @ _TURNED, as (c, a), is the matrix of x @ (..) = u × x; u @ _LEVER, as (a, c), that of u × x.
_EPSILON = np.zeros((3, 3, 3))
for _a, _b, _c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _EPSILON[_a, _b, _c], _EPSILON[_a, _c, _b] = 1.0, -1.0
_TURNED = np.ascontiguousarray(_EPSILON.transpose(1, 2, 0).reshape(3, 9))
_LEVER = np.ascontiguousarray(_EPSILON.transpose(1, 0, 2).reshape(3, 9))
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


class Constants(Struct, frozen=True, eq=False, dict=True):
    """Constants of a tree with n joints and B bodies with mass.

    Parameters
    ----------
    parent : tuple of int
    balls : tuple of int
    before, after : ndarray of int, shape (n,)
        As in `Tree`.
    place : ndarray, shape (n, 3, 16)
        Factors of 1, cos q, sin q (prismatic: of 1, q, 0) in the pose of a body in its parent; for
        the first body of a ball without rotation.
    slides : ndarray of bool, shape (n,), or None
        None if no joint is prismatic.
    turns : ndarray, shape (n, 1)
        1 for revolute, 0 for prismatic joints.
    moves : ndarray, shape (n, n)
        1 in row i if joint j moves body i.
    bodies : ndarray of int, shape (B,)
        Bodies with mass; all links of a body are merged.
    mass : ndarray, shape (B, 1)
        [kg]
    com : ndarray, shape (B, 4, 1)
        Mass centre in the body's frame, and a 1 [m].
    axes : ndarray, shape (B, 3, 3)
        Principal axes in the body's frame.
    moments : ndarray, shape (B, 3)
        Principal moments [kg·m²].
    path : ndarray, shape (n, 2, B, 1)
        1 if joint j moves body b, and if it rotates it.
    """

    parent: tuple[int, ...]
    balls: tuple[int, ...]
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    place: Array
    slides: Mask | None
    turns: Array
    moves: Array
    bodies: NDArray[np.intp]
    mass: Array
    com: Array
    axes: Array
    moments: Array
    path: Array

    @cached_property
    def weight(self) -> Array:
        """D, shape (6 B,)."""
        return np.concatenate([np.repeat(self.mass, 3), self.moments.ravel()])

    @cached_property
    def gyration(self) -> Array:
        """Differences of the principal moments, λ3 - λ2, λ1 - λ3, λ2 - λ1, shape (B, 3)."""
        return np.asarray(self.moments[:, _LAST] - self.moments[:, _NEXT])


@lru_cache(maxsize=64)
def constants_of(robot: Robot) -> Constants:
    """Return the constants of a robot's tree."""
    tree = tree_of(robot)
    n = tree.n
    slides = np.array(tree.prismatic, dtype=bool)
    moves = np.zeros((n, n))
    for body in range(n):
        moves[body, list(tree.ancestors(body))] = 1.0
    bodies = sorted({mass.body for mass in tree.masses})
    mass, com, axes, moments = _merge_bodies(tree, bodies)
    path = np.repeat(moves[bodies].T[:, None], 2, axis=1)
    path[slides, 1] = 0.0
    return Constants(
        tree.parent,
        tree.balls,
        tree.before,
        tree.after,
        _places(tree),
        slides if slides.any() else None,
        np.where(slides, 0.0, 1.0)[:, None],
        moves,
        np.array(bodies, dtype=np.intp),
        mass,
        com,
        axes,
        moments,
        path[..., None],
    )


def _merge_bodies(tree: Tree, bodies: list[int]) -> tuple[Array, Array, Array, Array]:
    """Return masses, mass centres, principal axes and moments of merged bodies."""
    size = len(bodies)
    mass, com = np.zeros((size, 1)), np.ones((size, 4, 1))
    axes, moments = np.zeros((size, 3, 3)), np.zeros((size, 3))
    for row, body in enumerate(bodies):
        links = [one for one in tree.masses if one.body == body]
        total = sum(one.mass for one in links)
        centre = np.sum([one.mass / total * one.com for one in links], axis=0)
        tensor = np.zeros((3, 3))
        for one in links:
            r = one.com - centre
            tensor += one.tensor + one.mass * (r @ r * np.eye(3) - np.outer(r, r))
        mass[row], com[row, :3, 0] = total, centre
        moments[row], axes[row] = np.linalg.eigh(tensor)
        axes[row, :, 0] *= np.sign(np.linalg.det(axes[row]))  # right-handed
    return mass, com, axes, moments


def _places(tree: Tree) -> Array:
    place = np.zeros((tree.n, 3, 4, 4))
    for i, (T, is_prismatic) in enumerate(zip(tree.T_pi, tree.prismatic, strict=True)):
        if is_prismatic:
            place[i, 0] = T
            place[i, 1, :3, 3] = T[:3, 2]
        else:
            place[i, 0, :, 2:] = T[:, 2:]
            place[i, 1, :, :2] = T[:, :2]
            place[i, 2, :, 0], place[i, 2, :, 1] = T[:, 1], -T[:, 0]
    for first in tree.balls:
        place[first : first + 3] = 0.0
        place[first, 0] = tree.T_pi[first]
        for k in (1, 2):
            place[first + k, 0] = pose(ALONG_XYZ[k - 1].T @ ALONG_XYZ[k])
    return place.reshape(tree.n, 3, 16)


class Instant(Struct, frozen=True, eq=False, dict=True):
    """One state of a robot; each quantity is computed once.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].
    q, qd : ndarray, shape (n,)
        Positions and velocities of the independent joints [rad or m], [rad/s or m/s].
    """

    robot: Robot
    gravity: Gravity
    q: Array
    qd: Array

    @cached_property
    def M(self) -> Array:
        """Mass matrix including rotors, shape (n, n) [kg·m², kg·m, kg]."""
        M = np.asarray(self._weighted_jacobians @ self._moving.J.T)
        if self.robot.has_drives:
            M[np.diag_indices_from(M)] += self.robot.rotor_inertia
        return M

    @cached_property
    def bias(self) -> Array:
        """C qd + g, shape (n,) [N·m or N]."""
        return np.asarray(self._moving.J @ self._moving.h)

    @cached_property
    def _weighted_jacobians(self) -> Array:
        return np.asarray(self._moving.J * self._moving.constants.weight)

    def loads(self, joints: NDArray[np.intp], qdd: Array) -> Array:
        """Return reactions of tree joints under accelerations, without wrenches, (k, 6, cases).

        Force and moment by the parent on the child at the joint, x y z each, along axes that move
        with the child, with z along the joint's [N], [N·m].

        Parameters
        ----------
        joints : ndarray of int, shape (k,)
        qdd : ndarray, shape (n, cases)
            Accelerations of the independent joints [rad/s² or m/s²].
        """
        at, k, cases = self._moving, joints.size, qdd.shape[1]
        constants, B = at.constants, len(at.constants.bodies)
        H = at.h[:, None] + self._weighted_jacobians.T @ qdd
        force, spin = H[: 3 * B], H[3 * B :].reshape(B, 3, cases)
        carried = constants.moves[np.ix_(constants.bodies, joints)].T
        lever = (at.lever[joints] * carried[:, :, None]) @ _LEVER
        total = np.empty((k, 3, 2 * cases))
        total[..., :cases] = (carried @ force.reshape(B, -1)).reshape(k, 3, cases)
        moment = carried @ (at.axes @ spin).reshape(B, -1)
        moment += (
            lever.reshape(k, B, 3, 3).transpose(0, 2, 1, 3).reshape(3 * k, 3 * B) @ force
        ).reshape(k, -1)
        total[..., cases:] = moment.reshape(k, 3, cases)
        along = at.R[joints].transpose(0, 2, 1) @ total
        return np.concatenate([along[..., :cases], along[..., cases:]], axis=1)

    @cached_property
    def _moving(self) -> _BodyMotion:
        robot = self.robot
        constants = constants_of(robot)
        if robot.is_plain:
            return _moving(constants, self.gravity, self.q, self.qd)
        S, q_0 = robot.coupling
        at = _moving(constants, self.gravity, S @ self.q + q_0, S @ self.qd)
        return _BodyMotion(constants, S.T @ at.J, at.h, at.R, at.lever, at.axes)


class _BodyMotion(Struct, frozen=True, eq=False):
    """Motion of the bodies at a state; n joints, B bodies with mass."""

    constants: Constants
    J: Array  # (n, 6 B)
    h: Array  # (6 B,)
    R: Array  # (n, 3, 3) rotations of all bodies in the world
    lever: Array  # (n, B, 3) from each joint to each mass centre [m]
    axes: Array  # (B, 3, 3) principal axes in the world


def _moving(constants: Constants, gravity: Gravity, q: Array, qd: Array) -> _BodyMotion:
    poses = _poses(constants, q)
    n, B = len(poses), len(constants.bodies)
    R, p = poses[:, :3, :3], poses[:, :3, 3]
    z = np.ascontiguousarray(R[:, :, 2])
    T_0b = poses[constants.bodies]
    axes = T_0b[:, :3, :3] @ constants.axes
    lever = (T_0b @ constants.com)[:, :3, 0] - p[:, None]
    J = np.empty((n, 2, B, 3))
    np.matmul(lever, (z @ _TURNED).reshape(n, 3, 3), out=J[:, 0])
    if constants.slides is not None:
        J[constants.slides, 0] = z[constants.slides, None]
    J[:, 1] = (z @ axes.transpose(1, 0, 2).reshape(3, -1)).reshape(n, B, 3)
    J *= constants.path

    rate = qd[:, None]
    turn = constants.turns * rate * z
    spin = np.empty((n, 2, 3))  # angular velocities, and accelerations for qdd = 0
    w = np.matmul(constants.moves, turn, out=spin[:, 0])
    w_before, twice = w, 2.0 * w - turn
    if constants.balls:
        w_before = np.append(w, np.zeros((1, 3)), axis=0)[constants.before]
        twice = w_before + w[constants.after]
    around = (twice * rate) @ _TURNED
    a = (J[:, 0] @ around.reshape(n, 3, 3)).sum(axis=0)
    gyrating = turn[:, None] @ (w_before @ _TURNED).reshape(n, 3, 3)
    np.matmul(constants.moves, gyrating[:, 0], out=spin[:, 1])

    h = np.empty((2, B, 3))
    np.multiply(constants.mass, a - gravity, out=h[0])
    along = spin[constants.bodies] @ axes
    w_b = along[:, 0]
    np.multiply(constants.moments, along[:, 1], out=h[1])
    h[1] += constants.gyration * (w_b[:, _NEXT] * w_b[:, _LAST])
    return _BodyMotion(constants, J.reshape(n, -1), h.ravel(), R, lever, axes)


def _poses(constants: Constants, q: Array) -> Array:
    """Return the poses of all bodies in the world, shape (n, 4, 4)."""
    n = q.size
    features = np.empty((n, 1, 3))
    features[:, 0, 0] = 1.0
    np.cos(q, out=features[:, 0, 1])
    np.sin(q, out=features[:, 0, 2])
    if (slides := constants.slides) is not None:
        features[slides, 0, 1] = q[slides]
    poses = (features @ constants.place).reshape(n, 4, 4)
    for first in constants.balls:
        poses[first : first + 3] = constants.place[first : first + 3, 0].reshape(3, 4, 4)
        R = rotations_of_vectors(q[first : first + 3, None])[:, :, 0]
        poses[first, :3, :3] = poses[first, :3, :3] @ R @ ALONG_XYZ[0]
    for i, parent in enumerate(constants.parent):
        if parent >= 0:
            poses[i] = poses[parent].dot(poses[i])
    return poses
