"""Table of the cases: values, verdict with reason, responses grouped by ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.reports.svg.scales import heading, num
from sim.studies.case_rows import CaseRow
from sim.studies.report.pictures.rating_use import Use
from sim.studies.report.pictures.study_data import StudyData, is_margin
from sim.studies.variation import value_text

MOST_CASES = 500  # in the page's table; the files have all
MOST_DRAWN = 8  # columns of tolerance draws
MOST_RESPONSES = 14


@dataclass(frozen=True)
class TableCell:
    """A response of a case; `over` if it exceeds its rating."""

    text: str
    over: bool = False


@dataclass(frozen=True)
class CaseLine:
    """A row of the table."""

    number: int
    run: str
    inputs: list[tuple[str, bool]]  # text, and whether it is a number
    passed: bool
    verdict: str
    cells: list[TableCell]


@dataclass(frozen=True)
class CaseTable:
    """All cases.

    Parameters
    ----------
    inputs : list of (str, bool)
        Heads, and whether the columns are numeric.
    group : str
        Head over the torques.
    torques, others : list of str
        Heads of the responses.
    rated : list of str
        Rating of each response, empty if there is none.
    lines : list of CaseLine
    hidden : int
        Number of further cases.
    """

    inputs: list[tuple[str, bool]]
    group: str
    torques: list[str]
    others: list[str]
    rated: list[str]
    lines: list[CaseLine]
    hidden: int


def case_table(data: StudyData, rows: Sequence[CaseRow]) -> CaseTable:
    """Return the table of all cases, including those without a run."""
    names = list(dict.fromkeys(name for row in rows for name in row.parameters))
    drawn = list(data.drawn)[:MOST_DRAWN]
    torques = data.torques
    others = [n for n in data.outputs if not (is_margin(n) or n.startswith("peak tau."))]
    shown = [*torques, *others][:MOST_RESPONSES]
    uses = {name: data.rating_of(name) for name in shown}
    at = {number: k for k, number in enumerate(data.numbers)}
    lines = []
    for number, row in enumerate(rows[:MOST_CASES], 1):
        k = at.get(number)
        inputs = [_input(row.parameters.get(name)) for name in names]
        cells = [
            TableCell("–") if k is None else TableCell(
                num(float(data.outputs[n][k])),
                (use := uses[n]) is not None and bool(use.share[k] > 1),
            )
            for n in shown
        ]  # fmt: skip
        cells += [TableCell(f"{row.factors[n]:.4f}" if n in row.factors else "–") for n in drawn]
        lines.append(
            CaseLine(number, row.run, inputs, row.status == "pass", _verdict(data, row, k), cells)
        )
    units = {data.units[n] for n in torques}
    group = (
        "peak torque"
        if not units
        else heading("peak torque", units.pop() if len(units) == 1 else "")
    )
    heads = [(data.heading(n), n in data.inputs) for n in names]
    return CaseTable(
        inputs=heads,
        group=group,
        torques=[_joint(data, n) for n in shown if n in torques],
        others=[data.heading(n) for n in shown if n not in torques] + drawn,
        rated=[_rating_text(uses[name]) for name in shown] + [""] * len(drawn),
        lines=lines,
        hidden=len(rows) - len(lines),
    )


def _rating_text(use: Use | None) -> str:
    return "" if use is None or use.limit is None else num(use.limit)


def _joint(data: StudyData, response: str) -> str:
    if (use := data.rating_of(response)) is not None:
        return use.joint
    return data.title(response).removesuffix(" peak torque")


def _input(value: object) -> tuple[str, bool]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value_text(value), is_number


def _verdict(data: StudyData, row: CaseRow, k: int | None) -> str:
    """Return the reason of a failure, or the use of the most used rating."""
    if k is None:
        return f"{row.status}: {row.reason}"
    near, share = data.nearest.label(k), data.nearest.share[k]
    if row.status == "pass" or share > 1:
        more = row.failed - int(np.sum([use.share[k] > 1 for use in data.uses]))
        return near + (f"; and {more} more checks" if more > 0 and row.status != "pass" else "")
    return f"{row.reason}{f'; {near}' if near else ''}"
