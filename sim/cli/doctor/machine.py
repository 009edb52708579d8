"""The machine: folder, memory, engines, display, OpenGL, browser, ffmpeg, Chromium."""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.doctor.child import answer_of
from sim.cli.doctor.trouble import FINE, HealthItem

if TYPE_CHECKING:
    from sim.engine_names import EngineName

TRIAL = "sim.engines.engine_trial"  # its package may not be importable here
WINDOW = "sim.engines.bullet.window_trial"
LITTLE_MEMORY, LITTLE_DISK = 1.0, 0.5  # GiB
LIBRARIES = {"libGL.so.1": "libgl1", "libEGL.so.1": "libegl1", "libX11.so.6": "libx11-6"}
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
SANDBOXES = {
    "snap": Path("/var/lib/snapd/desktop/applications"),
    "flatpak": Path("/var/lib/flatpak/exports/share/applications"),
}
PATIENCE = 20.0  # s
GIB = 2**30


def engines() -> Iterator[HealthItem]:
    """Each engine with a one-joint arm, against its closed form; which one runs take, and why."""
    from sim.engine_names import ENGINES, default_engine, installed_engines

    there = installed_engines()
    for name, facts in ENGINES.items():
        who, needed = f"engine {facts.title}", name == default_engine()
        if name in there:
            yield _engine(name, who, needed)
        else:
            remedy = f"pip install {facts.package}"
            if name == "bullet":
                remedy += " (where it has no wheel it compiles for minutes); windows need it"
            yield HealthItem(who, False, "not installed", remedy, needed)
    chosen = ENGINES[default_engine()].title
    if there:
        rest = "the only one installed" if len(there) == 1 else "the first of those installed"
        yield HealthItem("engine of runs", True, f"{chosen}, {rest}; --engine NAME takes another")


def _engine(name: EngineName, who: str, needed: bool) -> HealthItem:
    from sim.engine_names import ENGINES

    title, package = ENGINES[name].title, ENGINES[name].package
    try:
        result = answer_of(TRIAL, name)
    except RuntimeError as failure:
        remedy = f"pip install --force-reinstall {package}"
        return HealthItem(who, False, f"{title}: {failure}", remedy, needed)
    error, allowed = result if isinstance(result, list) else (math.nan, math.nan)
    found = f"a one-joint arm is {error:.0e} off its closed form (N·m, rad/s²), {allowed:g} allowed"
    if error <= allowed:
        return HealthItem(who, True, found, needed=needed)
    remedy = f"this {title} computes wrongly: install another version, and report this"
    return HealthItem(who, False, found, remedy, needed)


def folder() -> Iterator[HealthItem]:
    """The working folder: runs are written below it."""
    try:
        here = Path.cwd()
        with tempfile.NamedTemporaryFile(dir=here, prefix=".sim-doctor-") as file:
            file.write(b"0")
            file.flush()
        free = shutil.disk_usage(here).free / GIB
    except OSError as error:
        remedy = "go to a folder that you may write to, or give --out DIR"
        found = f"cannot be written: {error.strerror}"
        yield HealthItem("working folder", False, found, remedy, needed=True)
        return
    found = f"{here} can be written, {free:.1f} GiB free"
    if free >= LITTLE_DISK:
        yield HealthItem("working folder", True, found, needed=True)
    else:
        yield HealthItem("working folder", False, found, f"make room: {LITTLE_DISK} GiB at least")


def temporary() -> Iterator[HealthItem]:
    """The folder for temporary files: PyBullet reads robots from there."""
    name, remedy = "temporary files", "set TMPDIR to a folder that you may write to"
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"0")
            file.flush()
    except OSError as error:
        yield HealthItem(name, False, f"cannot be written: {error.strerror}", remedy, needed=True)
        return
    yield HealthItem(name, True, f"{tempfile.gettempdir()} can be written", needed=True)


def memory() -> Iterator[HealthItem]:
    """Cores that may be used, and memory that is free."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    free = _free_memory()
    spoken = "memory unknown" if free is None else f"{free:.1f} GiB of memory free"
    found = f"{cores} core{'s' if cores > 1 else ''}, {spoken}"
    if free is None or free >= LITTLE_MEMORY:
        yield HealthItem("cores and memory", True, found)
    else:
        remedy = f"close something: long runs with a page want {LITTLE_MEMORY:g} GiB"
        yield HealthItem("cores and memory", False, found, remedy)


def windows() -> Iterator[HealthItem]:
    """A display, the libraries of OpenGL, and PyBullet's own window."""
    from sim.engine_names import is_installed
    from sim.errors import PlaybackError

    missing = [name for name in LIBRARIES if sys.platform == "linux" and not _loads(name)]
    packages = " ".join(LIBRARIES[name] for name in missing)
    install = f"for windows: apt-get install {packages}"
    libraries = f"missing: {', '.join(missing)}" if missing else ", ".join(LIBRARIES)
    yield HealthItem("OpenGL, EGL, X11", not missing, libraries, install if missing else FINE)
    try:
        from sim.playback.display import require_display

        require_display()
    except PlaybackError as error:
        found = str(error).partition(":")[0]
        remedy = "for sim play and sim teach: xvfb-run -a sim play ...; videos need none"
        yield HealthItem("display", False, found, remedy)
        yield HealthItem("window", False, "not tried without a display", "see the line above")
        return
    yield HealthItem("display", True, os.environ.get("DISPLAY") or "the system's own")
    if not is_installed("bullet"):
        found = "windows are drawn by PyBullet, which is not installed"
        yield HealthItem("window", False, found, "sim play and sim teach open a browser instead")
        return
    try:
        yield HealthItem("window", True, str(answer_of(WINDOW)))
    except RuntimeError as error:
        remedy = "apt-get install libgl1 libegl1 libgl1-mesa-dri; sim play --video needs no window"
        yield HealthItem("window", False, f"PyBullet's window: {error}", remedy)


def browser() -> Iterator[HealthItem]:
    """The browser in which ``sim play --browser`` and ``sim teach --browser`` open a page."""
    from sim.playback.browser import browser_here, is_textual

    found = browser_here()
    remedy = (
        "for sim play --browser and sim teach --browser: export BROWSER=COMMAND; without it they "
        "print which file to open"
    )
    if found is None:
        windowless = sys.platform == "linux" and not any(map(os.environ.get, SCREENS))
        why = "no display for one" if windowless else "none that Python's webbrowser knows"
        yield HealthItem("browser", False, why, remedy)
    elif is_textual(found):
        yield HealthItem("browser", False, f"{found} alone, which shows text", remedy)
    else:
        yield HealthItem("browser", True, (found or "the system's own") + _behind(found))


def _behind(browser: str) -> str:
    """Which browser ``xdg-open`` asks, and what one in a sandbox does not see."""
    if Path(browser).name != "xdg-open":
        return ""
    entry = _output_of("xdg-settings", "get", "default-web-browser").strip()
    if not entry.endswith(".desktop"):
        return "" if entry else ", for which no browser is set"
    sandbox = next((name for name, folder in SANDBOXES.items() if (folder / entry).is_file()), "")
    seen = f", a {sandbox} that sees only files below your home folder" if sandbox else ""
    return f", for {entry.removesuffix('.desktop')}{seen}"


def ffmpeg() -> Iterator[HealthItem]:
    """The ffmpeg that writes an MP4, and whether it has the encoder."""
    from sim.errors import PlaybackError

    remedy = "for MP4: apt-get install ffmpeg, or pip install imageio-ffmpeg; GIF and PNG need none"
    try:
        from sim.playback.film import find_ffmpeg

        program = find_ffmpeg()
    except PlaybackError:
        yield HealthItem("ffmpeg", False, "none on the PATH, nor by imageio-ffmpeg", remedy)
        return
    works = "libx264" in _output_of(program, "-hide_banner", "-encoders")
    version = (_output_of(program, "-version").splitlines() or ["says no version"])[0]
    found = f"{version.partition(' Copyright')[0]} ({program})"
    if works:
        yield HealthItem("ffmpeg", True, found)
    else:
        yield HealthItem("ffmpeg", False, f"{found} without libx264", remedy)


def chromium() -> Iterator[HealthItem]:
    """The browser that prints a page as a PDF."""
    from sim.reports.page.pdf import find_browser

    program = find_browser()
    if program is None:
        remedy = "for `sim report --pdf`: apt-get install chromium; any browser shows the page"
        yield HealthItem("Chromium", False, "none on the PATH", remedy)
        return
    yield HealthItem("Chromium", True, f"{_output_of(program, '--version').strip()} ({program})")


def _free_memory() -> float | None:
    """Memory that a new process may take [GiB]; None where the system does not report it."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024 / GIB
    except (OSError, ValueError, IndexError):
        pass
    return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _output_of(*command: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    return done.stdout.decode(errors="replace")
