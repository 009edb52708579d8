"""Which rating a case uses most: of every joint's torque, speed and range the share that is used.

Of a range the share counts only where it is left: a joint may go to the end of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.reports.svg.scales import in_degrees, share_text, with_unit
from sim.studies.case_rows import CaseRow

Cases = NDArray[np.intp]  # numbers of cases, from 0
TIE = 1e-6  # of a share: both bind

KINDS: Mapping[str, str] = {
    "rated torque": "torque",
    "rated speed": "speed",
    "rated power": "power",
    "lower position limit": "range",
    "upper position limit": "range",
}


@dataclass(frozen=True, eq=False)
class Use:
    """Use of one rating of one joint by the cases.

    Parameters
    ----------
    check, channel : str
        Such as ``rated torque`` of ``tau.elbow``.
    joint : str
        Its name as a reader takes it.
    share : ndarray, shape (N,)
        Used of the rating in each case: 1 at it, never above 1 where the case keeps it, infinite
        beyond a range of one end; NaN where a case has no such rating.
    limits : ndarray, shape (N,)
        The rating in each case, in `unit`.
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
        """Such as ``elbow torque``."""
        return f"{self.joint} {self.kind}"

    @property
    def limit(self) -> float | None:
        """The rating where all cases have the same."""
        known = self.limits[np.isfinite(self.limits)]
        return float(known[0]) if known.size and np.ptp(known) == 0 else None

    @property
    def rating(self) -> str:
        """Such as ``rated torque of 150 N·m``."""
        rated = "" if self.limit is None else f" of {with_unit(self.limit, self.unit)}"
        return f"{self.check}{rated}"

    @property
    def counted(self) -> Array:
        """Shares as they count: of a range none where it is kept."""
        if self.kind != "range":
            return self.share
        return np.where(self.share > 1, self.share, np.where(np.isnan(self.share), np.nan, 0.0))


def uses_of(rows: Sequence[CaseRow], short: Mapping[str, str]) -> list[Use]:
    """Return the use of every rating by the cases; `short` has names of joints for readers."""
    pairs = {
        (check, channel): None
        for row in rows
        for check, ratings in row.ratings.items()
        for channel in ratings
    }
    found = []
    for check, channel in pairs:
        own = [row.ratings.get(check, {}).get(channel) for row in rows]
        joint = channel.partition(".")[2]
        limits = np.array(
            [np.nan if one is None or one.limit is None else one.limit for one in own]
        )
        limits, unit = in_degrees(limits, next(one.unit for one in own if one is not None))
        found.append(
            Use(
                check=check,
                channel=channel,
                joint=short.get(joint, joint),
                share=np.array(
                    [np.nan if one is None else _share(one.used, one.ok) for one in own]
                ),
                limits=limits,
                unit=unit,
            )
        )
    return found


def _share(used: float | None, ok: bool) -> float:
    """A share that is above 1 where, and only where, the check fails."""
    if used is None:
        return 0.0 if ok else np.inf
    return min(max(used, 0.0), 1.0) if ok else max(used, 1.0 + 1e-12)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The rating that each case uses most.

    Parameters
    ----------
    share : ndarray, shape (N,)
        NaN where a case has no rating.
    uses : list of list of Use
        The ratings of these shares; several where they tie.
    """

    share: Array
    uses: list[list[Use]]

    def words(self, k: int) -> str:
        """Such as ``elbow torque``, or ``elbow torque and 2 more``."""
        names = [use.name for use in self.uses[k]]
        if not names:
            return "no rating"
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    def label(self, k: int) -> str:
        """Such as ``104 % elbow torque``."""
        return f"{share_text(float(self.share[k]))} {self.words(k)}" if self.uses[k] else ""


def nearest(uses: Sequence[Use], cases: int) -> Nearest:
    """Of each case the rating that it uses most."""
    if not uses:
        return Nearest(np.full(cases, np.nan), [[] for _ in range(cases)])
    table = np.stack([use.counted for use in uses])
    filled = np.where(np.isnan(table), -1.0, table)
    most = filled.max(axis=0)
    whose = [
        [use for use, one in zip(uses, column, strict=True) if one >= (1 - TIE) * top and top > 0]
        for column, top in zip(filled.T, most, strict=True)
    ]
    return Nearest(np.where(most < 0, np.nan, most), whose)
