"""Charts of all cases: histograms, parallel coordinates, responses against inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.maths.arrays import Array
from sim.studies.chart_data import MOST_CHARTS, Card, Columns, thinned
from sim.studies.chart_svg import BAD, INK, MAIN, RULE, chart, figure_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_IN_MATRIX = 5


def histograms(data: Columns) -> Iterator[Card]:
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


def all_cases(data: Columns) -> Iterator[Card]:
    """Parallel coordinates of all numbers, and responses against inputs."""
    inputs = dict(list(data.inputs.items())[:8])
    outputs = {n: v for n, v in data.outputs.items() if np.isfinite(v).all()}
    drawn = {**inputs, **dict(list(outputs.items())[:4])}
    rows = thinned(data.passed.size)

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
