import xml.etree.ElementTree as ET

from sim.reports.junit import junit, write_junit
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
    odd = bad_run().described(scenario="a\x00b<c>&\ud800")
    write_junit(tmp_path / "junit.xml", [(odd.run, "report.html")])
    (suite,) = ET.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("name") == "a\ufffdb<c>&\ufffd"
