"""Tool paths written in the function language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arguments import checked

Plane = Literal["xy", "yz", "xz"]
Variant = Literal["corrected", "printed"]


@checked
def heart(
    a: float,
    centre: Sequence[float],
    *,
    plane: Plane = "xy",
    period: float = 2 * np.pi,
    variant: Variant = "corrected",
    ramp: float = 0.0,
) -> dict[str, str]:
    """Return the heart curve of paper 003, eq. (3-1), as expressions of time.

    u = a (2 cos θ - cos 2θ), v = a (2 sin θ - sin 2θ). They start half a turn from the cusp, θ = φ
    + π with φ rising evenly from 0: ``u = -2a cos φ - a cos 2φ``, ``v = -2a sin φ - a sin 2φ``.

    Parameters
    ----------
    a : float
        Radius of the rolling circle [m]; the curve is 16 a long.
    centre : sequence of float, length 3
        [m]
    plane : {"xy", "yz", "xz"}
        Axes of u and v.
    period : float
        Time of one turn of φ [s].
    variant : {"corrected", "printed"}
        ``printed`` keeps the drive functions as printed in the paper, ``u = -520 cos φ - cos 2φ``,
        ``v = -640 sin φ - sin 2φ`` [mm]: an ellipse with a ripple of 1 mm, independent of `a`.
    ramp : float
        Time over which φ accelerates at the start and decelerates at the end [s]; if 0 the tool
        starts at 4 a per radian of φ. The total duration is `period` + `ramp`.

    Returns
    -------
    dict of str to str
        Expressions for the components x, y, z of a `PointMotion`.

    Raises
    ------
    ScenarioError
        If a number is not finite or not positive, or the plane or the variant is unknown.
    """
    for name, value in (("a", a), ("period", period)):
        if not (np.isfinite(value) and value > 0):
            raise ScenarioError(f"heart: {name} must be a positive number, got {value}")
    if not (np.isfinite(ramp) and 0 <= ramp <= period):
        raise ScenarioError(f"heart: ramp must be from 0 to the period {period:g} s, got {ramp} s")
    place = np.asarray(centre, dtype=np.float64)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ScenarioError(f"heart: centre must be three finite numbers in m, got {centre}")
    if plane not in ("xy", "yz", "xz"):
        raise ScenarioError(f"heart: plane {plane!r}: choose one of xy, yz, xz")
    phi = f"{2 * np.pi / period!r}*({_phase(period, ramp)})"
    if variant == "corrected":
        u = f"-{a!r}*(2*COS({phi}) + COS(2*{phi}))"
        v = f"-{a!r}*(2*SIN({phi}) + SIN(2*{phi}))"
    elif variant == "printed":
        u = f"-0.52*COS({phi}) - 0.001*COS(2*{phi})"
        v = f"-0.64*SIN({phi}) - 0.001*SIN(2*{phi})"
    else:
        raise ScenarioError(f"heart: variant {variant!r}: choose corrected or printed")
    along = dict(zip(plane, (u, v), strict=True))
    return {
        axis: f"{float(place[k])!r} + {along[axis]}" if axis in along else repr(float(place[k]))
        for k, axis in enumerate("xyz")
    }


def _phase(period: float, ramp: float) -> str:
    """Return warped time: its rate rises like STEP5 over `ramp`, stays 1, and falls again.

    The integral of STEP5 from 0 to 1 is z⁴ (5/2 - 3 z + z²).
    """
    if ramp == 0:
        return "TIME"
    r = repr(float(ramp))
    rise = f"{r}*POLY(MIN(TIME, {r})/{r}, 0, 0, 0, 0, 0, 2.5, -3, 1) + MAX(0, TIME - {r})"
    stop = repr(float(period))
    z = f"MIN(MAX(TIME - {stop}, 0), {r})/{r}"
    fall = f"{r}*POLY({z}, 0, 0, 0, 0, 0, 2.5, -3, 1) + MAX(0, TIME - {stop} - {r})"
    return f"{rise} - ({fall})"
