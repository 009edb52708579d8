"""Verdicts on cases, for a terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sim.engine_names import ENGINES
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable
from sim.showing.one_line import shorten
from sim.verification.manual import CHAPTERS, FiledCase
from sim.verification.verdict import CaseReading, CaseVerdict

if TYPE_CHECKING:
    from rich.console import RenderableType

# Methods that share a column of the table, which shows the worst of them.
COLUMNS = {
    "model": ("model", "newton_euler"),
    **{engine.title: (name, f"{name}_stepped") for name, engine in ENGINES.items()},
}
ROWS = 4  # lines of a sentence


def share(value: float | None) -> str:
    """Return a share of a tolerance in two digits; a dash if a method gave no result."""
    if value is None:
        return "-"
    if not math.isfinite(value):
        return "none"
    if 0 < value < 0.01:
        return f"{value:.0e}".replace("e-0", "e-")
    if 1 < value < 1.005:  # exceeded, and to be read as such
        return f"{value:.6f}"
    return f"{value:.2f}" if value < 100 else f"{value:.1e}".replace("e+0", "e+")


def column_share(verdict: CaseVerdict, methods: Sequence[str]) -> float | None:
    """Return the worst share of tolerance of methods; None if none of them gave a result."""
    shares = [one for name in methods if (one := verdict.share_by(name)) is not None]
    return max(shares, default=None)


def to_terminal(verdicts: Sequence[CaseVerdict]) -> list[RenderableType]:
    """Return a row per case by chapter, failures and skipped cases; a single case in full."""
    parts: list[RenderableType] = []
    if len(verdicts) == 1:
        parts += _in_full(verdicts[0])
    else:
        parts += _rows(verdicts)
    for verdict in verdicts:
        for method, why in verdict.skipped.items():
            where = f"{verdict.filed.name}, {method}" if method else verdict.filed.name
            parts.append(label_sentence("skipped", f"{where}: {why}", "yellow", rows=ROWS))
        for one in () if len(verdicts) == 1 else failures(verdict):
            text = f"{verdict.filed.name}, {failure_text(one)}"
            parts.append(label_sentence("failed", text, "red", rows=ROWS))
    count = {status: 0 for status in ("passed", "failed", "skipped")}
    for verdict in verdicts:
        count[verdict.status] += 1
    text = ", ".join(f"{number} {status}" for status, number in count.items() if number)
    seconds = sum(verdict.seconds for verdict in verdicts)
    style = "red" if count["failed"] else "green" if count["passed"] else "yellow"
    parts.append(label_sentence("cases", f"{text}; {seconds:.1f} s of CPU", style, rows=ROWS))
    return parts


def failures(verdict: CaseVerdict) -> list[CaseReading]:
    """Return the worst reading of each method that fails."""
    worst: dict[str, CaseReading] = {}
    for one in verdict.readings:
        known = worst.get(one.method.name)
        if not one.ok and (known is None or one.share > known.share):
            worst[one.method.name] = one
    return list(worst.values())


def failure_text(one: CaseReading) -> str:
    """Describe the fault of a reading."""
    if one.words:
        return f"{one.method.title}: {one.quantity}: {one.words}"
    return (
        f"{one.method.title}: error of {one.quantity} {one.error:.3g} {one.expected.unit}, "
        f"tolerance {one.within:.3g} {one.expected.unit}"
    )


def _rows(verdicts: Sequence[CaseVerdict]) -> Iterator[RenderableType]:
    rows = FittedTable(("case", "largest error in", *COLUMNS), left=("largest error in",))
    chapter = ""
    for verdict in verdicts:
        if verdict.filed.chapter != chapter:
            chapter = verdict.filed.chapter
            rows.add_row(CHAPTERS.get(chapter, chapter), "", *("" for _ in COLUMNS), style="bold")
        worst = verdict.worst
        quantity = "skipped" if worst is None else worst.quantity
        cells = (share(column_share(verdict, names)) for names in COLUMNS.values())
        style = {"passed": None, "failed": "red", "skipped": "yellow"}[verdict.status]
        rows.add_row(f"  {verdict.filed.name}", shorten(quantity, 18), *cells, style=style)
    yield rows
    yield label_sentence("values", "error / tolerance of each solver; - not computed", "")


def list_of_cases(cases: Sequence[FiledCase]) -> list[RenderableType]:
    """Return name and first line of each case, by chapter."""
    rows = FittedTable(("case", "description"), prose=("description",))
    chapter = ""
    for filed in cases:
        if filed.chapter != chapter:
            chapter = filed.chapter
            rows.add_row(CHAPTERS.get(chapter, chapter), f"[{chapter}]", style="bold")
        rows.add_row(f"  {filed.name}", filed.title)
    return [rows]


def _in_full(verdict: CaseVerdict) -> Iterator[RenderableType]:
    filed = verdict.filed
    yield label_sentence("case", f"{filed.title}.", "bold", rows=ROWS)
    yield label_sentence("source", str(filed.case.source), "", rows=ROWS)
    if filed.case.equation:
        yield label_sentence("solution", filed.case.equation, "", rows=ROWS)
    if not verdict.readings:
        return
    headings = ("quantity", "method", "value", "expected", "error", "tolerance", "share")
    rows = FittedTable(
        headings, spare=("tolerance", "error"), left=("method",), prose=("quantity",)
    )
    for one in verdict.readings:
        value, expected = extremes(one)
        rows.add_row(
            f"{one.quantity} [{one.expected.unit}]",
            one.method.title,
            value,
            expected,
            "none" if one.words else f"{one.error:.1e}",
            f"{one.within:.1e}",
            share(one.share),
            style=None if one.ok else "red",
        )
    yield rows
    for one in verdict.readings:
        if one.words:
            yield label_sentence("failed", failure_text(one), "red", rows=ROWS)


def extremes(one: CaseReading) -> tuple[str, str]:
    """Return value and expected value at the largest difference; of an array with the index."""
    expected = one.expected.numbers
    if one.value is None:
        return "none", f"{float(expected.ravel()[0]):.9g}" if expected.size == 1 else "array"
    k = int(abs(one.value - expected).argmax())
    return f"{float(one.value.ravel()[k]):.9g}", f"{float(expected.ravel()[k]):.9g}"


def document(verdicts: Sequence[CaseVerdict]) -> dict[str, Any]:
    """Return all results as plain data in the units of the cases."""
    return {"ok": all(v.status != "failed" for v in verdicts), "cases": list(map(_case, verdicts))}


def _case(verdict: CaseVerdict) -> dict[str, object]:
    filed = verdict.filed
    return {
        "name": filed.name,
        "chapter": filed.chapter,
        "title": filed.title,
        "source": str(filed.case.source),
        "status": verdict.status,
        "skipped": {name or "case": why for name, why in verdict.skipped.items()},
        "seconds": verdict.seconds,
        "readings": [
            {
                "quantity": one.quantity,
                "method": one.method.name,
                "unit": one.expected.unit,
                "error": one.error if math.isfinite(one.error) else None,
                "within": one.within,
                "share": one.share if math.isfinite(one.share) else None,
                "ok": one.ok,
                "words": one.words,
            }
            for one in verdict.readings
        ],
    }
