"""Newton–Euler inverse dynamics with joint reactions: the second formulation.

Two sweeps over the tree: motions from the root out, wrenches from the tips in. With the Lagrangian
model it shares the parsed robot (`sim.kinematics.tree`), and where wrenches of the surroundings act
the place and the axes of those (`sim.dynamics.wrench`); nothing of inertia, gravity or velocity.

Everything that is constant in a body's frame is one matrix product. With ω angular velocity, α
angular acceleration, a acceleration of the frame's origin and W = [α]× + [ω]×², a point r of the
body accelerates with a + W r, so the wrench Σ m (1, [r]×)(a + W r) is linear in (a, W), and W is
linear in α and the six products of ω.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.wrench import Acting, body_wrenches
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import ALONG_XYZ, Tree, tree_of
from sim.maths.arrays import Array, columns, evaluate_in_batches, workspace
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import cosine_and_sine, cross, skew
from sim.robots.robot import Robot

# Samples a pass; keeps the intermediate arrays in the cache. Not a power of two: rows that start a
# multiple of 4096 bytes apart push each other out of it.
CHUNK = 2600


@dataclass(frozen=True, eq=False)
class Wrenches:
    """Joint torques and the reactions that go with them.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque that moves each independent joint, positive along its axis [N·m or N].
    reaction : ndarray, shape (n_tree, 6, N)
        Force [N] and moment [N·m] (fx fy fz mx my mz) by the parent on the child of each tree
        joint, at the joint frame's origin, along the axes of the joint frame (which moves with
        the child). All that the parent does to the child is in it: the moment about a hinge's axis,
        or the force along a slide's, is the drive's torque less the joint's friction.
    """

    tau: Array
    reaction: Array


@of_states("q", "qd", "qdd")
def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Array:
    """Joint torques M(q) qdd + C(q, qd) qd + g(q) - Jᵀ F, shape (n, N) [N·m or N].

    Rotors have their share in M; friction, springs, stops and the losses of gears are no part of
    it: `sim.dynamics.drive_torque`.

    Parameters
    ----------
    q, qd, qdd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]); time of the result is where that
        of `q` is, see `of_states`.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Forces and torques of the surroundings on links.

    Raises
    ------
    ModelError
        If an external wrench acts on a link that is not in the robot.
    ValueError
        If an array has none of these shapes.
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)

    memory = _memory(tree_of(robot).n, q.shape[1])
    arrays = (q, qd, qdd, *_loads(robot, q, external))
    tau = np.empty_like(q)
    for k in range(0, q.shape[1], CHUNK):
        part = slice(k, k + CHUNK)
        q, qd, qdd, *loads = (array[..., part] for array in arrays)
        _torques(robot, _sweep(robot, q, qd, qdd, gravity, memory, *loads), tau[:, part])
    return tau + robot.rotor_inertia[:, None] * arrays[2] if robot.has_drives else tau


def wrenches(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY, external: Acting = ()
) -> Wrenches:
    """Torques and reactions of the links alone, without rotors; arguments of `inverse_dynamics`."""
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    R_ji = tree_of(robot).R_ji
    # no memory for the quick cosines, so NumPy's own are taken; what cancels, cancels as well
    memory = _memory(len(R_ji), q.shape[1])[:3]

    def kernel(q: Array, qd: Array, qdd: Array, *loads: Array) -> tuple[Array, Array]:
        swept = _sweep(robot, q, qd, qdd, gravity, memory, *loads)
        # swept rows are fx nx fy ny fz nz; turned from the body frame into the joint frame
        turned = np.einsum("jab,jbkN->jkaN", R_ji, swept.reshape(len(swept), 3, 2, -1))
        return _torques(robot, swept, np.empty_like(q)), turned.reshape(swept.shape)

    tau, reaction = evaluate_in_batches(kernel, CHUNK, q, qd, qdd, *_loads(robot, q, external))
    return Wrenches(tau, reaction)


def _loads(robot: Robot, q: Array, external: Acting) -> tuple[Array, ...]:
    """External wrenches on the bodies in the rows of `_sweep`, (n, 6, N); nothing without any."""
    external = tuple(external)
    if not external:
        return ()
    on_bodies = body_wrenches(robot, q, external)
    rows = np.swapaxes(on_bodies.reshape(len(on_bodies), 2, 3, -1), 1, 2)
    return (rows.reshape(on_bodies.shape),)


def _torques(robot: Robot, swept: Array, out: Array) -> Array:
    """Fill `out` (n, N) with what moves the independent joints."""
    tree = tree_of(robot)
    rows = [4 if prismatic else 5 for prismatic in tree.prismatic]  # fz or nz
    if not robot.is_plain:
        return np.matmul(robot.coupling[0].T, swept[np.arange(tree.n), rows], out=out)
    for joint, row in enumerate(rows):
        out[joint] = swept[joint, row]
    return out


@dataclass(frozen=True, eq=False)
class _Constants:
    motion: Array  # (n, 9, 15) features of the parent -> ω α a in the child's frame at q = 0
    wrench: Array  # (n, 6, 12) features (a, α, ωω) of a body -> fx nx fy ny fz nz at its origin
    transfer: Array  # (n, 6, 6) wrench in the child's frame at q = 0 -> at the parent's origin


# Feature rows: wx αx ax wy αy ay wz αz az | wxwx wywy wzwz wxwy wxwz wywz
_ALPHA = (1, 4, 7)
_A = (2, 5, 8)
_FORCE, _MOMENT = (0, 2, 4), (1, 3, 5)


def _W_of_features() -> Array:
    """Matrix (9, 15) from the features to vec(W) (row-major), W = [α]× + [ω]×²."""
    W = np.zeros((3, 3, 15))
    for axis, row in enumerate(_ALPHA):
        W[:, :, row] = skew(np.eye(3)[axis])
    squares, products = (9, 10, 11), {(0, 1): 12, (0, 2): 13, (1, 2): 14}
    for axis in range(3):
        for other in range(3):
            if other != axis:
                W[axis, axis, squares[other]] = -1.0
    for (i, j), row in products.items():
        W[i, j, row] = W[j, i, row] = 1.0
    return W.reshape(9, 15)


@lru_cache(maxsize=64)
def _constants(tree: Tree) -> _Constants:
    W = _W_of_features().reshape(3, 3, 15)
    acceleration = np.zeros((3, 15))
    acceleration[range(3), _A] = 1.0
    motion = np.zeros((tree.n, 9, 15))
    wrench = np.zeros((tree.n, 6, 15))
    transfer = np.zeros((tree.n, 6, 6))
    for i in range(tree.n):
        R_pi, p_pi = tree.T_pi[i, :3, :3], tree.T_pi[i, :3, 3]
        for vector in (0, 1):  # ω and α only turn
            motion[i][np.ix_(range(vector, 9, 3), range(vector, 9, 3))] = R_pi.T
        motion[i][2::3] = R_pi.T @ (acceleration + np.einsum("abf,b->af", W, p_pi))
        transfer[i][np.ix_(_FORCE, _FORCE)] = R_pi
        transfer[i][np.ix_(_MOMENT, _MOMENT)] = R_pi
        transfer[i][np.ix_(_MOMENT, _FORCE)] = skew(p_pi) @ R_pi
    for mass in tree.masses:
        h = mass.mass * mass.com
        # second moments ∫ r rᵀ dm about the body's origin, from the tensor about the mass centre
        second = 0.5 * np.trace(mass.tensor) * np.eye(3) - mass.tensor + np.outer(h, mass.com)
        wrench[mass.body][_FORCE, :] += mass.mass * acceleration + np.einsum("abf,b->af", W, h)
        moment = skew(h) @ acceleration
        WS = np.einsum("abf,bc->acf", W, second)  # Σ m (W r) rᵀ
        moment += np.stack([WS[2, 1] - WS[1, 2], WS[0, 2] - WS[2, 0], WS[1, 0] - WS[0, 1]])
        wrench[mass.body][_MOMENT, :] += moment
    return _Constants(motion, wrench, transfer)


def _memory(n: int, N: int) -> list[Array]:
    """Features (n, 15, N), wrenches (n, 6, N), scratch rows (12, N), and (3, n, N) for cosines."""
    return workspace(min(CHUNK, N), (n, 15), (n, 6), (12,), (3, n))


def _sweep(
    robot: Robot,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: Gravity,
    memory: list[Array],
    loads: Array | None = None,
) -> Array:
    """Wrench by the parent on every body at its origin in its own frame, (n, 6, N).

    Rows fx nx fy ny fz nz, as in `loads`, what the surroundings do to the bodies.
    """
    tree = tree_of(robot)
    if not robot.is_plain:
        q, qd, qdd = robot.on_tree(q, qd, qdd)
    features, wrench, scratch, *turns = (array[..., : q.shape[1]] for array in memory)
    cos, sin = cosine_and_sine(q, turns[0]) if turns else (np.cos(q), np.sin(q))
    swivels = {first: rotations_of_vectors(q[first : first + 3]) for first in tree.balls}
    turned = cos, sin, swivels
    _move_outwards(tree, (q, qd, qdd), turned, gravity, (features, wrench, scratch))
    if loads is not None:
        wrench -= loads
    np.negative(sin, out=sin)
    _hand_inwards(tree, q, turned, wrench, scratch)
    return wrench


# Of the rows cosines and sines, (n, N) each; of the first row of each ball R (3, 3, N).
_Turned = tuple[Array, Array, Mapping[int, Array]]


def _move_outwards(
    tree: Tree,
    motion: tuple[Array, Array, Array],
    turned: _Turned,
    gravity: Gravity,
    memory: tuple[Array, Array, Array],
) -> None:
    """Fill in the features of all bodies and the wrenches that move them, from the root out."""
    constants, (q, qd, qdd), (cos, sin, swivels) = _constants(tree), motion, turned
    features, wrench, scratch = memory
    base = np.zeros(15)
    base[[*_A]] = -np.asarray(gravity, dtype=np.float64)
    for i, (parent, body) in enumerate(zip(tree.parent, tree.after.tolist(), strict=True)):
        if i not in swivels and (body != i or body - 2 in swivels):
            continue  # of a ball, whose first row moves its last body
        X = features[body]
        if parent < 0:
            X[:9] = (constants.motion[i] @ base)[:, None]
        else:
            np.matmul(constants.motion[i], features[parent], out=X[:9])
        if tree.prismatic[i]:
            _products(X)
            _slide(X, q[i], qd[i], qdd[i])
        else:
            if i in swivels:
                _swivel(X, swivels[i], qd[i : body + 1], qdd[i : body + 1])
                wrench[i:body] = 0.0
            else:
                _turn(X[:6], cos[i], sin[i], scratch)
                _spin(X, qd[i], qdd[i], scratch)
            _products(X)
        np.matmul(constants.wrench[body], X, out=wrench[body])


def _hand_inwards(tree: Tree, q: Array, turned: _Turned, wrench: Array, scratch: Array) -> None:
    """Add to each wrench those of the children, from the tips in; sines are those of -q."""
    transfer, (cos, sin, swivels) = _constants(tree).transfer, turned
    for i in reversed(range(tree.n)):
        body, parent = int(tree.after[i]), int(tree.before[i])
        if i in swivels:
            _share(wrench[i : body + 1])
        elif body != i or body - 2 in swivels:
            continue  # of a ball, whose first row hands on what its last body has
        if parent < 0:
            continue
        handed = scratch[6:12]
        handed[:] = wrench[body]
        if tree.prismatic[i]:
            handed[1] -= q[i] * handed[2]  # moment of the force at z q: (z q) × f
            handed[3] += q[i] * handed[0]
        elif i in swivels:
            _turn_back(handed, swivels[i])
        else:
            _turn(handed[:4], cos[i], sin[i], scratch)
        wrench[parent] += np.matmul(transfer[i], handed, out=scratch[:6])


def _turn(rows: Array, c: Array, s: Array, scratch: Array) -> None:
    """Turn x rows and y rows into a frame turned about z, Rz(q)ᵀ v; back again with -s."""
    half = len(rows) // 2
    turned = np.multiply(rows, s, out=scratch[: len(rows)])
    rows *= c
    rows[:half] += turned[half:]
    rows[half:] -= turned[:half]


def _spin(X: Array, qd: Array, qdd: Array, scratch: Array) -> None:
    """Rotation of a frame that turns about z: ω + z qd, α + ω × z qd + z qdd."""
    X[1] += np.multiply(X[3], qd, out=scratch[0])
    X[4] -= np.multiply(X[0], qd, out=scratch[0])
    X[7] += qdd
    X[6] += qd


def _products(X: Array) -> None:
    """Fill the six products of ω."""
    w = X[0:9:3]
    np.multiply(w, w, out=X[9:12])
    np.multiply(w[0], w[1:3], out=X[12:14])
    np.multiply(w[1], w[2], out=X[14])


def _swivel(X: Array, R: Array, qd: Array, qdd: Array) -> None:
    """Motion of the child of a ball, which turns with qd along its own axes: α + ω × qd + qdd."""
    along = X[:9].reshape(3, 3, -1)  # axis, and which of ω, α, a
    along[:] = np.einsum("baN,bkN->akN", R, along)
    along[:, 1] += cross(along[:, 0], qd) + qdd
    along[:, 0] += qd


def _share(wrench: Array) -> None:
    """Give the wrench on the child of a ball (row 2) to all three bodies, along their own axes."""
    rows = wrench[2].reshape(3, 2, -1)  # axis, and force or moment
    for k in (0, 1):
        wrench[k] = np.einsum("ba,bkN->akN", ALONG_XYZ[k], rows).reshape(wrench[2].shape)


def _turn_back(handed: Array, R: Array) -> None:
    """A wrench along the axes of a ball's child, along those of the ball at rest."""
    handed[:] = np.einsum("abN,bkN->akN", R, handed.reshape(3, 2, -1)).reshape(handed.shape)


def _slide(X: Array, q: Array, qd: Array, qdd: Array) -> None:
    """Acceleration of a frame that slides along z: a + W z q + 2 ω × z qd + z qdd."""
    X[2] += (X[13] + X[4]) * q + 2 * X[3] * qd  # W_xz = wxwz + αy
    X[5] += (X[14] - X[1]) * q - 2 * X[0] * qd  # W_yz = wywz - αx
    X[8] += -(X[9] + X[10]) * q + qdd  # W_zz = -(wxwx + wywy)
