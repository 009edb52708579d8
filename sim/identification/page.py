"""The page of an identification: one HTML file that holds everything it shows."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np

from sim.identification.result import Identification
from sim.identification.scores import compare_cutoffs
from sim.identification.summary import (
    friction_cells,
    head_lines,
    plus_minus,
    share,
    tail_lines,
)
from sim.recording.files.named_file import write_named
from sim.recording.plot_style import ANALYTIC, RECORDED, STYLE
from sim.reports.page.page import page_style, policy
from sim.reports.page.standalone import environment_of, provenance_rows

TEMPLATE = Path(__file__).with_name("template")
_POINTS = 1500  # of a curve in the figure


def write_page(found: Identification, path: Path) -> None:
    """Write the page of an identification.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that sim did not write.
    """
    write_named(path, page(found).encode("utf-8"), ".html")


def page(found: Identification) -> str:
    """HTML of the page."""
    style = page_style() + (TEMPLATE / "identification.css").read_text(encoding="utf-8")
    loaded = found.is_of_payload
    return (
        environment_of(TEMPLATE)
        .get_template("identification.html.j2")
        .render(
            style=style,
            policy=policy([], style),
            title=f"{found.robot.name} from {found.log.source}",
            what="Payload and friction" if loaded else "Friction and inertias",
            head=head_lines(found),
            tail=tail_lines(found),
            figure=figure(found),
            joints=[(score, friction_cells(found, score.joint)) for score in found.scores],
            cutoffs=compare_cutoffs(found),
            share=share,
            parameters=[(one, plus_minus(one)) for one in found.parameters],
            provenance=provenance_rows(found.robot),
        )
    )


def figure(found: Identification) -> str:
    """Measured and fitted torque of each joint over time, and what is left, as SVG in base64."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    own = found.equations
    fitted = own.torques - own.residuals(found.x)
    known = own.samples.low_pass(own.samples.tau, own.cutoff) - own.torques  # of a held arm
    usable = own.samples.usable(own.cutoff)
    every = max(1, own.samples.t.size // _POINTS)
    t = np.where(usable, own.samples.t, np.nan)[::every]
    with mpl.rc_context({**STYLE, "svg.hashsalt": "sim", "svg.fonttype": "none"}):
        n = len(found.scores)
        drawn = Figure(figsize=(9.5, 1.7 * n + 0.6), layout="constrained")
        axes = np.ravel(drawn.subplots(n, 1, sharex=True, squeeze=False))
        for row, (axis, score) in enumerate(zip(axes, found.scores, strict=True)):
            measured = (own.torques + known)[row, ::every]
            axis.plot(t, measured, color=RECORDED, lw=1.1, label="measured")
            axis.plot(t, (fitted + known)[row, ::every], color=ANALYTIC, lw=0.9, label="fitted")
            left = own.residuals(found.x)[row, ::every]
            axis.fill_between(t, left, color="0.6", lw=0, alpha=0.6, label="residual")
            axis.set_ylabel(f"{score.joint.removesuffix('_joint')}\n[{score.unit}]")
        axes[-1].set_xlabel("time [s]")
        handles, labels = axes[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
        block = io.StringIO()
        drawn.savefig(block, format="svg", metadata={"Date": None, "Creator": None})
    return base64.b64encode(block.getvalue().encode("utf-8")).decode()
