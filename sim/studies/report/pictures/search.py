"""The layout of a search: its result, and the curve on which the limit is crossed."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from markupsafe import Markup

from sim.studies.optimum import parse_limit
from sim.studies.report.pictures.answer_words import counts, sort_cases
from sim.studies.report.pictures.blocks import Layout, Section, Statement, bold, capital
from sim.studies.report.pictures.inside import spans_inside
from sim.studies.report.pictures.one_number import curves, shares
from sim.studies.report.pictures.rating_use import Cases
from sim.studies.report.pictures.response_chart import Bound, curve_figure
from sim.studies.report.pictures.scales import share_text, with_unit
from sim.studies.report.pictures.study_data import StudyData, is_margin
from sim.studies.study_file import SearchAnswer


def search_layout(data: StudyData, answer: SearchAnswer, cases: int) -> Layout:
    """A search of one parameter."""
    name, limit = answer.parameter, parse_limit(answer.limit)
    on, level = sort_cases(data, name), 1.0
    found: list[Section] = []
    if is_margin(limit.response):
        level = max(1.0 - limit.bound, 1e-3)
    else:
        names = [n for n in data.outputs if n == limit.response or fnmatchcase(n, limit.response)]
        bound = Bound(limit.bound, is_upper=limit.sign < 0)
        figures = [curve_figure(data, name, on, one, bound) for one in names]
        found.append(Section("limit", f"The limit: {_typeset(limit.text)}", figures=figures))
    spans = spans_inside(data.inputs[name][on], data.uses, on, level)
    found += shares(data, name, on, spans, level)
    return Layout(_statement(data, answer, on, cases), [*found, *curves(data, name, on)])


def _statement(data: StudyData, answer: SearchAnswer, on: Cases, cases: int) -> Statement:
    name, low, high = answer.parameter, *answer.ends
    unit = data.units.get(name, "")
    limit = _typeset(answer.limit)
    ends = f"{low:g} and {with_unit(high, unit)}"
    tail = counts(data, cases)
    if answer.holds is None:
        return Statement(
            bold("No") + f" {name} between {ends} keeps {limit}",
            (*_near(data, name, on, None), *tail),
        )
    near = _near(data, name, on, answer.holds)
    if answer.fails is None:
        value = bold(with_unit(answer.holds, unit, 6))
        headline = Markup("{}, the end of the range, still keeps {}").format(value, limit)
        return Statement(headline, (*near, *tail))
    found = answer.holds if answer.value is None else answer.value
    value = bold(" ".join(filter(None, (answer.text_of(found), unit))))
    headline = Markup("{} is the {} {} that keeps {}").format(value, answer.direction, name, limit)
    why = f"{with_unit(answer.fails, unit, 9)} does not keep it"
    broken = f": {answer.binds} breaks it." if answer.binds else "."
    return Statement(headline, (*near, why + broken, f"{capital(answer.note)}."))


def _typeset(text: str) -> str:
    return text.replace(">=", "≥").replace("<=", "≤").replace(" -", " −")


def _near(data: StudyData, name: str, on: Cases, value: float | None) -> list[str]:
    """The rating nearest its limit at a value, or of all cases at the least broken one."""
    if not data.uses or not on.size:
        return []
    x, share = data.inputs[name], data.nearest.share
    k = int(on[np.nanargmin(share[on])] if value is None else on[np.argmin(np.abs(x[on] - value))])
    at = "there" if value is not None else f"at {data.quantity(name, x[k])}"
    shown = share_text(float(share[k]))
    return [f"{capital(data.nearest.words(k))} is at {shown} {at}, nearest to its limit."]
