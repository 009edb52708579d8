"""The page of a workspace: one HTML file that holds everything it shows and loads nothing else."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sim.recording.files.named_file import write_named
from sim.recording.files.whole_files import json_text
from sim.recording.schema.provenance import of_this_process, text_hash
from sim.reports.page.page import page_style, policy
from sim.workspaces.page_data import blocks, page_data
from sim.workspaces.picture import LEFT, TOP, Frame, picture
from sim.workspaces.summary import summary_lines
from sim.workspaces.workspace import Workspace

if TYPE_CHECKING:
    import jinja2

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
    frame = Frame.of(found)
    data = page_data(found) | {"frame": [LEFT, TOP, frame.u[0], frame.v[1], frame.scale]}
    style, script = page_style() + _text("workspace.css"), _text("workspace.js")
    lines = summary_lines(found)
    load = f", {found.payload:g} kg at the tool" if found.payload else ""
    return (
        _environment()
        .get_template("workspace.html.j2")
        .render(
            style=style,
            script=script,
            policy=policy([script], style),
            title=f"{found.robot.name} in {found.section.text}{load}",
            ok=found.check.ok,
            head=lines[0][1],
            maps=[(one, picture(found, one, samples=one is found.maps[0])) for one in found.maps],
            over=any(one.name == "gravity" and (one.values > 1).any() for one in found.maps),
            rated=any(one.joint is not None for one in found.maps),
            lines=lines[1:],
            data=json_text(data).replace("<", "\\u003c").replace("&", "\\u0026"),
            blocks=blocks(found),
            provenance=_provenance(found),
        )
    )


def _provenance(found: Workspace) -> list[tuple[str, str]]:
    facts = of_this_process()
    used = ", ".join(f"{name} {facts.versions[name]}" for name in ("sim", "numpy", "scipy"))
    return [
        ("Command", shlex.join(facts.command)),
        ("Robot", f"{found.robot.name} (URDF with payload, SHA-256 {text_hash(found.robot.text)})"),
        ("Made", facts.created),
        ("Versions", f"Python {facts.python}, {used}"),
        ("Machine", facts.platform),
    ]


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    loader = jinja2.FileSystemLoader(TEMPLATE)
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
