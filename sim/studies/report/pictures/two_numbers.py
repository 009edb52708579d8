"""Layouts of a study of one number or of two: fractions of ratings, then each response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.scales import num, share_text
from sim.studies.report.pictures.answer_words import (
    ON_LINES,
    binding,
    counts,
    headline_of_one,
    intervals_text,
    sort_cases,
)
from sim.studies.report.pictures.blocks import (
    Figure,
    Layout,
    PageSection,
    PageStatement,
    Row,
    TableBlock,
    bold,
    join_names,
)
from sim.studies.report.pictures.grid_chart import grid_chart, small_grid
from sim.studies.report.pictures.inside import Span, spans_inside
from sim.studies.report.pictures.rating_use import Cases
from sim.studies.report.pictures.response_chart import curve_figure
from sim.studies.report.pictures.share_chart import (
    SLIGHT,
    parallel_sections,
    share_chart,
    share_table,
    visible_uses,
)
from sim.studies.report.pictures.study_data import StudyData

MOST_GRIDS = 12
PARALLEL = "one line per case; failed cases orange; notch: rating"

Lines = list[tuple[float, Cases, list[Span]]]
MOST_FIGURES = 18


def is_whole_grid(data: StudyData, names: Sequence[str]) -> bool:
    """Whether two numbers vary, with one case for every pair of values."""
    if len(names) != 2:
        return False
    sizes = [np.unique(data.inputs[name]).size for name in names]
    pairs = {*zip(*(data.inputs[name] for name in names), strict=True)}
    return len(pairs) == len(data.rows) == sizes[0] * sizes[1]


def two_numbers_layout(data: StudyData, x: str, y: str, cases: int) -> Layout:
    """Return the layout of two numbers on a complete grid, x horizontal and y vertical."""
    lines = _lines(data, x, y)
    others = _lines(data, y, x)
    if _count_ends(lines) == 0 < _count_ends(others):
        lines, along, each = others, y, x
    else:
        along, each = x, y
    statement = _statement(data, along, each, lines, cases)
    xs, ys = np.unique(data.inputs[x]), np.unique(data.inputs[y])
    at = np.searchsorted(ys, data.inputs[y]), np.searchsorted(xs, data.inputs[x])
    case = np.zeros((ys.size, xs.size), dtype=np.intp)
    case[at] = np.arange(len(data.rows))

    def words(i: int, k: int) -> tuple[str, str]:
        one = int(case[i, k])
        return share_text(float(data.nearest.share[one])), data.nearest.words(one)

    titles = data.heading(x), data.heading(y)
    note = "share of limit and its joint; the line separates cases inside from cases beyond"
    main = grid_chart(xs, ys, data.nearest.share[case], titles, words)
    table = _table(data, along, each, lines)
    sections = [
        PageSection("shares", "Rating closest to limit", note, main, table, data.still, keys=True)
    ]
    if figures := _grids(data, xs, ys, case):
        note = f"same axes and colours: {x} to the right, {y} upward"
        sections.append(PageSection("joints", "Each rating", note, figures=figures))
    sections += parallel_sections(data, "All cases", PARALLEL)
    return Layout(statement, sections)


def _grids(data: StudyData, xs: Array, ys: Array, case: Cases) -> list[Figure]:
    """Return a small grid of each rating that is used and changes."""
    grids = []
    for use in sorted(
        data.uses, key=lambda use: -float(np.nanmax(use.effective_share, initial=0.0))
    ):
        share = use.effective_share
        if np.nanmax(share, initial=0.0) <= SLIGHT or np.ptp(share) <= 1e-9:
            continue
        low, high = share_text(float(share.min())), share_text(float(share.max()))
        of = "" if use.limit is None or use.kind == "range" else f" of {num(use.limit)} {use.unit}"
        grids.append(
            Figure(use.name, small_grid(xs, ys, share[case], use.name), "", f"{low} … {high}{of}")
        )
    return grids[:MOST_GRIDS]


def _lines(data: StudyData, along: str, each: str) -> Lines:
    """Return the intervals of one parameter for every value of the other, the largest first."""
    lines = []
    for value in np.unique(data.inputs[each])[::-1]:
        on = sort_cases(data, along, np.flatnonzero(data.inputs[each] == value))
        lines.append((float(value), on, spans_inside(data.inputs[along][on], data.uses, on)))
    return lines


def _count_ends(lines: Lines) -> int:
    return sum(not span.is_all for _, _, spans in lines for span in spans)


def _binding_names(data: StudyData, on: Cases, spans: Sequence[Span]) -> str:
    """Return the rating that ends a line, or is closest in it."""
    by = list(dict.fromkeys(use.name for span in spans for use in (*span.low_by, *span.high_by)))
    if by:
        return join_names(by, 3)
    share = data.nearest.share[on]
    return data.nearest.words(int(on[np.nanargmin(share) if not spans else np.nanargmax(share)]))


def _table(data: StudyData, along: str, each: str, lines: Lines) -> TableBlock:
    rows = []
    for value, on, spans in lines:
        ended = [span for span in spans if not span.is_all]
        inside = (
            intervals_text(data, along, spans, 3) if ended else bold("all" if spans else "none")
        )
        rows.append(Row([num(value), inside, _binding_names(data, on, spans)], not spans))
    heads = [f" {data.heading(each)}", f"{along} inside", "limiting or closest"]
    return TableBlock(heads, rows, ON_LINES if _count_ends(lines) else "")


def _statement(data: StudyData, along: str, each: str, lines: Lines, cases: int) -> PageStatement:
    some = [line for line in lines if line[2]]
    none = [line for line in lines if not line[2]]
    tail = counts(data, cases)
    if not some or not (_count_ends(lines) or none):
        return PageStatement(
            _all_or_none(along, each, bool(some)), (_extreme(data, bool(some)), *tail)
        )
    first, last = some[0], some[-1]

    def interval(line: tuple[float, Cases, list[Span]]) -> Markup:
        return intervals_text(data, along, line[2], 3)

    headline = Markup("At {} {}, {} stays inside all ratings {}").format(
        each, data.quantity(each, first[0]), along, interval(first)
    )
    if last is not first:
        headline += Markup("; at {}, {}").format(data.quantity(each, last[0]), interval(last))
    why = [] if (bound := _binding_text(data, each, some)) is None else [bound]
    if none:
        value, on, _ = none[0]
        least = int(on[np.nanargmin(data.nearest.share[on])])
        share = share_text(float(data.nearest.share[least]))
        at = f"{each} {data.quantity(each, value)}"
        also = f" and {len(none) - 1} more" if len(none) > 1 else ""
        why.append(
            f"At {at}{also} no {along} stays inside: {data.nearest.words(least)} is at {share} "
            "at best."
        )
    return PageStatement(headline, (*why, *tail))


def _binding_text(data: StudyData, each: str, lines: Lines) -> str | None:
    """Return the limiting ratings, and where they change."""
    who = [
        (value, _binding_names(data, on, spans))
        for value, on, spans in lines
        if not _is_free(spans)
    ]
    names = list(dict.fromkeys(name for _, name in who))
    if len(names) < 2:
        return f"Limiting: {names[0]}." if names else None
    if who[0][1] == who[-1][1]:
        return f"Limiting: {join_names(names)}."
    first, last = (data.quantity(each, value) for value, _ in (who[0], who[-1]))
    return f"Limiting: {who[0][1]} at {first}, {who[-1][1]} at {last}."


def _is_free(spans: Sequence[Span]) -> bool:
    return all(span.is_all for span in spans)


def _all_or_none(along: str, each: str, is_all: bool) -> Markup:
    words = "Every" if is_all else "No"
    return bold(words) + f" combination of {along} and {each} stays inside all ratings"


def _extreme(data: StudyData, is_all: bool) -> str:
    """Return the case closest to its limit, or with the smallest excess."""
    share = data.nearest.share
    k = int(np.nanargmax(share) if is_all else np.nanargmin(share))
    values = ", ".join(f"{n} {data.quantity(n, v[k])}" for n, v in data.inputs.items())
    begin = "Closest to limit:" if is_all else "Smallest excess:"
    return f"{begin} {data.nearest.words(k)}, {share_text(float(share[k]))} at {values}."


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
    if not (shown := visible_uses(data.uses, on)):
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
