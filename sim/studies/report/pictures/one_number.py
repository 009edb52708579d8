"""Layout of a study of one number: fractions of all ratings over it, then each response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.reports.svg.scales import num
from sim.studies.report.pictures.answer_words import (
    ON_LINES,
    binding,
    counts,
    headline_of_one,
    sort_cases,
)
from sim.studies.report.pictures.blocks import Layout, PageSection, PageStatement, bold
from sim.studies.report.pictures.inside import Span, spans_inside
from sim.studies.report.pictures.rating_use import Cases
from sim.studies.report.pictures.response_chart import curve_figure
from sim.studies.report.pictures.share_chart import share_chart, share_table, visible_uses
from sim.studies.report.pictures.study_data import StudyData

MOST_FIGURES = 18


def one_number_layout(data: StudyData, name: str, cases: int) -> Layout:
    """Return the layout of a study of one number."""
    on = sort_cases(data, name)
    if not data.uses:
        return Layout(statement_without_ratings(data, cases), curves(data, name, on))
    spans = spans_inside(data.inputs[name][on], data.uses, on)
    why = [*binding(data, name, on, spans), *counts(data, cases)]
    if spans and not (len(spans) == 1 and spans[0].is_all):
        why.append(ON_LINES)
    statement = PageStatement(headline_of_one(data, name, on, spans), tuple(filter(None, why)))
    return Layout(statement, [*shares(data, name, on, spans), *curves(data, name, on)])


def statement_without_ratings(data: StudyData, cases: int) -> PageStatement:
    """Return the answer for a robot without ratings: the range of the first response."""
    counted = counts(data, cases)
    if not (moving := data.moving):
        return PageStatement(bold("Nothing") + " changes", (*counted, "The robot has no ratings."))
    y = data.outputs[moving[0]]
    low, high = num(float(np.nanmin(y))), data.quantity(moving[0], float(np.nanmax(y)))
    headline = Markup("{} goes from {} to {}").format(data.title(moving[0]), bold(low), bold(high))
    return PageStatement(headline, (*counted, "The robot has no ratings to compare with."))


def shares(
    data: StudyData, name: str, on: Cases, spans: Sequence[Span], level: float = 1.0
) -> list[PageSection]:
    """Return the section of all rating fractions; empty if all are constant."""
    shown = visible_uses(data.uses, on)
    if not shown:
        return []
    kinds = {use.kind for use in shown}
    title = (
        f"Share of each rated {kinds.pop()}"
        if len(kinds) == 1 and "range" not in kinds
        else ("Share of each rating")
    )
    main = share_chart(data, name, on, spans, level)
    table = share_table(data, name, on)
    return [PageSection("shares", title, main=main, table=table, still=data.still)]


def curves(data: StudyData, name: str, on: Cases) -> list[PageSection]:
    """Return the section of the responses; empty if all are constant."""
    names = data.moving[:MOST_FIGURES]
    figures = [curve_figure(data, name, on, response) for response in names]
    note = "right: smallest … largest of the rating; dashed: rating"
    still = () if visible_uses(data.uses, on) else data.still
    if not (figures or still):
        return []
    return [
        PageSection(
            "responses", f"Responses over {data.heading(name)}", note, figures=figures, still=still
        )
    ]
