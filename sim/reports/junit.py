"""JUnit XML: every check of every run as a test case, for continuous integration."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

from sim.recording.files.named_file import write_named
from sim.recording.schema.description import Run
from sim.recording.schema.verdicts import Check

FILE = "junit.xml"
KIND = ".xml"
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(path: Path, runs: Sequence[tuple[Run, str]]) -> None:
    """Write the checks of judged runs as JUnit XML.

    Parameters
    ----------
    path : Path
    runs : sequence of (Run, str)
        Description of each run, and the path to its page, or to its folder without a page, to
        which a failure links.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    write_suites(path, junit(runs))


def write_suites(path: Path, data: bytes) -> None:
    """Write the XML of suites, whole or not at all; raises the errors of `write_named`."""
    write_named(path, data, KIND)


def as_xml(root: ET.Element) -> bytes:
    """Return an element as the content of a file, UTF-8."""
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def relative_path(run: Run, folder: Path, path: Path) -> str:
    """Return the path from a file to the page of a run, or to its folder without a page."""
    place = folder if run.page is None else folder / run.page
    return Path(os.path.relpath(place.resolve(), path.parent.resolve())).as_posix()


def junit(runs: Sequence[tuple[Run, str]]) -> bytes:
    """Return the JUnit XML of judged runs, UTF-8."""
    root = ET.Element("testsuites")
    for run, href in runs:
        suite = ET.SubElement(
            root,
            "testsuite",
            name=printable(run.scenario),
            tests=str(len(run.checks)),
            failures=str(sum(not check.ok for check in run.checks)),
        )
        for check in run.checks:
            name = printable(f"{check.name} {check.channel}")
            case = ET.SubElement(suite, "testcase", classname=printable(run.scenario), name=name)
            if not check.ok:
                failure = ET.SubElement(case, "failure", message=printable(_worst(check)))
                failure.text = printable(_place(href, check))
    return as_xml(root)


def _place(href: str, check: Check) -> str:
    if PurePosixPath(href).suffix != ".html":
        return href
    return f"{href}#{urlencode({'ch': check.plot, 't': check.at})}"


def _worst(check: Check) -> str:
    return (
        f"{_number(check.worst)} {check.unit} at {_number(check.at)} s, "
        f"limit {_number(check.limit)} {check.unit}"
    )


def _number(value: float | None) -> str:
    return "no number" if value is None else f"{value:.6g}"


def printable(value: object) -> str:
    """Return text without the characters that XML does not allow."""
    return UNPRINTABLE.sub("\ufffd", str(value))
