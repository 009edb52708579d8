"""Maps of a workspace side by side, as PNG and SVG."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.kinematics.inverse.travel import check_position
from sim.recording.files.named_file import MARK, write_named
from sim.recording.plot_style import ANALYTIC, REFERENCE, STYLE
from sim.workspaces.maps import Map
from sim.workspaces.outline import arm_lines, boundary, samples_at_boundary
from sim.workspaces.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"directions": "viridis", "singular value": "viridis", "gravity": "cividis"}
FILES = ("workspace.png", "workspace.svg")
OVER = "#D40000"  # gravity above a rating
_PANEL = 4.4  # inch


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
