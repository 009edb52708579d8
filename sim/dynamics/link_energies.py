"""Kinetic and potential energies of the links, from velocities in the links' own frames.

The angular velocity w, the velocity v of the frame's origin, gravity g, all along the frame's axes,
and the height ``s = g·p`` of the origin are propagated from parent to child. A constant transform
is one matrix product, a joint one rotation about z; a link then has

    T = ½ Σ I_k w_k² + ½ m |v + w × c|²,     V = -m (s + g·c)

with w along its principal axes and c its mass centre: a sum of squares, which rounding cannot make
negative. The work per sample grows with the number of joints, not with its square.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct

from sim.dynamics.gravity import Gravity
from sim.kinematics.tree import Mass, Tree, tree_of
from sim.maths.arrays import Array, workspace
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import cosine_and_sine, skew
from sim.robots.robot import Robot

_ROW = 16_000  # joints times samples per pass; keeps the propagated values in the cache

# Rows propagated from a body to its children: wx vx gx wy vy gy wz vz gz s
_ROWS = 10
_W, _V, _G, _S = (0, 3, 6), (1, 4, 7), (2, 5, 8), 9


def energies(robot: Robot, q: Array, qd: Array, gravity: Gravity) -> tuple[Array, Array]:
    """Return kinetic and potential energies of the links that move, (links, N) each [J].

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)
    gravity : tuple of float
        In the world [m/s²].
    """
    tree, N = tree_of(robot), q.shape[1]
    size = max(1, _ROW // max(tree.n, 1))
    ke, pe = np.empty((2, len(tree.masses), N))
    memory = workspace(min(size, N), (tree.n, _ROWS), (6,), (3, tree.n))
    for k in range(0, N, size):
        part = slice(k, k + size)
        q_tree, qd_tree = robot.on_tree(q[:, part], qd[:, part])
        X, rows, turns = (array[..., : q_tree.shape[1]] for array in memory)
        _hand_on(tree, (q_tree, qd_tree), gravity, X, rows, turns)
        for row, (mass, link) in enumerate(zip(tree.masses, _constants(tree).links, strict=True)):
            np.matmul(link.roots, X[mass.body], out=rows)
            np.multiply(rows, rows, out=rows)
            np.matmul(link.halves, rows, out=ke[row, part])
            np.matmul(link.weight, X[mass.body], out=pe[row, part])
    return ke, pe


def _hand_on(
    tree: Tree,
    state: tuple[Array, Array],
    gravity: Gravity,
    features: Array,
    scratch: Array,
    turns: Array,
) -> None:
    """Fill the features (n, 10, N) of the bodies; (6, N) and (3, n, N) are work memory."""
    q, qd = state
    base = np.zeros(_ROWS)
    base[[*_G]] = gravity
    cos, sin = cosine_and_sine(q, turns)
    steps = _constants(tree).steps
    for i, parent in enumerate(tree.parent):
        first = int(tree.after[i]) - 2
        if first in tree.balls and i > first:
            continue
        X = features[tree.after[i]]
        if parent < 0:
            X[:] = (steps[i] @ base)[:, None]
        else:
            np.matmul(steps[i], features[parent], out=X)
        if tree.prismatic[i]:  # v + w × z q + z qd
            X[1] += X[3] * q[i]
            X[4] -= X[0] * q[i]
            X[7] += qd[i]
            X[_S] += X[8] * q[i]
            continue
        if i in tree.balls:
            along = X[:9].reshape(3, 3, -1)  # axes: component, quantity (w, v or g)
            along[:] = np.einsum("baN,bkN->akN", rotations_of_vectors(q[i : i + 3]), along)
            along[:, 0] += qd[i : i + 3]
            continue
        turned = np.multiply(X[:6], sin[i], out=scratch)
        X[:6] *= cos[i]
        X[:3] += turned[3:]
        X[3:6] -= turned[:3]
        X[6] += qd[i]


class _Link(Struct, frozen=True, eq=False):
    roots: Array  # (6, 10) features -> w along the principal axes and v of the mass centre
    halves: Array  # (6,) half of the inertia or mass that weights each square
    weight: Array  # (10,) features -> potential energy


class _Constants(Struct, frozen=True, eq=False):
    steps: Array  # (n, 10, 10) features of the parent -> of the child at q = 0
    links: tuple[_Link, ...]


@lru_cache(maxsize=64)
def _constants(tree: Tree) -> _Constants:
    steps = np.zeros((tree.n, _ROWS, _ROWS))
    for step, T in zip(steps, tree.T_pi, strict=True):
        R, p = T[:3, :3], T[:3, 3]
        for rows in (_W, _V, _G):
            step[np.ix_(rows, rows)] = R.T
        step[np.ix_(_V, _W)] = -R.T @ skew(p)
        step[_S, [*_G]] = p
        step[_S, _S] = 1.0
    return _Constants(steps, tuple(map(_link, tree.masses)))


def _link(mass: Mass) -> _Link:
    inertia, axes = np.linalg.eigh(mass.tensor)
    roots, weight = np.zeros((6, _ROWS)), np.zeros(_ROWS)
    roots[np.ix_(range(3), _W)] = axes.T
    roots[np.ix_(range(3, 6), _V)] = np.eye(3)
    roots[np.ix_(range(3, 6), _W)] = -skew(mass.com)
    weight[[*_G]] = -mass.mass * mass.com
    weight[_S] = -mass.mass
    return _Link(roots, 0.5 * np.append(inertia, np.full(3, mass.mass)), weight)
