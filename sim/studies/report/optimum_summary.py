"""An optimum in a terminal: its values, constraints, sensitivities and response surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable, number
from sim.studies.optimisation.answer import ObjectiveValue, OptimumAnswer
from sim.studies.optimisation.surface import ResponseSurface, SurfaceTerm
from sim.studies.variation import value_text

if TYPE_CHECKING:
    from rich.console import RenderableType

SIGNIFICANT = 0.05  # largest probability of a significant term


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
