"""Which charts a study has: curves, surfaces, scatter, histograms, coordinates, tornado."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.studies.case_row import CaseRow
from sim.studies.chart_svg import (
    BAD,
    DASHES,
    INK,
    INK2,
    MAIN,
    PAGE,
    RULE,
    SECOND,
    SERIES,
    chart,
    figure_svg,
)
from sim.studies.sensitivity import Effect
from sim.studies.study import Study
from sim.studies.study_answer import Answer, EffectsFound, SearchFound
from sim.studies.study_table import response_names
from sim.studies.variation import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS = 2000  # of a curve or a scatter
MOST_CHARTS = 18  # of a section
MOST_CURVES = 6  # of a family
MOST_IN_MATRIX = 5
NOTHING = 1e-9  # of the largest response of the same unit: rounding is no curve


@dataclass(frozen=True)
class Card:
    """A chart with its heading.

    Parameters
    ----------
    title, note : str
    svg : str
    is_wide : bool
    """

    title: str
    svg: str
    note: str = ""
    is_wide: bool = False


@dataclass(frozen=True)
class Section:
    """Charts of one kind."""

    id: str
    title: str
    cards: list[Card]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Columns:
    """The numbers of a study.

    Parameters
    ----------
    inputs : dict of str to ndarray
        Numeric parameters that vary, and what tolerances have drawn.
    outputs : dict of str to ndarray
        Responses; NaN where there is none.
    units : dict of str to str
    passed : ndarray of bool
    """

    inputs: dict[str, Array]
    outputs: dict[str, Array]
    units: dict[str, str]
    passed: Mask

    def label(self, name: str) -> str:
        """A response with its unit."""
        unit = self.units.get(name, "1")
        return name if unit == "1" else f"{name} [{unit}]"


def columns_of(rows: Sequence[CaseRow]) -> Columns:
    """The numbers of the cases that were computed."""
    rows = [row for row in rows if row.is_run]
    inputs = {}
    for name in dict.fromkeys(name for row in rows for name in row.parameters):
        values = [row.parameters[name] for row in rows]
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            inputs[name] = np.array(values, dtype=np.float64)
    for name in dict.fromkeys(name for row in rows for name in row.factors):
        inputs[name] = np.array([row.factors.get(name, np.nan) for row in rows])
    units = response_names(rows)
    outputs = {}
    for name in units:
        said = (row.response(name) for row in rows)
        outputs[name] = np.array([np.nan if value is None else value for value in said])
    sizes = {n: float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for n, v in outputs.items()}
    for name, size in sizes.items():
        if size < NOTHING * max(sizes[other] for other in units if units[other] == units[name]):
            del outputs[name]
    return Columns(inputs, outputs, units, np.array([row.status == "pass" for row in rows]))


def sections(study: Study, rows: Sequence[CaseRow], answer: Answer | None) -> list[Section]:
    """The charts of a study, in the order of the page."""
    data, design = columns_of(rows), study.design
    if not data.passed.size:
        return []
    found: list[Section] = []
    if isinstance(answer, EffectsFound):
        found.append(Section("effects", _EFFECTS[answer.design], list(_effects(answer, data))))
    numeric = [name for name in design.names if name in data.inputs]
    on_grid = design.name in ("grid", "search") and not design.draws
    if on_grid and len(numeric) == len(design.names) == 1:
        title = f"Responses over {numeric[0]}"
        note = "" if data.passed.all() else "Orange points fail their checks."
        found.append(Section("curves", title, list(_curves(data, numeric[0], answer)), note))
    elif on_grid and len(numeric) == len(design.names) == 2:
        title = f"Responses over {numeric[0]} and {numeric[1]}"
        found.append(Section("surfaces", title, list(_surfaces(data, numeric[0], numeric[1]))))
    elif design.draws:
        found.append(Section("spread", "Spread of the responses", list(_histograms(data))))
    if len(data.inputs) >= 2 and design.name != "tornado":
        found.append(Section("parallel", "All cases", list(_all_cases(data)), _LEGEND))
    return [section for section in found if section.cards]


_EFFECTS = {
    "tornado": "Tornado: one parameter at a time",
    "morris": "Morris: mean effect over the range (mu*)",
    "sobol-indices": "Sobol: share of the variance",
}
_LEGEND = "One line or point a case: blue passes, orange fails its checks."


def _thinned(count: int) -> Array:
    """Numbers of some of many points, ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(np.intp))


def _axes_of(axis: Axes, x: str, margin: bool) -> None:
    axis.set_xlabel(x)
    axis.margins(x=0.02)
    if margin:
        axis.axhline(0.0, color=BAD, linewidth=1.0, linestyle="--")


def _curves(data: Columns, name: str, answer: Answer | None) -> Iterator[Card]:
    """Each response over the one parameter."""
    order = np.argsort(data.inputs[name])[_thinned(data.passed.size)]
    x, passed = data.inputs[name][order], data.passed[order]
    for response, values in list(data.outputs.items())[:MOST_CHARTS]:
        y = values[order]

        def draw(axis: Axes, y: Array = y, response: str = response) -> None:
            axis.plot(x, y, color=MAIN, linewidth=1.6)
            if x.size <= 60:
                axis.plot(x[passed], y[passed], "o", color=MAIN, markersize=3.4)
            axis.plot(x[~passed], y[~passed], "o", color=BAD, markersize=3.4, zorder=3)
            if isinstance(answer, SearchFound) and answer.holds is not None:
                axis.axvline(answer.holds, color=INK2, linewidth=1.0, linestyle=":")
            _axes_of(axis, name, margin=response == "margin")

        yield Card(data.label(response), chart(draw, f"{response} over {name}"))


def _surfaces(data: Columns, x: str, y: str) -> Iterator[Card]:
    """Each response over two parameters: a surface, or a family of curves where one has few."""
    across, up = (np.unique(data.inputs[name]) for name in (x, y))
    whole = across.size * up.size == data.passed.size
    few = min(across.size, up.size) <= 3 or not whole
    for response, values in list(data.outputs.items())[:MOST_CHARTS]:
        if few:
            yield _family(data, x, y, response, values)
            continue
        z = np.full((up.size, across.size), np.nan)
        at = np.searchsorted(up, data.inputs[y]), np.searchsorted(across, data.inputs[x])
        z[at] = values

        def draw(axis: Axes, z: Array = z, response: str = response) -> None:
            _surface(axis, across, up, z)
            if response == "margin" and np.nanmin(z) < 0 < np.nanmax(z):
                axis.contour(across, up, z, levels=[0.0], colors=[PAGE], linewidths=2.2)
            axis.set(xlabel=x, ylabel=y)

        title = f"{response} over {x} and {y}"
        note = "the line is the limit" if response == "margin" else ""
        yield Card(data.label(response), chart(draw, title, height=2.9), note)


def _surface(axis: Axes, across: Array, up: Array, z: Array) -> None:
    """A filled contour plot with its scale."""
    axis.grid(False)
    if np.nanmax(z) - np.nanmin(z) <= 1e-9 * max(np.nanmax(np.abs(z)), 1e-300):
        axis.text(0.5, 0.5, f"{z[0, 0]:.4g} everywhere", transform=axis.transAxes, ha="center")
        return
    filled = axis.contourf(across, up, z, levels=12, cmap="cividis")
    bar = axis.figure.colorbar(filled, ax=axis, pad=0.02, aspect=18)
    bar.outline.set_visible(False)


def _family(data: Columns, x: str, y: str, response: str, values: Array) -> Card:
    """Curves over one parameter, one for each value of the other."""
    if np.unique(data.inputs[x]).size < np.unique(data.inputs[y]).size:
        x, y = y, x
    each = np.unique(data.inputs[y])
    shown = each[np.unique(np.linspace(0, each.size - 1, min(each.size, MOST_CURVES)).astype(int))]

    def draw(axis: Axes) -> None:
        for k, level in enumerate(shown):
            on = np.flatnonzero(data.inputs[y] == level)
            on = on[np.argsort(data.inputs[x][on])]
            colour, dashes = SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]
            label = f"{y} = {value_text(float(level))}"
            axis.plot(data.inputs[x][on], values[on], dashes, color=colour, lw=1.6, label=label)
            bad = on[~data.passed[on]]
            axis.plot(data.inputs[x][bad], values[bad], "o", color=BAD, markersize=3, zorder=3)
        axis.legend(fontsize=8, handlelength=2.4)
        _axes_of(axis, x, margin=response == "margin")

    return Card(data.label(response), chart(draw, f"{response} over {x} for each {y}"))


def _histograms(data: Columns) -> Iterator[Card]:
    """How often each response has which value, its median and the middle nine tenths."""
    for response, values in list(data.outputs.items())[:MOST_CHARTS]:
        known = values[np.isfinite(values)]
        if not known.size or np.ptp(known) <= 1e-9 * np.max(np.abs(known)):
            continue
        low, middle, high = np.percentile(known, [5, 50, 95])

        def draw(
            axis: Axes, known: Array = known, marks: tuple[float, ...] = (low, middle, high)
        ) -> None:
            bins = int(np.clip(np.sqrt(known.size) * 1.4, 6, 40))
            axis.hist(known, bins=bins, color=MAIN, rwidth=0.92)
            for mark, style in zip(marks, (":", "-", ":"), strict=True):
                axis.axvline(mark, color=INK, linewidth=1.2, linestyle=style)
            axis.set_ylabel("cases")
            axis.grid(axis="x", visible=False)

        note = f"5 %: {low:.4g}, median {middle:.4g}, 95 %: {high:.4g}"
        yield Card(data.label(response), chart(draw, f"histogram of {response}"), note)


def _all_cases(data: Columns) -> Iterator[Card]:
    """Parallel coordinates of all numbers, and responses against inputs."""
    inputs = dict(list(data.inputs.items())[:8])
    outputs = {n: v for n, v in data.outputs.items() if np.isfinite(v).all()}
    drawn = {**inputs, **dict(list(outputs.items())[:4])}
    rows = _thinned(data.passed.size)

    def lines(axis: Axes) -> None:
        from matplotlib.collections import LineCollection

        table = np.stack([values[rows] for values in drawn.values()], axis=1)
        low, high = table.min(axis=0), table.max(axis=0)
        y = (table - low) / np.where(high > low, high - low, 1.0)
        x = np.arange(len(drawn))
        alpha = float(np.clip(18 / rows.size, 0.08, 0.75))
        for passed, colour in ((True, MAIN), (False, BAD)):
            some = [np.column_stack([x, line]) for line in y[data.passed[rows] == passed]]
            clear = alpha if passed else max(alpha, 0.5)  # few fail, and shall be seen
            axis.add_collection(LineCollection(some, colors=colour, alpha=clear, linewidths=1.1))
        axis.set(xlim=(-0.1, len(drawn) - 0.9), ylim=(-0.02, 1.02), yticks=[])
        labels = [
            f"{data.label(name)}\n{a:.4g} … {b:.4g}"
            for name, a, b in zip(drawn, low, high, strict=True)
        ]
        axis.set_xticks(x, labels, fontsize=8)
        axis.grid(axis="x", color=RULE, linewidth=1.0)
        axis.spines[["left", "bottom"]].set_visible(False)

    width = max(5.0, 1.5 * len(drawn))
    svg = chart(lines, "parallel coordinates of all cases", width, 3.2)
    yield Card("Parallel coordinates", svg, "each axis from its smallest to its largest", True)
    yield _matrix(data, list(inputs)[:MOST_IN_MATRIX], list(outputs)[:4], rows)


def _matrix(data: Columns, inputs: list[str], outputs: list[str], rows: Array) -> Card:
    """Each response against each input."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots(len(outputs), len(inputs), squeeze=False, sharex="col", sharey="row")
        size = float(np.clip(900 / rows.size, 2, 12))
        for across, x in enumerate(inputs):
            for down, y in enumerate(outputs):
                axis = axes[down, across]
                for passed, colour in ((True, MAIN), (False, BAD)):
                    on = rows[data.passed[rows] == passed]
                    axis.scatter(
                        data.inputs[x][on], data.outputs[y][on], s=size, color=colour, alpha=0.7,
                        linewidths=0,
                    )  # fmt: skip
                if across == 0:
                    axis.set_ylabel(data.label(y), fontsize=8)
                if down == len(outputs) - 1:
                    axis.set_xlabel(x, fontsize=8)
                axis.tick_params(labelsize=7.5)

    width, height = max(5.0, 1.9 * len(inputs) + 0.6), 1.35 * len(outputs) + 0.4
    svg = figure_svg(draw, "responses against inputs", width, height)
    return Card("Responses against inputs", svg, is_wide=True)


def _effects(answer: EffectsFound, data: Columns) -> Iterator[Card]:
    """Bars of each parameter's effect on each response, the strongest on top."""
    for response in list(data.outputs)[:MOST_CHARTS]:
        own = [e for e in answer.effects if e.response == response and e.size is not None][::-1]
        if not own or not any(effect.size for effect in own):
            continue

        def draw(axis: Axes, own: list[Effect] = own) -> None:
            _BARS[answer.design](axis, own)
            axis.grid(axis="y", visible=False)

        height = 1.0 + 0.34 * len(own)
        yield Card(data.label(response), chart(draw, f"effects on {response}", height=height))


def _numbers(own: list[Effect], key: str) -> list[float]:
    return [effect.numbers[key] or 0.0 for effect in own]


def _names(own: list[Effect]) -> list[str]:
    return [effect.parameter for effect in own]


def _legend(axis: Axes) -> None:
    axis.legend(fontsize=8, ncols=2, loc="lower left", bbox_to_anchor=(0, 1.0))


def _tornado(axis: Axes, own: list[Effect]) -> None:
    starts = np.array(_numbers(own, "nominal"))
    for key, colour, label in (("low", SECOND, "first end"), ("high", MAIN, "last end")):
        widths = np.array(_numbers(own, key)) - starts
        axis.barh(_names(own), widths, left=starts, color=colour, height=0.6, label=label)
    axis.axvline(float(starts[0]), color=INK, linewidth=1.0)
    _legend(axis)


def _morris(axis: Axes, own: list[Effect]) -> None:
    spans, error = _numbers(own, "mu_star_conf"), {"ecolor": INK, "elinewidth": 1.2}
    sizes = _numbers(own, "mu_star")
    axis.barh(_names(own), sizes, xerr=spans, color=MAIN, height=0.6, error_kw=error)


def _sobol(axis: Axes, own: list[Effect]) -> None:
    places, error = np.arange(len(own)), {"ecolor": INK, "elinewidth": 1.2}
    for shift, key, colour, label in ((-0.2, "S1", MAIN, "alone"), (0.2, "ST", SECOND, "in all")):
        spans, sizes = _numbers(own, f"{key}_conf"), _numbers(own, key)
        axis.barh(
            places + shift, sizes, xerr=spans, color=colour, height=0.38, label=label,
            error_kw=error,
        )  # fmt: skip
    axis.set_yticks(places, _names(own))
    _legend(axis)


_BARS = {"tornado": _tornado, "morris": _morris, "sobol-indices": _sobol}
