"""The tool's path over its target, and its distance from it (as paper 003's figure 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.checks import own_curves
from sim.engine_names import ENGINES
from sim.recording.recording import Recording
from sim.reports.figures.sheet import SMALL, Panels, settle, write_legend
from sim.showing.one_line import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECORDED, TARGET = "#0072B2", "#000000"  # Okabe-Ito blue; black
MOST_POINTS = 1500


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
        target[u][keep], target[v][keep], color=TARGET, linewidth=0.9, dashes=(4, 3), label="target"
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
    plane.set_title(f"end {gap:.2g} m from start", loc="right", fontsize=SMALL, color="#8a8a8a")

    distance.plot(t[keep], away[keep], color=RECORDED, linewidth=1.0)
    distance.set_ylim(bottom=0)
    distance.set_xlabel("time [s]")
    distance.set_ylabel("[m]")
    distance.set_title("distance from the target", fontweight="bold", y=1.0)
    k = int(np.argmax(away))
    distance.set_title(
        f"largest {away[k]:.2g} m at {t[k]:.2f} s", loc="right", fontsize=SMALL, color="#8a8a8a"
    )
    handles, labels = plane.get_legend_handles_labels()
    title = f"{shorten(recording.run.scenario, 60)}: Tool path"
    settle(figure, (plane, distance), Panels(2, 3.9, 3.0, above=0.25), title)
    write_legend(figure, handles, labels)
    return figure
