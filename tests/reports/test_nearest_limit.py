import math
import re
from html.parser import HTMLParser

import pytest

from sim.checks import Judgement
from sim.recording.schema.verdicts import Check
from sim.reports.nearest_limit import by_nearness, share_of
from sim.reports.page.index import IndexRow, write_index
from sim.reports.page.page import page
from sim.reports.page.page_meta import VisibleChannels
from sim.reports.terminal.many_runs import row
from sim.reports.terminal.summary import summary
from tests.helpers.page_runs import bad_run, good_run
from tests.helpers.terminal_texts import line_of, printed


def judged(used, *, ok=True, worst=0.0, limit=1.0, bounds=None):
    check = Check("speed", f"qd.{used}", worst, limit, "rad/s", at=0.0, ok=ok, used=used)
    return Judgement(check, bounds=bounds)


def words(html):
    """Text of a document or of a part, without its scripts, as one line."""
    found = []
    reader = HTMLParser()
    reader.handle_data = found.append
    reader.feed(re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S))
    return " ".join("".join(found).split())


def test_what_failed_comes_first_then_the_nearest_and_what_is_alike_stays_as_it_came():
    few, most, alike = judged(0.1), judged(0.9), judged(0.1)
    failed, lost = judged(0.2, ok=False), judged(None, ok=False)
    assert by_nearness([few, alike, most, failed, lost]) == [lost, failed, most, few, alike]


def test_of_two_ranges_used_alike_the_one_that_leaves_less_is_nearer():
    wide = judged(0.5, worst=3.0, limit=6.0, bounds="end")
    narrow = judged(0.5, worst=0.5, limit=1.0, bounds="end")
    assert by_nearness([wide, narrow]) == [narrow, wide]


@pytest.mark.parametrize(
    ("used", "ok", "text"),
    [
        (0.0, True, "0 %"),
        (0.654, True, "65 %"),
        (0.9996, True, "99.96 %"),  # not 100: it is inside
        (1.0, True, "100 %"),
        (1.004, False, "100.4 %"),  # not 100: it is beyond
        (12.34, False, "12.3 ×"),
        (None, False, "–"),
        (math.inf, False, "–"),
    ],
)
def test_a_share_tells_the_side_of_the_limit(used, ok, text):
    assert share_of(judged(used, ok=ok).check) == text


@pytest.mark.parametrize("recording", [good_run(), bad_run()], ids=["passes", "fails"])
def test_terminal_page_and_index_name_the_same_check_with_the_same_share(recording, tmp_path):
    # The oracle is the list of checks in the description, by the definition of the words.
    checks = recording.run.checks
    worst = max(checks, key=lambda c: (not c.ok, math.inf if c.used is None else c.used))
    share = f"{100 * worst.used:.0f} %" if worst.used < 10 else f"{worst.used:.3g} ×"
    assert f"{share} {worst.name} {worst.channel}\n" in printed(row(recording, ["swing"]), 120)
    html = page(VisibleChannels.of(recording))
    (told,) = re.findall(r'<p id="nearest".*?</p>', html, re.S)
    assert f"{worst.name} {worst.channel}, " in words(told)
    assert share in words(told)
    write_index(tmp_path / "index.html", [IndexRow.of(recording, "report.html")])
    (line,) = re.findall(r"<tbody>(.*)</tbody>", (tmp_path / "index.html").read_text("utf-8"), re.S)
    assert f"{worst.name} {worst.channel}" in words(line)
    assert share in words(line)


def test_the_first_failure_of_the_terminal_is_that_of_the_page():
    first = line_of(printed(summary(bad_run(), None), 200), "failed")
    html = page(VisibleChannels.of(bad_run()))
    (told,) = re.findall(r'<p id="nearest".*?</p>', html, re.S)
    name = re.search(r"failed +(.+?):", first)[1]
    assert words(told).startswith(f"Fails: {name}, ")
