"""Bounds of joint motions within which shapes that were apart cannot touch.

The distance of two shapes changes by no more than the relative motion of their closest points. That
is bounded by the reach of each joint between the shapes times its rotation, or by its translation,
so that one evaluation of the distances is valid for all states nearby. A joint position within a
step of a solver is a polynomial of degree 7 in time (`scipy.integrate.DOP853`), which is bounded by
its values at the stages of the step: what uses little of the distances there uses less than all of
them between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.contact_pairs import radius_around
from sim.maths.arrays import Array

if TYPE_CHECKING:
    from sim.dynamics.kernels.contact_records import ContactPairs, Reserve
    from sim.dynamics.kernels.records import Bodies, MarkerForces, MarkerWork

# Share of the distances that the stages of a step may use so that none is used up between them: a
# polynomial of degree 7 is at most 4.89 times as large between them as at them.
SURE = 0.2
WIDER = 1.5  # length of a step by that of the last one, for which the distances should suffice


class FarApart:
    """Distances of pairs of shapes at known joint positions, and how much of them is used up.

    Parameters
    ----------
    work : MarkerWork
        Memory of the markers of all shapes.
    pairs : ContactPairs
    reach : ndarray, shape (C, n_tree)
        See `reaches`.
    coupling : tuple of ndarray
        S (n_tree, n) and q_0 of the robot's joints, ``q_tree = S q + q_0``.

    Attributes
    ----------
    share : float
        Used share of the distances at the latest state.
    latest : ndarray, shape (n,)
        That state's joint positions.
    is_kept : bool
        Whether all states since `look` used so little that no pair touched between them either.
    """

    def __init__(
        self, work: MarkerWork, pairs: ContactPairs, reach: Array, coupling: tuple[Array, Array]
    ) -> None:
        from sim.dynamics.kernels.nearness import look, used_share

        self.work, self.pairs, self._look, self._used_share = work, pairs, look, used_share
        (self.S, self.q_0), self.is_plain = coupling, len(coupling[0]) == coupling[0].shape[1]
        self.reserve = reserve_of(reach, self.S)
        self.place, self.rate, self.times = (
            self.reserve.place,
            self.reserve.rate,
            self.reserve.times,
        )
        self.share, self.is_kept, self.latest, self.before = np.inf, False, self.place, 0.0

    def is_sure(self, q: Array) -> bool:
        """Whether no pair can touch at joint positions (n,) [rad or m]."""
        self.latest = q
        self.share = share = self._used_share(self.rate, self.place, q)
        if not share < SURE:
            self.is_kept = False
        return share < 1.0

    def is_due(self) -> bool:
        """Whether the next step may use up what is left, by what the last one used."""
        before, self.before = self.before, self.share
        return self.share + WIDER * abs(self.share - before) > SURE

    def look(self, q: Array, qd: Array) -> Array:
        """Compute the distances at a state (n,); return the times without contact (C,) [s].

        They are for speeds up to `qd`, and zero if shapes may touch.
        """
        self.place[:], self.is_kept, self.before, tree = q, True, 0.0, (q, qd)
        if not self.is_plain:
            tree = self.S @ q + self.q_0.ravel(), self.S @ qd
        self._look(self.reserve, self.work, self.pairs, *tree)
        return self.times.copy()


def reserve_of(on_tree: Array, S: Array) -> Reserve:
    """Return the record of the distances of pairs, none of which is known yet; see `reaches`."""
    from sim.dynamics.kernels.contact_records import Reserve

    moves = np.broadcast_to(S != 0.0, (len(on_tree), *S.shape))  # else infinity times zero
    reach = np.multiply(on_tree[:, :, None], np.abs(S), out=np.zeros(moves.shape), where=moves)
    place, rate = np.full((2, S.shape[1]), np.nan)
    return Reserve(reach.sum(axis=1), place, rate, np.zeros(len(reach)))


def reaches(bodies: Bodies, markers: MarkerForces, pairs: ContactPairs) -> Array:
    """Return the largest rate of each pair's distance per rate of a tree joint, (C, n_tree).

    A hinge moves the closest points by its rotation times the distance of either of them, which are
    on one normal: the lesser of both distances counts.
    """
    lengths = np.where(bodies.slides, np.inf, np.linalg.norm(bodies.T[:, :3, 3], axis=1))
    reach = np.zeros((len(pairs.kinds), bodies.parent.size))
    for c, ends in enumerate(pairs.markers):
        chains = [_chain(bodies, int(markers.body[m])) for m in ends]
        alone = [[i for i in chains[s] if i not in chains[1 - s]] for s in (0, 1)]
        arms = [
            float(np.linalg.norm(markers.origin[m]))
            + radius_around(int(pairs.kinds[c, s]), pairs.sizes[2 * c + s])
            for s, m in enumerate(ends)
        ]
        for s in (0, 1):
            across = arms[1 - s] + lengths[alone[1 - s]].sum()
            for k, i in enumerate(alone[s]):
                near_side = arms[s] + lengths[alone[s][:k]].sum()
                far_side = lengths[alone[s][k:]].sum() + across
                reach[c, i] = 1.0 if bodies.slides[i] else min(near_side, far_side)
    return reach


def _chain(bodies: Bodies, body: int) -> list[int]:
    """Return the bodies from one to the ground."""
    chain = list[int]()
    while body >= 0:
        chain.append(body)
        body = int(bodies.parent[body])
    return chain
