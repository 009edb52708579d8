"""OwnTorques: motor torques as assumed by a loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import EngineError
from sim.maths.arrays import Array

OWN_TORQUES = "watch.sample(torque)"  # source of torques that a loop passes


class OwnTorques:
    """Torques that the user passes to `sample`, one column per step."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._columns: dict[int, Array] = {}

    def add(self, sample: int, torque: ArrayLike) -> None:
        """Record the torques of the step before a sample.

        Raises
        ------
        EngineError
            If they are not n finite numbers.
        """
        try:
            column = np.array(torque, dtype=np.float64)
        except (ValueError, TypeError):
            column = None
        if column is None or column.shape != (self._n,):
            shape = type(torque).__name__ if column is None else f"shape {column.shape}"
            raise EngineError(
                f"sample(torque) takes {self._n} numbers, one per joint in the order of the "
                f"robot's joints; got {shape}"
            )
        self._columns[sample] = column

    def rows(self, steps: int) -> Array | None:
        """Return torques of all steps, (n, N); None if none were passed.

        Raises
        ------
        EngineError
            If they were passed in some steps only.
        """
        if not self._columns:
            return None
        missing = [k for k in range(1, steps + 1) if k not in self._columns]
        if missing:
            raise EngineError(
                f"sample(torque) got torques in {len(self._columns)} of {steps} steps; the first "
                f"without is step {missing[0]}: pass them in every step, or in none"
            )
        return np.stack([self._columns[k] for k in range(1, steps + 1)], axis=1)
