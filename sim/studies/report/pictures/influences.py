"""Layout of sensitivities: effects by response, the one closest to its rating first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks
from sim.reports.svg.scales import num
from sim.studies.design import Design
from sim.studies.report.pictures.answer_words import counts
from sim.studies.report.pictures.blocks import (
    Figure,
    Layout,
    PageSection,
    PageStatement,
    Row,
    TableBlock,
    bold,
    capital,
    join_names,
)
from sim.studies.report.pictures.many_cases import binders, binding_sentence
from sim.studies.report.pictures.response_chart import NEAR
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.summary import NUMBERS
from sim.studies.sensitivity import Effect
from sim.studies.study_file import EffectsAnswer

ALIKE = 1e-6  # of an effect: equal within this
VAGUE = 0.5  # of an effect: wider intervals are inconclusive

TITLES: Mapping[str, str] = {
    "tornado": "Tornado: one parameter at a time",
    "morris": "Morris: mean effect over the range (mu*)",
    "sobol-indices": "Sobol: share of the variance",
}
NOTES: Mapping[str, str] = {
    "tornado": "a bar from the nominal case to the response at an end of the range; yellow: "
    "first end, blue: last end; dashed: rating",
    "morris": "mean absolute effect over the range with its 95 % interval",
    "sobol-indices": "blue: first order, yellow: total with interactions; 95 % intervals",
}
MOST_FIGURES = 18
WIDTH, GAP, TOP, BOTTOM, SIDE = 360, 38, 6, 24, 14  # px


def sensitivity_layout(
    data: StudyData, answer: EffectsAnswer, design: Design, cases: int
) -> Layout:
    """Return the layout of a sensitivity study."""
    of_responses = {name: [e for e in answer.effects if e.response == name] for name in data.moving}
    of_responses = {
        name: [e for e in some if e.size is not None] for name, some in of_responses.items()
    }
    of_responses = {
        name: some for name, some in of_responses.items() if some and any(e.size for e in some)
    }
    ranges = {
        one.name: f"{num(one.range[0])} … {data.quantity(one.name, one.range[1])}"
        for one in design.variations
    }
    figures = [
        Figure(
            data.title(name),
            _effect_chart(data, answer.design, some, ranges, name),
            "" if answer.design == "sobol-indices" else _unit(data, name),
        )
        for name, some in list(of_responses.items())[:MOST_FIGURES]
    ]
    statement = _statement(data, answer.design, of_responses, ranges, cases)
    name = answer.design
    table = _numbers(data, answer)
    effects = PageSection(
        "effects", TITLES[name], NOTES[name], figures=figures, still=data.still, more=table
    )
    sections = [effects]
    if (shares := binders(data)) is not None:
        sections.append(
            PageSection("shares", "Ratings", "as far as these cases reach", table=shares)
        )
    return Layout(statement, sections)


def _unit(data: StudyData, name: str) -> str:
    unit = data.units.get(name, "")
    return "" if unit in ("", "1") else f"[{unit}]"


def _statement(
    data: StudyData,
    design: str,
    of_responses: Mapping[str, Sequence[Effect]],
    ranges: Mapping[str, str],
    cases: int,
) -> PageStatement:
    tail = [binding_sentence(data), *counts(data, cases)]
    if not of_responses and any(np.isnan(values).any() for values in data.outputs.values()):
        words = " is known for every response: some cases have no value"
        return PageStatement(bold("No effect") + words, tuple(filter(None, tail)))
    if not of_responses:
        return PageStatement(
            bold("Nothing") + " changes with these parameters", tuple(filter(None, tail))
        )
    response, effects = next(iter(of_responses.items()))
    first, alike = effects[0], _strongest_effects(design, effects)
    names = bold(join_names([one.parameter for one in alike]))
    verb = "moves" if len(alike) == 1 else "move"
    headline = Markup("{} {} the {} most").format(names, verb, data.title(response))
    why = []
    if len(alike) > 1:
        reason = "alike" if design == "tornado" else "the difference is within their 95 % intervals"
        why.append(f"{join_names([one.parameter for one in alike])}: {reason}.")
    why.append(_size(data, design, first, response, ranges[first.parameter]))
    if (use := data.rating_of(response)) is not None:
        why.append(f"This response is closest to its limit ({use.rating}).")
    others = {
        some[0].parameter: data.title(name)
        for name, some in of_responses.items()
        if some[0].parameter not in [one.parameter for one in alike]
    }
    why += [f"Strongest effect on {what}: {name}." for name, what in list(others.items())[:2]]
    return PageStatement(headline, (*why, *filter(None, tail)))


def _strongest_effects(design: str, effects: Sequence[Effect]) -> list[Effect]:
    """Return the strongest effect and those not significantly smaller."""
    first = effects[0]
    size, key = (
        first.size or 0.0,
        {"morris": "mu_star_conf", "sobol-indices": "ST_conf"}.get(design),
    )

    def gap(one: Effect) -> float:
        if key is None:
            return ALIKE * size
        return (first.numbers[key] or 0.0) + (one.numbers[key] or 0.0) + ALIKE * size

    return [one for one in effects if size - (one.size or 0.0) <= gap(one)]


def _size(data: StudyData, design: str, effect: Effect, response: str, over: str) -> str:
    numbers = effect.numbers
    if design == "tornado":
        low, high = num(numbers["low"]), data.quantity(response, numbers["high"] or 0.0)
        return f"The response goes from {low} to {high} over {effect.parameter} {over}."
    if design == "morris":
        size = data.quantity(response, numbers["mu_star"] or 0.0, 3)
        span = num(numbers["mu_star_conf"], 2)
        return f"By {size} (± {span}) in the mean over {effect.parameter} {over}."
    size = num(100 * (numbers["ST"] or 0.0), 3)
    span = num(100 * (numbers["ST_conf"] or 0.0), 2)
    is_vague = (numbers["ST_conf"] or 0.0) > VAGUE * (numbers["ST"] or 0.0)
    tail = "; the number of samples is too small for a firm value" if is_vague else ""
    part = f"{capital(effect.parameter)} contributes to {size} % (± {span} %)"
    return f"{part} of its variance over {over}{tail}."


def _numbers(data: StudyData, answer: EffectsAnswer) -> TableBlock:
    names = NUMBERS[answer.design]
    rows = [
        Row([data.heading(e.response), e.parameter, *(num(e.numbers[name]) for name in names)])
        for e in answer.effects
    ]
    return TableBlock(["response", "parameter", *(f" {head}" for head in names.values())], rows)


def _effect_chart(
    data: StudyData, design: str, effects: Sequence[Effect], ranges: dict[str, str], response: str
) -> Markup:
    """Return the chart of the effects on one response, the strongest on top."""
    use, limit = data.rating_of(response), None
    if design == "tornado" and use is not None and use.limit is not None:
        highest = max(max(e.numbers["low"] or 0.0, e.numbers["high"] or 0.0) for e in effects)
        limit = use.limit if highest > NEAR * use.limit else None
    depth = GAP * len(effects)
    ends = _ends(design, effects, limit)
    chart = Chart(WIDTH, TOP + depth + BOTTOM, SIDE, SIDE, TOP, BOTTOM, ends, (depth, 0.0))
    marks: list[Marks] = [
        [] if limit is None else chart.area("beyond", (limit, None)),
        chart.grid(x=5),
        [] if limit is None else chart.rule_x(limit, "limit"),
    ]
    for k, effect in enumerate(effects):
        words = f"{effect.parameter} {ranges[effect.parameter]}"
        marks.append(chart.label(ends[0], GAP * k + 13, words, "start", "tick halo", (1, 0)))
        marks.append(_BARS[design](chart, GAP * k + 18, effect))
    return chart.drawing(marks, f"effects on {response}")


def _ends(design: str, effects: Sequence[Effect], limit: float | None) -> tuple[float, float]:
    if design == "tornado":
        values = [v for e in effects for v in e.numbers.values() if v is not None]
        values += [limit] if limit is not None else []
        low, high = min(values), max(values)
        room = 0.05 * (high - low) or 1e-3 * abs(high) or 1.0
        return low - room, high + room
    keys = {"morris": ("mu_star",), "sobol-indices": ("S1", "ST")}[design]
    tops = [_of(e, key) + _of(e, f"{key}_conf") for e in effects for key in keys]
    return 0.0, 1.05 * max(tops) or 1.0


def _of(effect: Effect, key: str) -> float:
    return effect.numbers[key] or 0.0


def _tornado(chart: Chart, y: float, effect: Effect) -> list[str]:
    start, low, high = (_of(effect, key) for key in ("nominal", "low", "high"))
    label = f"{num(low)} at the first end, {num(high)} at the last"
    return [
        chart.area("bar second", (start, low), (y, y + 13), label),
        chart.area("bar", (start, high), (y, y + 13), label),
        chart.segment((start, start), (y - 3, y + 16), "middle"),
    ]


def _morris(chart: Chart, y: float, effect: Effect) -> list[str]:
    return _bar(chart, y, 13, effect, "mu_star", "bar")


def _sobol(chart: Chart, y: float, effect: Effect) -> list[str]:
    alone = _bar(chart, y, 7, effect, "S1", "bar")
    return alone + _bar(chart, y + 8, 7, effect, "ST", "bar second")


def _bar(chart: Chart, y: float, high: float, effect: Effect, key: str, cls: str) -> list[str]:
    """Return a bar from zero with its 95 % interval."""
    size, span = _of(effect, key), _of(effect, f"{key}_conf")
    low, top = max(size - span, 0.0), max(size + span, 0.0)
    label = f"{num(size, 3)} ± {num(span, 2)}"
    bar = chart.area(cls, (0.0, max(size, 0.0)), (y, y + high), label)
    return [bar, chart.segment((low, top), (y + high / 2, y + high / 2), "middle")]


_BARS = {"tornado": _tornado, "morris": _morris, "sobol-indices": _sobol}
