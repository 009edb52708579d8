"""Motion and torques of a run compared with a real robot's log.

Rigid-body torque, friction and measured torque pass through one low-pass, friction too, since the
steps of a smoothed torque are smooth. The residual of the rigid-body torque is fitted by f sign(qd)
+ d qd + offset over the first half of the log, and scored over the second. Dry friction at rest
takes any value up to its limit: such samples are left out of fits, and scored separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sim.curves.signals import zero_phase
from sim.curves.spectral_fit import fit_spectrum
from sim.errors import ForeignError
from sim.maths.arrays import Array, Mask
from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint
from sim.robots.coordinate import Coordinate

GAP = 5.0  # steps; a longer gap ends a piece of the log
REST = 0.05  # of a joint's own RMS speed, below which it is at rest
MOVES = 1e-3  # [rad or m]; a joint that moves less is at rest
EDGE = 1.5  # periods of the cut-off that an end or a gap disturbs


@dataclass(frozen=True, eq=False)
class OwnCurves:
    """Curves of a run at the times of a log, (n, N) each.

    Parameters
    ----------
    q, qd : ndarray
        [rad], [rad/s], or metres.
    tau : ndarray
        Torque of the drives [N·m or N].
    rigid : ndarray
        Its part by rigid bodies and forces on links, without friction and force elements in the
        joints.
    """

    q: Array
    qd: Array
    tau: Array
    rigid: Array


@dataclass(frozen=True, eq=False)
class MeasuredCurves:
    """Curves of a log: even times with gaps (N,) [s], positions and torques, (n, N) each."""

    t: Array
    q: Array
    tau: Array


def beside_measured(
    rows: Sequence[Coordinate], ours: OwnCurves, measured: MeasuredCurves, how: MeasuredFacts
) -> tuple[MeasuredJoint, ...]:
    """Compare each joint of a run with its measured torque.

    Raises
    ------
    ForeignError
        If no samples are left between the ends and gaps of the log, or too few on one side of the
        middle.
    """
    filtered = _Filtered.of(measured.t, how.cutoff)
    halves = (
        filtered.usable & (measured.t < how.middle),
        filtered.usable & (measured.t >= how.middle),
    )
    for half, side in zip(halves, ("before", "after"), strict=True):
        if half.sum() < EDGE / how.cutoff * filtered.rate:
            raise ForeignError(
                f"The log has {half.sum()} samples {side} {how.middle:.4g} s undisturbed by ends "
                f"and gaps at a cut-off of {how.cutoff:.3g} Hz; record a longer log"
            )
    return tuple(
        _joint(row, _Curves(*curves), filtered, halves)
        for row, *curves in zip(
            rows, ours.q, ours.qd, ours.tau, ours.rigid, measured.q, measured.tau, strict=True
        )
    )


def motion_difference(q: Array, measured: MeasuredCurves, how: MeasuredFacts) -> Array:
    """Return the low-passed differences of positions (n, N) from measured ones, (n, N).

    It is 0 where an end or a gap of the log disturbs the filter.
    """
    filtered = _Filtered.of(measured.t, how.cutoff)
    return np.where(filtered.usable, filtered.low_pass(q - measured.q), 0.0)


@dataclass(frozen=True, eq=False)
class _Curves:
    """Rows of `OwnCurves` and `MeasuredCurves` for one joint."""

    q: Array
    qd: Array
    tau: Array
    rigid: Array
    measured_q: Array
    measured: Array


@dataclass(frozen=True, eq=False)
class _Filtered:
    """A low-pass, piece by piece."""

    rate: float
    cutoff: float
    pieces: tuple[slice, ...]
    usable: Mask

    @classmethod
    def of(cls, t: Array, cutoff: float) -> _Filtered:
        step = float(np.median(np.diff(t)))
        ends = [0, *(np.flatnonzero(np.diff(t) > GAP * step) + 1), t.size]
        pieces = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
        edge = int(np.ceil(EDGE / cutoff / step))
        usable = np.zeros(t.size, bool)
        for piece in pieces:
            usable[piece.start + edge : max(piece.stop - edge, 0)] = True
        return cls(1 / step, cutoff, pieces, usable)

    def low_pass(self, x: Array) -> Array:
        """Filter rows (…, N)."""
        filtered = np.zeros_like(x)
        for piece in self.pieces:
            if piece.stop - piece.start > 1:
                filtered[..., piece] = zero_phase(x[..., piece], self.rate, self.cutoff)
        return filtered

    def fit(self, columns: Array, torque: Array, mask: Mask, part: Mask) -> tuple[Array, Array]:
        """Return coefficients of columns (p, N) and half widths of their intervals, over a part."""
        parts = []
        for piece in self.pieces:
            inside = np.flatnonzero(part[piece])
            if inside.size:
                parts.append(slice(piece.start + inside[0], piece.start + inside[-1] + 1))
        fit = fit_spectrum(
            [(columns[:, one] * mask[one])[None] for one in parts],
            [(torque[one] * mask[one])[None] for one in parts],
            self.rate,
            self.cutoff,
            shares=np.array([max(float(mask[part].mean()), 1e-3)]),
        )
        return fit.x, fit.half_width


def _joint(
    row: Coordinate, curves: _Curves, filtered: _Filtered, halves: tuple[Mask, Mask]
) -> MeasuredJoint:
    rms = float(np.sqrt((curves.qd**2).mean()))
    moves = float(np.ptp(curves.measured_q)) >= MOVES
    slides = (np.abs(curves.qd) > REST * rms) & moves
    columns = np.stack([curves.rigid, np.sign(curves.qd), curves.qd, np.ones_like(curves.qd)])
    columns = filtered.low_pass(columns)
    rigid, laws = columns[0], columns[1:]
    measured, deviation = filtered.low_pass(
        np.stack([curves.measured, curves.q - curves.measured_q])
    )
    first, second = halves
    law = np.zeros(3)
    slope = width = float("nan")
    if moves:
        law = _friction(laws, measured - rigid, slides & first)
        if np.ptp(rigid) > 0:
            coefficients, widths = filtered.fit(columns, measured, slides, filtered.usable)
            slope, width = float(coefficients[0]), float(widths[0])
    fitted = measured - rigid - law @ laws
    has_own = bool(np.any(curves.tau != curves.rigid))
    residual = filtered.low_pass(curves.measured - curves.tau) if has_own else None

    def share(residuals: Array, part: Mask) -> float:
        size = float(np.sum(measured[part] ** 2))
        return float(np.sqrt(np.sum(residuals[part] ** 2) / size)) if size > 0 else float("nan")

    return MeasuredJoint(
        joint=row.name,
        unit=row.units.effort,
        length=row.units.position,
        motion=float(np.sqrt((deviation[filtered.usable] ** 2).mean())),
        travel=float(np.ptp(curves.measured_q)),
        measured=float(np.sqrt((measured[second] ** 2).mean())),
        rigid=share(measured - rigid, second),
        own=None if residual is None else share(residual, second),
        fitted=share(fitted, second),
        sliding=share(fitted, second & slides),
        at_rest=1 - float(slides[filtered.usable].mean()),
        coulomb=float(law[0]),
        viscous=float(law[1]),
        offset=float(law[2]),
        slope=slope,
        slope_within=width,
    )


def _friction(laws: Array, residual: Array, mask: Mask) -> Array:
    """Return Coulomb, viscous and offset, (3,); a negative one of the first two is set to 0."""
    law, terms = np.zeros(3), [0, 1, 2]
    while mask.any():
        solution = np.linalg.lstsq(laws[terms][:, mask].T, residual[mask], rcond=None)[0]
        bad = [k for k, x in zip(terms, solution, strict=True) if k < 2 and x < 0]
        if not bad:
            law[terms] = solution
            break
        terms = [k for k in terms if k not in bad]
    return law
