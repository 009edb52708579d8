"""Trajectory: positions, velocities and accelerations of joints at samples."""

from __future__ import annotations

from dataclasses import dataclass

from sim.maths.arrays import Array
from sim.maths.samples import Sampled
from sim.showing.one_line import count_text, one_line


@dataclass(frozen=True, eq=False)
class Trajectory(Sampled):
    """Positions, velocities and accelerations of n joints at N times.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array

    def __repr__(self) -> str:
        size = f"{count_text(len(self.q), 'joint')} × {count_text(self.t.size, 'sample')}"
        return one_line("Trajectory:", size)
