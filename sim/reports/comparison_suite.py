"""JUnit XML of many comparisons: one suite, one case per scenario, with the terminal's text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from sim.comparison import ComparisonStatus
from sim.comparison.two_tables import TablesCompared
from sim.reports.junit import as_xml, printable, write_suites


def write_comparison_suite(path: Path, standings: Sequence[tuple[ComparisonStatus, str]]) -> None:
    """Write the comparisons of scenarios with their baselines as JUnit XML, whole or not at all.

    Parameters
    ----------
    path : Path
    standings : sequence of (ComparisonStatus, str)
        Status of each scenario, and the link to its place on its page, or "".

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    write_suites(path, comparison_suite(standings))


def write_tables_suite(path: Path, tables: TablesCompared, page: str = "") -> None:
    """Write the comparison of two tables as JUnit XML, one case per curve and measure.

    Parameters
    ----------
    path : Path
    tables : TablesCompared
    page : str
        File that shows the comparison, or "".

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    root = ET.Element("testsuites")
    differences = tables.result.differences
    name = printable(f"{tables.first} against {tables.second}")
    bad = str(sum(not d.ok for d in differences))
    suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(differences)), failures=bad)
    for d in differences:
        case = ET.SubElement(suite, "testcase", classname=name, name=printable(d.channel))
        if not d.ok:
            message = f"{d.worst:.3g} {d.unit} at {d.at:.6g} s, limit {d.limit:.3g} {d.unit}"
            failure = ET.SubElement(case, "failure", message=printable(message))
            failure.text = printable("\n".join(filter(None, (*tables.result.notes, page))))
    write_suites(path, as_xml(root))


def comparison_suite(standings: Sequence[tuple[ComparisonStatus, str]]) -> bytes:
    """Return the JUnit XML of one suite, ``comparison``, UTF-8."""
    root = ET.Element("testsuites")
    bad = sum(not standing.ok for standing, _ in standings)
    count = str(len(standings))
    suite = ET.SubElement(root, "testsuite", name="comparison", tests=count, failures=str(bad))
    for standing, href in standings:
        name = printable(standing.scenario)
        case = ET.SubElement(suite, "testcase", classname="comparison", name=name)
        if not standing.ok:
            failure = ET.SubElement(case, "failure", message=printable(standing.text))
            failure.text = printable("\n".join(filter(None, (*standing.lines(), href))))
    return as_xml(root)
