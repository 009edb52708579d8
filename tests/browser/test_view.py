"""The view in three dimensions and the marks in time, in a real Chromium."""

from __future__ import annotations

import pytest

from sim.reports.page.page import write_page
from tests.browser.test_page import CHROMIUM, SOFTWARE, Opened, sync_api
from tests.helpers.page_runs import arm_scene, good_run
from tests.helpers.short_runs import DURATION

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium"
)


@pytest.fixture(scope="module")
def chromium():
    with sync_api.sync_playwright() as playwright:
        args = ["--no-sandbox", *SOFTWARE]
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "report.html"
    write_page(path, good_run(), arm_scene())
    return path


@pytest.fixture(scope="module")
def shared(chromium, path):
    opened = Opened(chromium, path).ready()
    yield opened
    assert opened.errors == []
    opened.close()


@pytest.fixture
def opened(shared):
    """The page as it is when it opens."""
    shared.seek(0)
    shared.js("document.activeElement.blur()")
    for key in ("x", "1"):
        shared.page.keyboard.press(key)
    return shared


def marks(opened):
    found = opened.js("run.state.marks")
    return found["a"], found["b"]


def flags(opened):
    """Where the letters stand on the time bar, as parts of it."""
    return opened.js(
        """Object.fromEntries([...document.querySelectorAll('#flags b')].map((flag) => {
          const bar = flag.parentElement.getBoundingClientRect();
          const { left, right } = flag.getBoundingClientRect();
          const at = flag.classList.contains('a') ? right - 1 : left + 1;
          return [flag.textContent, (at - bar.left) / bar.width];
        }))"""
    )


def test_a_and_b_mark_the_present_time_on_the_bar_and_x_takes_both_away(opened):
    assert marks(opened) == (None, None)
    opened.seek(0.1)
    opened.page.keyboard.press("a")
    opened.seek(0.2)
    opened.page.keyboard.press("b")
    assert marks(opened) == (0.1, 0.2)
    pixel = 1 / 100  # the bar is more than 100 pixels wide
    assert flags(opened) == {
        "A": pytest.approx(0.1 / DURATION, abs=2 * pixel),
        "B": pytest.approx(0.2 / DURATION, abs=2 * pixel),
    }
    opened.page.keyboard.press("x")
    assert (marks(opened), flags(opened)) == ((None, None), {})


def test_buttons_mark_too_and_a_mark_out_of_order_takes_the_other_away(opened):
    opened.seek(0.2)
    opened.page.click("[data-ab=a]")
    opened.seek(0.1)
    opened.page.click("[data-ab=b]")
    assert marks(opened) == (None, 0.1)
    opened.page.click("[data-ab=a]")  # a stretch of no length is none
    assert marks(opened) == (0.1, None)
    opened.page.click("#unmark")
    assert marks(opened) == (None, None)


def test_a_loop_plays_between_the_marks(opened):
    opened.js("run.seek(0.1)")
    opened.page.keyboard.press("a")
    opened.js("run.seek(0.15)")
    opened.page.keyboard.press("b")
    opened.page.keyboard.press("l")
    opened.js(
        """run.times = []; run.watch = () => { run.times.push(run.state.t);
        if (run.state.playing) requestAnimationFrame(run.watch); };
        run.play(); run.watch();"""
    )
    opened.until("run.times.length > 3 && run.times.some((t, k) => k && t < run.times[k - 1])")
    opened.page.keyboard.press(" ")
    opened.page.keyboard.press("l")
    times = opened.js("run.times")
    assert 0.1 <= min(times[1:])
    assert max(times[1:]) <= 0.15


def test_the_address_keeps_the_marks(chromium, opened, path):
    opened.seek(0.05)
    opened.page.keyboard.press("a")
    opened.seek(0.25)
    opened.page.keyboard.press("b")
    opened.until("location.hash.includes('a=0.05') && location.hash.includes('b=0.25')")
    again = Opened(chromium, path, "#t=0.1&b=0.05&a=0.25").ready()
    assert marks(again) == (0.05, 0.25)  # in order of time
    again.close()
    for nonsense in ("#t=0.1&a=x&b=", "#a=nan&t=0"):
        again = Opened(chromium, path, nonsense).ready()
        assert marks(again) == (None, None)
        assert again.errors == []
        again.close()
