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


def write_page(found: Workspace, path: Path) -> None:
    """Write the page of a workspace.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that sim did not write.
    """
    write_named(path, page(found).encode("utf-8"), ".html")


def page(found: Workspace) -> str:
    """HTML of the page."""
    chart = map_chart(found)
    left, top, right, _ = chart.ends
    scale = (right - left) / (chart.x[1] - chart.x[0])
    data = page_data(found) | {"frame": [left, top, chart.x[0], chart.y[1], scale]}
    style = page_style() + asset("charts.css") + _text("workspace.css")
    script = _text("workspace.js")
    lines = summary_lines(found)
    load = f", {found.payload:g} kg at the tool" if found.payload else ""
    return (
        environment_of(TEMPLATE)
        .get_template("workspace.html.j2")
        .render(
            style=style,
            script=script,
            policy=policy([script], style),
            title=f"Workspace of {found.robot.name}, {found.section.text}{load}",
            ok=found.check.ok,
            head=lines[0][1],
            maps=[(one, picture(found, one, samples=one is found.maps[0])) for one in found.maps],
            over=any(one.name == "gravity" and (one.values > 1).any() for one in found.maps),
            rated=any(one.joint is not None for one in found.maps),
            lines=lines[1:],
            data=within_script(json_text(data)),
            blocks=blocks(found),
            provenance=provenance_rows(found.robot),
        )
    )


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")
