from xml.etree import ElementTree as ET

import pytest

from sim.comparison import ComparisonStatus
from sim.errors import RecordingError
from sim.reports.comparison_suite import comparison_suite, write_comparison_suite
from tests.comparison.test_standing import APART, LOST, SAME


def test_a_case_a_scenario_with_the_words_and_the_place_of_what_differs():
    place = "crane/report.html#ch=tau.a&t=0.512&view=compared"
    root = ET.fromstring(comparison_suite([(SAME, "arm/report.html"), (APART, place), (LOST, "")]))
    (suite,) = root.findall("testsuite")
    assert suite.attrib == {"name": "comparison", "tests": "3", "failures": "2"}
    same, apart, lost = suite.findall("testcase")
    assert [case.get("name") for case in suite] == ["arm", "crane", "drill"]
    assert list(same) == []
    (failure,) = apart
    assert failure.get("message") == "crane differs first at 0.512 s (qd.a)"
    assert failure.text.splitlines() == [*APART.lines(), place]
    assert lost[0].get("message") == "drill: no run: none in results/runs"


def test_what_xml_cannot_hold_is_replaced(tmp_path):
    path = tmp_path / "junit.xml"
    write_comparison_suite(path, [(ComparisonStatus("a\x00<b>", missing="no run"), "")])
    assert ET.parse(path).find(".//testcase").get("name") == "a\ufffd<b>"


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(RecordingError, match=r"Cannot write .*gone"):
        write_comparison_suite(tmp_path / "gone" / "junit.xml", [])
