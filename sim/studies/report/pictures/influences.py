"""The layout of sensitivities: what moves what, the response nearest its rating first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from sim.studies.design import Design
from sim.studies.report.pictures.answer_words import counts
from sim.studies.report.pictures.blocks import (
    Figure,
    Layout,
    Row,
    Said,
    Section,
    Table,
    bold,
    capital,
    listed,
)
from sim.studies.report.pictures.effect_chart import effect_chart
from sim.studies.report.pictures.many_cases import binders, who_binds
from sim.studies.report.pictures.scales import num
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.summary import NUMBERS
from sim.studies.sensitivity import Effect
from sim.studies.study_answer import EffectsFound

ALIKE = 1e-6  # of an effect: two are the same
VAGUE = 0.5  # of an effect: an interval as wide says little of it

TITLES: Mapping[str, str] = {
    "tornado": "Tornado: one parameter at a time",
    "morris": "Morris: mean effect over the range (mu*)",
    "sobol-indices": "Sobol: share of the variance",
}
NOTES: Mapping[str, str] = {
    "tornado": "a bar from the nominal case to the response at an end of the range; yellow the "
    "first end, blue the last; dashed: the rating",
    "morris": "the mean size of the effect over the whole range, with its 95 % interval",
    "sobol-indices": "blue alone, yellow in all with its interactions, with their 95 % intervals",
}
MOST_FIGURES = 18


def influences(data: StudyData, answer: EffectsFound, design: Design, cases: int) -> Layout:
    """A study of sensitivities."""
    own = {name: [e for e in answer.effects if e.response == name] for name in data.moving}
    own = {name: [e for e in some if e.size is not None] for name, some in own.items()}
    own = {name: some for name, some in own.items() if some and any(e.size for e in some)}
    ranges = {
        one.name: f"{num(one.range[0])} … {data.quantity(one.name, one.range[1])}"
        for one in design.variations
    }
    figures = [
        Figure(
            data.title(name),
            effect_chart(data, answer.design, some, ranges, name),
            "" if answer.design == "sobol-indices" else _unit(data, name),
        )
        for name, some in list(own.items())[:MOST_FIGURES]
    ]
    said = _said(data, answer.design, own, ranges, cases)
    name = answer.design
    table = _numbers(data, answer)
    effects = Section(
        "effects", TITLES[name], NOTES[name], figures=figures, still=data.still, more=table
    )
    sections = [effects]
    if (shares := binders(data)) is not None:
        sections.append(
            Section("shares", "Ratings", "as far as these cases use them", table=shares)
        )
    return Layout(said, sections)


def _unit(data: StudyData, name: str) -> str:
    unit = data.units.get(name, "")
    return "" if unit in ("", "1") else f"[{unit}]"


def _said(
    data: StudyData,
    design: str,
    own: Mapping[str, Sequence[Effect]],
    ranges: Mapping[str, str],
    cases: int,
) -> Said:
    tail = [who_binds(data), *counts(data, cases)]
    if not own:
        return Said(bold("Nothing") + " moves with these parameters", tuple(filter(None, tail)))
    response, effects = next(iter(own.items()))
    first, alike = effects[0], _alike(design, effects)
    names = bold(listed([one.parameter for one in alike]))
    verb = "moves" if len(alike) == 1 else "move"
    headline = Markup("{} {} the {} most").format(names, verb, data.title(response))
    why = []
    if len(alike) > 1:
        reason = "alike" if design == "tornado" else "no farther apart than their 95 % intervals"
        why.append(f"{listed([one.parameter for one in alike])}: {reason}.")
    why.append(_size(data, design, first, response, ranges[first.parameter]))
    use = data.rated(response)
    if use is not None:
        why.append(f"Of the responses it is the nearest to its limit, {use.rating}.")
    others = {
        some[0].parameter: data.title(name)
        for name, some in own.items()
        if some[0].parameter not in [one.parameter for one in alike]
    }
    why += [f"{capital(what)} is moved most by {name}." for name, what in list(others.items())[:2]]
    return Said(headline, (*why, *filter(None, tail)))


def _alike(design: str, effects: Sequence[Effect]) -> list[Effect]:
    """The strongest effect and those that cannot be told from it."""
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
        return f"It goes from {low} to {high} over {effect.parameter} {over}."
    if design == "morris":
        size = data.quantity(response, numbers["mu_star"] or 0.0, 3)
        span = num(numbers["mu_star_conf"], 2)
        return f"By {size} (± {span}) in the mean over {effect.parameter} {over}."
    size = num(100 * (numbers["ST"] or 0.0), 3)
    span = num(100 * (numbers["ST_conf"] or 0.0), 2)
    is_vague = (numbers["ST_conf"] or 0.0) > VAGUE * (numbers["ST"] or 0.0)
    tail = "; so few samples say little" if is_vague else ""
    part = f"{capital(effect.parameter)} takes part in {size} % (± {span} %)"
    return f"{part} of its variance over {over}{tail}."


def _numbers(data: StudyData, answer: EffectsFound) -> Table:
    names = NUMBERS[answer.design]
    rows = [
        Row([data.headed(e.response), e.parameter, *(num(e.numbers[name]) for name in names)])
        for e in answer.effects
    ]
    return Table(["response", "parameter", *(f" {head}" for head in names.values())], rows)
