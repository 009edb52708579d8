"""The manual as a page: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from sim.recording.files.named_file import write_named
from sim.reports.page.standalone import asset, provenance_rows, render
from sim.verification.drawing import picture, plot
from sim.verification.manual import CHAPTERS
from sim.verification.to_terminal import COLUMNS, column_share, extremes, failure_text, share
from sim.verification.verdict import CaseReading, CaseVerdict

TEMPLATE = Path(__file__).with_name("template")
MARKS = {"passed": "✓", "failed": "✗", "skipped": "–"}


def write_page(verdicts: Sequence[CaseVerdict], path: Path) -> None:
    """Write the page.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, page(verdicts).encode("utf-8"), ".html")


def page(verdicts: Sequence[CaseVerdict]) -> str:
    """Return the HTML of the page."""
    count = {status: sum(v.status == status for v in verdicts) for status in MARKS}
    chapters = [
        (CHAPTERS.get(chapter, "Cases of your own"), [_block(one) for one in group])
        for chapter, group in groupby(verdicts, key=lambda one: one.filed.chapter)
    ]
    return render(
        "manual.html.j2",
        TEMPLATE,
        extra=asset("manual.css", TEMPLATE),
        ok=not count["failed"],
        count=[(number, status) for status, number in count.items() if number],
        columns=list(COLUMNS),
        chapters=chapters,
        provenance=provenance_rows(),
    )


def _block(verdict: CaseVerdict) -> dict[str, object]:
    """Return the values of a case that the template shows."""
    shares = [column_share(verdict, names) for names in COLUMNS.values()]
    return {
        "verdict": verdict,
        "filed": verdict.filed,
        "case": verdict.filed.case,
        "mark": MARKS[verdict.status],
        "worst": "" if verdict.worst is None else verdict.worst.quantity,
        "shares": [(share(one), one is not None and not one <= 1.0) for one in shares],
        "paragraphs": verdict.filed.problem.split("\n\n"),
        "picture": picture(verdict.filed.case),
        "plot": plot(verdict),
        "rows": [_row(one) for one in verdict.readings],
        "reasons": list(dict.fromkeys(_reason(one) for one in verdict.readings)),
    }


def _row(one: CaseReading) -> dict[str, object]:
    value, expected = extremes(one)
    return {
        "quantity": f"{one.quantity} [{one.expected.unit}]",
        "method": one.method.title,
        "value": value,
        "expected": expected,
        "count": one.expected.numbers.size,
        "error": "none" if one.words else f"{one.error:.1e}",
        "within": f"{one.within:.1e}",
        "share": share(one.share),
        "bad": not one.ok,
        "words": failure_text(one) if one.words else "",
    }


def _reason(one: CaseReading) -> str:
    return f"{one.within:.1e} {one.expected.unit}: {one.expected.why}"
