"""ContactLaw: force between two shapes as a function of their penetration depth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

from sim.dynamics.kernels.shape_kinds import HUNT_CROSSLEY, IMPACT
from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.quantity import Checker
from sim.showing.one_line import ChangesShown

LAWS = MappingProxyType({"impact": IMPACT, "hunt_crossley": HUNT_CROSSLEY})
HERTZ = 1.5  # exponent of two round bodies


@checked
@dataclass(frozen=True, repr=False)
class ContactLaw(ChangesShown):
    """Normal force over depth p and its rate v; see `impact`, `hertz` and `hunt_crossley`.

    It is never attractive::

        impact         max(0, k p^e + c STEP(p, 0, 0, depth, 1) v)
        hunt_crossley  max(0, k p^e (1 + c v))

    Parameters
    ----------
    kind : {"impact", "hunt_crossley"}
    stiffness : float
        k [N/m^e].
    exponent : float
        e, at least 1.
    damping : float
        c: [N·s/m] of `impact`, [s/m] of `hunt_crossley`.
    depth : float
        Depth at which the damping of `impact` is full [m].

    Raises
    ------
    ModelError
        If there is no such law, or a number is out of its range.

    References
    ----------
    MSC Adams Solver, function IMPACT.
    Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact, 1975.
    """

    kind: str
    stiffness: float
    exponent: float = 1.5
    damping: float = 0.0
    depth: float = 1e-4

    def __post_init__(self) -> None:
        if self.kind not in LAWS:
            raise ModelError(f"Contact law {self.kind!r}: choose one of {', '.join(LAWS)}")
        check = Checker(f"Contact law {self.kind!r}")
        unit = "N·s/m" if self.kind == "impact" else "s/m"
        values = {
            "stiffness": check.positive("stiffness", self.stiffness, "N/m^e"),
            "exponent": check.at_least_one("exponent", self.exponent, ""),
            "damping": check.not_negative("damping", self.damping, unit),
            "depth": check.positive("depth", self.depth, "m"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def impact(
        cls, stiffness: float, exponent: float = 1.5, damping: float = 0.0, depth: float = 1e-4
    ) -> ContactLaw:
        """Return IMPACT of ADAMS: a spring, with damping that is full from some depth on."""
        return cls("impact", stiffness, exponent, damping, depth)

    @classmethod
    def hunt_crossley(
        cls, stiffness: float, exponent: float = 1.5, damping: float = 0.0
    ) -> ContactLaw:
        """Return a spring with damping in proportion to its force: c [s/m]."""
        return cls("hunt_crossley", stiffness, exponent, damping)

    @classmethod
    @checked
    def hertz(
        cls,
        radius: float,
        young: float,
        poisson: float,
        other_radius: float = math.inf,
        other_young: float | None = None,
        other_poisson: float | None = None,
        damping: float = 0.0,
    ) -> ContactLaw:
        """Return the law of two elastic spheres, or sphere and flat: k = 4/3 sqrt(R) E*, e = 1.5.

        1/R is the sum of 1/r, and 1/E* the sum of (1 - ν²)/E.

        Parameters
        ----------
        radius, other_radius : float
            [m]; infinite for a flat.
        young, other_young : float
            Young's moduli E [Pa] (default of the second: the first).
        poisson, other_poisson : float
            Poisson's ratios ν.
        damping : float
            c of `hunt_crossley` [s/m].

        Raises
        ------
        ModelError
            If both are flat, or a modulus or a ratio is out of its range.

        References
        ----------
        Johnson, Contact Mechanics, 1985, equation 4.23.
        """
        moduli = young, young if other_young is None else other_young
        ratios = poisson, poisson if other_poisson is None else other_poisson
        curvature = 1.0 / radius + 1.0 / other_radius if radius and other_radius else math.nan
        if not (curvature > 0.0 and min(radius, other_radius) > 0.0):
            raise ModelError(
                f"Hertz: radii {radius!r} and {other_radius!r} m must be above 0, and one finite"
            )
        if not all(0.0 < E < math.inf for E in moduli) or not all(-1 < nu <= 0.5 for nu in ratios):
            raise ModelError(
                f"Hertz: Young's moduli {moduli} Pa must be above 0, and Poisson's ratios {ratios} "
                "from -1 to 0.5"
            )
        compliance = sum((1.0 - nu * nu) / E for E, nu in zip(moduli, ratios, strict=True))
        stiffness = 4.0 / 3.0 / math.sqrt(curvature) / compliance
        return cls("hunt_crossley", stiffness, HERTZ, damping)

    @classmethod
    @checked
    def bouncing(
        cls, stiffness: float, restitution: float, speed: float, exponent: float = 1.5
    ) -> ContactLaw:
        """Return Hunt and Crossley's law with the damping for a restitution at some speed.

        After an impact at `speed` the bodies separate at `restitution` times `speed`.

        Raises
        ------
        ModelError
            If the restitution is not above 0 and at most 1, or the speed not above 0.
        """
        if not (0.0 < restitution <= 1.0 and 0.0 < speed < math.inf):
            raise ModelError(
                f"Restitution {restitution!r} must be above 0 and at most 1, and speed {speed!r} "
                "m/s above 0"
            )
        return cls("hunt_crossley", stiffness, exponent, _damping(restitution) / speed)


def _damping(e: float) -> float:
    """Return c v of an impact with restitution e: x - ln(1 + x) + e x + ln(1 - e x) = 0."""
    if e == 1.0:
        return 0.0

    # Solved for u = -ln(1 - e x): for a small e, x is indistinguishable from 1 / e
    def balance(u: float) -> float:
        x = -math.expm1(-u) / e
        return x * (1.0 + e) - math.log1p(x) - u

    from scipy.optimize import brentq

    least = -math.log1p(-1e-3 * e * (1.0 - e))
    u = brentq(balance, least, 1.0 + 1.0 / e, xtol=1e-15 * least)
    return float(-math.expm1(-u) / e)
