"""Bridges: a path at and near a singular pose, from the path before and after it.

If an arm is stretched or folded, or two axes of its wrist align, the prescribed pose does not
determine some joints, and rounding is divided by a very small singular value. A smooth path is
known there from both sides, or from the one on which it continues: polynomials through
well-determined positions bridge the gap, and their derivatives give the velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev

from sim.maths.arrays import Array, Mask

NODES = 28  # times on each existing side
DEGREES = (8, 12, 16)  # degrees of the polynomials, each compared with one lower by two
WIDTHS = 7  # number of side widths, each half of the previous one
MISSED = 1e-11  # [rad, m]; allowed residual of a polynomial at its own positions
HELD = 1e-10  # [m, rad]; tolerance of the prescribed components, as for any path
JOINED = 1e-7  # [rad, m]; agreement of two polynomials where rounding hides the path
# Relative singular value below which rounding corrupts a path: by 1e-16 over its square in a
# velocity for a stretched arm. If an arm leaves its singular pose slowly, the span is too long to
# be bridged, and a smaller value must suffice.
NEAR = (1e-3, 1e-4, 1e-5)
LOOKED_AT = 400  # times per smooth piece at which singular values are evaluated
SMOOTH = 1e-8  # [rad, m]; tolerance of steps of q and those of their rates in one motion
LOST = 1e-5  # relative singular value below which a path is rounding
DIP = 0.1  # a minimum below this may hide a smaller one between two times
FINER = 200  # times of the refined search there


@dataclass(frozen=True, eq=False)
class Bridge:
    """Polynomials of all joints over time, from `begin` to `end` [s]."""

    begin: float
    end: float
    span: tuple[float, float]
    coefficients: Array

    def covers(self, t: Array) -> Mask:
        """Whether the bridge covers the times, shape (N,)."""
        return np.asarray((t >= self.begin) & (t <= self.end))

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations, each (n, N)."""
        u, rate = _scale_times(t, self.span)
        rows = []
        for order in range(3):
            of_u = chebyshev.chebder(self.coefficients, order)
            rows.append(np.asarray(rate**order * chebyshev.chebval(u, of_u)))
        return rows[0], rows[1], rows[2]


@dataclass(frozen=True, eq=False)
class SingularSpan:
    """A part of a path near a singular pose, from `begin` to `end` [s].

    Parameters
    ----------
    low, high : float
        Ends of the smooth piece of the path that contains the span [s].
    """

    begin: float
    end: float
    low: float
    high: float

    def times(self, steps: int) -> Array:
        """Return evenly spaced times from begin to end, shape (steps + 1,)."""
        return np.linspace(self.begin, self.end, steps + 1)

    @property
    def is_all(self) -> bool:
        """True if the span covers the whole piece."""
        return self.begin == self.low and self.end == self.high


def bridge(
    positions: Callable[[Array], Array], gap: Callable[[Array, Array], float], span: SingularSpan
) -> Bridge | None:
    """Bridge a span of the path by the positions on both sides of it, if it is smooth.

    Of several widths of the sides and several degrees, those are chosen whose polynomials agree
    best with a lower degree; None if none agree, or there is nothing on either side.

    Parameters
    ----------
    positions : callable
        Times (N,) outside of the span -> joint positions (n, N).
    gap : callable
        Times (N,) and joint positions (n, N) -> error of the prescribed components [m, rad].
    """
    begin, end, low, high = span.begin, span.end, span.low, span.high
    inside = np.linspace(begin, end, 9)
    best, least = None, np.inf
    for width in max(begin - low, high - end) * 0.5 ** np.arange(WIDTHS):
        if width < (end - begin) / 2:
            break
        left, right = max(low, begin - width), min(high, end + width)
        nodes = np.concatenate([_chebyshev_nodes(left, begin), _chebyshev_nodes(end, right)])
        reach = float(nodes[0]), float(nodes[-1])
        (u, rate), (v, _) = _scale_times(nodes, reach), _scale_times(inside, reach)
        q = positions(nodes)
        for degree in DEGREES:
            fit = np.asarray(chebyshev.chebfit(u, q.T, degree), dtype=np.float64)
            lower = np.asarray(chebyshev.chebfit(u, q.T, degree - 2), dtype=np.float64)
            missed = np.abs(chebyshev.chebval(u, fit) - q).max()
            jumps = [
                np.abs(chebyshev.chebval(v, chebyshev.chebder(fit - _pad(lower), order))).max()
                for order in (0, 2)
            ]
            score = float(jumps[1]) * rate**2
            held = gap(inside, np.asarray(chebyshev.chebval(v, fit), dtype=np.float64)) <= HELD
            if held and missed <= MISSED and jumps[0] <= JOINED and score < least:
                best, least = Bridge(begin, end, reach, fit), score
    return best


def _pad(coefficients: Array) -> Array:
    return np.pad(coefficients, ((0, 2), (0, 0)))


def _scale_times(t: Array, span: tuple[float, float]) -> tuple[Array, float]:
    """Scale times to [-1, 1]; return them and the rate of the scaled time."""
    rate = 2 / (span[1] - span[0])
    return rate * (t - span[0]) - 1, rate


def _chebyshev_nodes(begin: float, end: float) -> Array:
    """Return the Chebyshev nodes of an interval; none for an empty one."""
    if not end > begin:
        return np.empty(0)
    return begin + (end - begin) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))


def bridges_over(
    weakness: Callable[[Array], Array],
    ends: list[float],
    margin: float,
    positions: Callable[[Array], Array],
    gap: Callable[[Array, Array], float],
) -> tuple[list[Bridge], list[SingularSpan]]:
    """Return bridges of a path, and spans that have none; see `singular_spans`, `bridge`."""
    for near in NEAR:
        spans = list(singular_spans(weakness, ends, margin, near))
        bridges = [bridge(positions, gap, span) for span in spans]
        if None not in bridges:
            break
    unbridged = [span for span, one in zip(spans, bridges, strict=True) if one is None]
    return [one for one in bridges if one is not None], unbridged


def is_one_motion(t: Array, q: Array, qd: Array, qdd: Array) -> bool:
    """Whether each step of q is h/2 (qd0 + qd1) - h²/12 (qdd1 - qdd0), accurate to h⁵."""
    h = np.diff(t)
    steps = h / 2 * (qd[:, 1:] + qd[:, :-1]) - h**2 / 12 * np.diff(qdd)
    return bool(np.abs(np.diff(q) - steps).max() <= SMOOTH)


def singular_spans(
    weakness: Callable[[Array], Array], ends: list[float], margin: float, near: float
) -> Iterator[SingularSpan]:
    """Yield the spans of a path that are too close to a singular pose.

    Parameters
    ----------
    weakness : callable
        Times (N,) -> relative smallest singular value of the gradient.
    ends : list of float
        Times between which the path is smooth [s].
    margin : float
        Extension of a span on both sides [s].
    near : float
        Value below which the path is singular.
    """
    for low, high in pairwise(ends):
        t = np.linspace(low, high, LOOKED_AT)
        values = weakness(t)
        dips = np.flatnonzero((values < DIP) & (values <= _least_neighbour(values)))
        if not dips.size:
            continue
        between = (
            np.linspace(t[max(k - 1, 0)], t[min(k + 1, t.size - 1)], FINER) for k in dips.tolist()
        )
        t = np.unique(np.concatenate([t, *between]))
        values = weakness(t)
        edges = np.flatnonzero(np.diff(np.pad(values < near, 1).astype(int)))
        for k in range(0, edges.size, 2):
            first, last = int(edges[k]), int(edges[k + 1])
            begin, end = float(t[first]) - margin, float(t[last - 1]) + margin
            yield SingularSpan(max(low, begin), min(high, end), low, high)


def _least_neighbour(values: Array) -> Array:
    padded = np.pad(values, 1, constant_values=np.inf)
    return np.minimum(padded[:-2], padded[2:])
