"""Charts of responses over one parameter or two: curves, surfaces, families of curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.studies.chart_data import MOST_CHARTS, Card, Columns, thinned
from sim.studies.chart_svg import BAD, DASHES, INK2, MAIN, PAGE, SERIES, chart
from sim.studies.study_answer import Answer, SearchFound
from sim.studies.variation import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CURVES = 6  # of a family


def _axes_of(axis: Axes, x: str, margin: bool) -> None:
    axis.set_xlabel(x)
    axis.margins(x=0.02)
    if margin:
        axis.axhline(0.0, color=BAD, linewidth=1.0, linestyle="--")


def curves(data: Columns, name: str, answer: Answer | None) -> Iterator[Card]:
    """Each response over the one parameter."""
    order = np.argsort(data.inputs[name])[thinned(data.passed.size)]
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


def surfaces(data: Columns, x: str, y: str) -> Iterator[Card]:
    """Each response over two parameters: a surface, or a family of curves where one has few."""
    across, up = (np.unique(data.inputs[name]) for name in (x, y))
    whole = across.size * up.size == data.passed.size
    few = min(across.size, up.size) <= 3 or not whole
    for response, values in list(data.outputs.items())[:MOST_CHARTS]:
        if few:
            along, each = (y, x) if across.size < up.size else (x, y)
            yield _family(data, along, each, data.inputs[each], response)
            continue
        z = np.full((up.size, across.size), np.nan)
        at = np.searchsorted(up, data.inputs[y]), np.searchsorted(across, data.inputs[x])
        z[at] = values

        crossed = response == "margin" and bool(np.nanmin(z) < 0 < np.nanmax(z))

        def draw(axis: Axes, z: Array = z, crossed: bool = crossed) -> None:
            _surface(axis, across, up, z)
            if crossed:
                axis.contour(across, up, z, levels=[0.0], colors=[PAGE], linewidths=2.2)
            axis.set(xlabel=x, ylabel=y)

        title = f"{response} over {x} and {y}"
        note = "the line is the limit" if crossed else ""
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


def families(data: Columns, x: str, each: str) -> Iterator[Card]:
    """Each response over one parameter, a curve for each value of another that is no number."""
    for response in list(data.outputs)[:MOST_CHARTS]:
        yield _family(data, x, each, data.words[each], response)


def _family(data: Columns, x: str, each: str, levels: NDArray[Any], response: str) -> Card:
    """A response over one parameter, a curve for each of the levels (N,) of another."""
    values, sorts = data.outputs[response], np.unique(levels)
    shown = sorts[
        np.unique(np.linspace(0, sorts.size - 1, min(sorts.size, MOST_CURVES)).astype(int))
    ]

    def draw(axis: Axes) -> None:
        for k, level in enumerate(shown):
            on = np.flatnonzero(levels == level)
            on = on[np.argsort(data.inputs[x][on])]
            colour, dashes = SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]
            label = f"{each} = {value_text(level.item())}"
            axis.plot(data.inputs[x][on], values[on], dashes, color=colour, lw=1.6, label=label)
            bad = on[~data.passed[on]]
            axis.plot(data.inputs[x][bad], values[bad], "o", color=BAD, markersize=3, zorder=3)
        axis.legend(fontsize=8, handlelength=2.4)
        _axes_of(axis, x, margin=response == "margin")

    return Card(data.label(response), chart(draw, f"{response} over {x} for each {each}"))
