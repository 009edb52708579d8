"""Shared parts of self-contained pages: templates, data of the script, provenance."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import RecordingError
from sim.recording.files.whole_files import write_bytes
from sim.recording.schema.provenance import of_this_process, text_hash
from sim.robots.robot import Robot

if TYPE_CHECKING:
    import jinja2

PROGRAMS = ("sim", "numpy", "scipy")
TEMPLATE = Path(__file__).parent / "template"


@cache
def environment_of(folder: Path) -> jinja2.Environment:
    """Return an environment for templates of a folder with autoescape and filter ``shared``."""
    import jinja2

    from sim.reports.page.compiled_templates import CompiledTemplates

    loader = CompiledTemplates(folder)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["shared"] = share_paths
    return environment


def render(
    template: str,
    folder: Path = TEMPLATE,
    *,
    style: str | None = None,
    extra: str = "",
    scripts: Sequence[str] = (),
    **values: Any,
) -> str:
    """Render a self-contained HTML page.

    Parameters
    ----------
    template : str
        Its file in `folder`.
    style, extra : str
        Style sheets; `style` defaults to that of all pages.
    scripts : sequence of str
        Scripts that the page may run.
    **values
        Values of the template.
    """
    style = (page_style() if style is None else style) + extra
    page = environment_of(folder).get_template(template)
    return page.render(style=style, policy=policy(scripts, style), **values)


def write_html(path: Path, html: str) -> None:
    """Write a page, replacing any other.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    try:
        write_bytes(path, html.encode("utf-8"))
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from error


def policy(scripts: Sequence[str], style: str) -> str:
    """Return a Content-Security-Policy of these scripts, this style and embedded pictures only."""

    def hashes(texts: Sequence[str]) -> str:
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts]
        return " ".join(f"'sha256-{digest.decode()}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes([style])}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def asset(name: str, folder: Path = TEMPLATE) -> str:
    """Return the text of a file in a folder of templates."""
    return (folder / name).read_text(encoding="utf-8")


def page_style() -> str:
    """Return the style of all pages, for screens of every width and for paper."""
    return "".join(map(asset, ("style.css", "phones.css", "paper.css")))


# Home folders of any machine: a page may be read on another one than that of the run.
_HOME = re.compile(
    r"(?:/home/[^/\s'\"]+|/Users/[^/\s'\"]+|/root|[A-Za-z]:\\Users\\[^\\\s'\"]+)(?=[/\\\s'\"]|$)"
)


def share_paths(text: str) -> str:
    """Return text with paths relative to the working folder or to ``~``, to be shared."""
    here = str(Path.cwd())
    if len(here) > 1:
        text = text.replace(f"{here}{os.sep}", "")
    return _HOME.sub("~", re.sub(re.escape(str(Path.home())) + r"(?=[/\\\s'\"]|$)", "~", text))


def within_script(json: str) -> str:
    """Return JSON that cannot end the element that contains it."""
    return json.replace("<", "\\u003c").replace("&", "\\u0026")


def provenance_rows(robot: Robot | None = None) -> list[tuple[str, str]]:
    """Return heading and text of each line of provenance, for a page by this process."""
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
