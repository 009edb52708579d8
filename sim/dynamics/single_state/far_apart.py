"""How far joints may move before shapes that were apart can touch.

The distance of two shapes changes by no more than their closest points move to each other. These
move by at most the reach of each joint between the shapes, times how far it has turned, or by how
far it has slid; so that one look at the distances is valid for all states near.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.contact_records import ContactPairs
from sim.dynamics.kernels.records import Bodies, MarkerForces
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, PLANE
from sim.maths.arrays import Array

OFTEN = 16  # looks for which no new one is kept: near each other, shapes would be looked at anew


class FarApart:
    """The distances of pairs of shapes where the joints were, and what of them is used up since.

    Parameters
    ----------
    reach : ndarray, shape (C, n)
        How fast each joint may change the distance of each pair [m/rad or m/m].

    Attributes
    ----------
    used : float
        Share of a distance that may be used up at the latest state; from 1 on shapes may touch.
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
        """Note the distances (C,) of all pairs, or lower bounds of them, at positions (n,) [m]."""
        self.used = np.inf
        if self.is_known and (self.looks % OFTEN) == 0 and (distances > 0.0).all():
            self.place, self.rate = q.copy(), (self.reach / distances[:, None]).max(axis=0)
            self.has_looked = True
        self.looks += self.is_known

    def is_far(self, time: float) -> bool:
        """Whether no pair can touch within a time [s] at no more than the latest speeds."""
        return self.used + time * float(self.rate.dot(np.abs(self.qd))) < 1.0


def reaches(bodies: Bodies, markers: MarkerForces, pairs: ContactPairs) -> Array:
    """How fast each joint may change the distance of each pair of shapes at most, (C, n)."""
    reach = np.zeros((len(pairs.kinds), bodies.parent.size))
    for c, ends in enumerate(pairs.markers):
        chains = [_chain(bodies, int(markers.body[m])) for m in ends]
        for side, m in enumerate(ends):
            arm = float(np.linalg.norm(markers.origin[m]))
            arm += _radius(int(pairs.kinds[c, side]), pairs.sizes[2 * c + side])
            for i in chains[side]:
                if i in chains[1 - side]:  # it moves both
                    break
                reach[c, i] = 1.0 if bodies.slides[i] else arm
                arm += np.inf if bodies.slides[i] else float(np.linalg.norm(bodies.T[i, :3, 3]))
    return reach


def _chain(bodies: Bodies, body: int) -> list[int]:
    """The bodies from one to the ground."""
    chain = list[int]()
    while body >= 0:
        chain.append(body)
        body = int(bodies.parent[body])
    return chain


def _radius(kind: int, size: Array) -> float:
    """Radius of the sphere about a shape; a plane that turns may come from anywhere."""
    if kind == PLANE:
        return np.inf
    if kind == CAPSULE:
        return float(size[0] + size[1])
    return float(np.linalg.norm(size[: {CYLINDER: 2, BOX: 3}.get(kind, 1)]))
