"""Bounds of joint motions within which shapes that were apart cannot touch.

The distance of two shapes changes by no more than the relative motion of their closest points. That
is bounded by the reach of each joint between the shapes times its rotation, or by its translation,
so that one evaluation of the distances is valid for all states nearby.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.contact_records import ContactPairs
from sim.dynamics.kernels.records import Bodies, MarkerForces
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, PLANE
from sim.maths.arrays import Array

OFTEN = 16  # evaluations per stored one; shapes close to each other would need a new one at once


class FarApart:
    """Distances of pairs of shapes at known joint positions, and how much of them is used up.

    Parameters
    ----------
    reach : ndarray, shape (C, n)
        Largest rate of each pair's distance per joint rate [m/rad or m/m].

    Attributes
    ----------
    used : float
        Largest used share of a distance at the latest state; shapes may touch from 1 on.
    """

    def __init__(self, reach: Array) -> None:
        self.reach, self.is_known = reach, bool(np.isfinite(reach).all())
        self.place, self.rate = np.zeros(reach.shape[1]), np.zeros(reach.shape[1])
        self.qd = self.place
        self.used, self.looks, self.has_looked = np.inf, 0, False

    def is_sure(self, q: Array, qd: Array) -> bool:
        """Whether no pair can touch at positions (n,) of the tree's joints [rad or m]."""
        self.qd = qd
        if not self.has_looked:
            return False
        self.used = float(self.rate.dot(np.abs(q - self.place)))
        return self.used < 1.0

    def look(self, q: Array, distances: Array) -> None:
        """Store the distances (C,) of all pairs, or lower bounds of them, at positions (n,) [m]."""
        self.used = np.inf
        if self.is_known and (self.looks % OFTEN) == 0 and (distances > 0.0).all():
            self.place, self.rate = q.copy(), (self.reach / distances[:, None]).max(axis=0)
            self.has_looked = True
        self.looks += self.is_known

    def is_far(self, time: float) -> bool:
        """Whether no pair can touch within a time [s] at speeds up to the latest ones."""
        return self.used + time * float(self.rate.dot(np.abs(self.qd))) < 1.0


def reaches(bodies: Bodies, markers: MarkerForces, pairs: ContactPairs) -> Array:
    """Return the largest rate of each pair's distance per joint rate, (C, n)."""
    reach = np.zeros((len(pairs.kinds), bodies.parent.size))
    for c, ends in enumerate(pairs.markers):
        chains = [_chain(bodies, int(markers.body[m])) for m in ends]
        for side, m in enumerate(ends):
            arm = float(np.linalg.norm(markers.origin[m]))
            arm += _radius(int(pairs.kinds[c, side]), pairs.sizes[2 * c + side])
            for i in chains[side]:
                if i in chains[1 - side]:  # moves both
                    break
                reach[c, i] = 1.0 if bodies.slides[i] else arm
                arm += np.inf if bodies.slides[i] else float(np.linalg.norm(bodies.T[i, :3, 3]))
    return reach


def _chain(bodies: Bodies, body: int) -> list[int]:
    """Return the bodies from one to the ground."""
    chain = list[int]()
    while body >= 0:
        chain.append(body)
        body = int(bodies.parent[body])
    return chain


def _radius(kind: int, size: Array) -> float:
    """Return the radius of a shape's bounding sphere; infinite for a plane, which may rotate."""
    if kind == PLANE:
        return np.inf
    if kind == CAPSULE:
        return float(size[0] + size[1])
    return float(np.linalg.norm(size[: {CYLINDER: 2, BOX: 3}.get(kind, 1)]))
