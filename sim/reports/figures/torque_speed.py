"""Torque over speed of each drive within its ratings, for the choice of motors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.checks import sizing
from sim.engine_names import ENGINES
from sim.maths.arrays import Array, largest_finite
from sim.recording.recording import Recording
from sim.recording.schema.verdicts import DriveSizing, Margin
from sim.reports.figures.panels import largest_indices, remark
from sim.reports.figures.sheet import (
    SMALL,
    Panels,
    fit_text,
    legend_width,
    settle,
    width_of,
    write_legend,
)
from sim.reports.verdict_numbers import number_or_nan
from sim.showing.one_line import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe-Ito blue, vermilion and bluish green; grey
RECORDED, RATED, RMS, FAINT = "#0072B2", "#D55E00", "#009E73", "#8a8a8a"
BRAKING = "#f3f3f3"
DEGREES = 180 / math.pi
WIDTH = 2.8  # of a panel [inch]
MOST_POINTS = 1500
LITTLE = 0.15  # where a run uses a smaller share of a rating, the rating is not in the panel


def torque_speed_figure(recording: Recording) -> Figure | None:
    """Draw one panel per drive: its path of speed and torque, the rated envelope, RMS and peaks.

    Of many drives those with the largest torques are drawn. Braking quadrants are shaded. None
    where no joint is driven.

    Raises
    ------
    RecordingError
        If a torque or a speed is missing.
    """
    from matplotlib.figure import Figure

    if not (every := sizing(recording)):
        return None
    drives = [
        every[k] for k in largest_indices([abs(number_or_nan(d.peak_torque.torque)) for d in every])
    ]
    columns = min(3, len(drives))
    rows = -(-len(drives) // columns)
    figure = Figure()
    every_axis = list(figure.subplots(rows, columns, squeeze=False).flat)
    axes = every_axis[: len(drives)]
    for axis, drive in zip(axes, drives, strict=True):
        _panel(axis, recording, drive)
    for axis in every_axis[len(drives) :]:
        axis.set_visible(False)
    shown = [axis.get_legend_handles_labels() for axis in axes]
    legend = {
        word: handle
        for handles, words in shown
        for handle, word in zip(handles, words, strict=True)
    }
    in_a_row = 6 if columns == 3 else 3
    lines = -(-len(legend) // in_a_row)
    narrowest = legend_width(list(legend), in_a_row)
    panels = Panels(columns, WIDTH, 2.05, above=0.25, lines=lines, narrowest=narrowest)
    title = f"{shorten(recording.run.scenario, 60)}: Torque over speed{remark(len(every))}"
    settle(figure, axes, panels, title)
    write_legend(figure, list(legend.values()), list(legend), in_a_row)
    return figure


def _panel(axis: Axes, recording: Recording, drive: DriveSizing) -> None:
    scale, unit = (DEGREES, "deg/s") if drive.speed_unit == "rad/s" else (1.0, drive.speed_unit)
    speed, torque = (
        recording.recorded[f"{group}.{drive.joint}"].to_numpy(dtype=np.float64)
        for group in ("qd", "tau")
    )
    keep = slice(None, None, max(1, speed.size // MOST_POINTS))
    right = _half_width(scale * speed, drive.speed_margin, scale)
    top = _half_width(torque, drive.torque_margin, 1.0)
    axis.set_xlim(-right, right)
    axis.set_ylim(-top, top)
    for x, y in ((0, -top), (-right, 0)):
        axis.fill_between([x, x + right], y, y + top, color=BRAKING, linewidth=0, zorder=0)
    _envelope(axis, drive, scale)
    rms = number_or_nan(drive.rms_torque.value)
    for sign, label in ((1, "RMS torque"), (-1, None)):
        axis.axhline(sign * rms, color=RMS, linewidth=1.1, dashes=(1, 2), label=label)
    axis.plot(
        scale * speed[keep],
        torque[keep],
        color=RECORDED,
        linewidth=1.3,
        label=f"recorded ({ENGINES[recording.run.engine].title})",
    )
    for point, marker, label in (
        (drive.peak_torque, "o", "peak torque"),
        (drive.peak_speed, "s", "peak speed"),
        (drive.peak_power, "^", "peak power"),
    ):
        axis.plot(
            scale * number_or_nan(point.speed),
            number_or_nan(point.torque),
            marker,
            color=RECORDED,
            markeredgecolor="white",
            markersize=6,
            label=label,
            clip_on=False,
        )
    axis.set_xlabel(f"speed [{unit}]")
    axis.set_ylabel(f"torque [{drive.torque_unit}]" if unit == "deg/s" else "force [N]")
    name = drive.joint.removesuffix("_joint").replace("_", " ")
    room = WIDTH - width_of(_words(drive), SMALL) - 0.1
    axis.set_title(fit_text(name, room, weight="bold"), loc="left", fontweight="bold", y=1.0)
    axis.set_title(_words(drive), loc="right", fontsize=SMALL, color=FAINT, y=1.0)


def _envelope(axis: Axes, drive: DriveSizing, scale: float) -> None:
    """Draw the rated rectangle, or two lines where only one of speed and torque is rated."""
    speed = drive.speed_margin and scale * drive.speed_margin.rated
    torque = drive.torque_margin and drive.torque_margin.rated
    line: dict[str, Any] = {"color": RATED, "linewidth": 1.4, "dashes": (5, 2)}
    if speed and torque:
        x, y = speed * np.array([-1, 1, 1, -1, -1]), torque * np.array([-1, -1, 1, 1, -1])
        axis.plot(x, y, label="rated", **line)
    elif torque:
        axis.axhline(torque, label="rated", **line)
        axis.axhline(-torque, **line)
    elif speed:
        axis.axvline(speed, label="rated", **line)
        axis.axvline(-speed, **line)


def _half_width(values: Array, margin: Margin | None, scale: float) -> float:
    """Return half of an axis' range: the rating where it is near the run's values, else these."""
    size = largest_finite(values)
    if margin is not None and size >= LITTLE * scale * margin.rated:
        size = max(size, scale * margin.rated)
    return 1.1 * size if size > 1e-9 else 1.0


def _words(drive: DriveSizing) -> str:
    """Return the used shares of the ratings, whose ends may lie outside the panel."""
    margins = (("torque", drive.torque_margin), ("speed", drive.speed_margin))
    words = [
        f"{100 - number_or_nan(m.percent):.0f} % of {name}" for name, m in margins if m is not None
    ]
    return ", ".join(words) if words else "not rated"
