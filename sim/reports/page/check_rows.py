"""Checks of a page as rows of text, and its headline numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sim.checks import Judgement
from sim.checks.judgement import Bounds
from sim.recording.schema.channels import group_of
from sim.recording.schema.description import Run
from sim.recording.schema.verdicts import Check
from sim.reports.nearest_limit import by_nearness, share_of
from sim.reports.page.quantity import ShownQuantity
from sim.reports.reproduced_claims import claims_by_text, claims_title, is_reproduced
from sim.reports.verdict_numbers import share_used
from sim.showing.shares import share_text

OF_REFERENCE = ("reference", "reference RMS")
ROUNDING = 1e-12  # relative to a limit; a smaller distance to it counts as none
OPEN_CHECKS = 12  # rows shown before the reader opens the rest


class CheckRow(Struct, frozen=True):
    """A check as a row of a page.

    Parameters
    ----------
    check : Check
    bounds : str or None
        As in `sim.checks.judgement.Judgement`; a row does not keep the curve.
    worst, limit : ShownQuantity
    left : Quantity or None
        Distance to the limit of a range or a clearance that passes.
    percent : str
        Used share of the limit.
    used : float
        `percent` as a number, infinite for a failed check without a finite share.
    bar : float
        Length of the bar, up to 100.
    note : str
        Composition of the limit, where it is not obvious.
    terms : str
        The terms of the limit, one per line; empty if the limit is one number.
    """

    check: Check
    bounds: Bounds | None
    worst: ShownQuantity
    limit: ShownQuantity
    left: ShownQuantity | None
    percent: str
    used: float
    bar: float
    note: str
    terms: str

    @classmethod
    def of(cls, judged: Judgement) -> CheckRow:
        """Return the row of a check."""
        check = judged.check
        used = share_used(check)
        return cls(
            check,
            judged.bounds,
            worst=ShownQuantity(check.worst, check.unit),
            limit=ShownQuantity(check.limit, check.unit),
            left=_left(judged),
            percent=share_of(check),
            used=used,
            bar=round(100 * min(max(used, 0.0), 1.0), 1),
            note=judged.note,
            terms=_terms(judged),
        )

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return self.check.ok

    @property
    def end(self) -> str:
        """Description of the limit to which `left` is measured."""
        side = self.check.name.partition(" ")[0]
        return f"{side} stop" if side in ("upper", "lower") else "limit"

    @property
    def view(self) -> str | None:
        """Group of plots that the check links to; None leaves the plots as they are."""
        return "reference" if self.check.name in OF_REFERENCE else None


def _terms(judged: Judgement) -> str:
    """Return the terms of a limit, one per line."""
    if (allowance := judged.allowance) is None:
        return ""
    unit = "" if judged.check.unit == "1" else f" {judged.check.unit}"
    lines = [
        f"{term.value:.2g}{unit} ({share_text(share)}) {term.title}: {term.meaning}"
        for term, share in allowance.shown
    ]
    lines += [
        f"up to {term.value:.2g}{unit} taken off, {term.title}: {term.meaning}"
        for term in allowance.taken_off
    ]
    return "\n".join(lines)


def _left(judged: Judgement) -> ShownQuantity | None:
    """Return the distance to the limit of a passed check that is neither an error nor a load."""
    worst, limit = judged.check.worst, judged.check.limit
    if judged.bounds != "end" or not judged.check.ok or worst is None or limit is None:
        return None
    left = abs(limit - worst)
    return ShownQuantity(left if left > ROUNDING * abs(limit) else 0.0, judged.check.unit, 3)


def check_rows(judgements: Iterable[Judgement]) -> list[CheckRow]:
    """Return failed checks first, then those nearest to their limits, as in the terminal."""
    return list(map(CheckRow.of, by_nearness(judgements)))


class Fact(Struct, frozen=True):
    """A number with its name and a note."""

    title: str
    value: str | ShownQuantity
    note: str


def facts(rows: Sequence[CheckRow], run: Run) -> list[Fact]:
    """Return the headline numbers of a run."""
    failed = sum(not row.ok for row in rows)
    note = "passed" if not failed else f"passed, {failed} failed"
    summary = [Fact("Checks", f"{len(rows) - failed} of {len(rows)}", note)]
    torques = [row for row in rows if group_of(row.check.plot).name == "tau"]
    if agreement := [row for row in torques if row.bounds == "error"]:
        summary.append(_of_joint("Torque error", agreement[0], "limit"))
    if loads := [row for row in torques if row.bounds == "magnitude"]:
        summary.append(_of_joint("Highest load", max(loads, key=lambda row: row.used), "rating"))
    if claims := list(claims_by_text(run).values()):
        count = sum(map(is_reproduced, claims))
        title = claims_title(run).capitalize()
        summary.append(Fact(title, f"{count} of {len(claims)}", "reproduced"))
    return summary


def _of_joint(title: str, row: CheckRow, of: str) -> Fact:
    joint = row.check.plot.partition(".")[2]
    return Fact(f"{title}, {joint}", row.worst, f"{row.percent} of its {of}")
