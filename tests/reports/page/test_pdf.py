"""`sim report --pdf`: the page printed by a browser, or one line that says what is missing."""

import re

import pytest

from sim.reports.page import pdf
from tests.helpers.command_scripts import write_swing


@pytest.fixture
def page(sim_command, tmp_path):
    write_swing(tmp_path)
    assert sim_command("run", "swing.py", "--no-report", "--out", "a").status == 0


def pages_of(data):
    return len(re.findall(rb"/Type\s*/Page\b", data))


@pytest.mark.rotates(2)
def test_the_page_is_printed_with_all_its_sections(sim_command, page, tmp_path):
    if pdf.find_browser() is None:
        pytest.skip("no browser that prints")
    done = sim_command("report", "a", "--pdf")
    assert done.status == 0, done.err
    data = (tmp_path / "a" / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert 3 <= pages_of(data) <= 20
    assert sim_command("report", "a", "--pdf").status == 0  # replaces its own


def test_without_a_browser_one_line_says_what_is_missing(sim_command, page, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "BROWSERS", ("no-such-browser",))
    done = sim_command("report", "a", "--pdf", "b.pdf")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "apt-get install chromium" in done.err
    assert not (tmp_path / "b.pdf").exists()


def test_a_file_of_a_user_is_not_replaced(sim_command, page, tmp_path):
    if pdf.find_browser() is None:
        pytest.skip("no browser that prints")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 of mine")
    done = sim_command("report", "a", "--pdf", "b.pdf")
    assert done.status == 2
    assert (tmp_path / "b.pdf").read_bytes() == b"%PDF-1.4 of mine"
