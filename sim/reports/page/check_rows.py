"""The checks of a page as rows of text, and the few facts that a reader wants first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.checks import Judgement
from sim.checks.judgement import Bounds
from sim.recording.schema.channels import group_of
from sim.recording.schema.description import Run
from sim.recording.schema.verdicts import Check
from sim.reports.claims_shown import claims_by_text, is_shown
from sim.reports.nearest_limit import by_nearness, share_of
from sim.reports.page.html_tables import number
from sim.reports.verdict_numbers import share_used

OF_REFERENCE = ("reference", "reference RMS")
OPEN_CHECKS = 12  # rows that are seen before the rest is requested


@dataclass(frozen=True)
class CheckRow:
    """A check as a page shows it.

    Parameters
    ----------
    check : Check
    bounds : str or None
        As in `sim.checks.judgement.Judgement`, whose curve a row does not keep.
    worst, limit, unit, percent : str
        `percent` is how much of the limit is used.
    used : float
        The same as a number, infinite where it is none and the check has failed.
    bar : float
        Length of the bar that shows it, up to 100.
    note : str
        What the limit is made of, where that is not obvious.
    """

    check: Check
    bounds: Bounds | None
    worst: str
    limit: str
    unit: str
    percent: str
    used: float
    bar: float
    note: str

    @classmethod
    def of(cls, judged: Judgement) -> CheckRow:
        """Row of a check."""
        check = judged.check
        used = share_used(check)
        return cls(
            check,
            judged.bounds,
            worst=number(check.worst),
            limit=number(check.limit),
            unit="" if check.unit == "1" else check.unit,
            percent=share_of(check),
            used=used,
            bar=round(100 * min(max(used, 0.0), 1.0), 1),
            note=judged.note,
        )

    @property
    def ok(self) -> bool:
        """Whether it has passed."""
        return self.check.ok

    @property
    def view(self) -> str | None:
        """What the plots show where the check leads; what they show already if it is None."""
        return "reference" if self.check.name in OF_REFERENCE else None


def check_rows(judgements: Iterable[Judgement]) -> list[CheckRow]:
    """Checks, those that failed first, then the nearest to its limit; as in the terminal."""
    return list(map(CheckRow.of, by_nearness(judgements)))


@dataclass(frozen=True)
class Fact:
    """A number with its name and a note on it."""

    title: str
    value: str
    note: str


def facts(rows: Sequence[CheckRow], run: Run) -> list[Fact]:
    """The few numbers that a reader wants first."""
    failed = sum(not row.ok for row in rows)
    note = "passed" if not failed else f"passed, {failed} failed"
    summary = [Fact("Checks", f"{len(rows) - failed} of {len(rows)}", note)]
    torques = [row for row in rows if group_of(row.check.plot).name == "tau"]
    if agreement := [row for row in torques if row.bounds == "error"]:
        summary.append(_of_joint("Torque error", agreement[0], "limit"))
    if loads := [row for row in torques if row.bounds == "magnitude"]:
        summary.append(_of_joint("Highest load", max(loads, key=lambda row: row.used), "rating"))
    if claims := list(claims_by_text(run).values()):
        shown_here = sum(map(is_shown, claims))
        summary.append(Fact("Claims", f"{shown_here} of {len(claims)}", "shown"))
    return summary


def _of_joint(title: str, row: CheckRow, of: str) -> Fact:
    joint = row.check.plot.partition(".")[2]
    return Fact(f"{title}, {joint}", f"{row.worst} {row.unit}", f"{row.percent} of its {of}")
