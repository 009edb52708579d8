"""Figures of a run in the manner of paper 001's figures 4, 5 and 6: recorded over analytic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.checks.peaks import peak_times
from sim.errors import RecordingError
from sim.recording.engine_names import ENGINES
from sim.recording.plot_style import ANALYTIC, FAINT, RECORDED, STYLE, frame
from sim.recording.recording import Recording
from sim.reports.figures.panels import largest, remark
from sim.reports.figures.path_figure import path_figure
from sim.reports.figures.torque_speed import torque_speed_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEGREES = 180 / math.pi
MOST_POINTS = 1500  # a curve across 10 cm of paper shows no more


@dataclass(frozen=True)
class _Plot:
    file: str
    title: str
    group: str
    unit: str
    scale: float


def write_figures(recording: Recording, folder: Path) -> tuple[Path, ...]:
    """Write joint velocities, kinetic energies and joint torques as PNG and SVG into `folder`.

    Of more than `panels.MOST` curves, the ones with the largest peaks; the page has all.
    Where the tool has a path to follow, the joint positions and the tool's path too; where there
    are drives, their torque over their speed. Angles are in degrees where all joints turn, as ADAMS
    plots them; the tables hold radians.

    Raises
    ------
    RecordingError
        If the folder cannot be written.
    """
    import matplotlib as mpl

    turning = not any(joint.is_prismatic for joint in recording.run.robot.joints)
    angle, rate, scale = ("deg", "deg/s", DEGREES) if turning else ("rad, m", "rad/s, m/s", 1.0)
    plots = [
        _Plot("velocity", "Joint velocities", "qd", rate, scale),
        _Plot("kinetic_energy", "Kinetic energy of the links", "ke", "J", 1.0),
        _Plot("torque", "Joint torques", "tau", "N·m" if turning else "N·m, N", 1.0),
    ]
    has_path = "target.x" in recording.recorded
    if has_path:
        plots.insert(0, _Plot("position", "Joint positions", "q", angle, scale))
    written = []
    with mpl.rc_context(STYLE):
        drawn = {plot.file: _figure(recording, plot) for plot in plots}
        if has_path:
            drawn["path"] = path_figure(recording)
        if (sized := torque_speed_figure(recording)) is not None:
            drawn["torque_speed"] = sized
        for name, figure in drawn.items():
            for suffix in ("png", "svg"):
                path = folder / f"{name}.{suffix}"
                metadata = {"Date": None} if suffix == "svg" else {"Software": None}
                try:
                    figure.savefig(path, dpi=130, metadata=metadata)
                except OSError as error:
                    raise RecordingError(f"Cannot write {path}: {error.strerror}") from error
                written.append(path)
    return tuple(written)


def _figure(recording: Recording, plot: _Plot) -> Figure:
    from matplotlib.figure import Figure

    table = recording.recorded
    names = [c for c in table.columns if c.startswith(f"{plot.group}.")]
    peaks = [float(np.max(np.abs(table[c].to_numpy(dtype=np.float64)))) for c in names]
    channels = [names[k] for k in largest(peaks)]
    columns = min(4 if len(channels) in (4, 7, 8) else 3, len(channels))
    rows = -(-len(channels) // columns)
    width, height = 3.4 * columns + 0.4, 2.0 * rows + 0.8  # [inch]
    figure = Figure(figsize=(width, height))
    # Margins by hand: matplotlib's layout engines take longer than all the drawing.
    figure.subplots_adjust(
        left=0.6 / width,
        right=1 - 0.15 / width,
        top=1 - 0.75 / height,
        bottom=0.5 / height,
        wspace=0.25,
        hspace=0.38,
    )
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    axes: Sequence[Axes] = list(grid.flat)
    for axis, channel in zip(axes, channels, strict=False):
        _curves(axis, recording, channel, plot)
    for axis in axes[len(channels) :]:
        axis.set_visible(False)
    for column in range(columns):
        last = max(r for r in range(rows) if r * columns + column < len(channels))
        grid[last, column].set_xlabel("time [s]")
        grid[last, column].tick_params(labelbottom=True)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=len(labels), frameon=False)
    title = f"{recording.run.scenario}: {plot.title}{remark(len(names))} [{plot.unit}]"
    figure.text(0.15 / width, 1 - 0.28 / height, title, fontsize=11)
    return figure


def _curves(axis: Axes, recording: Recording, channel: str, plot: _Plot) -> None:
    t = recording.t
    keep = slice(None, None, max(1, t.size // MOST_POINTS))
    recorded = recording.recorded[channel].to_numpy(dtype=np.float64)
    analytic = recording.analytic[channel].to_numpy(dtype=np.float64)
    axis.plot(
        t[keep],
        plot.scale * recorded[keep],
        color=RECORDED,
        linewidth=2.2,
        alpha=0.75,
        label=f"recorded ({ENGINES[recording.run.engine].title})",
    )
    axis.plot(
        t[keep],
        plot.scale * analytic[keep],
        color=ANALYTIC,
        linewidth=0.9,
        dashes=(4, 3),
        label="analytic (Lagrange)",
    )
    at = peak_times(t, recorded)[0]
    peak = plot.scale * recorded[np.searchsorted(t, at)]
    axis.plot(at, peak, "o", color=RECORDED, markersize=3.5)
    name = channel.partition(".")[2].removesuffix("_joint").removesuffix("_link").replace("_", " ")
    worst = float(np.max(np.abs(recorded - analytic)))
    # At a place of its own: matplotlib measures every text and tick to find one, half of the time.
    axis.set_title(name, fontweight="bold", y=1.0)
    axis.set_title(
        f"peak {peak:.4g} at {at:.2f} s · error {plot.scale * worst:.1g}",
        loc="right",
        y=1.0,
        fontsize=7.5,
        color=FAINT,
    )
    frame(axis, plot.scale * analytic)
