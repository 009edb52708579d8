"""A map as a drawing of the page: coloured points, boundary, axes and scale."""

from __future__ import annotations

import base64
import io

import numpy as np
from markupsafe import Markup

from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks, text
from sim.workspaces.figure import COLOURS, points_over
from sim.workspaces.maps import Map
from sim.workspaces.outline import boundary, samples_at_boundary
from sim.workspaces.workspace import Workspace

WIDTH = 460  # px
LEFT, RIGHT, TOP, BELOW = 42, 10, 22, 78
BAR = 10  # px, height of the scale of colours


def map_chart(workspace: Workspace) -> Chart:
    """The chart of all maps: half a step more than the grid on every side, one scale in metres."""
    half = workspace.step / 2
    u = (float(workspace.u[0]) - half, float(workspace.u[-1]) + half)
    v = (float(workspace.v[0]) - half, float(workspace.v[-1]) + half)
    height = (WIDTH - LEFT - RIGHT) * (v[1] - v[0]) / (u[1] - u[0])
    return Chart(WIDTH, TOP + height + BELOW, LEFT, RIGHT, TOP, BELOW, u, v)


def picture(workspace: Workspace, one: Map, *, samples: bool) -> Markup:
    """SVG of a map; the script of the page draws a posture into its last group."""
    chart, (low, high) = map_chart(workspace), scale_ends(one)
    left, _, right, bottom = chart.ends
    colours = Chart(WIDTH, chart.height, LEFT, RIGHT, bottom + 42, 26, (low, high), (0.0, 1.0))
    over = points_over(one).reshape(workspace.is_reached.shape)
    names, near = workspace.section.names, samples_at_boundary(workspace).T
    marks: list[Marks] = [
        chart.area("field"),
        chart.grid(6, 6, y_title=f"{names[1]} [m]"),
        _image(chart, _points_png(workspace, one, low, high)),
        chart.path(boundary(workspace, over), "over", closed=True) if over.any() else [],
        chart.path(boundary(workspace, workspace.is_reached), "edge", closed=True),
        chart.path(np.stack([near, near], axis=1), "dots") if samples else [],
        text((left + right) / 2, bottom + 31, f"{names[0]} [m]", "middle", "tick"),
        colours.grid(6),
        _image(colours, _scale_png(one)),
        '<g class="posture"></g>',
    ]
    return chart.drawing(marks, one.quantity, "map")


def _image(chart: Chart, address: str) -> str:
    left, top, right, bottom = chart.ends
    return (
        f'<image x="{left}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        f'preserveAspectRatio="none" href="{address}"/>'
    )


def scale_ends(one: Map) -> tuple[float, float]:
    """Values at the ends of a map's colours: zero, and 1 for shares of directions."""
    if one.name == "directions" or not one.is_reached.any():
        return 0.0, 1.0
    return 0.0, float(np.nanmax(one.values)) or 1.0


def _points_png(workspace: Workspace, one: Map, low: float, high: float) -> str:
    import matplotlib as mpl

    values = one.values.reshape(workspace.is_reached.shape)[::-1]
    shares = (np.nan_to_num(values) - low) / (high - low)
    colours = mpl.colormaps[COLOURS[one.name]](np.clip(shares, 0, 1), bytes=True)
    colours[np.isnan(values), 3] = 0
    return _png(colours)


def _scale_png(one: Map) -> str:
    import matplotlib as mpl

    return _png(mpl.colormaps[COLOURS[one.name]](np.linspace(0, 1, 256)[None], bytes=True))


def _png(colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str:
    """Colours (rows, columns, 4) as an address of data."""
    from PIL import Image

    block = io.BytesIO()
    Image.fromarray(colours).save(block, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(block.getvalue()).decode()
