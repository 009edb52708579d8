"""Layout of an optimisation: optimum, search history, response surface, front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks
from sim.reports.svg.scales import num, room_for, span_of, with_unit
from sim.studies.optimisation.answer import ObjectiveValue, OptimumAnswer, shortfall_text
from sim.studies.optimisation.surface import ResponseSurface
from sim.studies.report.pictures.blocks import (
    Figure,
    Layout,
    PageSection,
    PageStatement,
    Row,
    TableBlock,
    bold,
    capital,
)
from sim.studies.report.pictures.response_chart import SIZE, curve_figure
from sim.studies.report.pictures.share_chart import parallel_sections
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.summary import SIGNIFICANT, p_text, sorted_terms, surface_words
from sim.studies.variation import Variation, value_text

WIDENED = 0.15  # margin around a front, relative to its extent
GROUND = "ground: fitted surface, dark where it is large; dots: cases; line: best so far"
PARALLEL = "one line per case; orange: a check fails"
CELLS = 40, 28  # of the background
LEVELS = 5  # colours with equal numbers of cells

SURFACE = 700, 420  # size of the chart of a surface [px]


def optimum_layout(
    data: StudyData, answer: OptimumAnswer, variations: Sequence[Variation]
) -> Layout:
    """Return the result of an optimisation and its drawings."""
    if answer.case is None or answer.case not in data.numbers:
        return Layout(PageStatement(bold("No case") + " has a value"))
    best = data.numbers.index(answer.case)
    sections = [
        *_path(data, answer, best),
        *_front(data, answer),
        *_surfaces(data, answer, variations),
    ]
    if len(data.inputs) > 2 or data.words:
        sections += parallel_sections(data, "All cases", PARALLEL)
    sections += _slopes(answer)
    return Layout(_statement(data, answer), sections)


def _statement(data: StudyData, answer: OptimumAnswer) -> PageStatement:
    place = ", ".join(
        f"{name} {value_text(v)} {data.units.get(name, '')}".strip()
        for name, v in answer.parameters.items()
    )
    why = [f"{answer.evaluations} cases evaluated."]
    if answer.engine is not None:
        why.append(f"Run by the engine: {answer.engine.words}.")
    if not answer.is_feasible:
        missed = [one for one in answer.constraints if one.slack is None or one.slack < 0]
        words = "; ".join(shortfall_text(one) for one in missed[:3])
        return PageStatement(
            bold("No feasible case") + f"; nearest at {place}", (f"{capital(words)}.", *why)
        )
    values = [f"{one.text} {_value(one)}" for one in answer.objectives]
    if answer.front:
        headline = bold(f"{len(answer.front)} cases") + " form the front; best compromise: "
    else:
        headline = Markup("{} of ").format(bold(capital(answer.objectives[0].direction)))
    if answer.limits:
        why.insert(0, f"Limiting: {answer.limits}.")
    return PageStatement(headline + f"{', '.join(values)} at {place}", tuple(why))


def _value(one: ObjectiveValue) -> str:
    return with_unit(one.value, one.unit, 6)


def _objective(data: StudyData, one: ObjectiveValue) -> Array | None:
    """Return an objective in all cases, if it is a single response or parameter."""
    return data.outputs.get(one.text, data.inputs.get(one.text))


def _path(data: StudyData, answer: OptimumAnswer, best: int) -> list[PageSection]:
    """Return each objective over the case number, with the best so far, and the constraints."""
    figures = []
    for one in answer.objectives:
        if (y := _objective(data, one)) is not None:
            figures.append(_path_figure(data, answer, one.text, y, best))
    table = _constraint_table(answer)
    if not figures and table is None:
        return []
    note = "line: best so far" if figures else ""
    return [PageSection("path", "Path of the search", note, figures=figures, table=table)]


def _path_figure(data: StudyData, answer: OptimumAnswer, name: str, y: Array, best: int) -> Figure:
    numbers = np.array(data.numbers, dtype=float)
    ends = span_of(y[np.isfinite(y)])
    chart = Chart(*SIZE, room_for(ends, 3), 16, 8, 38, (1.0, float(max(numbers[-1], 2))), ends)
    on = [data.numbers.index(k) for k in answer.improvements if k in data.numbers]
    titles = [
        f"case {data.numbers[k]}: {data.quantity(name, y[k], 6)}" for k in range(len(data.rows))
    ]
    marks: list[Marks] = [
        chart.grid(x=4, y=3, x_title="case"),
        chart.line(numbers[on], y[on], "search-path"),
        chart.dots(numbers, y, 2.4, "point", titles),
        chart.dot(numbers[best], y[best], 5.0, "optimum", titles[best]),
    ]
    unit = data.units.get(name, "")
    return Figure(
        data.title(name),
        chart.drawing(marks, f"{name} over the search"),
        "" if unit in ("", "1") else f"[{unit}]",
        data.quantity(name, y[best], 6),
    )


def _constraint_table(answer: OptimumAnswer) -> TableBlock | None:
    if not answer.constraints:
        return None
    rows = [
        Row(
            [
                one.constraint,
                "" if one.name in one.constraint else one.name,
                "–" if one.slack is None else with_unit(one.slack, one.unit),
                "limiting" if one.is_limiting else "",
                "" if one.multiplier is None else num(one.multiplier),
            ],
            one.slack is None or one.slack < 0,
        )
        for one in answer.constraints[:14]
    ]
    heads = ["constraint", "of", " slack", "", " gain per unit of the bound"]
    return TableBlock(heads, rows)


def _front(data: StudyData, answer: OptimumAnswer) -> list[PageSection]:
    """Return two objectives against each other, with their front."""
    curves = [_objective(data, one) for one in answer.objectives]
    if len(answer.front) < 2 or any(curve is None for curve in curves[:2]):
        return []
    x, y = (np.asarray(curve) for curve in curves[:2])
    first, second = (one.text for one in answer.objectives[:2])
    on = [data.numbers.index(k) for k in answer.front]
    ends = _widen(x[on]), _widen(y[on])
    chart = Chart(700, 380, room_for(ends[1], 4), 18, 20, 38, *ends)
    is_shown = (ends[0][0] <= x) & (x <= ends[0][1]) & (ends[1][0] <= y) & (y <= ends[1][1])
    shown = np.flatnonzero(is_shown)
    titles = [
        f"case {data.numbers[k]}: {data.quantity(first, x[k])}, {data.quantity(second, y[k])}"
        for k in range(len(data.rows))
    ]
    marks: list[Marks] = [
        chart.grid(x=6, y=5, x_title=data.heading(first), y_title=data.heading(second)),
        chart.dots(x[shown], y[shown], 2.0, "point slight", [titles[k] for k in shown]),
        chart.line(x[on], y[on], "search-path"),
        chart.dots(x[on], y[on], 4.0, "optimum", [titles[k] for k in on]),
    ]
    names = list(answer.parameters)
    rows = [
        Row([str(data.numbers[k]), *(value_text(data.rows[k].parameters[n]) for n in names),
             num(float(x[k]), 5), num(float(y[k]), 5)])
        for k in on
    ]  # fmt: skip
    heads = [" case", *(f" {data.heading(n)}" for n in names), f" {data.heading(first)}",
             f" {data.heading(second)}"]  # fmt: skip
    main = chart.drawing(marks, f"front of {first} and {second}", "wide")
    note = "no other case is better in both" if len(curves) == 2 else "of the first two objectives"
    return [PageSection("front", "Front", note, main, TableBlock(heads, rows))]


def _widen(values: Array) -> tuple[float, float]:
    """Return the ends of a scale with margins on both sides."""
    room = WIDENED * float(np.ptp(values)) or 0.1 * abs(float(values[0])) or 1.0
    return float(values.min()) - room, float(values.max()) + room


def _surfaces(
    data: StudyData, answer: OptimumAnswer, variations: Sequence[Variation]
) -> list[PageSection]:
    """Return each response surface over one or two parameters, and its terms."""
    sections = []
    ranges = {v.name: _ascending(v) for v in variations if v.ends is not None}
    for k, one in enumerate(answer.surfaces):
        main, figures = None, list[Figure]()
        best = data.numbers.index(answer.case or 1)
        if len(one.parameters) == 2:
            a, b = one.parameters
            shown = () if answer.front else answer.improvements
            path = [data.numbers.index(c) for c in shown if c in data.numbers]
            main = surface_chart(data, one, (a, b), (ranges[a], ranges[b]), path, best)
        elif len(one.parameters) == 1 and one.response in data.outputs:
            name = one.parameters[0]
            on = np.argsort(data.inputs[name], kind="stable")
            figures = [curve_figure(data, name, on, one.response)]
        note = GROUND if main is not None else ""
        sections.append(
            PageSection(
                f"surface-{k}",
                f"Response surface of {one.response}",
                note,
                main,
                _term_table(one),
                figures=figures,
            )
        )
    return sections


def _ascending(one: Variation) -> tuple[float, float]:
    low, high = sorted(one.range)
    return low, high


def _term_table(one: ResponseSurface) -> TableBlock:
    """Terms with their significance."""
    rows = []
    for term in sorted_terms(one):
        p = "–" if term.p is None else p_text(term.p)
        is_significant = term.p is not None and term.p < SIGNIFICANT
        rows.append(
            Row(
                [
                    bold(term.name) if is_significant else term.name,
                    num(term.coefficient),
                    "–" if term.error is None else num(term.error, 2),
                    "–" if term.t is None else num(term.t, 3),
                    p,
                ]
            )
        )
    heads = ["term", " coefficient", " ± error", " t", " p"]
    caption = f"{surface_words(one)}; bold: p < {SIGNIFICANT:g}"
    return TableBlock(heads, rows[:30], caption)


def _slopes(answer: OptimumAnswer) -> list[PageSection]:
    rows = [
        Row([one.response, one.parameter, num(one.slope), num(one.over_range)])
        for one in answer.sensitivities
        if one.slope is not None
    ]
    if not rows:
        return []
    heads = ["response", "parameter", " slope", " slope times range"]
    return [PageSection("slopes", "Sensitivities at the optimum", table=TableBlock(heads, rows))]


def surface_chart(
    data: StudyData, surface: ResponseSurface, names: tuple[str, str],
    ends: Sequence[tuple[float, float]], path: Sequence[int], best: int,
) -> Markup:  # fmt: skip
    """Draw the surface as background, cases as dots, and successive best points joined by a line.

    Parameters
    ----------
    names : tuple of str
        Parameters of the horizontal and the vertical axis.
    ends : sequence of (float, float)
        Their ranges, ascending.
    path : sequence of int
        Indices of successive best cases.
    best : int
        Index of the optimum.
    """
    x, y = data.inputs[names[0]], data.inputs[names[1]]
    chart = Chart(*SURFACE, room_for(ends[1], 4), 18, 20, 38, ends[0], ends[1])
    response = data.outputs.get(surface.response)
    titles = [
        f"case {data.numbers[k]}: {names[0]} {num(x[k])}, {names[1]} {num(y[k])}"
        + ("" if response is None else f", {data.quantity(surface.response, response[k])}")
        for k in range(len(data.rows))
    ]
    marks: list[Marks] = [
        list(_ground(chart, surface, names)),
        chart.grid(x=6, y=5, x_title=data.heading(names[0]), y_title=data.heading(names[1])),
        chart.line(x[list(path)], y[list(path)], "search-path"),
        chart.dots(x, y, 2.6, "point", titles),
        chart.dot(x[best], y[best], 6.5, "optimum", titles[best]),
    ]
    return chart.drawing(marks, f"response surface of {surface.response}", "wide")


def _ground(chart: Chart, surface: ResponseSurface, names: tuple[str, str]) -> Iterator[str]:
    """Yield cells of the surface, darker for larger values."""
    columns, rows = CELLS
    values = surface.evaluate(_coded_cells(surface, names))
    edges = np.quantile(values, np.linspace(0, 1, LEVELS + 1)[1:-1])
    levels = np.searchsorted(edges, values).reshape(rows, columns)
    low_x, high_x = chart.x
    low_y, high_y = chart.y
    for i in range(rows):
        begin = 0
        for k in range(columns):
            if k + 1 < columns and levels[i, k + 1] == levels[i, k]:
                continue
            span = [low_x + (high_x - low_x) * s / columns for s in (begin, k + 1)]
            rise = [low_y + (high_y - low_y) * s / rows for s in (i, i + 1)]
            yield chart.area(f"q{levels[i, k]}", (span[0], span[1]), (rise[0], rise[1]))
            begin = k + 1


def _coded_cells(surface: ResponseSurface, names: tuple[str, str]) -> Array:
    columns, rows = CELLS
    across = 2.0 * (np.arange(columns) + 0.5) / columns - 1.0
    up = 2.0 * (np.arange(rows) + 0.5) / rows - 1.0
    y, x = np.meshgrid(up, across, indexing="ij")
    by_name = {names[0]: x.ravel(), names[1]: y.ravel()}
    return np.stack([by_name[name] for name in surface.parameters], axis=1)
