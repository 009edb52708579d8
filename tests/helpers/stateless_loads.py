"""Loads by a Python function, without state variables."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True, eq=False)
class StatelessLoads:
    """Loads by a law: times (N,), q, qd (n, N) -> torques on the joints (n, N), wrenches."""

    law: Any
    states, start, linear = 0, np.empty(0), None
    state_rows: ClassVar[dict[str, int]] = {}

    def __call__(self, t, q, qd, z):
        return self.law(t, q, qd)

    def on_tree(self, t, q, qd, z):
        return self.law(t, q, qd)[0]

    def rate(self, t, q, qd, z):
        return np.empty((0, t.size))
