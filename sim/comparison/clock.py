"""find_clock: a time shift or rate that makes our curves agree with another program's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.maths.arrays import Array

ENOUGH = 0.01  # of the difference may remain if a cause explains it
FEWEST = 5  # samples
REACH = 0.2  # of the time range; largest shift in the search
FARTHEST = 10.0  # of the peak; largest difference in the search for a shift
MOST = 2000  # samples of a curve used in the search
NOISE = 1e-6  # of the peak; a curve that changes less shows no time shift
RATES = 0.05  # largest relative error of a clock's rate
UNITS = (1e3, 1e-3, 1e6, 1e-6)  # clock rates by another unit of time
CURVES = 16  # used in the search; the clock must explain all


class CurveComparison(Protocol):
    """Foreign values of one channel, and whether ours differ too much."""

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
    """Clock by which our curve, read at `rate` t + `shift` [s], is the foreign one."""

    shift: float = 0.0
    rate: float = 1.0

    def read(self, t_own: Array, values: Array, t: Array) -> Array:
        """Return our values (at times `t_own`) at the foreign times `t`, cubic between samples."""
        from scipy.interpolate import CubicSpline

        at = np.clip(self.rate * t + self.shift, t_own[0], t_own[-1])
        return np.asarray(CubicSpline(t_own, values)(at))


@dataclass(frozen=True, eq=False)
class _MovingCurve:
    """A foreign curve and ours, relative to the foreign peak; if `scaled`, each to its own.

    With `centred`, a constant difference is ignored.
    """

    t: Array
    theirs: Array
    t_own: Array
    mine: Array
    scaled: bool
    centred: bool = False

    def mean_square(self, clock: Clock, *, smooth: bool) -> float:
        """Return the mean square of the difference, with our curve read by a clock."""
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
    """Return a shift, or else a clock rate, that explains all differences; None if none does.

    Parameters
    ----------
    pairs : sequence of Pair
    t_own : ndarray, shape (N,)
        Sample times of the run [s].
    recorded : mapping of str to ndarray, shape (N,)
        Channels of the run.
    scaled : bool
        Whether the foreign curve may also be a multiple of ours; then only shifts are tried.
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
        # a different unit or a gap is not explained by a clock alone
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
    """Return the delay of the foreign curve [s]; None if a curve is constant or too short.

    The delay is the shift of least mean square within `REACH` of the time range; if the curves then
    differ by a constant only, that of the curves minus their means.

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
    """Return the argument of least cost within ± `reach`, on a grid and then between its points."""
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
