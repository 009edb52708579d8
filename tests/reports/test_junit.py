import xml.etree.ElementTree as ET

import pytest

from sim.errors import RecordingError
from sim.reports.junit import junit, relative_path, write_junit
from tests.helpers.page_runs import bad_run, good_run


def test_every_check_is_a_case_and_every_failure_leads_to_its_place():
    root = ET.fromstring(junit([(good_run().run, "a/report.html"), (bad_run().run, "b.html")]))
    good, bad = root
    checks = bad_run().run.checks
    assert len(good.findall("testcase")) == len(good_run().run.checks)
    assert good.get("failures") == "0"
    failed = [check for check in checks if not check.ok]
    assert int(bad.get("failures")) == len(failed) > 0
    assert int(bad.get("tests")) == len(checks)
    torque = next(c for c in bad if c.get("name") == "torque tau.elbow")
    assert torque.find("failure").text == "b.html#ch=tau.elbow&t=0.25"
    assert "limit" in torque.find("failure").get("message")


def test_names_that_xml_cannot_hold_are_written_all_the_same(tmp_path):
    odd = bad_run().with_description(scenario="a\x00b<c>&\ud800")
    write_junit(tmp_path / "junit.xml", [(odd.run, "report.html")])
    (suite,) = ET.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("name") == "a\ufffdb<c>&\ufffd"


def test_a_failure_of_a_run_without_a_page_leads_to_its_folder(tmp_path):
    (suite,) = ET.fromstring(junit([(bad_run().run, "../runs/a")]))
    assert {failure.text for failure in suite.iter("failure")} == {"../runs/a"}


def test_the_way_to_a_run_begins_at_the_file(tmp_path):
    run, paged = bad_run().run, bad_run().with_description(page="report.html").run
    file = tmp_path / "ci" / "junit.xml"
    assert relative_path(run, tmp_path / "runs" / "a", file) == "../runs/a"
    assert relative_path(paged, tmp_path / "ci" / "a", file) == "a/report.html"


def test_an_older_file_stays_whole_until_the_new_one_is(tmp_path, monkeypatch):
    file = tmp_path / "junit.xml"
    write_junit(file, [(good_run().run, "a")])
    before = file.read_bytes()

    def full(self, data):
        with self.open("wb") as begun:
            begun.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(file), "write_bytes", full)
    with pytest.raises(RecordingError, match=r"Cannot write .*junit.xml: No space left"):
        write_junit(file, [(bad_run().run, "b")])
    assert file.read_bytes() == before
