"""Lagrange's equation as virtual work: torques of a tree without ∂M/∂q.

With T the kinetic energies of the links, Jv and Jw the Jacobians of a link's mass centre,

    d/dt ∂T/∂qd_i - ∂T/∂q_i = Σ_links Jv_i·m a + Jw_i·d/dt(I ω),

because d/dt ∂v/∂qd_i = ∂v/∂q_i: the two terms on the left differ by the link's own acceleration
(Lagrange's form of d'Alembert's principle). Accelerations come from the exact second derivatives of
the mass centre. With the joints counted from the root, and w_<j the angular velocity before j (w_≤j
includes j; for the three rows of a ball: before the first and after the last row),

    a = Σ_j Jv_j qdd_j + (w_≤j + w_<j) × Jv_j qd_j,     ∂Jv_j/∂q_k = Jw_min × Jv_max
    α = Σ_j Jw_j qdd_j + w_<j × Jw_j qd_j

Every link's Jacobian is formed separately, n² numbers per sample; no wrench is passed between
links, so that this stays independent of `sim.dynamics.newton_euler`.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.kinematics.forward import BodyPoses, body_poses
from sim.kinematics.tree import Mass, Tree
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import cross

# Joints times samples per pass. Measured from 6 to 60 joints: fewer cost calls, more do not fit in
# the cache (and rows of a power of two would evict each other).
ROW = 30_000

Path = slice | NDArray[np.intp]


def samples_a_pass(tree: Tree) -> int:
    """Return the samples per pass: fewer for a longer tree, for constant memory."""
    return max(1, ROW // max(tree.n, 6))


def torques(tree: Tree, q: Array, qd: Array, qdd: Array, gravity: Gravity) -> Array:
    """Return torques that move a tree, shape (n, N) [N·m or N].

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        States of all tree joints.
    gravity : tuple of float
        In the world [m/s²].
    """
    motion = _LinkMotion.of(tree, q, qd)
    w, turns = motion.w, motion.turns
    if tree.balls:
        w_before = np.concatenate([w, np.zeros_like(w[:, :1])], axis=1)[:, tree.before]
        twice = w_before + w[:, tree.after]
    else:
        w_before, twice = w, 2.0 * w - turns  # turns are along the axis: w × turns = w_< × turns
    alpha = _along_tree(tree, motion.Jw * qdd + cross(w_before, turns))
    g_0 = np.asarray(gravity, dtype=np.float64)[:, None]
    tau = np.zeros_like(q)
    for mass in tree.masses:
        path, _, Jv = motion.jacobian(mass)
        a = np.einsum("akN,kN->aN", Jv, qdd[path])
        a += cross(twice[:, path], Jv * qd[path]).sum(axis=1)
        R_0b = motion.poses.R[mass.body]
        w_b, alpha_b = _into(R_0b, w[:, mass.body]), _into(R_0b, alpha[:, mass.body])
        spin = mass.tensor @ alpha_b + cross(w_b, mass.tensor @ w_b)
        tau[path] += np.einsum("akN,aN->kN", Jv, mass.mass * (a - g_0))
        tau[path] += np.einsum("akN,aN->kN", motion.Jw[:, path], _out_of(R_0b, spin))
    return tau


class _LinkMotion(Struct, frozen=True, eq=False):
    """Common motion of a tree's links; z, Jw, turns and w have shape (3, n, N), world axes.

    Parameters
    ----------
    tree : Tree
    poses : BodyPoses
    slides : ndarray of bool, shape (n,)
    z : ndarray
        Unit vector of each joint.
    Jw, turns : ndarray
        `z` of each joint, zero if it is prismatic; and Jw qd [rad/s].
    w : ndarray
        Angular velocity of each body [rad/s].
    """

    tree: Tree
    poses: BodyPoses
    slides: Mask
    z: Array
    Jw: Array
    turns: Array
    w: Array

    @classmethod
    def of(cls, tree: Tree, q: Array, qd: Array) -> _LinkMotion:
        poses = body_poses(tree, q)
        slides = np.array(tree.prismatic, dtype=bool)
        z = np.ascontiguousarray(poses.R[:, :, 2].transpose(1, 0, 2))
        Jw = np.where(slides[:, None], 0.0, z)
        return cls(tree, poses, slides, z, Jw, Jw * qd, _along_tree(tree, Jw * qd))

    def jacobian(self, mass: Mass) -> tuple[Path, Array, Array]:
        """Return the joints that move a link, its mass centre (3, N) [m] and its Jv (3, k, N)."""
        joints = self.tree.ancestors(mass.body)
        k = len(joints)
        # a slice if the tree is a chain up to here: nothing is copied
        path = slice(k) if joints[-1] == k - 1 else np.array(joints, dtype=np.intp)
        com = self.poses.point(mass.body, mass.com)
        z = self.z[:, path]
        Jv = cross(z, com[:, None] - self.poses.p[path].transpose(1, 0, 2))
        slides = self.slides[path]
        if slides.any():
            Jv[:, slides] = z[:, slides]
        return path, com, Jv


def _along_tree(tree: Tree, rows: Array) -> Array:
    """Return sums over joints from the root to each one, of vectors stored as (3, n, N)."""
    total = rows.copy()
    for i, parent in enumerate(tree.parent):
        if parent >= 0:
            total[:, i] += total[:, parent]
    return total


def _into(R_0b: Array, v: Array) -> Array:
    """Return a world vector along a body's axes, Rᵀ v, shape (3, N)."""
    return np.asarray(np.einsum("abN,aN->bN", R_0b, v))


def _out_of(R_0b: Array, v_b: Array) -> Array:
    """Return a vector along a body's axes in the world, R v, shape (3, N)."""
    return np.asarray(np.einsum("abN,bN->aN", R_0b, v_b))
