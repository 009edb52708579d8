"""find_clock: the time at which our curves must be read to agree with another program's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.maths.arrays import Array

ENOUGH = 0.01  # of the difference may be left for a cause to explain it
FEWEST = 5  # samples
REACH = 0.2  # of their time, within which a shift is looked for
FARTHEST = 10.0  # times their peak, where a shift may be looked for
MOST = 2000  # samples of a curve that are looked at for a shift
NOISE = 1e-6  # of its peak; a curve that moves less tells no time
RATES = 0.05  # a clock may be so much too fast or too slow
UNITS = (1e3, 1e-3, 1e6, 1e-6)  # or have another unit
CURVES = 16  # by which a clock is looked for; it must explain all


class CurveComparison(Protocol):
    """Foreign values of one channel, and whether ours are too far off."""

    @property
    def channel(self) -> str:
        """Name of the channel."""
        ...

    @property
    def t(self) -> Array:
        """Foreign times, shape (N,) [s]."""
        ...

    @property
    def theirs(self) -> Array:
        """Foreign values, shape (N,)."""
        ...

    @property
    def differs(self) -> bool:
        """Whether our values exceed the allowed difference."""
        ...


@dataclass(frozen=True)
class Clock:
    """Our curve is the foreign one where it is read at `rate` t + `shift` [s]."""

    shift: float = 0.0
    rate: float = 1.0

    def read(self, t_own: Array, values: Array, t: Array) -> Array:
        """Our values (at times `t_own`) at the foreign times `t`, cubic between samples."""
        from scipy.interpolate import CubicSpline

        at = np.clip(self.rate * t + self.shift, t_own[0], t_own[-1])
        return np.asarray(CubicSpline(t_own, values)(at))


@dataclass(frozen=True, eq=False)
class _MovingCurve:
    """A foreign curve and ours as shares of their peak; with `scaled`, each of its own.

    With `centred` a constant between them does not count.
    """

    t: Array
    theirs: Array
    t_own: Array
    mine: Array
    scaled: bool
    centred: bool = False

    def mean_square(self, clock: Clock, *, smooth: bool) -> float:
        """Mean square of the difference, with our curve read by a clock."""
        if smooth:
            mine = clock.read(self.t_own, self.mine, self.t)
        else:
            mine = np.interp(clock.rate * self.t + clock.shift, self.t_own, self.mine)
        theirs = self.theirs
        if self.centred:
            mine, theirs = mine - mine.mean(), theirs - theirs.mean()
        if self.scaled and (square := float(np.dot(mine, mine))) > 0:
            mine = mine * float(np.dot(mine, theirs)) / square
        return float(np.mean((mine - theirs) ** 2))


def find_clock(
    pairs: Sequence[CurveComparison],
    t_own: Array,
    recorded: Mapping[str, Array],
    *,
    scaled: bool = False,
) -> Clock | None:
    """Shift, or else rate of a clock, that explains all differences; None if neither does.

    Parameters
    ----------
    pairs : sequence of Pair
    t_own : ndarray, shape (N,)
        Sample times of the run [s].
    recorded : mapping of str to ndarray, shape (N,)
        Its channels.
    scaled : bool
        Whether the foreign curve may also be a multiple of ours; then only a shift is looked for.
    """
    moving = [p for p in pairs if p.t.size >= FEWEST and np.ptp(p.theirs) > 0]
    if not any(p.differs for p in moving):
        return None
    reach = REACH * max(float(np.ptp(p.t)) for p in moving)
    curves = []
    for p in moving:
        inside = np.flatnonzero((p.t >= t_own[0] + reach) & (p.t <= t_own[-1] - reach))
        inside = inside[:: -(-inside.size // MOST) or 1]
        ours, size = recorded[p.channel], float(np.max(np.abs(p.theirs)))
        # a curve in another unit, or with a gap, is no matter of the clock alone
        largest = float(np.max(np.abs(ours)))
        if inside.size < FEWEST or not (
            np.isfinite(largest) if scaled else largest < FARTHEST * size
        ):
            return None
        mine = ours / ((largest or 1.0) if scaled else size)
        curves.append(_MovingCurve(p.t[inside], p.theirs[inside] / size, t_own, mine, scaled))

    few = [c for c, p in zip(curves, moving, strict=True) if p.differs][:CURVES]

    def cost(clock: Clock, smooth: bool = True, of: Sequence[_MovingCurve] = few) -> float:
        return sum(curve.mean_square(clock, smooth=smooth) for curve in of)

    shift = _least(lambda x, smooth: cost(Clock(shift=x), smooth), reach)
    clocks = [Clock(shift=shift)]
    if not scaled:
        rate = _least(lambda x, smooth: cost(Clock(rate=1 + x), smooth), RATES)
        clocks += [Clock(rate=1 + rate), *(Clock(rate=unit) for unit in UNITS)]

    def explains(clock: Clock, of: Sequence[_MovingCurve]) -> bool:
        return cost(clock, of=of) <= ENOUGH**2 * cost(Clock(), of=of)

    other = (c for c in clocks if max(abs(c.shift), abs(c.rate - 1)) > 1e-9)
    return next((c for c in other if explains(c, few) and explains(c, curves)), None)


def lag_of(t: Array, theirs: Array, t_own: Array, mine: Array) -> float | None:
    """Delay of the foreign curve behind ours [s]; None where neither moves, or too short.

    The shift of least mean square, looked for within `REACH` of their time; where only a constant
    beside it explains the two, that of the curves less their means.

    Parameters
    ----------
    t, theirs : ndarray, shape (N,)
        Foreign times [s] and values.
    t_own, mine : ndarray, shape (M,)
        Our times [s] and values, in the same unit.
    """
    reach = REACH * float(np.ptp(t))
    inside = np.flatnonzero((t >= t_own[0] + reach) & (t <= t_own[-1] - reach))
    inside = inside[:: -(-inside.size // MOST) or 1]
    size = float(np.max(np.abs(theirs)))
    if inside.size < FEWEST or not np.ptp(theirs[inside]) > NOISE * size or not np.ptp(mine) > 0:
        return None
    curves = t[inside], theirs[inside] / size, t_own, mine / size
    plain, other = (
        _MovingCurve(*curves, scaled=True, centred=centred) for centred in (False, True)
    )
    shift = _least(lambda x, smooth: plain.mean_square(Clock(shift=x), smooth=smooth), reach)
    explained = ENOUGH**2 * float(np.var(curves[1]))
    if plain.mean_square(Clock(shift=shift), smooth=True) > explained:
        centred_shift = _least(
            lambda x, smooth: other.mean_square(Clock(shift=x), smooth=smooth), reach
        )
        if other.mean_square(Clock(shift=centred_shift), smooth=True) <= explained:
            shift = centred_shift
    return -shift


def _least(cost: Callable[[float, bool], float], reach: float) -> float:
    """Argument of least cost within ± `reach`, first on a grid and then between its points."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(-reach, reach, 201)
    best = float(grid[int(np.argmin([cost(float(x), False) for x in grid]))])
    step = float(grid[1] - grid[0])
    minimum = minimize_scalar(
        lambda x: cost(float(x), True),
        bounds=(max(best - step, -reach), min(best + step, reach)),
        method="bounded",
        options={"xatol": 1e-6 * step},
    )
    return float(minimum.x)
