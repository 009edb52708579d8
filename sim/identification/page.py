"""Page of an identification: one self-contained HTML file."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np

from sim.identification.result import Identification
from sim.identification.scores import compare_cutoffs
from sim.identification.summary import friction_cells, head_lines, plus_minus, share, tail_lines
from sim.recording.files.named_file import write_named
from sim.recording.plot_style import ANALYTIC, RECORDED, STYLE
from sim.reports.page.standalone import asset, provenance_rows, render

TEMPLATE = Path(__file__).with_name("template")
_POINTS = 1500  # points of a curve in the figure


def write_page(identification: Identification, path: Path) -> None:
    """Write the page of an identification.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, page(identification).encode("utf-8"), ".html")


def page(identification: Identification) -> str:
    """Return the HTML of the page."""
    loaded = identification.is_of_payload
    return render(
        "identification.html.j2",
        TEMPLATE,
        extra=asset("identification.css", TEMPLATE),
        title=f"{identification.robot.name} from {identification.log.source}",
        what="Payload and friction" if loaded else "Friction and inertias",
        head=head_lines(identification),
        tail=tail_lines(identification),
        figure=figure(identification),
        joints=[
            (score, friction_cells(identification, score.joint)) for score in identification.scores
        ],
        cutoffs=compare_cutoffs(identification),
        share=share,
        parameters=[(one, plus_minus(one)) for one in identification.parameters],
        provenance=provenance_rows(identification.robot),
    )


def figure(identification: Identification) -> str:
    """Plot measured and fitted torque of each joint over time, and the residual, as base64 SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    equations = identification.equations
    fitted = equations.torques - equations.residuals(identification.x)
    known = (
        equations.samples.low_pass(equations.samples.tau, equations.cutoff) - equations.torques
    )  # of an arm at rest
    usable = equations.samples.usable(equations.cutoff)
    every = max(1, equations.samples.t.size // _POINTS)
    t = np.where(usable, equations.samples.t, np.nan)[::every]
    with mpl.rc_context({**STYLE, "svg.hashsalt": "sim", "svg.fonttype": "none"}):
        n = len(identification.scores)
        drawn = Figure(figsize=(9.5, 1.7 * n + 0.6), layout="constrained")
        axes = np.ravel(drawn.subplots(n, 1, sharex=True, squeeze=False))
        for row, (axis, score) in enumerate(zip(axes, identification.scores, strict=True)):
            measured = (equations.torques + known)[row, ::every]
            axis.plot(t, measured, color=RECORDED, lw=1.1, label="measured")
            axis.plot(t, (fitted + known)[row, ::every], color=ANALYTIC, lw=0.9, label="fitted")
            residual = equations.residuals(identification.x)[row, ::every]
            axis.fill_between(t, residual, color="0.6", lw=0, alpha=0.6, label="residual")
            axis.set_ylabel(f"{score.joint.removesuffix('_joint')}\n[{score.unit}]")
        axes[-1].set_xlabel("time [s]")
        handles, labels = axes[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
        block = io.StringIO()
        drawn.savefig(block, format="svg", metadata={"Date": None, "Creator": None})
    return base64.b64encode(block.getvalue().encode("utf-8")).decode()
