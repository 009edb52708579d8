"""Why two curves may differ though the same was computed: another unit, sign, zero or clock."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array

ENOUGH = 0.01  # of the difference may be left for a cause to explain it
FEWEST = 5  # samples
REACH = 0.2  # of their time, within which a shift is looked for
FARTHEST = 10.0  # times their peak, where a shift may be looked for
MOST = 2000  # samples of a curve that are looked at for a shift

_INCH, _POUND = 0.0254, 4.4482216152605
# Factors that people meet: ours over theirs, and what theirs then are.
FACTORS = (
    (math.pi / 180, "are they in deg"),
    (180 / math.pi, "are they in rad, and told as deg"),
    (1e-3, "are they in mm or N*mm"),
    (1e3, "are they in kN, or in m and told as mm"),
    (1e-2, "are they in cm"),
    (_INCH, "are they in inch"),
    (_POUND, "are they in lbf"),
    (_POUND * _INCH, "are they in lbf*in"),
    (_POUND * 12 * _INCH, "are they in lbf*ft"),
    (9.80665, "are they in kgf"),
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Our values and theirs of one channel, at the same times."""

    channel: str
    unit: str
    t: Array
    mine: Array
    theirs: Array
    limit: float

    @property
    def differs(self) -> bool:
        """Whether they are farther apart than is allowed."""
        return bool(np.max(np.abs(self.mine - self.theirs)) > self.limit)


def likely_causes(
    pairs: Sequence[Pair], own: Array, recorded: Mapping[str, Array], start: float
) -> Iterator[str]:
    """What would explain the differences, in words; nothing is changed for it.

    Parameters
    ----------
    pairs : sequence of Pair
    own : ndarray, shape (N,)
        Sample times of the run [s].
    recorded : mapping of str to ndarray, shape (N,)
        Its channels.
    start : float
        Time in their table at which the run begins [s].
    """
    shift = _shift(pairs, own, recorded)
    if shift is not None:
        way = "later" if shift < 0 else "earlier"
        yield (
            f"a shift of their time explains it: theirs come {abs(shift) * 1e3:.3g} ms {way} than "
            f"ours; --start {round(start - shift, 6):.12g} takes it away"
        )
        return
    far = [pair for pair in pairs if pair.differs and pair.t.size >= FEWEST]
    causes: dict[str, list[str]] = {}
    for pair in far:
        if (cause := _factor(pair)) is not None:
            causes.setdefault(cause, []).append(pair.channel)
    yield from (f"{', '.join(names)}: {cause}" for cause, names in causes.items())
    for pair in far:
        yield from _constant(pair)


def _factor(pair: Pair) -> str | None:
    """That ours is a multiple of theirs."""
    size, mine_size = np.max(np.abs(pair.theirs)), np.max(np.abs(pair.mine))
    if size == 0 or mine_size == 0:
        return None
    theirs, mine = pair.theirs / size, pair.mine / mine_size
    factor = float(np.dot(mine, theirs) / np.dot(theirs, theirs))
    left = np.max(np.abs(mine - factor * theirs))
    factor *= float(mine_size / size)
    if left > ENOUGH or abs(factor - 1) <= ENOUGH:
        return None
    if abs(factor + 1) <= ENOUGH:
        return "theirs has the other sign; --map THEIRS=-OURS"
    for number, name in FACTORS:
        if abs(abs(factor) / number - 1) <= 2 * ENOUGH:
            return f"ours is about {number:.5g} times theirs; {name}? --unit THEIRS=UNIT says so"
    return f"ours is {factor:.4g} times theirs throughout"


def _constant(pair: Pair) -> Iterator[str]:
    apart = pair.theirs - pair.mine
    steady = np.max(np.abs(apart - apart.mean())) <= pair.limit
    moves = np.ptp(pair.mine) > 0 and np.ptp(pair.theirs) > 0
    if not (steady and moves) or abs(apart.mean()) <= pair.limit:
        return
    turns = apart.mean() / math.tau
    is_turns = pair.unit == "rad" and round(turns) and abs(turns - round(turns)) <= 1e-3
    words = f" ({round(turns)} whole turns)" if is_turns else ""
    yield f"{pair.channel}: theirs is larger by a constant {apart.mean():.6g} {pair.unit}{words}"


@dataclass(frozen=True, eq=False)
class _Moving:
    """A curve of theirs and ours as shares of their peak."""

    t: Array
    theirs: Array
    own: Array
    mine: Array

    def apart(self, shift: float, *, smooth: bool) -> float:
        """Mean square of the difference, with ours read later by `shift` [s]."""
        if smooth:
            from scipy.interpolate import CubicSpline

            mine = CubicSpline(self.own, self.mine)(self.t + shift)
        else:
            mine = np.interp(self.t + shift, self.own, self.mine)
        return float(np.mean((mine - self.theirs) ** 2))


def _shift(pairs: Sequence[Pair], own: Array, recorded: Mapping[str, Array]) -> float | None:
    """The time that ours must be read later for the two to agree [s], if one explains it all."""
    from scipy.optimize import minimize_scalar

    moving = [p for p in pairs if p.t.size >= FEWEST and np.ptp(p.theirs) > 0]
    if not any(p.differs for p in moving):
        return None
    reach = REACH * max(float(np.ptp(p.t)) for p in moving)
    curves = []
    for p in moving:
        inside = np.flatnonzero((p.t >= own[0] + reach) & (p.t <= own[-1] - reach))
        inside = inside[:: -(-inside.size // MOST) or 1]
        ours, size = recorded[p.channel], float(np.max(np.abs(p.theirs)))
        # a curve in another unit, or with a gap, is no matter of the clock
        if inside.size < FEWEST or not np.max(np.abs(ours)) < FARTHEST * size:
            return None
        curves.append(_Moving(p.t[inside], p.theirs[inside] / size, own, ours / size))

    def cost(shift: float, smooth: bool = True) -> float:
        return sum(curve.apart(shift, smooth=smooth) for curve in curves)

    grid = np.linspace(-reach, reach, 201)
    best = float(grid[int(np.argmin([cost(shift, smooth=False) for shift in grid]))])
    step = float(grid[1] - grid[0])
    found = minimize_scalar(
        cost,
        bounds=(max(best - step, -reach), min(best + step, reach)),
        method="bounded",
        options={"xatol": 1e-6 * step},
    )
    shift = float(found.x)
    return shift if cost(shift) <= ENOUGH**2 * cost(0.0) and abs(shift) > 1e-9 else None
