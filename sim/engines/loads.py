"""What acts on a prescribed motion besides its drives, and which payloads are carried when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sim.dynamics.wrench import AppliedWrench
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME


@dataclass(frozen=True, eq=False)
class PrescribedLoads:
    """Wrenches and joint torques over time, and which payload links have mass when.

    Parameters
    ----------
    wrenches : callable
        Times (N,) [s] -> the wrenches on links at the prescribed motion.
    torques : callable
        Times (N,) [s] -> torques on all tree joints (n_tree, N) [N·m or N], or None for none:
        force elements in joints less friction.
    carried : sequence of (float, mapping of str to bool)
        From a time [s] on, which of the payload links have their mass; in order, the first at
        the start.
    """

    wrenches: Callable[[Array], Sequence[AppliedWrench]] = lambda t: ()
    torques: Callable[[Array], Array | None] = lambda t: None
    carried: Sequence[tuple[float, Mapping[str, bool]]] = ()

    def changes(self, t: Array) -> dict[int, Mapping[str, bool]]:
        """What is carried from which of the ascending times `t` (N,) on, by their number."""
        return {int((t < time - SAME_TIME).sum()): links for time, links in self.carried if links}


NO_LOADS = PrescribedLoads()
