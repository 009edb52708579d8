"""JUnit XML of the manual: a suite per chapter, a test case per quantity and method."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

from sim.reports.junit import as_xml, printable, write_suites
from sim.verification.to_terminal import failure_text
from sim.verification.verdict import CaseVerdict


def write_suite(path: Path, verdicts: Sequence[CaseVerdict]) -> None:
    """Write verdicts as JUnit XML, whole or not at all.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    write_suites(path, suite(verdicts))


def suite(verdicts: Sequence[CaseVerdict]) -> bytes:
    """Return the JUnit XML of verdicts, UTF-8; missing methods are skipped by name."""
    root = ET.Element("testsuites")
    for chapter, group in groupby(verdicts, key=lambda one: one.filed.chapter):
        within = list(group)
        readings = [one for verdict in within for one in verdict.readings]
        skips = sum(len(verdict.skipped) for verdict in within)
        of_chapter = ET.SubElement(
            root,
            "testsuite",
            name=chapter,
            tests=str(len(readings) + skips),
            failures=str(sum(not one.ok for one in readings)),
            skipped=str(skips),
            time=f"{sum(verdict.seconds for verdict in within):.3f}",
        )
        for verdict in within:
            _add(of_chapter, verdict)
    return as_xml(root)


def _add(of_chapter: ET.Element, verdict: CaseVerdict) -> None:
    filed = verdict.filed
    where = printable(f"{filed.chapter}.{filed.name}")
    for one in verdict.readings:
        name = printable(f"{one.quantity} ({one.method.title})")
        case = ET.SubElement(of_chapter, "testcase", classname=where, name=name)
        if not one.ok:
            failure = ET.SubElement(case, "failure", message=printable(failure_text(one)))
            failure.text = printable(f"{filed.case.source}\n{filed.command}")
    for method, why in verdict.skipped.items():
        case = ET.SubElement(
            of_chapter, "testcase", classname=where, name=printable(method or filed.name)
        )
        ET.SubElement(case, "skipped", message=printable(why))
