"""The page of a run: its size, how long it takes to write, and to show in a browser.

Targets: a 10 s run at 1 kHz at most 1.5 MB, written in 1 s, plots visible in 0.5 s and the robot in
3.5 s under software rendering; a 60 s run at most 4 MB; ten pages and an index in 15 s. Run with
``python benchmarks/page.py`` in an environment with the project, playwright and chromium.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sim
from sim.checks import judged
from sim.cli.overview import Overview
from sim.recording.recording import Recording
from sim.reports.page.report import write_report
from sim.reports.writing import baseline_of
from sim.scenario.script import load_script, shipped_scenarios

BROWSER = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")


def recorded(folder: Path, name: str) -> Recording:
    """A judged run of a shipped scenario, in a folder of its own."""
    command = [Path(sys.executable).with_name("sim"), "run", name, "--no-report", "--out", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Recording.read(folder)


def written(folder: Path, recording: Recording, robot: sim.Robot) -> tuple[float, float]:
    """Seconds that the page takes with its scene and its baseline, and its size [MB]."""
    start = time.perf_counter()
    path, _ = write_report(folder, recording, robot, baseline_of(recording))
    return time.perf_counter() - start, path.stat().st_size / 1e6


def shown(path: Path) -> tuple[float, float]:
    """Seconds until the plots and until the robot are there, medians of five."""
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(BROWSER)
        )
        for _ in range(5):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(path.resolve().as_uri())
            page.wait_for_selector("body[data-ready]", timeout=60_000)
            times.append(page.evaluate("[run.timing.plots, run.timing.robot]"))
            page.close()
        browser.close()
    plots, robot = (statistics.median(column) / 1e3 for column in zip(*times, strict=True))
    return plots, robot


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        folders = {name: Path(root, name) for name in shipped_scenarios()}
        runs = {name: recorded(folder, name) for name, folder in folders.items()}
        robots = {name: load_script(name).build({})[0].robot for name in runs}
        folder, run = folders["ur10_step"], runs["ur10_step"]
        seconds, size = written(folder, run, robots["ur10_step"])
        print(f"10 s at 1 kHz: {size:.2f} MB (1.5), written in {seconds:.2f} s (1)")
        plots, robot = shown(folder / "report.html")
        print(f"plots after {plots:.2f} s (0.5), robot after {robot:.2f} s (3.5)")

        t = run.t
        motion = sim.JointMotion.displacement({"elbow_joint": "SIN(time)+0.2*SIN(7*time)"})
        long = judged(sim.run(sim.Scenario(robots["ur10_step"], motion, 6 * float(t[-1]))))
        Path(root, "long").mkdir()
        seconds, size = written(Path(root, "long"), long, robots["ur10_step"])
        print(f"60 s at 1 kHz: {size:.2f} MB (4), written in {seconds:.2f} s")

        start = time.perf_counter()
        overview = Overview(Path(root))
        for name in list(runs)[:10]:
            written(folders[name], runs[name], robots[name])
            overview.add(folders[name], runs[name])
        overview.write()
        print(f"ten pages and the index: {time.perf_counter() - start:.1f} s (15)")


if __name__ == "__main__":
    main()
