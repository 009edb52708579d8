"""RunSizes: scales of a run's quantities, to which limits are relative."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from sim.checks.limits import energy_moved, third_differences
from sim.checks.run_tables import RunTables
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME


class RunSizes(RunTables, frozen=True, eq=False, dict=True):
    """Columns of a recording, with their largest values and the moving mass."""

    def peaks(self, group: str, joints: Iterable[str]) -> tuple[dict[str, float], float]:
        """Return the largest analytic magnitude of each joint, and of all."""
        peaks = {j: self.peak(f"{group}.{j}") for j in joints}
        return peaks, max(peaks.values(), default=0.0)

    @cached_property
    def energy_moved(self) -> float:
        """Scale of the energies [J]."""
        return energy_moved(self.analytic("ke"), self.analytic("pe"))

    @cached_property
    def _torque_peaks(self) -> tuple[dict[str, float], float]:
        return self.peaks("tau", self.row_names)

    @cached_property
    def _acceleration_peaks(self) -> tuple[dict[str, float], float]:
        return self.peaks("qdd", self.tree_row_names)

    def terms(self, joint: str) -> float:
        """Scale of the terms that may cancel in the torque of a joint [N·m or N]."""
        sides = {row.name: row.reaction for row in self.tree_coordinates}
        return self.moments if sides[joint] == "m" else self._forces

    @cached_property
    def moments(self) -> float:
        """Scale of the moments that may cancel [N·m].

        It is the largest of a joint's total moment, weight times height, and m r² ω², which equals
        the kinetic energy in order of magnitude and cancels if a body rotates uniformly about its
        joint, or tumbles in a ball.
        """
        return max(self._reactions("m"), self.peak("pe"), self.peak("ke"))

    @cached_property
    def _forces(self) -> float:
        """Scale of the forces that may cancel: total of a joint, or weights in free fall [N]."""
        return max(self._reactions("f"), self.weight)

    @cached_property
    def weight(self) -> float:
        """Weight of all moving bodies [N]."""
        g = float(np.linalg.norm(self.run.settings.gravity))
        return g * sum(self.run.robot.masses.values())

    def _reactions(self, kind: str) -> float:
        """Largest component of the reactions in all joints, for any axes."""
        names = (f"reaction.{joint.name}.{kind}{c}" for joint in self.joints for c in "xyz")
        return max((self.peak(name) for name in names if self.has(name)), default=0.0)

    def length(self, parts: tuple[str, ...]) -> float:
        """Return the largest length of the analytic vector with these components."""
        if parts not in self._lengths:
            squares: Array = np.sum([self.analytic(part) ** 2 for part in parts], axis=0)
            self._lengths[parts] = float(np.sqrt(np.max(squares)))
        return self._lengths[parts]

    @cached_property
    def _lengths(self) -> dict[tuple[str, ...], float]:
        return {}

    def moved_inertia(self, kind: str) -> float:
        """Return the inertia per angular acceleration, for moments [kg·m²] or forces [kg·m]."""
        return self._inertia if kind == "m" else self._mass

    @cached_property
    def _mass(self) -> float:
        """Mass moved by an angular acceleration, times its lever arm [kg·m]."""
        return float(np.sqrt(self._inertia * sum(self.run.robot.masses.values())))

    @cached_property
    def _inertia(self) -> float:
        """Moving inertia, 2 T / qd² of the maxima; 0 at rest [kg·m²]."""
        fastest = max(self.peak(f"qd.{j}") for j in self.row_names)
        square = fastest * fastest
        return 0.0 if square == 0 else 2 * float(np.max(self.analytic("ke"))) / square

    def third_differences(self, joint: str) -> Array:
        """Return `third_differences` of the velocity of a joint, (N - 1,)."""
        v, a = (self.analytic(f"{group}.{joint}") for group in ("qd", "qdd"))
        return third_differences(v, a, self.dt, self._broken)

    @cached_property
    def _broken(self) -> Mask:
        """Steps with a corner in them or at an end, (N - 1,)."""
        broken = np.zeros(self.t.size + 1, dtype=bool)  # padded at both ends, so shifted by one
        for side in (-SAME_TIME, SAME_TIME):
            broken[np.searchsorted(self.t, np.array(self.run.settings.corners) + side)] = True
        return broken[1:-1]
