"""The page of a study: one file in the manner of a run's page, without scripts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import RecordingError
from sim.recording.files import refusal, write_bytes
from sim.reports.page.page import asset, policy
from sim.reports.terminal.tables import number
from sim.studies.case_row import CaseRow
from sim.studies.study import Study
from sim.studies.study_answer import Answer, EffectsFound, SearchFound
from sim.studies.study_charts import sections
from sim.studies.study_result import StudyResult
from sim.studies.study_summary import NUMBERS, percent_text, place_text, worst_cases
from sim.studies.study_table import response_names
from sim.studies.variation import value_text

if TYPE_CHECKING:
    import jinja2

PAGE = "study.html"
TEMPLATE = Path(__file__).with_name("template")
SLIGHT = 0.01  # share of a limit below which a check is folded away
LONGEST = 600  # letters of a command
PLACE = "DIR"
MOST_DRAWN = 8  # columns of what tolerances have drawn
MOST_CASES = 500  # in the table of the page; all are in the files


def write_study_page(result: StudyResult, tables: Sequence[str]) -> str:
    """Write the page into the study's folder; returns its name.

    Raises
    ------
    RecordingError
        If it cannot be written.
    """
    try:
        write_bytes(result.folder / PAGE, study_page(result, tables).encode("utf-8"))
    except OSError as error:
        why = refusal(error)
        raise RecordingError(f"Cannot write the study to {result.folder}: {why}") from error
    return PAGE


def study_page(result: StudyResult, tables: Sequence[str]) -> str:
    """HTML of the page."""
    style = asset("style.css") + (TEMPLATE / "study.css").read_text(encoding="utf-8")
    study, rows = result.study, result.rows
    worst = _worst_rows(rows)
    return (
        _environment()
        .get_template("study.html.j2")
        .render(
            style=style,
            policy=policy([], style),
            name=study.name,
            passed=result.passed,
            word=_word(result),
            sentence=_sentence(result),
            varied=", ".join(one.text for one in study.design.variations),
            conditions=study.conditions,
            facts=_facts(result),
            sections=sections(study, rows, result.answer),
            effects=_effect_table(result.answer),
            worst=[row for row in worst if not row["is_slight"]],
            slight=[row for row in worst if row["is_slight"]],
            **_case_table(rows),
            errors=[(place_text(rows, k), row.reason) for k, row in enumerate(rows)
                    if not row.is_run][:20],
            command=_command(study),
            provenance=_provenance(study),
            tables=tables,
        )
    )  # fmt: skip


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    loader = jinja2.FileSystemLoader(TEMPLATE)
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)


def _word(result: StudyResult) -> str:
    if isinstance(result.answer, SearchFound):
        return "✓ Found" if result.passed else "✗ None"
    return "✓ Pass" if result.passed else "✗ Fail"


def _sentence(result: StudyResult) -> str:
    words = result.sentence[0].upper() + result.sentence[1:]
    if result.proof is not None and result.proof.ok:
        simulated = len(result.proof.cases)
        words += f"; by the model alone; simulated: {simulated}, within {result.proof.off:.1e}"
    return words


def _facts(result: StudyResult) -> list[tuple[str, str]]:
    study, cases, passing = result.study, len(result.rows), result.counts["pass"]
    found = [("Cases", f"{cases:,}"), ("Pass", f"{passing:,}")]
    if cases - passing:
        found.append(("Do not pass", f"{cases - passing:,}"))
    if study.design.name != "grid":
        found.append(("Design", study.design.name))
    if study.plan.tolerances:
        found.append(("Tolerances", ", ".join(one.text for one in study.plan.tolerances)))
    if study.plan.tolerances or study.design.name not in ("grid", "tornado", "search"):
        found.append(("Seed", str(study.plan.seed)))
    return found


def _command(study: Study) -> str:
    """The command that asks for the same study; where it is long, the one that goes on with it."""
    words = shlex.join(study.facts.request.words)
    return words if len(words) <= LONGEST else shlex.join(["sim", "sweep", "--resume", PLACE])


def _effect_table(answer: Answer | None) -> dict[str, Any] | None:
    if not isinstance(answer, EffectsFound):
        return None
    names = NUMBERS[answer.design]
    rows = [
        (
            e.response,
            e.parameter,
            ["–" if (v := e.numbers[n]) is None else number(v) for n in names],
        )
        for e in answer.effects
    ]
    return {"heads": list(names.values()), "rows": rows}


def _worst_rows(rows: Sequence[CaseRow]) -> list[dict[str, Any]]:
    """The worst case of each check, the worst first."""
    found = []
    for name, k in worst_cases(rows):
        one = rows[k].worst[name]
        fails = sum(name in row.worst and not row.worst[name].ok for row in rows)
        found.append(
            {
                "name": name,
                "channel": one.channel,
                "at": f"{one.at:.4g} s",
                "percent": percent_text(one.used),
                "width": round(100 * min(max(one.used or 0.0, 0.0), 1.0), 1),
                "ok": one.ok,
                "is_slight": one.ok and one.used is not None and one.used < SLIGHT,
                "case": place_text(rows, k),
                "run": rows[k].run,
                "fails": fails,
            }
        )
    return found


def _case_table(rows: Sequence[CaseRow]) -> dict[str, Any]:
    """The cases as they stand in the table of the page."""
    names = list(dict.fromkeys(name for row in rows for name in row.parameters))
    drawn = list(dict.fromkeys(name for row in rows for name in row.factors))[:MOST_DRAWN]
    responses = dict(list(response_names(rows).items())[:8])
    heads = [name if unit == "1" else f"{name} [{unit}]" for name, unit in responses.items()]
    shown = [
        {
            "number": k + 1,
            "inputs": [value_text(row.parameters[name]) for name in names]
            + [f"{row.factors[name]:.4f}" if name in row.factors else "–" for name in drawn],
            "responses": [
                "–" if (v := row.response(name)) is None else number(v) for name in responses
            ],
            "status": row.status,
            "reason": row.reason,
            "run": row.run,
        }
        for k, row in enumerate(rows[:MOST_CASES])
    ]
    return {
        "names": [*names, *drawn],
        "heads": heads,
        "cases": shown,
        "hidden": len(rows) - len(shown),
    }


def _provenance(study: Study) -> list[tuple[str, str]]:
    facts = study.facts.provenance
    used = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return [
        ("Made", facts.created),
        ("Script", f"{study.plan.script} (SHA-256 {study.plan.script_sha256[:12]}…)"),
        ("Versions", f"Python {facts.python}, {used}"),
        ("Machine", facts.platform),
    ]
