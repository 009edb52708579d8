from xml.etree import ElementTree as ET

import pytest

from tests.helpers.command_scripts import script_text


@pytest.fixture
def run_both(sim_command, swing):
    """Run two scenarios into the folder ``all``."""
    (swing / "other.py").write_text(script_text(), encoding="utf-8")
    return lambda *more: sim_command("run", "swing.py", "other.py", "--out", "all", *more)


def test_several_runs_leave_an_index_and_a_junit_file(run_both, swing):
    done = run_both()
    assert done.status == 0
    assert done.out.endswith("index    all/index.html\n2 of 2 pass\n")
    index = (swing / "all" / "index.html").read_text("utf-8")
    for name in ("swing", "other"):
        assert f'href="{name}/report.html"' in index
    suites = ET.parse(swing / "all" / "junit.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["swing", "other"]
    assert [suite.get("failures") for suite in suites] == ["0", "0"]
    assert len(suites[0]) == int(suites[0].get("tests")) > 20


def test_without_reports_there_is_no_index(run_both, swing):
    assert run_both("--no-report").status == 0
    assert {path.name for path in (swing / "all").iterdir()} == {"swing", "other"}
