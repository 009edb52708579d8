"""MotorCurve: the largest torque of a motor over its speed, at the shaft.

The peak torque T is available up to a corner speed w_c, decreases linearly to zero at the no-load
speed w_0, and is bounded by a constant power P::

    limit(w) = min(T min(1, (w_0 - |w|) / (w_0 - w_c)), P / |w|)

A corner at 0 is a DC motor at constant voltage. A braking motor has the same limit, set by its
converter.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array


class MotorCurve(Struct, frozen=True):
    """Torque-speed limit by the law at the head of this file; infinite parts do not limit.

    Parameters
    ----------
    torque : float
        T [N·m].
    corner, no_load : float
        w_c and w_0 [rad/s].
    power : float
        P [W].
    """

    torque: float = math.inf
    corner: float = 0.0
    no_load: float = math.inf
    power: float = math.inf

    @property
    def has_line(self) -> bool:
        """Whether the torque decreases linearly above the corner speed."""
        return math.isfinite(self.no_load)

    @property
    def slope(self) -> float:
        """Decrease of the line per unit of speed [N·m·s/rad]; 0 without a line."""
        return self.torque / (self.no_load - self.corner) if self.has_line else 0.0

    @property
    def level(self) -> float:
        """Torque of the line extrapolated to rest [N·m]; infinite without a line."""
        return self.slope * self.no_load if self.has_line else math.inf

    def limit(self, speed: Array) -> Array:
        """Return the largest torque, (N,) [N·m], at speeds (N,) [rad/s]; 0 above no-load speed."""
        w = np.abs(speed)
        most = np.full_like(w, self.torque)
        if self.has_line:
            most = np.minimum(most, np.maximum(self.level - self.slope * w, 0.0))
        with np.errstate(divide="ignore"):
            return np.minimum(most, self.power / w)

    def shares(self, torque: Array, speed: Array) -> Array:
        """Return torques (N,) over their limits; infinite beyond the no-load speed."""
        limit = self.limit(speed)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(limit > 0, np.abs(torque) / limit, np.inf)
