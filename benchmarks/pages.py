"""The page of a run: how long it takes to write and to show, and its size.

Written: the page of scenario ur10_step with its scene and its baseline, in this process. Shown: in
Chromium with software rendering, until the plots and until the robot are there (by a clock, median
of the rounds); absent where Playwright or Chromium is.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

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

BROWSER = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")
WRITTEN = "written"


def measured(settings: Settings) -> Subject:
    """Times of writing and showing, and the size."""
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
    targets = [
        Target("size", size, 1.5, "MB"),
        Target("written in", seconds_of(rows, WRITTEN), 1.0, "s"),
    ]
    for what, bound in (("plots", 0.5), ("robot", 3.5)):
        seconds = seconds_of(rows, f"{what} shown")
        targets.append(Target(f"{what} shown in", seconds, bound, "s"))
    return Subject(__doc__, (Part("A page", tuple(rows.values()), "a page"),), tuple(targets))


def _shown(path: Path, settings: Settings) -> dict[str, Row]:
    names, chromium = ("plots shown", "robot shown"), shutil.which("chromium")
    if chromium is None or not has("playwright"):
        return {name: Row(name, note="absent: Playwright or Chromium") for name in names}
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER))
        for _ in range(settings.rounds):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(path.resolve().as_uri())
            page.wait_for_selector("body[data-ready]", timeout=60_000)
            times.append(page.evaluate("[run.timing.plots / 1e3, run.timing.robot / 1e3]"))
            page.close()
        browser.close()
    return {
        name: Row(name, statistics.median(own), min(own), max(own), len(own))
        for name, own in zip(names, zip(*times, strict=True), strict=True)
    }
