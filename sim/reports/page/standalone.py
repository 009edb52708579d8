"""Shared parts of pages that are one file: templates, data of the script, provenance."""

from __future__ import annotations

import os
import re
import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sim.recording.schema.provenance import of_this_process, text_hash
from sim.robots.robot import Robot

if TYPE_CHECKING:
    import jinja2

PROGRAMS = ("sim", "numpy", "scipy")


@cache
def environment_of(folder: Path) -> jinja2.Environment:
    """Templates of a folder, which escape all values; filter ``shared`` is `share_paths`."""
    import jinja2

    from sim.reports.page.compiled_templates import CompiledTemplates

    loader = CompiledTemplates(folder)
    made = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    made.filters["shared"] = share_paths
    return made


# Home folders of any machine: a page may be read on another one than that of the run.
_HOME = re.compile(
    r"(?:/home/[^/\s'\"]+|/Users/[^/\s'\"]+|/root|[A-Za-z]:\\Users\\[^\\\s'\"]+)(?=[/\\\s'\"]|$)"
)


def share_paths(text: str) -> str:
    """Text for a page that others read: paths start at the working folder or at ``~``."""
    here = str(Path.cwd())
    if len(here) > 1:
        text = text.replace(f"{here}{os.sep}", "")
    return _HOME.sub("~", re.sub(re.escape(str(Path.home())) + r"(?=[/\\\s'\"]|$)", "~", text))


def within_script(json: str) -> str:
    """JSON that cannot end the element it stands in."""
    return json.replace("<", "\\u003c").replace("&", "\\u0026")


def provenance_rows(robot: Robot | None = None) -> list[tuple[str, str]]:
    """Heading and text of each line on how a page was made, by this process."""
    facts = of_this_process()
    used = ", ".join(f"{name} {facts.versions[name]}" for name in PROGRAMS)
    rows = [
        ("Command", share_paths(shlex.join(facts.command))),
        ("Made", facts.created),
        ("Versions", f"Python {facts.python}, {used}"),
        ("Machine", facts.platform),
    ]
    if robot is not None:
        text = f"{robot.name} (SHA-256 of the URDF, with any payload: {text_hash(robot.text)})"
        rows.insert(1, ("Robot", text))
    return rows
