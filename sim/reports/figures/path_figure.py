"""The tool's path over its target, and how far it is from it: paper 003's figure 16, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.checks import own_curves
from sim.recording.engine_names import ENGINES
from sim.recording.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECORDED, TARGET = "#0072B2", "#000000"  # Okabe-Ito blue; black
MOST_POINTS = 1500


def path_figure(recording: Recording) -> Figure:
    """Path in the plane in which it is widest, beside the distance from the target over time."""
    from matplotlib.figure import Figure

    t = recording.t
    tool, target = (
        np.stack([recording.recorded[f"{group}.{c}"].to_numpy(dtype=np.float64) for c in "xyz"])
        for group in ("tool", "target")
    )
    away = own_curves(recording)["path.error"]
    u, v = sorted(np.argsort(np.ptp(target, axis=1))[1:])
    keep = slice(None, None, max(1, t.size // MOST_POINTS))

    figure = Figure(figsize=(9.6, 4.2))
    figure.subplots_adjust(left=0.08, right=0.98, top=0.84, bottom=0.13, wspace=0.28)
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
    plane.annotate("start", (tool[u][0], tool[v][0]), textcoords="offset points", xytext=(6, 6))
    plane.set_aspect("equal", adjustable="datalim")
    plane.set_xlabel(f"{'xyz'[u]} [m]")
    plane.set_ylabel(f"{'xyz'[v]} [m]")
    plane.set_title("path", fontweight="bold")
    gap = float(np.sqrt(np.sum((tool[:, -1] - tool[:, 0]) ** 2)))
    plane.set_title(f"end {gap:.2g} m from start", loc="right", fontsize=7.5, color="#8a8a8a")

    distance.plot(t[keep], away[keep], color=RECORDED, linewidth=1.0)
    distance.set_ylim(bottom=0)
    distance.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
    distance.set_xlabel("time [s]")
    distance.set_ylabel("[m]")
    distance.set_title("distance from the target", fontweight="bold")
    k = int(np.argmax(away))
    distance.set_title(
        f"largest {away[k]:.2g} m at {t[k]:.2f} s", loc="right", fontsize=7.5, color="#8a8a8a"
    )
    handles, labels = plane.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=2, frameon=False)
    figure.text(0.015, 0.945, f"{recording.run.scenario}: Tool path", fontsize=11)
    return figure
