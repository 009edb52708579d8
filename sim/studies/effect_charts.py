"""Bars of what each parameter does to each response: tornado, Morris, Sobol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.studies.chart_data import MOST_CHARTS, Card, Columns
from sim.studies.chart_svg import INK, MAIN, SECOND, chart
from sim.studies.design import Design
from sim.studies.sensitivity import Effect
from sim.studies.study_answer import EffectsFound

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def effect_bars(answer: EffectsFound, data: Columns, design: Design) -> Iterator[Card]:
    """Bars of each parameter's effect on each response, the strongest on top."""
    ranges = {one.name: f"{one.range[0]:g} … {one.range[1]:g}" for one in design.variations}
    for response in list(data.outputs)[:MOST_CHARTS]:
        own = [e for e in answer.effects if e.response == response and e.size is not None][::-1]
        if not own or not any(effect.size for effect in own):
            continue

        def draw(axis: Axes, own: list[Effect] = own) -> None:
            _BARS[answer.design](axis, own)
            labels = [f"{effect.parameter}\n{ranges[effect.parameter]}" for effect in own]
            axis.set_yticks(range(len(own)), labels)
            axis.grid(axis="y", visible=False)

        height = 1.0 + 0.42 * len(own)
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
    _legend(axis)


_BARS = {"tornado": _tornado, "morris": _morris, "sobol-indices": _sobol}
