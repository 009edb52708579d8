"""Accounts of a study and of an optimum, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable, number
from sim.showing.one_line import count_text
from sim.studies.case_rows import CaseRow, check_names, response_units
from sim.studies.optimisation.answer import ObjectiveValue, OptimumAnswer
from sim.studies.optimisation.surface import ResponseSurface, SurfaceTerm
from sim.studies.study import StudyResult
from sim.studies.study_file import EffectsAnswer, Proof, SearchAnswer
from sim.studies.variation import value_text

if TYPE_CHECKING:
    from rich.console import RenderableType


SIGNIFICANT = 0.05  # largest probability of a significant term

MOST_ROWS = 6  # of a table; default of --limit
MOST_RESPONSES = 12  # four margins and the peaks of six joints
MOST_ERRORS = 2


def optimum_parts(answer: OptimumAnswer, most: int) -> list[RenderableType]:
    """Return the parts of a summary, the optimum first."""
    parts: list[RenderableType] = [label_sentence("note", note, "yellow") for note in answer.notes]
    if answer.case is None:
        return parts
    parts.append(_values(answer))
    if answer.constraints:
        parts.append(_constraints(answer, most))
    if any(one.slope is not None for one in answer.sensitivities):
        parts.append(_sensitivities(answer, most))
    parts += [part for one in answer.surfaces for part in _surface(one, most)]
    if answer.front:
        cases = ", ".join(map(str, answer.front))
        parts.append(label_sentence("front", f"cases {cases}"))
    if answer.engine is not None:
        style = "" if answer.engine.status == "pass" else "red"
        parts.append(label_sentence("engine", answer.engine.words, style))
    return parts


def quantity_text(one: ObjectiveValue) -> str:
    """Return the value of an objective with its unit."""
    return "–" if one.value is None else f"{one.value:.6g} {one.unit}".strip()


def _values(answer: OptimumAnswer) -> FittedTable:
    heading = "at the optimum" if answer.is_feasible else "at the nearest case"
    table = FittedTable(("", heading, "limited by"), left=("limited by",), airy=False)
    for one in answer.objectives:
        table.add_row(f"{one.direction} of {one.text}", quantity_text(one), "")
    for name, value in answer.parameters.items():
        end = answer.at_ends.get(name)
        table.add_row(name, value_text(value), f"{end} end of its range" if end else "")
    return table


def _constraints(answer: OptimumAnswer, most: int) -> FittedTable:
    """Return the constraints by slack; the last column is the gain of relaxing them."""
    table = FittedTable(
        ("constraint", "of", "slack", "limiting", "gain per unit"),
        spare=("of", "gain per unit"), left=("of",), prose=("of",), most=most, airy=False,
    )  # fmt: skip
    for one in answer.constraints:
        missed = one.slack is None or one.slack < 0
        table.add_row(
            one.constraint,
            "" if one.name in one.constraint else one.name,
            "–" if one.slack is None else f"{number(one.slack)} {one.unit}".strip(),
            "missed" if missed else "yes" if one.is_limiting else "no",
            "" if one.multiplier is None else number(one.multiplier),
            style="red" if missed else None,
        )
    return table


def _sensitivities(answer: OptimumAnswer, most: int) -> FittedTable:
    table = FittedTable(
        ("slope of", "over", "per unit", "over the range"), left=("over",), most=most, airy=False
    )
    for one in answer.sensitivities:
        if one.slope is not None and one.over_range is not None:
            table.add_row(one.response, one.parameter, number(one.slope), number(one.over_range))
    return table


def _surface(one: ResponseSurface, most: int) -> list[RenderableType]:
    """Return the terms of a surface with their significance, the most significant first."""
    table = FittedTable(
        ("surface term", "coefficient", "± error", "t", "p"), most=max(most, 6), airy=False
    )
    for term in sorted_terms(one):
        cells = [term.coefficient, term.error, term.t]
        texts = ["–" if value is None else number(value) for value in cells]
        p = "–" if term.p is None else p_text(term.p)
        table.add_row(term.name, *texts, p)
    return [label_sentence("surface", surface_words(one)), table]


def sorted_terms(one: ResponseSurface) -> list[SurfaceTerm]:
    """Return the constant, then the other terms by significance."""
    return [
        one.terms[0],
        *sorted(one.terms[1:], key=lambda term: (1.0 if term.p is None else term.p,
                                                 -abs(term.coefficient))),
    ]  # fmt: skip


def surface_words(one: ResponseSurface) -> str:
    """Describe the quality of a surface's fit."""
    r2 = "constant" if one.r2 is None else f"R² {one.r2:.4f}"
    adjusted = "" if one.r2_adjusted is None else f", adjusted {one.r2_adjusted:.4f}"
    ranges = "degree two, parameters from -1 to 1"
    return f"{one.response}, {ranges}: {r2}{adjusted} of {one.points} points"


def p_text(p: float) -> str:
    """Return a probability as text; a bound for tiny ones."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def study_summary(
    result: StudyResult, seconds: str, most: int | None = None
) -> list[RenderableType]:
    """Return varied parameters, ranges of the responses, worst case of each check."""
    study, rows = result.study, result.rows
    varied = ", ".join(one.text for one in study.design.variations)
    chances = ", ".join(one.text for one in study.plan.tolerances)
    drawn = count_text(study.design.draws, "draw")
    drawn += f"{' at each' if varied else ''} of {chances}"
    words = [varied] if varied else []
    words += [drawn] if study.design.draws else [chances] if chances else []
    what = "; ".join(words)
    cases = count_text(len(rows), "case")
    head = f"{study.name}  {cases}, {what}; {study.conditions}; {seconds}"
    parts: list[RenderableType] = [Sentence(Text(head), 2)]
    parts += [label_sentence("note", note, "yellow", 2) for note in study.facts.notes]
    if isinstance(result.answer, OptimumAnswer):
        parts += optimum_parts(result.answer, most or MOST_ROWS)
    elif any(row.is_run for row in rows):
        is_sample = bool(study.design.draws) and not study.design.variations
        parts += [
            _responses(rows, most or MOST_RESPONSES, is_sample),
            _worst_table(rows, most or MOST_ROWS),
        ]
    if isinstance(result.answer, EffectsAnswer):
        parts.append(_effects(result.answer, most or MOST_ROWS))
    if isinstance(result.answer, SearchAnswer):
        parts.append(label_sentence("search", result.answer.note, "", 2))
    if result.proof is not None:
        parts.append(_proof(result.proof))
    return [*parts, *_errors(rows)]


def files_of(folder: Path, page: str | None, n_runs: int) -> list[RenderableType]:
    """Return page, kept runs and folder of the study."""
    lines = [Text(f"page     {folder / page}")] if page else []
    if n_runs:
        lines.append(Text(f"runs     {n_runs} kept in {folder / 'runs'}"))
    return [*lines, Text(f"folder   {folder}")]


def verdict_of(result: StudyResult) -> Sentence:
    """Return the verdict with the number of passed cases, or the result of a search."""
    style = "bold red" if result.verdict == "fail" else "bold green"
    text = Text(f"{result.study.name}  ")
    text.append(result.verdict, style=style)
    return Sentence(text.append(f"   {result.sentence}"))


def values_text(parameters: Mapping[str, object]) -> str:
    """Return text such as ``load=5, speed=1``."""
    return ", ".join(f"{name}={value_text(value)}" for name, value in parameters.items())


def place_text(rows: Sequence[CaseRow], k: int) -> str:
    """Return a case by its parameter values, or by its number if it has none."""
    return values_text(rows[k].parameters) or f"case {k + 1}"


def _responses(rows: Sequence[CaseRow], most: int, is_sample: bool) -> FittedTable:
    """Return the minimum and maximum of each response with their cases.

    Of draws of one scenario, `is_sample`, mean and standard deviation come first.
    """
    moments = ("mean", "std. dev.") if is_sample else ()
    table = FittedTable(
        ("response", *moments, "smallest", "at", "largest", "at "),
        spare=("at", "at "),
        prose=("at", "at "),
        most=most,
        airy=False,
    )
    for name, unit in response_units(rows).items():
        known = [(v, k) for k, row in enumerate(rows) if (v := row.response(name)) is not None]
        shown = "" if unit == "1" else f" {unit}"
        values = [value for value, _ in known]
        ends = [("–", "")] * 2
        if known:
            both = min(known), max(known)
            ends = [(f"{number(v)}{shown}", place_text(rows, k)) for v, k in both]
        sizes = _moments(values) if is_sample else ()
        cells = [f"{number(x)}{shown}" if math.isfinite(x) else "–" for x in sizes]
        table.add_row(name, *cells, *ends[0], *ends[1])
    return table


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of a sample; NaN where too few values are known."""
    mean = math.fsum(values) / len(values) if values else math.nan
    squares = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan


def percent_text(share: float | None) -> str:
    """Return a fraction of a limit in per cent; below 0.01 % as an upper bound."""
    if share is None:
        return "beyond"
    return "< 0.01 %" if 0 < share < 1e-4 else f"{100 * share + 0.0:.3g} %"


def worst_cases(rows: Sequence[CaseRow]) -> list[tuple[str, int]]:
    """Return each check with the index of the case closest to its limit or furthest beyond."""
    worst = []
    for name in check_names(rows):
        there = [k for k, row in enumerate(rows) if name in row.worst]
        worst.append((name, max(there, key=lambda k: rows[k].worst[name].nearness)))
    return sorted(worst, key=lambda item: rows[item[1]].worst[item[0]].nearness, reverse=True)


def _worst_table(rows: Sequence[CaseRow], most: int) -> FittedTable:
    """Return the worst case of each check, the worst first."""
    table = FittedTable(
        ("check", "worst", "channel", "at", "case", "fails"),
        spare=("at", "channel"),
        left=("channel",),
        prose=("case",),
        most=most,
        airy=False,
    )
    for name, k in worst_cases(rows):
        one = rows[k].worst[name]
        fails = sum(name in row.worst and not row.worst[name].ok for row in rows)
        table.add_row(
            name,
            percent_text(one.used),
            one.channel,
            f"{one.at:.4g} s",
            place_text(rows, k),
            str(fails) if fails else "–",
            style=None if one.ok else "red",
        )
    return table


# Numbers of a method per parameter, with their headings.
NUMBERS: Mapping[str, Mapping[str, str]] = {
    "tornado": {"nominal": "nominal", "low": "low end", "high": "high end"},
    "morris": {"mu_star": "mu*", "mu_star_conf": "± 95 %", "sigma": "sigma"},
    "sobol-indices": {
        "S1": "first-order S1",
        "S1_conf": "± 95 %",
        "ST": "total ST",
        "ST_conf": "± 95 % ",
    },
}


def _effects(answer: EffectsAnswer, most: int) -> FittedTable:
    """Return the effect of each parameter on each response, the strongest first."""
    names = NUMBERS[answer.design]
    headings = ("response", "parameter", *names.values())
    rows = FittedTable(headings, left=("parameter",), most=most, airy=False)
    for effect in answer.effects:
        numbers = (effect.numbers[name] for name in names)
        cells = ("–" if value is None else number(value) for value in numbers)
        rows.add_row(effect.response, effect.parameter, *cells)
    return rows


def _proof(proof: Proof) -> RenderableType:
    """Return the agreement of the analytic model with simulated cases, and its speed."""
    speed = f"{proof.speed:.3g} cases per second; " if proof.speed else ""
    if proof.off == float("inf"):
        return label_sentence("proof", f"{speed}{proof.response}", "red", 2)
    words = (
        f"{speed}{count_text(len(proof.cases), 'case')} simulated as a check: difference at most "
        f"{proof.off:.1e} of the response ({proof.response}), limit {proof.limit:.0e}"
    )
    return label_sentence("model", words, "" if proof.ok else "red", 2)


def _errors(rows: Sequence[CaseRow]) -> list[RenderableType]:
    """Return why cases could not be computed: each reason once, with the first of its cases."""
    reasons: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        if not row.is_run:
            reasons.setdefault(row.reason, []).append(k)
    lines: list[RenderableType] = []
    for reason, bad in list(reasons.items())[:MOST_ERRORS]:
        others = f" and {count_text(len(bad) - 1, 'other case')}" if len(bad) > 1 else ""
        words = f"{place_text(rows, bad[0])}{others}: {reason}"
        lines.append(label_sentence("error", words, "red", 2 if len(reasons) > 1 else 4))
    if len(reasons) > MOST_ERRORS:
        left = sum(map(len, list(reasons.values())[MOST_ERRORS:]))
        lines.append(label_sentence("error", f"and {left} more: see cases.csv", "red"))
    return lines
