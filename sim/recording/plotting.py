"""curves_figure: selected channels of a run, recorded and analytic. Loads Matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from sim.engine_names import ENGINES
from sim.errors import RecordingError
from sim.recording.files.table_files import Table
from sim.recording.plot_style import ANALYTIC, RECORDED, REFERENCE, STYLE, frame
from sim.recording.schema.channels import group_of
from sim.recording.schema.choosing import choose_channels
from sim.recording.schema.description import Run

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_PLOTS = 48  # in a figure: four times the content of a printed page
LOOKS: tuple[Any, ...] = (
    {"color": RECORDED, "linewidth": 2.2, "alpha": 0.75},
    {"color": ANALYTIC, "linewidth": 0.9, "dashes": (4, 3)},
    {"color": REFERENCE, "linewidth": 1.2, "linestyle": ":"},
)
DPI = 100  # of the picture in a notebook


class CurvesFigure(Figure):
    """A figure displayed by a notebook without a window or a backend."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=DPI)
        return picture.getvalue()


def curves_figure(
    patterns: Sequence[str],
    recorded: Table,
    analytic: Table,
    reference: pd.DataFrame | None,
    run: Run,
) -> Figure:
    """Return the figure of `sim.Recording.plot`.

    Raises
    ------
    RecordingError
        If a pattern is not text or matches nothing, if there is none, or if too many match.
    """
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise RecordingError(
                f"A pattern of channels is a text such as 'tau.*', got {pattern!r}"
            )
    channels = choose_channels(list(map(str, recorded.columns)), patterns)
    if len(channels) > MOST_PLOTS:
        raise RecordingError(
            f"{', '.join(map(repr, patterns))} matches {len(channels)} channels; a figure holds at "
            f"most {MOST_PLOTS}: narrow the pattern"
        )
    tables: dict[str, Table] = {
        f"recorded ({ENGINES[run.engine].title})": recorded,
        "analytic (Lagrange)": analytic,
    }
    if reference is not None:
        tables["reference"] = reference
    columns = min(3, len(channels))
    rows = -(-len(channels) // columns)
    with mpl.rc_context(STYLE):
        size = (3.6 * columns + 0.4, 2.0 * rows + 0.6)
        figure = CurvesFigure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
        for axis in grid.flat[len(channels) :]:
            axis.set_visible(False)
        for k, (axis, channel) in enumerate(zip(grid.flat, channels, strict=False)):
            _curves(axis, channel, tables)
            axis.set_title(channel, fontweight="bold")
            axis.set_ylabel(f"{group_of(channel).short} [{run.units.get(channel, '1')}]")
            if k + columns >= len(channels):  # nothing below
                axis.set_xlabel("time [s]")
                axis.tick_params(labelbottom=True)
        drawn = {
            label: line
            for axis in grid.flat
            for line, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(drawn.values(), drawn, loc="outside upper right", ncols=len(drawn))
    return figure


def _curves(axis: Axes, channel: str, tables: Mapping[str, Table]) -> None:
    """Draw the channel of each table that has it, with limits that show a constant as constant."""
    for (label, table), look in zip(tables.items(), LOOKS, strict=False):
        if channel in table:
            t = table.index.to_numpy(dtype=np.float64)
            axis.plot(t, table[channel].to_numpy(dtype=np.float64), label=label, **look)
    frame(axis, tables[next(iter(tables))][channel].to_numpy(dtype=np.float64))
