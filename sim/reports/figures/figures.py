"""Figures of a run in the style of papers 001 and 003: recorded over analytic, tool over target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.checks import own_curves
from sim.checks.peaks import peak_times
from sim.engine_names import ENGINES
from sim.errors import RecordingError
from sim.recording.plot_style import ANALYTIC, FAINT, RECORDED, STYLE, frame
from sim.recording.recording import Recording
from sim.recording.schema.channels import unit_of
from sim.recording.schema.description import Run
from sim.reports.figures.panels import largest_indices, remark
from sim.reports.figures.sheet import SMALL, Panels, fit_text, legend_width, settle, write_legend
from sim.reports.figures.torque_speed import torque_speed_figure
from sim.showing.one_line import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


DEGREES = 180 / math.pi
WIDTH = 3.1  # of a panel [inch]: needed by a peak and an error with their units
MOTION = ("q", "qd")  # groups whose second curve is the prescribed motion
MOST_POINTS = 1500  # a curve across 10 cm of paper cannot show more


@dataclass(frozen=True)
class _Plot:
    file: str
    title: str
    group: str
    shown: str | None = None  # the unit in which angles are drawn, where all joints are revolute

    @property
    def scale(self) -> float:
        """Factor from recorded to drawn values."""
        return 1.0 if self.shown is None else DEGREES

    def unit(self, channel: str, run: Run) -> str:
        """Return the unit in which a channel is drawn."""
        return self.shown or unit_of(channel, run.robot.tree_coordinates)


def write_figures(recording: Recording, folder: Path) -> tuple[Path, ...]:
    """Write joint velocities, kinetic energies and joint torques as PNG and SVG into `folder`.

    Of more than `panels.MOST` curves, those with the largest peaks are drawn; the page has all.
    Where the tool has a prescribed path, joint positions and the tool's path are added; where there
    are drives, torque over speed. Angles are in degrees where all joints are revolute, as in
    ADAMS's plots; the tables hold radians.

    Raises
    ------
    RecordingError
        If the folder cannot be written.
    """
    import matplotlib as mpl

    turning = all(row.is_angle for row in recording.run.robot.tree_coordinates)
    plots = [
        _Plot("velocity", "Joint velocities", "qd", "deg/s" if turning else None),
        _Plot("kinetic_energy", "Kinetic energy of the links", "ke"),
        _Plot("torque", "Joint torques", "tau"),
    ]
    has_path = "target.x" in recording.recorded
    if has_path:
        plots.insert(0, _Plot("position", "Joint positions", "q", "deg" if turning else None))
    paths = []
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
                paths.append(path)
    return tuple(paths)


def _figure(recording: Recording, plot: _Plot) -> Figure:
    from matplotlib.figure import Figure

    table = recording.recorded
    names = [c for c in table.columns if c.startswith(f"{plot.group}.")]
    peaks = [float(np.max(np.abs(table[c].to_numpy(dtype=np.float64)))) for c in names]
    channels = [names[k] for k in largest_indices(peaks)]
    columns = min(4 if len(channels) in (4, 7, 8) else 3, len(channels))
    rows = -(-len(channels) // columns)
    figure = Figure()
    every: Sequence[Axes] = list(figure.subplots(rows, columns, sharex=True, squeeze=False).flat)
    axes = every[: len(channels)]
    words = (f"recorded ({ENGINES[recording.run.engine].title})", model_of(plot.group, recording))
    for axis, channel in zip(axes, channels, strict=True):
        _curves(axis, recording, channel, plot, words)
    for axis in every[len(channels) :]:
        axis.set_visible(False)
    for axis in axes[-columns:]:
        axis.set_xlabel("time [s]")
        axis.tick_params(labelbottom=True)
    handles, labels = axes[0].get_legend_handles_labels()
    panels = Panels(columns, WIDTH, 1.5, above=0.45, narrowest=legend_width(labels))
    title = f"{shorten(recording.run.scenario, 60)}: {plot.title}{remark(len(names))}"
    units = ", ".join(dict.fromkeys(plot.unit(channel, recording.run) for channel in channels))
    settle(figure, axes, panels, f"{title} [{units}]")
    write_legend(figure, handles, labels)
    return figure


def model_of(group: str, recording: Recording) -> str:
    """Name the curve drawn over the recorded one: a motion is prescribed, not computed."""
    free, driven = recording.run.settings.free, recording.run.driven
    if group not in MOTION or not driven:
        return "analytic (Lagrange)"
    return "prescribed, where free Lagrange" if free else "prescribed"


def _curves(
    axis: Axes, recording: Recording, channel: str, plot: _Plot, words: tuple[str, str]
) -> None:
    t = recording.t
    keep = slice(None, None, max(1, t.size // MOST_POINTS))
    recorded = recording.recorded[channel].to_numpy(dtype=np.float64)
    analytic = recording.analytic[channel].to_numpy(dtype=np.float64)
    looks: tuple[Any, ...] = (
        {"color": RECORDED, "linewidth": 2.2, "alpha": 0.75},
        {"color": ANALYTIC, "linewidth": 0.9, "dashes": (4, 3)},
    )
    for values, look, label in zip((recorded, analytic), looks, words, strict=True):
        axis.plot(t[keep], plot.scale * values[keep], label=label, **look)
    at = peak_times(t, recorded)[0]
    peak = plot.scale * recorded[np.searchsorted(t, at)]
    axis.plot(at, peak, "o", color=RECORDED, markersize=3.5)
    name = channel.partition(".")[2].removesuffix("_joint").removesuffix("_link").replace("_", " ")
    # A fixed place: matplotlib measures every text and tick to find one, half of the time.
    axis.set_title(fit_text(name, WIDTH, weight="bold"), fontweight="bold", y=1.0, pad=16)
    worst = plot.scale * float(np.max(np.abs(recorded - analytic)))
    unit = plot.unit(channel, recording.run)
    axis.annotate(
        f"peak {peak:.4g} {unit} at {at:.2f} s · error {worst:.1g} {unit}".replace(
            "-", "\N{MINUS SIGN}"
        ),
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 5),
        textcoords="offset points",
        fontsize=SMALL,
        color=FAINT,
    )
    frame(axis, plot.scale * analytic)


def path_figure(recording: Recording) -> Figure:
    """Draw the path in its widest plane, next to its distance from the target over time."""
    from matplotlib.figure import Figure

    t = recording.t
    tool, target = (
        np.stack([recording.recorded[f"{group}.{c}"].to_numpy(dtype=np.float64) for c in "xyz"])
        for group in ("tool", "target")
    )
    away = own_curves(recording)["path.error"]
    u, v = sorted(np.argsort(np.ptp(target, axis=1))[1:])
    keep = slice(None, None, max(1, t.size // MOST_POINTS))

    figure = Figure()
    plane, distance = figure.subplots(1, 2)
    plane.plot(
        tool[u][keep],
        tool[v][keep],
        color=RECORDED,
        linewidth=2.4,
        alpha=0.75,
        label=f"tool ({ENGINES[recording.run.engine].title})",
    )
    plane.plot(
        target[u][keep],
        target[v][keep],
        color=ANALYTIC,
        linewidth=0.9,
        dashes=(4, 3),
        label="target",
    )
    plane.plot(tool[u][0], tool[v][0], "o", color=RECORDED, markersize=4)
    is_below = float(np.mean(target[v])) > target[v][0]  # the rest of the path is elsewhere
    plane.annotate(
        "start",
        (tool[u][0], tool[v][0]),
        textcoords="offset points",
        xytext=(6, -14 if is_below else 6),
    )
    plane.set_aspect("equal", adjustable="datalim")
    plane.set_xlabel(f"{'xyz'[u]} [m]")
    plane.set_ylabel(f"{'xyz'[v]} [m]")
    plane.set_title("path", fontweight="bold", y=1.0)
    gap = float(np.sqrt(np.sum((tool[:, -1] - tool[:, 0]) ** 2)))
    plane.set_title(f"end {gap:.2g} m from start", loc="right", fontsize=SMALL, color=FAINT)

    distance.plot(t[keep], away[keep], color=RECORDED, linewidth=1.0)
    distance.set_ylim(bottom=0)
    distance.set_xlabel("time [s]")
    distance.set_ylabel("[m]")
    distance.set_title("distance from the target", fontweight="bold", y=1.0)
    k = int(np.argmax(away))
    distance.set_title(
        f"largest {away[k]:.2g} m at {t[k]:.2f} s", loc="right", fontsize=SMALL, color=FAINT
    )
    handles, labels = plane.get_legend_handles_labels()
    title = f"{shorten(recording.run.scenario, 60)}: Tool path"
    settle(figure, (plane, distance), Panels(2, 3.9, 3.0, above=0.25), title)
    write_legend(figure, handles, labels)
    return figure
