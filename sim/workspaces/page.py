"""The page of a workspace: one HTML file that holds everything it shows and loads nothing else."""

from __future__ import annotations

from pathlib import Path

from sim.recording.files.named_file import write_named
from sim.recording.files.whole_files import json_text
from sim.reports.page.page import asset, page_style, policy
from sim.reports.page.standalone import environment_of, provenance_rows, within_script
from sim.workspaces.page_data import blocks, page_data
from sim.workspaces.picture import map_chart, picture
from sim.workspaces.summary import summary_lines
from sim.workspaces.workspace import Workspace

FILE = "workspace.html"
TEMPLATE = Path(__file__).with_name("template")


def write_page(workspace: Workspace, path: Path) -> None:
    """Write the page of a workspace.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that sim did not write.
    """
    write_named(path, page(workspace).encode("utf-8"), ".html")


def page(workspace: Workspace) -> str:
    """HTML of the page."""
    chart = map_chart(workspace)
    left, top, right, _ = chart.ends
    scale = (right - left) / (chart.x[1] - chart.x[0])
    data = page_data(workspace) | {"frame": [left, top, chart.x[0], chart.y[1], scale]}
    style = page_style() + asset("charts.css") + _text("workspace.css")
    script = _text("workspace.js")
    lines = summary_lines(workspace)
    load = f", {workspace.payload:g} kg at the tool" if workspace.payload else ""
    return (
        environment_of(TEMPLATE)
        .get_template("workspace.html.j2")
        .render(
            style=style,
            script=script,
            policy=policy([script], style),
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
    )


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")
