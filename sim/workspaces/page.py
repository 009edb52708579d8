"""Page of a workspace, one self-contained HTML file, and its maps as PNG and SVG."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from sim.kinematics.forward import frame_of
from sim.kinematics.inverse.travel import check_position
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.recording.files.named_file import MARK, write_named
from sim.recording.files.whole_files import json_text
from sim.recording.plot_style import ANALYTIC, REFERENCE, STYLE
from sim.reports.page.page import pack_bytes
from sim.reports.page.standalone import asset, provenance_rows, render, within_script
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks, text
from sim.workspaces.maps import Map
from sim.workspaces.outline import arm_lines, boundary, samples_at_boundary
from sim.workspaces.summary import summary_lines
from sim.workspaces.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = {"directions": "viridis", "singular value": "viridis", "gravity": "cividis"}
FILES = ("workspace.png", "workspace.svg")
OVER = "#D40000"  # gravity above a rating
_PANEL = 4.4  # inch

FILE = "workspace.html"
STEPS = 32_000  # of a joint's range in either direction, so that a step fits into 16 bits
WIDTH = 460  # px

TEMPLATE = Path(__file__).with_name("template")
LEFT, RIGHT, TOP, BELOW = 42, 10, 22, 78


def write_figures(workspace: Workspace, folder: Path) -> dict[str, Path]:
    """Write ``workspace.png`` and ``workspace.svg`` into a folder.

    Raises
    ------
    RecordingError
        If a file cannot be written, or an existing file was not written by sim.
    """
    import matplotlib as mpl

    paths = {}
    with mpl.rc_context(STYLE):
        figure = draw(workspace)
        for name in FILES:
            kind = name.rpartition(".")[2]
            block = io.BytesIO()
            mark = MARK.decode()
            metadata = {"Software": mark} if kind == "png" else {"Creator": mark, "Date": None}
            figure.savefig(block, format=kind, dpi=110, metadata=metadata)
            write_named(folder / name, block.getvalue())
            paths["figure" if kind == "png" else "as SVG"] = folder / name
    return paths


def draw(workspace: Workspace) -> Figure:
    """Return the figure: a panel for each map, one scale in metres."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    count = len(workspace.maps)
    tall = min(max(float(np.ptp(workspace.v) / np.ptp(workspace.u)), 0.4), 1.6)
    size = (_PANEL * max(count, 2), _PANEL * tall * 0.92 + 1.9)
    figure = Figure(figsize=size, layout="constrained")
    axes = list(np.ravel(figure.subplots(1, count, sharey=True, squeeze=False)))
    for axis, one in zip(axes, workspace.maps, strict=True):
        _panel(workspace, axis, one)
    dots = samples_at_boundary(workspace)
    axes[0].plot(*dots, ls="", marker=".", ms=2.5, color=REFERENCE, mew=0)
    axes[0].set_ylabel(f"{workspace.section.names[1]} [m]")
    keys: list[Artist] = [
        Line2D([], [], color=ANALYTIC, lw=1, label="boundary by the inverse"),
        Line2D([], [], color=REFERENCE, ls="", marker=".", label="joint samples at the boundary"),
        Line2D([], [], color="0.25", marker="o", mfc="w", ms=4, label="the arm, joints at zero"),
    ]
    if any(points_over(one).any() for one in workspace.maps):
        keys.append(Patch(color=OVER, label="no posture inside the ratings"))
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys), frameon=False)
    load = f", {workspace.payload:g} kg at the tool" if workspace.payload else ""
    figure.suptitle(f"{workspace.robot.name}, section {workspace.section.text}{load}")
    return figure


def _panel(workspace: Workspace, axis: Axes, one: Map) -> None:
    shape = workspace.is_reached.shape
    values = one.values.reshape(shape)
    picture = axis.pcolormesh(
        workspace.u,
        workspace.v,
        np.ma.masked_invalid(values),
        cmap=COLOURS[one.name],
        vmin=0,
        vmax=1 if one.name == "directions" else None,
        shading="nearest",
        rasterized=True,
    )
    axis.figure.colorbar(
        picture, ax=axis, orientation="horizontal", shrink=0.85, pad=0.02, label=one.quantity
    )
    if (over := points_over(one)).any():
        axis.contourf(workspace.u, workspace.v, over.reshape(shape), [0.5, 1.5], colors=OVER)
    for line in boundary(workspace, workspace.is_reached):
        axis.plot(*line.T, color=ANALYTIC, lw=0.9)
    for line in arm_lines(workspace.robot, check_position(workspace.robot, None)):
        axis.plot(
            *line[:, list(workspace.section.across)].T, "-o", color="0.25", lw=2, ms=4, mfc="w"
        )
    axis.grid(visible=False)
    axis.set(title=one.question, aspect="equal", xlabel=f"{workspace.section.names[0]} [m]")


def points_over(one: Map) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return points at which gravity exceeds a rating in every posture."""
    return np.asarray((one.name == "gravity") & (np.nan_to_num(one.values) > 1))


def write_page(workspace: Workspace, path: Path) -> None:
    """Write the page of a workspace.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, page(workspace).encode("utf-8"), ".html")


def page(workspace: Workspace) -> str:
    """Return the HTML of the page."""
    chart = map_chart(workspace)
    left, top, right, _ = chart.ends
    scale = (right - left) / (chart.x[1] - chart.x[0])
    data = page_data(workspace) | {"frame": [left, top, chart.x[0], chart.y[1], scale]}
    script = asset("workspace.js", TEMPLATE)
    lines = summary_lines(workspace)
    load = f", {workspace.payload:g} kg at the tool" if workspace.payload else ""
    return render(
        "workspace.html.j2",
        TEMPLATE,
        extra=asset("charts.css") + asset("workspace.css", TEMPLATE),
        scripts=[script],
        script=script,
        title=f"Workspace of {workspace.robot.name}, {workspace.section.text}{load}",
        ok=workspace.check.ok,
        head=lines[0][1],
        maps=[
            (one, picture(workspace, one, samples=one is workspace.maps[0]))
            for one in workspace.maps
        ],
        over=any(one.name == "gravity" and (one.values > 1).any() for one in workspace.maps),
        rated=any(one.joint is not None for one in workspace.maps),
        lines=lines[1:],
        data=within_script(json_text(data)),
        blocks=blocks(workspace),
        provenance=provenance_rows(workspace.robot),
    )


def page_data(workspace: Workspace) -> dict[str, Any]:
    """Return grid, joints, chain and maps for the script of the page."""
    scales = [_scale(one) for one in workspace.maps]
    return {
        "u": [float(workspace.u[0]), workspace.step, workspace.u.size],
        "v": [float(workspace.v[0]), workspace.step, workspace.v.size],
        "across": list(workspace.section.across),
        "held": workspace.section.held,
        "at": workspace.section.at,
        "joints": [[row.heading, row.is_angle] for row in workspace.robot.coordinates],
        "maps": [
            {"name": one.name, "scale": scale.tolist(), "has_joint": one.joint is not None}
            for one, scale in zip(workspace.maps, scales, strict=True)
        ],
        "chain": _chain(workspace),
    }


def blocks(workspace: Workspace) -> list[str]:
    """Return for each map its numbers as gzip in base64.

    These are the values as 32-bit floats, NaN where there is none; then for each joint its
    positions in steps of the map's scale, as 16-bit differences from the previous point; then, if
    the map has it, the row of the joint nearest to its rating, one byte each.
    """
    packed = []
    for one in workspace.maps:
        block = one.values.astype("<f4").tobytes()
        steps = np.rint(_fill_gaps(one.q) / _scale(one)[:, None]).astype(np.int64)
        changes = np.diff(steps, axis=1, prepend=0) & 0xFFFF
        block += changes.astype("<u2").tobytes()
        if one.joint is not None:
            block += one.joint.astype(np.uint8).tobytes()
        packed.append(pack_bytes(block))
    return packed


def _scale(one: Map) -> Array:
    """Return the size of a step of each joint, (n,) [rad or m]."""
    if not one.is_reached.any():
        return np.ones(len(one.q))
    return np.maximum(np.nanmax(np.abs(one.q), axis=1), 1e-3) / STEPS


def _fill_gaps(q: Array) -> Array:
    """Return positions (n, N) in which points out of reach repeat the previous point."""
    known = ~np.isnan(q[0])
    last = np.maximum.accumulate(np.where(known, np.arange(known.size), 0))
    return np.nan_to_num(q[:, last])


def _chain(workspace: Workspace) -> dict[str, Any]:
    """Return the robot as a tree of bodies, each moving about or along its z axis."""
    robot, tree = workspace.robot, tree_of(workspace.robot)
    S, q_0 = robot.coupling
    body, T_bl = frame_of(robot)
    return {
        "parent": list(tree.parent),
        "slides": [not row.is_angle for row in robot.tree_coordinates],
        "T": tree.T_pi.reshape(-1, 16).tolist(),
        "S": S.tolist(),
        "q0": q_0.tolist(),
        "tool": [body, T_bl.reshape(16).tolist()],
        "root": robot.T_0b[:3, 3].tolist(),
    }


def map_chart(workspace: Workspace) -> Chart:
    """Return the chart of all maps: half a step larger than the grid, one scale in metres."""
    half = workspace.step / 2
    u = (float(workspace.u[0]) - half, float(workspace.u[-1]) + half)
    v = (float(workspace.v[0]) - half, float(workspace.v[-1]) + half)
    height = (WIDTH - LEFT - RIGHT) * (v[1] - v[0]) / (u[1] - u[0])
    return Chart(WIDTH, TOP + height + BELOW, LEFT, RIGHT, TOP, BELOW, u, v)


def picture(workspace: Workspace, one: Map, *, samples: bool) -> Markup:
    """Draw a map as SVG; the script of the page draws a posture into its last group."""
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
    """Return the values at the ends of a map's colours: zero, and 1 for shares of directions."""
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
    """Return colours (rows, columns, 4) as a data URL."""
    from PIL import Image

    block = io.BytesIO()
    Image.fromarray(colours).save(block, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(block.getvalue()).decode()
