"""Write the verification manual as a page of the documentation, from `sim verify`.

    python -m tools.verification_manual FILE

verifies all cases and writes the page. `docs/conf.py` takes it from ``docs/build``; without such a
file it writes the same page without results.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from sim.engine_names import ENGINES
from sim.verification import CHAPTERS, CaseVerdict, FiledCase, find_cases, verify
from sim.verification.drawing import picture, plot
from sim.verification.to_terminal import COLUMNS, column_share, extremes, failure_text, share

NOTE = "<!-- Written by tools/verification_manual.py; edits are lost. -->\n"
INTRODUCTION = """# Verification manual

Problems with independent solutions: a closed form, a textbook, a benchmark, a printed number,
another program. Each has its source, a tolerance with its reason, and a command that repeats it
([how](howto/verify.md)). Every applicable method solves it: the Lagrangian model, Newton–Euler,
and both engines, at exact accelerations or stepping through time.
"""
WITHOUT = """
This build of the documentation has no results; `make docs` computes them.
"""
SHARES = """
Largest error of each case as a share of its tolerance; above 1 the case fails. A dash: the method
does not apply. Cases whose data or program is missing are skipped and listed.
"""


def write_manual(page: Path, made: Path) -> None:
    """Write the page with results if they were made, else without; unless it is unchanged."""
    text = made.read_text(encoding="utf-8") if made.is_file() else without_answers()
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def without_answers() -> str:
    """Return the cases with their sources and expected values."""
    lines = [NOTE, INTRODUCTION, WITHOUT]
    for chapter, group in groupby(find_cases(), key=lambda filed: filed.chapter):
        lines.append(f"## {CHAPTERS[chapter]}\n")
        for filed in group:
            lines += _about(filed)
    return "\n".join(lines)


def manual(verdicts: Sequence[CaseVerdict]) -> str:
    """Return the page with all results."""
    lines = [NOTE, INTRODUCTION, *_overview(verdicts)]
    for chapter, group in groupby(verdicts, key=lambda one: one.filed.chapter):
        lines.append(f"## {CHAPTERS[chapter]}\n")
        for verdict in group:
            lines += [*_about(verdict.filed), *_figures(verdict), *_answers(verdict)]
    return "\n".join(lines)


def _overview(verdicts: Sequence[CaseVerdict]) -> Iterator[str]:
    count = {status: sum(v.status == status for v in verdicts) for status in ("passed", "failed")}
    skipped = len(verdicts) - sum(count.values())
    yield f"**{count['passed']} passed, {count['failed']} failed, {skipped} skipped.**"
    yield SHARES
    yield f"| case | largest error in | {' | '.join(COLUMNS)} |"
    yield "|---|---|" + "---|" * len(COLUMNS)
    for verdict in verdicts:
        worst = "skipped" if verdict.worst is None else verdict.worst.quantity
        cells = " | ".join(share(column_share(verdict, names)) for names in COLUMNS.values())
        yield f"| [{verdict.filed.name}](#{verdict.filed.name}) | {_cell(worst)} | {cells} |"
    yield ""


def _about(filed: FiledCase) -> Iterator[str]:
    """Yield problem, equation, source and command."""
    yield f"({filed.name})="
    yield f"### {filed.title}\n"
    yield f"{filed.problem}\n"
    if filed.case.equation:
        yield f"```text\n{filed.case.equation}\n```\n"
    yield f"Source: {filed.case.source}.\n"
    yield f"```sh\n{filed.command}\n```\n"


def _figures(verdict: CaseVerdict) -> Iterator[str]:
    drawn = [one for one in (picture(verdict.filed.case), plot(verdict)) if one is not None]
    if drawn:
        yield f'<div class="manual-figures">{"".join(drawn)}</div>\n'


def _answers(verdict: CaseVerdict) -> Iterator[str]:
    """Yield a row per quantity: its value by each method, and its error."""
    for method, why in verdict.skipped.items():
        yield f"Skipped{', ' + method if method else ''}: {why}.\n"
    if not verdict.readings:
        return
    yield "| quantity | method | value | expected | error | tolerance | share |"
    yield "|---|---|---|---|---|---|---|"
    for one in verdict.readings:
        value, wanted = extremes(one)
        many = f", worst of {one.expected.numbers.size}" if one.expected.numbers.size > 1 else ""
        quantity = _cell(f"{one.quantity} [{one.expected.unit}]{many}")
        error = failure_text(one) if one.words else f"{one.error:.1e}"
        cells = one.method.title, value, wanted, _cell(error), f"{one.within:.1e}", share(one.share)
        yield f"| {quantity} | {' | '.join(cells)} |"
    reasons = dict.fromkeys(
        f"{one.within:.1e} {one.expected.unit}: {one.expected.why}" for one in verdict.readings
    )
    yield f"\nWithin {'; '.join(reasons)}.\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Verify all cases and write the page; return 1 if a case fails."""
    page = Path(sys.argv[1])
    verdicts = [verify(filed, tuple(ENGINES)) for filed in find_cases()]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(manual(verdicts), encoding="utf-8")
    return int(any(verdict.status == "failed" for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
