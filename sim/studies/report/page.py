"""Page of a study: one file in the style of a run's page, without scripts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from sim.reports.page.standalone import asset, render, share_paths
from sim.reports.svg.scales import share_text, with_unit
from sim.studies.case_rows import CaseRow
from sim.studies.design import SAMPLED, Design
from sim.studies.optimisation.answer import OptimumAnswer
from sim.studies.optimum import parse_limit
from sim.studies.report.pictures.answer_words import counts, sort_cases
from sim.studies.report.pictures.blocks import Layout, PageSection, PageStatement, bold, capital
from sim.studies.report.pictures.case_table import case_table
from sim.studies.report.pictures.grid_chart import KEYS
from sim.studies.report.pictures.influences import sensitivity_layout
from sim.studies.report.pictures.inside import spans_inside
from sim.studies.report.pictures.many_cases import draws_layout, samples_layout
from sim.studies.report.pictures.optimum_layout import optimum_layout
from sim.studies.report.pictures.rating_use import Cases
from sim.studies.report.pictures.response_chart import Bound, curve_figure
from sim.studies.report.pictures.study_data import StudyData, data_of, is_margin
from sim.studies.report.pictures.texts import texts_layout
from sim.studies.report.pictures.two_numbers import (
    curves,
    is_whole_grid,
    one_number_layout,
    shares,
    two_numbers_layout,
)
from sim.studies.report.summary import percent_text, place_text, worst_cases
from sim.studies.study import Study, StudyResult
from sim.studies.study_file import Answer, EffectsAnswer, SearchAnswer

PAGE = "study.html"
TEMPLATE = Path(__file__).with_name("template")
SLIGHT = 0.01  # fraction of a limit below which a check is collapsed
LONGEST = 600  # letters of a command
PLACE = "DIR"


def study_page(result: StudyResult, tables: Sequence[str]) -> str:
    """Return the HTML of the page."""
    study, rows = result.study, result.rows
    worst, data = _worst_rows(rows), data_of(rows, study.facts.units)
    layout = _layout(study, data, rows, result.answer)
    return render(
        "study.html.j2",
        TEMPLATE,
        style=asset("style.css"),
        extra=asset("charts.css") + asset("study.css", TEMPLATE),
        name=study.name,
        passed=result.verdict != "fail",
        word=_word(result),
        asked=_description(result),
        statement=layout.statement,
        proof=_proof(result),
        sections=layout.sections,
        keys=KEYS,
        table=case_table(data, rows),
        worst=[row for row in worst if not row["is_slight"]],
        slight=[row for row in worst if row["is_slight"]],
        notes=study.facts.notes,
        errors=[(place_text(rows, k), row.reason) for k, row in enumerate(rows)
                if not row.is_run][:20],
        command=_command_text(study),
        provenance=_provenance(study),
        tables=tables,
    )  # fmt: skip


def _word(result: StudyResult) -> str:
    if isinstance(result.answer, SearchAnswer) and result.answer.holds is None:
        return "✗ None"
    if isinstance(result.answer, OptimumAnswer) and not result.answer.is_feasible:
        return "✗ Not feasible"
    return "✗ Fail" if result.verdict == "fail" else f"✓ {result.verdict.capitalize()}"


def _proof(result: StudyResult) -> str:
    """Return the agreement of the analytic model with simulated cases, in an analytic study."""
    if (proof := result.proof) is None:
        return ""
    if not proof.ok:
        return f"Simulated cases do not confirm the analytic model: {proof.response}."
    simulated = len(proof.cases)
    return (
        f"Computed with the analytic model; difference from simulated cases ({simulated}): at "
        f"most {proof.off:.1e}."
    )


def _description(result: StudyResult) -> str:
    """Describe what was varied, how, and in how many cases."""
    study = result.study
    parts = [study.name, *(one.text for one in study.design.variations)]
    parts += [f"tolerance {one.text}" for one in study.plan.tolerances]
    if study.plan.tolerances or study.design.name not in ("grid", "tornado", "search"):
        parts.append(f"seed {study.plan.seed}")
    if study.design.name != "grid":
        parts.append(study.design.name)
    return " · ".join([*parts, study.conditions, f"{len(result.rows):,} cases"])


def _command_text(study: Study) -> str:
    """Return the command of the same study; if it is long, the one that resumes it."""
    command = study.facts.command
    words = shlex.join(command)
    return words if len(words) <= LONGEST else shlex.join([*command[:2], "--resume", PLACE])


def _worst_rows(rows: Sequence[CaseRow]) -> list[dict[str, Any]]:
    """Return the worst case of each check, the worst first."""
    cells = []
    for name, k in worst_cases(rows):
        one = rows[k].worst[name]
        fails = sum(name in row.worst and not row.worst[name].ok for row in rows)
        cells.append(
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
    return cells


def _provenance(study: Study) -> list[tuple[str, str]]:
    facts = study.facts.provenance
    libraries = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return [
        ("Made", facts.created),
        ("Script", f"{share_paths(study.plan.script)} (SHA-256 {study.plan.script_sha256[:12]}…)"),
        ("Versions", f"Python {facts.python}, {libraries}"),
        ("Machine", facts.platform),
    ]


def _layout(
    study: Study, data: StudyData, rows: Sequence[CaseRow], answer: Answer | None
) -> Layout:
    """Return the result of a study and its drawings; `rows` are all of its cases."""
    design, cases = study.design, len(rows)
    if not data.rows:
        return Layout(
            PageStatement(bold("No case") + " could be computed", (rows[0].reason,) if rows else ())
        )
    if isinstance(answer, EffectsAnswer):
        return sensitivity_layout(data, answer, design, cases)
    if isinstance(answer, OptimumAnswer):
        return optimum_layout(data, answer, design.variations)
    if isinstance(answer, SearchAnswer):
        return search_layout(data, answer, cases)
    return draws_layout(data, cases) if design.draws else _layout_by_parameters(data, design, cases)


def _layout_by_parameters(data: StudyData, design: Design, cases: int) -> Layout:
    """Return the layout for the number of varied numbers and texts."""
    numbers = [name for name, values in data.inputs.items() if np.ptp(values) > 0]
    if len(numbers) <= 1:
        if data.words or not numbers:
            return texts_layout(data, numbers[0] if numbers else None, cases)
        return one_number_layout(data, numbers[0], cases)
    if not data.words and data.uses and is_whole_grid(data, numbers):
        return two_numbers_layout(data, numbers[0], numbers[1], cases)
    return samples_layout(data, cases, "samples" if design.name in SAMPLED else "cases")


def search_layout(data: StudyData, answer: SearchAnswer, cases: int) -> Layout:
    """Return the layout of a search of one parameter."""
    name, limit = answer.parameter, parse_limit(answer.limit)
    on, level = sort_cases(data, name), 1.0
    sections: list[PageSection] = []
    if is_margin(limit.response):
        level = max(1.0 - limit.bound, 1e-3)
    else:
        names = [n for n in data.outputs if n == limit.response or fnmatchcase(n, limit.response)]
        bound = Bound(limit.bound, is_upper=limit.sign < 0)
        figures = [curve_figure(data, name, on, one, bound) for one in names]
        sections.append(PageSection("limit", f"The limit: {_typeset(limit.text)}", figures=figures))
    spans = spans_inside(data.inputs[name][on], data.uses, on, level)
    sections += shares(data, name, on, spans, level)
    return Layout(_statement(data, answer, on, cases), [*sections, *curves(data, name, on)])


def _statement(data: StudyData, answer: SearchAnswer, on: Cases, cases: int) -> PageStatement:
    name, low, high = answer.parameter, *answer.ends
    unit = data.units.get(name, "")
    limit = _typeset(answer.limit)
    ends = f"{low:g} and {with_unit(high, unit)}"
    tail = counts(data, cases)
    if answer.holds is None:
        return PageStatement(
            bold("No") + f" {name} between {ends} satisfies {limit}",
            (*_near(data, name, on, None), *tail),
        )
    near = _near(data, name, on, answer.holds)
    if answer.fails is None:
        value = bold(with_unit(answer.holds, unit, 6))
        headline = Markup("{} satisfies {}; limit not reached within the range").format(
            value, limit
        )
        return PageStatement(headline, (*near, *tail))
    optimum = answer.holds if answer.value is None else answer.value
    value = bold(" ".join(filter(None, (answer.text_of(optimum), unit))))
    headline = Markup("{} is the {} {} that satisfies {}").format(
        value, answer.direction, name, limit
    )
    why = f"{with_unit(answer.fails, unit, 9)} violates it"
    broken = f": limiting is {answer.binds}." if answer.binds else "."
    return PageStatement(headline, (*near, why + broken, f"{capital(answer.note)}."))


def _typeset(text: str) -> str:
    return text.replace(">=", "≥").replace("<=", "≤").replace(" -", " −")


def _near(data: StudyData, name: str, on: Cases, value: float | None) -> list[str]:
    """Return the rating closest to its limit at a value, else at the least violated case."""
    if not data.uses or not on.size:
        return []
    x, share = data.inputs[name], data.nearest.share
    k = int(on[np.nanargmin(share[on])] if value is None else on[np.argmin(np.abs(x[on] - value))])
    at = "there" if value is not None else f"at {data.quantity(name, x[k])}"
    utilisation = share_text(float(share[k]))
    return [f"{capital(data.nearest.words(k))} is at {utilisation} {at}, closest to limit."]
