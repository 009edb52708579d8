"""Torque of an elastic gear over its twist: three slopes, damping and backlash.

With the twist d, the motor angle at the joint minus the joint position::

    f = sgn(d) K(|e|) + c m dd,      e = |d| - gap/2 where the gear is in contact

K has the first slope up to the first knee, the second up to the second, and the third above, as
strain wave gears are catalogued. Backlash is a dead band whose corners are rounded over `SOFT` of
it: there e and the fraction m of the damping are polynomials, so that f has two continuous
derivatives and a solver of high order keeps its step size.

References
----------
Harmonic Drive, catalogue CSF/CSG, torsional stiffness: K1 to T1, K2 to T2, K3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.quantity import Checker

SOFT = 0.2  # of half the gap, on both sides of its end


@dataclass(frozen=True)
class TwistLaw:
    """Stiffness, damping and backlash of a gear, by the law at the head of this file.

    Parameters
    ----------
    stiffness, stiffness_2, stiffness_3 : float
        Slope up to `knee`, from there to `knee_2`, and above [N·m/rad or N/m].
    knee, knee_2 : float, optional
        Torques at which the slope changes [N·m or N].
    damping : float
        c [N·m·s/rad or N·s/m].
    backlash : float
        Gap between the two flanks [rad or m].

    Raises
    ------
    ModelError
        If a number is not finite or out of range, or a slope has no knee.
    """

    stiffness: float
    stiffness_2: float | None = None
    stiffness_3: float | None = None
    knee: float | None = None
    knee_2: float | None = None
    damping: float = 0.0
    backlash: float = 0.0

    def __post_init__(self) -> None:
        check = Checker("Elastic gear")
        check.set_fields(self, check.positive, "N·m/rad or N/m", "stiffness")
        check.set_fields(self, check.not_negative, "N·m·s/rad or N·s/m", "damping")
        check.set_fields(self, check.not_negative, "rad or m", "backlash")
        for slope, knee in (("stiffness_2", "knee"), ("stiffness_3", "knee_2")):
            if (getattr(self, slope) is None) != (getattr(self, knee) is None):
                raise ModelError(
                    f"Elastic gear: {slope} and {knee}, the torque where it begins, come together"
                )
            check.set_fields(self, check.positive, "N·m/rad or N/m", slope)
            check.set_fields(self, check.positive, "N·m or N", knee)
        first = np.inf if self.knee is None else self.knee
        if self.knee_2 is not None and self.knee_2 <= first:
            raise ModelError(
                f"Elastic gear: knee_2 {self.knee_2:g} N·m must be above knee, "
                f"{'which is missing' if self.knee is None else self.knee}"
            )
        if self.stiffness * self.rounding > first:
            raise ModelError(
                "Elastic gear: the rounded corner of the backlash reaches the knee, "
                f"{first:g} N·m; give less backlash or stiffness"
            )

    @property
    def rounding(self) -> float:
        """Half width of the rounded corner of the backlash [rad or m]."""
        return SOFT * 0.5 * self.backlash

    @property
    def is_straight(self) -> bool:
        """True for a single slope without backlash."""
        return not self.backlash and self.stiffness_2 is None

    @property
    def _pieces(self) -> tuple[tuple[float, float], ...]:
        """Slopes, each with the deflection at which it begins."""
        pieces, at = [(self.stiffness, 0.0)], 0.0
        torque, slope = 0.0, self.stiffness
        for steeper, knee in ((self.stiffness_2, self.knee), (self.stiffness_3, self.knee_2)):
            if steeper is not None and knee is not None:
                at += (knee - torque) / slope
                pieces.append((steeper, at))
                torque, slope = knee, steeper
        return tuple(pieces)

    def _bearing(self, d: Array) -> tuple[Array, Array]:
        """Return the compression of the flanks, and its derivative with respect to |d|."""
        over, w = np.abs(d) - 0.5 * self.backlash, self.rounding
        if not w:
            return np.maximum(over, 0.0), np.where(over >= 0, 1.0, 0.0)
        z = np.clip((over + w) / (2 * w), 0.0, 1.0)
        return np.where(over > w, over, 2 * w * (z**3 - 0.5 * z**4)), z * z * (3 - 2 * z)

    def torque(self, d: Array, dd: Array) -> Array:
        """Return f at twists and their rates, shape (N,) [N·m or N]."""
        e, share = self._bearing(d)
        K, last = np.zeros_like(e), 0.0
        for slope, begin in self._pieces:
            K, last = K + (slope - last) * np.maximum(e - begin, 0.0), slope
        return np.asarray(np.sign(d) * K + self.damping * share * dd)

    def gradients(self, d: Array, dd: Array) -> tuple[Array, Array]:
        """Return ∂f/∂d, neglecting damping changes within a corner, and ∂f/∂dd, (N,) each."""
        e, share = self._bearing(d)
        K = np.zeros_like(e)
        for slope, begin in self._pieces:
            K = np.where(e >= begin, slope, K)
        return K * share, self.damping * share

    def energy(self, d: Array) -> Array:
        """Return ∫ f dd without damping, shape (N,) [J]."""
        e, w = self._bearing(d)[0], self.rounding
        U, last = np.zeros_like(e), 0.0
        for slope, begin in self._pieces:
            U, last = U + 0.5 * (slope - last) * np.maximum(e - begin, 0.0) ** 2, slope
        if not w:
            return U
        z = np.clip((np.abs(d) - 0.5 * self.backlash + w) / (2 * w), 0.0, 1.0)
        corner = self.stiffness * (2 * w) ** 2 * (0.25 * z**4 - 0.1 * z**5)
        return np.asarray(np.where(z < 1.0, corner, U + 0.1 * self.stiffness * w * w))
