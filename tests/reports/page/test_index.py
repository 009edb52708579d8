import re

from sim.checks import Judgement
from sim.recording.schema.verdicts import Check
from sim.reports.page.check_rows import CheckRow
from sim.reports.page.index import IndexRow, write_index
from tests.helpers.page_runs import arm_scene, bad_run, good_run


def written(tmp_path, *rows):
    write_index(tmp_path / "index.html", rows)
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_row_says_verdict_worst_channel_and_leads_to_the_page(tmp_path):
    html = written(
        tmp_path,
        IndexRow.of(good_run(), "good/report.html", arm_scene()),
        IndexRow.of(bad_run(), "bad/report.html", arm_scene()),
    )
    bad, good = re.findall(r"<tr(?: class=\"failed\")?><td class=\"thumb\">.*?</tr>", html, re.S)
    assert "✓ pass" in good
    assert "✗ fail" in bad
    assert 'href="good/report.html"' in good
    assert re.search(r'href="bad/report\.html#ch=[\w.]+&amp;t=[\d.]+"', bad)
    assert "data:image/png" in good
    assert 'class="spark"' in bad
    assert "1 failed, listed first" in html


def test_names_with_markup_are_shown_as_text(tmp_path):
    evil = "<script>alert(1)</script>"
    run = good_run().with_description(scenario=evil)
    assert "<script>alert" not in written(tmp_path, IndexRow.of(run, f"{evil}/report.html"))


def test_the_same_runs_give_the_same_index(tmp_path):
    rows = [IndexRow.of(good_run(), "report.html", arm_scene())]
    assert written(tmp_path, *rows) == written(tmp_path, *rows)


def test_what_failed_comes_first_then_the_nearest_to_its_limit(tmp_path):
    def told(name, used, *, ok=True):
        check = Check("speed", "qd.a", used, 1.0, "rad/s", at=0.0, ok=ok, used=used, plot="qd.a")
        worst = CheckRow.of(Judgement(check))
        return IndexRow(name, f"{name}.html", ok, "", 3, 0 if ok else 1, worst, "", "")

    html = written(
        tmp_path,
        told("easy", 0.1),
        told("hard", 0.9),
        told("lost", None, ok=False),
        told("broken", 1.2, ok=False),
    )
    assert re.findall(r"<b>(\w+)</b>", html) == ["lost", "broken", "hard", "easy"]
    assert "2 failed, listed first" in html


def test_a_reference_leads_to_its_own_view(tmp_path):
    check = Check("reference", "tau.a", 2.0, 1.0, "N·m", at=0.5, ok=False, used=2.0, plot="tau.a")
    row = IndexRow("x", "x.html", False, "", 1, 1, CheckRow.of(Judgement(check)), "", "")
    assert 'href="x.html#ch=tau.a&amp;t=0.5&amp;view=reference"' in written(tmp_path, row)
