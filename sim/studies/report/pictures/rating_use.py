"""Most used rating of a case: fractions used of every joint's torque, speed and range.

The fraction of a range counts only if it is exceeded: a joint may reach its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.reports.svg.scales import in_degrees, share_text, with_unit
from sim.studies.case_rows import CaseRow, Rating

Cases = NDArray[np.intp]  # case indices from 0
TIE = 1e-6  # of a fraction: both are limiting

KINDS: Mapping[str, str] = {
    "rated torque": "torque",
    "rated speed": "speed",
    "rated power": "power",
    "lower position limit": "range",
    "upper position limit": "range",
}


@dataclass(frozen=True, eq=False)
class Use:
    """Utilisation of one rating of one joint in the cases.

    Parameters
    ----------
    check, channel : str
        Names such as ``rated torque`` and ``tau.elbow``.
    joint : str
        Display name of the joint.
    share : ndarray, shape (N,)
        Fraction of the rating in each case: 1 at it, at most 1 if the case satisfies it, infinite
        beyond a one-sided range; NaN if a case has no such rating.
    limits : ndarray, shape (N,)
        Rating in each case, in `unit`.
    unit : str
    """

    check: str
    channel: str
    joint: str
    share: Array
    limits: Array
    unit: str

    @property
    def kind(self) -> str:
        """``torque``, ``speed``, ``power`` or ``range``."""
        return KINDS.get(self.check, self.check.removeprefix("rated "))

    @property
    def name(self) -> str:
        """Text such as ``elbow torque``."""
        return f"{self.joint} {self.kind}"

    @property
    def limit(self) -> float | None:
        """The rating, if equal in all cases."""
        known = self.limits[np.isfinite(self.limits)]
        return float(known[0]) if known.size and np.ptp(known) == 0 else None

    @property
    def rating(self) -> str:
        """Text such as ``rated torque of 150 N·m``."""
        rated = "" if self.limit is None else f" of {with_unit(self.limit, self.unit)}"
        return f"{self.check}{rated}"

    @property
    def effective_share(self) -> Array:
        """Effective fractions: a satisfied range counts as zero."""
        if self.kind != "range":
            return self.share
        return np.where(self.share > 1, self.share, np.where(np.isnan(self.share), np.nan, 0.0))


def uses_of(rows: Sequence[CaseRow], short: Mapping[str, str]) -> list[Use]:
    """Return the use of every rating by the cases; `short` has display names of joints."""
    groups = dict.fromkeys(
        (check, tuple(ratings)) for row in rows for check, ratings in row.ratings.items()
    )
    pairs = dict.fromkeys((check, channel) for check, channels in groups for channel in channels)
    tables = {check: _different_ratings(rows, check) for check, _ in groups}
    uses = []
    for check, channel in pairs:
        different, places = tables[check]
        known = [ratings.get(channel) for ratings in different]
        joint = channel.partition(".")[2]
        limits = np.array(
            [np.nan if one is None or one.limit is None else one.limit for one in known]
        )
        limits, unit = in_degrees(limits, next(one.unit for one in known if one is not None))
        share = np.array([np.nan if one is None else _share(one.used, one.ok) for one in known])
        uses.append(
            Use(
                check=check,
                channel=channel,
                joint=short.get(joint, joint),
                share=share[places],
                limits=limits[places],
                unit=unit,
            )
        )
    return uses


def _different_ratings(
    rows: Sequence[CaseRow], check: str
) -> tuple[list[Mapping[str, Rating]], Cases]:
    """Return the ratings of a check, each object once, and the place of each case among them.

    Cases of the model share those that do not depend on the torque.
    """
    ratings = [row.ratings.get(check, {}) for row in rows]
    different = {id(one): one for one in ratings}
    places = dict(zip(different, range(len(different)), strict=True))
    return list(different.values()), np.array([places[id(one)] for one in ratings], dtype=np.intp)


def _share(fraction: float | None, ok: bool) -> float:
    """Return a fraction that is above 1 if and only if the check fails."""
    if fraction is None:
        return 0.0 if ok else np.inf
    return min(max(fraction, 0.0), 1.0) if ok else max(fraction, 1.0 + 1e-12)


@dataclass(frozen=True, eq=False)
class Nearest:
    """Most used rating of each case.

    Parameters
    ----------
    share : ndarray, shape (N,)
        NaN if a case has no rating.
    uses : list of list of Use
        Ratings of these fractions; several if equal.
    """

    share: Array
    uses: list[list[Use]]

    def words(self, k: int) -> str:
        """Return text such as ``elbow torque``, or ``elbow torque and 2 more``."""
        if not (names := [use.name for use in self.uses[k]]):
            return "no rating"
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    def label(self, k: int) -> str:
        """Return text such as ``104 % elbow torque``."""
        return f"{share_text(float(self.share[k]))} {self.words(k)}" if self.uses[k] else ""


def nearest(uses: Sequence[Use], cases: int) -> Nearest:
    """Return the most used rating of each case."""
    if not uses:
        return Nearest(np.full(cases, np.nan), [[] for _ in range(cases)])
    table = np.stack([use.effective_share for use in uses])
    filled = np.where(np.isnan(table), -1.0, table)
    most = filled.max(axis=0)
    whose = [
        [use for use, one in zip(uses, column, strict=True) if one >= (1 - TIE) * top and top > 0]
        for column, top in zip(filled.T, most, strict=True)
    ]
    return Nearest(np.where(most < 0, np.nan, most), whose)
