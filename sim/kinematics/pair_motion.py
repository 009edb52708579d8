"""Motion of one body of a tree relative to another, and its bounds.

Only joints between the two bodies cause relative motion. A point x fixed in the second body moves
in the frame of the first with

    |x'|  <=  Σ_k |q'_k| ρ_k
    |x''| <=  Σ_k |q''_k| ρ_k + Σ_i |q'_i| (Σ_j |q'_j| ρ_j + 2 Σ_s |q'_s|)

with k over all joints between them, i and j over the revolute ones, s over the prismatic ones, and
ρ the largest distance of a point of the second body from a joint's origin (1 if prismatic): the
first and the second derivatives of a product of exponentials, term by term.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import BodyPoses
from sim.kinematics.tree import Tree
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import cross


@dataclass(frozen=True, eq=False)
class PairMotion:
    """Motion of one body as seen from another.

    Parameters
    ----------
    joints : tuple of int, length k
        Joints between the bodies.
    sign : ndarray, shape (k,)
        1 for joints that move the second body, -1 for those that move the first.
    slides : ndarray of bool, shape (k,)
    reach : ndarray, shape (k,)
        ρ [m]; 1 for prismatic joints.
    """

    joints: tuple[int, ...]
    sign: Array
    slides: Mask
    reach: Array

    def speed_bound(self, rate: Array) -> Array:
        """Return the largest speed of a point of the second body seen from the first, (N,) [m/s].

        Parameters
        ----------
        rate : ndarray, shape (n_tree, N)
            Largest |q'| of all tree joints [rad/s or m/s].
        """
        return np.asarray(self.reach @ rate[list(self.joints)])

    def acceleration_bound(self, rate: Array, change: Array) -> Array:
        """Return the largest acceleration of such a point, (N,) [m/s²].

        Parameters
        ----------
        rate, change : ndarray, shape (n_tree, N)
            Largest |q'| and |q''| of all tree joints.
        """
        rows = list(self.joints)
        turning = np.where(self.slides, 0.0, 1.0)
        sideways = self.reach * turning @ rate[rows] + 2 * (1 - turning) @ rate[rows]
        return np.asarray(self.reach @ change[rows] + (turning @ rate[rows]) * sideways)

    def twist(self, poses: BodyPoses, rate: Array) -> tuple[Array, Array]:
        """Return angular velocity, and velocity of the point at the world's origin, (3, N) each.

        Both are those of the second body relative to the first, along the axes of the world.
        """
        rows = list(self.joints)
        axes, rates = poses.R[rows, :, 2], (self.sign[:, None] * rate[rows])[:, None]
        turning = ~self.slides[:, None, None]
        w = np.where(turning, axes * rates, 0.0)
        v = np.where(turning, cross(poses.p[rows], w, axis=1), axes * rates)
        return w.sum(axis=0), v.sum(axis=0)


def pair_motion(tree: Tree, first: int, second: int, points: Array, q_tree: Array) -> PairMotion:
    """Return the motion of body `second` as seen from body `first` (-1: the world).

    Parameters
    ----------
    points : ndarray, shape (K, 3)
        Points of the second body, in its frame [m]; the farthest determines the reach.
    q_tree : ndarray, shape (n_tree, N)
        Positions of prismatic joints that the reach must cover.
    """
    ours, theirs = tree.ancestors(first), tree.ancestors(second)
    shared = next(
        (k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    up, down = ours[shared:], theirs[shared:]
    slid = np.abs(q_tree).max(axis=1) * np.array(tree.prismatic)
    steps = {b: float(np.linalg.norm(tree.T_pi[b, :3, 3]) + slid[b]) for b in (*up, *down)}
    extent = np.linalg.norm(points, axis=1).max()
    reach = _reach_down(down, steps, extent)
    if up:
        start = tree.T_pi[up[0], :3, 3]
        if down:
            between = np.linalg.norm(start - tree.T_pi[down[0], :3, 3]) + slid[down[0]]
            far = reach[down[0]] + slid[down[0]] + between
        else:
            far = np.linalg.norm(points - start, axis=1).max()
        for b in up:
            far = far + slid[b] if b == up[0] else far + steps[b]
            reach[b] = far
    joints = (*up, *down)
    slides = np.array([tree.prismatic[b] for b in joints], dtype=bool)
    return PairMotion(
        joints,
        np.array([-1.0] * len(up) + [1.0] * len(down)),
        slides,
        np.where(slides, 1.0, [reach[b] for b in joints]),
    )


def _reach_down(down: tuple[int, ...], steps: dict[int, float], extent: float) -> dict[int, float]:
    """Return the largest distance of a chain's last body from the origin of each joint [m]."""
    reach, far = {}, extent
    for b in reversed(down):
        reach[b] = far
        far += steps[b]
    return reach
