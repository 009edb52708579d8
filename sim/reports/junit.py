"""JUnit XML: every check of every run as a test case, for the machines that read such."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

from sim.errors import RecordingError
from sim.reports.page.judged import plotted_channel

FILE = "junit.xml"
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(path: Path, runs: Sequence[tuple[Mapping[str, Any], str]]) -> None:
    """Write the checks of judged runs as JUnit XML.

    Parameters
    ----------
    path : Path
    runs : sequence of (mapping, str)
        Description of each run, and the way to its page; a failure says the page's place.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    try:
        path.write_bytes(junit(runs))
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from error


def junit(runs: Sequence[tuple[Mapping[str, Any], str]]) -> bytes:
    """JUnit XML of judged runs, UTF-8."""
    root = ET.Element("testsuites")
    for info, href in runs:
        checks = info["checks"]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_text(info["scenario"]),
            tests=str(len(checks)),
            failures=str(sum(not check["ok"] for check in checks)),
        )
        for check in checks:
            name = f"{check['name']} {check['channel']}"
            case = ET.SubElement(
                suite, "testcase", classname=_text(info["scenario"]), name=_text(name)
            )
            if not check["ok"]:
                worst = (
                    f"{_number(check['worst'])} {check['unit']} at {_number(check['at'])} s, "
                    f"limit {_number(check['limit'])} {check['unit']}"
                )
                failure = ET.SubElement(case, "failure", message=_text(worst))
                place = urlencode({"ch": plotted_channel(check), "t": check["at"]})
                failure.text = _text(f"{href}#{place}")
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _number(value: float | None) -> str:
    return "no number" if value is None else f"{value:.6g}"


def _text(value: object) -> str:
    """Text without the characters that XML has no way to hold."""
    return UNPRINTABLE.sub("\ufffd", str(value))
