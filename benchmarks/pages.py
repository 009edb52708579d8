"""Pages in the browser: times to write and show a run, page size, and response of the studio.

Writing: the page of scenario ur10_step with its scene and its baseline, in this process. Showing:
in Chromium with software rendering, until the plots and until the robot are visible (wall time);
skipped without Playwright or Chromium. Typing: in the studio, with the UR10 and the six drives of
ur10_step, from a keystroke in a drive function to its curve and to the torques of all joints.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    has,
    seconds_of,
    turns,
)
from sim.recording.recording import Recording
from sim.reports.page.report import write_report
from sim.reports.writing import baseline_of
from sim.scenario.script import load_script
from sim.shipped import scenarios

KEYS = 4  # typed per round
PATIENCE = 60_000  # ms
BROWSER = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")
WRITTEN = "page written"


def measured(settings: Settings) -> Subject:
    """Return times of writing and showing, and the size."""
    name = "two_link" if settings.quick else "ur10_step"
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / name
        words = [sys.executable, "-m", "sim", "run", name, "--no-report", "--out", str(folder)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        recording, robot = Recording.read(folder), load_script(name).build({})[0].robot

        def write() -> object:
            return write_report(folder, recording, robot, baseline_of(recording))

        rows = turns([Contender(WRITTEN, write)], settings)
        size = (folder / "report.html").stat().st_size / 1e6
        rows |= _shown(folder / "report.html", settings)
        rows |= _typed(Path(root) / "studio", settings)
    targets = [
        Target("page size", size, 1.5, "MB"),
        Target(WRITTEN, seconds_of(rows, WRITTEN), 1.0, "s"),
    ]
    for what, bound in (("plots", 0.5), ("robot", 3.5)):
        seconds = seconds_of(rows, f"{what} shown")
        targets.append(Target(f"{what} shown", seconds, bound, "s"))
    for what, bound in (("curve", 0.05), ("all torques", 0.15)):
        name = f"keystroke to {what}"
        targets.append(Target(name, seconds_of(rows, name), bound, "s"))
    return Subject(__doc__, (Part("A page", tuple(rows.values()), "page"),), tuple(targets))


def _shown(path: Path, settings: Settings) -> dict[str, Row]:
    def times() -> Iterator[list[float]]:
        with _browser() as browser:
            for _ in range(settings.rounds):
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(path.resolve().as_uri())
                page.wait_for_selector("body[data-ready]", timeout=PATIENCE)
                yield page.evaluate("[run.timing.plots / 1e3, run.timing.robot / 1e3]")
                page.close()

    return _rows(("plots shown", "robot shown"), times)


def _typed(folder: Path, settings: Settings) -> dict[str, Row]:
    drives = re.findall(r'"\w+": "(STEP[^"]+)"', (scenarios() / "ur10_step.py").read_text("utf-8"))
    passing = "({ dataset: one }) => [one.curve - one.typed, one.torques - one.typed]"
    passed = "body => ['curve', 'torques'].every((key) => +body.dataset[key] > +body.dataset.typed)"

    def times() -> Iterator[list[float]]:
        with _studio(folder) as address, _browser() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address)
            page.wait_for_selector("body[data-ready]", timeout=PATIENCE)
            page.select_option("#robot", "ur10")
            page.wait_for_selector("body[data-previews]", timeout=PATIENCE)
            page.click("#tab-motion")
            page.select_option("#allkinds", "velocity")
            for field, text in zip(page.locator("#drives input").all(), drives, strict=True):
                field.fill(text)
            body = page.locator("body")
            field.press("End")
            field.type("+0*1")
            for _ in range(KEYS * settings.rounds):
                page.wait_for_timeout(300)
                field.type("1")
                end = time.monotonic() + PATIENCE / 1e3
                while not body.evaluate(passed):  # the page's policy forbids wait_for_function
                    assert time.monotonic() < end, "nothing is drawn"
                yield [x / 1e3 for x in body.evaluate(passing)]

    return _rows(("keystroke to curve", "keystroke to all torques"), times)


@contextlib.contextmanager
def _studio(folder: Path) -> Iterator[str]:
    words = [sys.executable, "-m", "sim", "studio", str(folder), "--no-browser"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        yield playwright.chromium.launch(executable_path=chromium, args=list(BROWSER))


def _rows(names: tuple[str, ...], measure: Callable[[], Iterator[list[float]]]) -> dict[str, Row]:
    if shutil.which("chromium") is None or not has("playwright"):
        return {name: Row(name, note="absent: Playwright or Chromium") for name in names}
    times = list(measure())
    return {
        name: Row(name, statistics.median(own), min(own), max(own), len(own))
        for name, own in zip(names, zip(*times, strict=True), strict=True)
    }
