import re

from sim.reports.page.index import Row, write_index
from tests.helpers.page_runs import arm_scene, bad_run, good_run


def written(tmp_path, *rows):
    write_index(tmp_path / "index.html", rows)
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_row_says_verdict_worst_channel_and_leads_to_the_page(tmp_path):
    html = written(
        tmp_path,
        Row.of(good_run(), "good/report.html", arm_scene()),
        Row.of(bad_run(), "bad/report.html", arm_scene()),
    )
    good, bad = re.findall(r"<tr(?: class=\"failed\")?><td class=\"thumb\">.*?</tr>", html, re.S)
    assert "✓ pass" in good
    assert "✗ fail" in bad
    assert 'href="good/report.html"' in good
    assert re.search(r'href="bad/report\.html#ch=[\w.]+&amp;t=[\d.]+"', bad)
    assert "data:image/png" in good
    assert 'class="spark"' in bad
    assert "1 of them failed" in html


def test_names_with_markup_are_shown_as_text(tmp_path):
    evil = "<script>alert(1)</script>"
    run = good_run().described(scenario=evil)
    assert "<script" not in written(tmp_path, Row.of(run, f"{evil}/report.html"))


def test_the_same_runs_give_the_same_index(tmp_path):
    rows = [Row.of(good_run(), "report.html", arm_scene())]
    assert written(tmp_path, *rows) == written(tmp_path, *rows)
