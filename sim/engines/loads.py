"""Loads on a prescribed motion besides its drives, and the schedule of its payloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from sim.dynamics.wrench import AppliedWrench
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME


class PrescribedLoads(Struct, frozen=True, eq=False):
    """Wrenches and joint torques on a prescribed motion, and the schedule of payload masses.

    Parameters
    ----------
    wrenches : callable
        Motion of all tree joints -> wrenches on links at its times.
    torques : callable
        Motion -> torques on all tree joints (n_tree, N) [N·m or N], or None for none: force
        elements in joints minus friction.
    carried : sequence of (float, mapping of str to bool)
        Time [s] and the payload links with mass from then on; in order, the first at the start.
    """

    wrenches: Callable[[Trajectory], Sequence[AppliedWrench]] = lambda wanted: ()
    torques: Callable[[Trajectory], Array | None] = lambda wanted: None
    carried: Sequence[tuple[float, Mapping[str, bool]]] = ()

    def changes(self, t: Array) -> dict[int, Mapping[str, bool]]:
        """Return the payloads carried from ascending times `t` (N,) on, by index of the time."""
        return {int((t < time - SAME_TIME).sum()): links for time, links in self.carried if links}


NO_LOADS = PrescribedLoads()
