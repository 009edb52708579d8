"""Two sweeps over a tree of bodies: motions outwards from the root, wrenches inwards from the tips.

Everything that is constant in a body's frame is one matrix product. With ω angular velocity, α
angular acceleration, a acceleration of the frame's origin and W = [α]× + [ω]×², a point r of the
body accelerates with a + W r, so the wrench Σ m (1, [r]×)(a + W r) is linear in (a, W), and W is
linear in α and the six products of ω. These fifteen are the features of a body's motion. The same
wrench is linear in the body's ten inertial parameters: torques and regressor share both sweeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import numpy as np
from msgspec import Struct

from sim.dynamics.gravity import Gravity
from sim.dynamics.inertial_parameters import MOMENTS, second_moments, tree_parameters
from sim.kinematics.tree import ALONG_XYZ, Tree
from sim.maths.arrays import Array
from sim.maths.rotations import cross, skew

# Feature rows: wx αx ax wy αy ay wz αz az | wxwx wywy wzwz wxwy wxwz wywz
FEATURES = 15
_ALPHA = (1, 4, 7)
_A = (2, 5, 8)
_FORCE, _MOMENT = (0, 2, 4), (1, 3, 5)


# For the tree joints: cosines and sines, (n, N) each, and R (3, 3, N) by each ball's first row.
Turned = tuple[Array, Array, Mapping[int, Array]]


class SweepConstants(Struct, frozen=True, eq=False):
    """Constants of a tree in the frames of its bodies.

    Parameters
    ----------
    motion : ndarray, shape (n, 9, 15)
        Features of the parent -> ω α a in the child's frame at q = 0.
    wrench : ndarray, shape (n, 6, 15)
        Features of a body -> fx nx fy ny fz nz at its origin.
    transfer : ndarray, shape (n, 6, 6)
        Wrench in the child's frame at q = 0 -> at the parent's origin.
    """

    motion: Array
    wrench: Array
    transfer: Array


@lru_cache(maxsize=64)
def sweep_constants(tree: Tree) -> SweepConstants:
    """Return the constant matrices of a tree with its own inertias."""
    W = _W_of_features().reshape(3, 3, FEATURES)
    motion = np.zeros((tree.n, 9, FEATURES))
    transfer = np.zeros((tree.n, 6, 6))
    for i in range(tree.n):
        R_pi, p_pi = tree.T_pi[i, :3, :3], tree.T_pi[i, :3, 3]
        for vector in (0, 1):  # ω and α are only rotated
            motion[i][np.ix_(range(vector, 9, 3), range(vector, 9, 3))] = R_pi.T
        motion[i][2::3] = R_pi.T @ (_acceleration() + np.einsum("abf,b->af", W, p_pi))
        transfer[i][np.ix_(_FORCE, _FORCE)] = R_pi
        transfer[i][np.ix_(_MOMENT, _MOMENT)] = R_pi
        transfer[i][np.ix_(_MOMENT, _FORCE)] = skew(p_pi) @ R_pi
    wrench = np.einsum("np,pwf->nwf", tree_parameters(tree), unit_wrenches())
    return SweepConstants(motion, wrench, transfer)


@cache
def unit_wrenches() -> Array:
    """Return features of a body -> its wrench per unit of each inertial parameter, (10, 6, 15).

    Rows fx nx fy ny fz nz; the parameters are those of `sim.dynamics.inertial_parameters`.
    """
    W, acceleration = _W_of_features().reshape(3, 3, FEATURES), _acceleration()
    units = np.zeros((10, 6, FEATURES))
    units[0][_FORCE, :] = acceleration
    for k, e in enumerate(np.eye(3)):
        units[1 + k][_FORCE, :] = np.einsum("abf,b->af", W, e)
        units[1 + k][_MOMENT, :] = skew(e) @ acceleration
    for k, (row, column) in enumerate(MOMENTS):
        tensor = np.zeros((3, 3))
        tensor[row, column] = tensor[column, row] = 1.0
        WS = np.einsum("abf,bc->acf", W, second_moments(tensor))  # Σ m (W r) rᵀ
        moment = [WS[2, 1] - WS[1, 2], WS[0, 2] - WS[2, 0], WS[1, 0] - WS[0, 1]]
        units[4 + k][_MOMENT, :] = moment
    units.setflags(write=False)
    return units


def _acceleration() -> Array:
    """Return the matrix (3, 15) from the features to the acceleration of the origin."""
    acceleration = np.zeros((3, FEATURES))
    acceleration[range(3), _A] = 1.0
    return acceleration


def _W_of_features() -> Array:
    """Return the matrix (9, 15) from the features to vec(W) (row-major), W = [α]× + [ω]×²."""
    W = np.zeros((3, 3, FEATURES))
    for axis, row in enumerate(_ALPHA):
        W[:, :, row] = skew(np.eye(3)[axis])
    squares, products = (9, 10, 11), {(0, 1): 12, (0, 2): 13, (1, 2): 14}
    for axis in range(3):
        for other in range(3):
            if other != axis:
                W[axis, axis, squares[other]] = -1.0
    for (i, j), row in products.items():
        W[i, j, row] = W[j, i, row] = 1.0
    return W.reshape(9, FEATURES)


def sweep_out(
    tree: Tree,
    states: Sequence[Array],
    turned: Turned,
    gravity: Gravity,
    features: Array,
    scratch: Array,
) -> None:
    """Fill `features` (n, 15, N) with the motions of the bodies, each in its own frame.

    Parameters
    ----------
    states : sequence of ndarray, shape (n, N)
        q, qd and qdd of all tree joints.
    turned : tuple
        Cosines and sines of q, and the rotation of each ball by its first row.
    gravity : tuple of float
        In the world [m/s²]; the base accelerates against it.
    scratch : ndarray, shape (12, N)
        Work memory.
    """
    motion, (q, qd, qdd), (cos, sin, swivels) = sweep_constants(tree).motion, states, turned
    base = np.zeros(FEATURES)
    base[[*_A]] = -np.asarray(gravity, dtype=np.float64)
    for i, (parent, body) in enumerate(zip(tree.parent, tree.after.tolist(), strict=True)):
        if i not in swivels and (body != i or body - 2 in swivels):
            continue  # part of a ball, whose first row moves its last body
        X = features[body]
        if parent < 0:
            X[:9] = (motion[i] @ base)[:, None]
        else:
            np.matmul(motion[i], features[parent], out=X[:9])
        if tree.prismatic[i]:
            _products(X)
            _slide(X, q[i], qd[i], qdd[i])
        else:
            if i in swivels:
                _swivel(X, swivels[i], qd[i : body + 1], qdd[i : body + 1])
                features[i:body] = 0.0  # the ball's other two bodies have no mass
            else:
                _turn(X[:6], cos[i], sin[i], scratch)
                _spin(X, qd[i], qdd[i], scratch)
            _products(X)


def hand_inwards(tree: Tree, q: Array, turned: Turned, wrench: Array, scratch: Array) -> None:
    """Add to each wrench (n, 6, N) those of the children, from the tips inwards.

    Parameters
    ----------
    q : ndarray, shape (n, N)
    turned : tuple
        As in `sweep_out`, with negative sines.
    wrench : ndarray, shape (n, 6, N)
        Wrench of each body alone; replaced by the wrench of its parent on it.
    scratch : ndarray, shape (12, N)
    """
    cos, sin, swivels = turned
    for i in reversed(range(tree.n)):
        body, parent = int(tree.after[i]), int(tree.before[i])
        if i in swivels:
            _share(wrench[i : body + 1])
        elif body != i or body - 2 in swivels:
            continue  # part of a ball, whose first row passes on its last body's wrench
        if parent < 0:
            continue
        if i in swivels:
            wrench[parent] += through_ball(tree, i, wrench[body], swivels[i])
        else:
            handed = scratch[6:12]
            handed[:] = wrench[body]
            wrench[parent] += to_parent(tree, i, handed, q[i], (cos[i], sin[i]), scratch[:6])


def through_ball(tree: Tree, first: int, wrench: Array, R: Array) -> Array:
    """Return a wrench on a ball's child, at the parent's origin in its frame, (6, …, N).

    Parameters
    ----------
    first : int
        The first row of the ball.
    wrench : ndarray, shape (6, …, N)
        Rows fx nx fy ny fz nz, along the axes of the child.
    R : ndarray, shape (3, 3, N)
        Rotation of the child.
    """
    at_rest = np.einsum("abN,bk...N->ak...N", R, wrench.reshape(3, 2, *wrench.shape[1:]))
    transfer = sweep_constants(tree).transfer[first]
    return np.asarray((transfer @ at_rest.reshape(6, -1)).reshape(wrench.shape))


def to_parent(
    tree: Tree, i: int, handed: Array, q: Array, turn: tuple[Array, Array], scratch: Array
) -> Array:
    """Return a wrench by body i on its child side, at the parent's origin in the parent's frame.

    Parameters
    ----------
    handed : ndarray, shape (6, …, N)
        Rows fx nx fy ny fz nz at the origin of body i in its own frame; overwritten.
    q : ndarray, shape (N,)
        Position of joint i.
    turn : tuple of ndarray, shape (N,)
        Cosine of q, and its negative sine.
    scratch : ndarray, shape (6, …, N)
        Memory for the result, which is returned.
    """
    if tree.prismatic[i]:
        handed[1] -= q * handed[2]  # moment of the force at z q: (z q) × f
        handed[3] += q * handed[0]
    else:
        _turn(handed[:4], *turn, scratch)
    flat = handed.reshape(6, -1)
    np.matmul(sweep_constants(tree).transfer[i], flat, out=scratch.reshape(6, -1))
    return scratch


def _turn(rows: Array, c: Array, s: Array, scratch: Array) -> None:
    """Transform x rows and y rows into a frame rotated about z, Rz(q)ᵀ v; back with -s."""
    half = len(rows) // 2
    turned = np.multiply(rows, s, out=scratch[: len(rows)])
    rows *= c
    rows[:half] += turned[half:]
    rows[half:] -= turned[:half]


def _spin(X: Array, qd: Array, qdd: Array, scratch: Array) -> None:
    """Add the rotation of a frame about z: ω + z qd, α + ω × z qd + z qdd."""
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
    """Add the motion of a ball's child, which rotates with qd along its axes: α + ω × qd + qdd."""
    along = X[:9].reshape(3, 3, -1)  # axes: component, quantity (ω, α or a)
    along[:] = np.einsum("baN,bkN->akN", R, along)
    along[:, 1] += cross(along[:, 0], qd) + qdd
    along[:, 0] += qd


def _share(wrench: Array) -> None:
    """Copy the wrench on a ball's child (row 2) to all three bodies, along their own axes."""
    rows = wrench[2].reshape(3, 2, -1)  # axes: component, force or moment
    for k in (0, 1):
        wrench[k] = np.einsum("ba,bkN->akN", ALONG_XYZ[k], rows).reshape(wrench[2].shape)


def _slide(X: Array, q: Array, qd: Array, qdd: Array) -> None:
    """Add the acceleration of a frame that slides along z: a + W z q + 2 ω × z qd + z qdd."""
    X[2] += (X[13] + X[4]) * q + 2 * X[3] * qd  # W_xz = wxwz + αy
    X[5] += (X[14] - X[1]) * q - 2 * X[0] * qd  # W_yz = wywz - αx
    X[8] += -(X[9] + X[10]) * q + qdd  # W_zz = -(wxwx + wywy)
