"""The machine: folders, memory, engines, display, OpenGL, browser, ffmpeg, Chromium."""

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
    """Check each engine on a one-joint arm with a closed form; yield also the default engine."""
    from sim.engine_names import ENGINES, default_engine, installed_engines

    there = installed_engines()
    for name, facts in ENGINES.items():
        who, needed = f"engine {facts.title}", name == default_engine()
        if name in there:
            yield _engine(name, who, needed)
        else:
            remedy = f"pip install {facts.package}"
            if name == "bullet":
                remedy += " (compiles for minutes where there is no wheel); required for windows"
            yield HealthItem(who, False, "not installed", remedy, needed)
    chosen = ENGINES[default_engine()].title
    if there:
        rest = "the only one installed" if len(there) == 1 else "the first of those installed"
        yield HealthItem("engine of runs", True, f"{chosen}, {rest}; --engine NAME selects another")


def _engine(name: EngineName, who: str, needed: bool) -> HealthItem:
    from sim.engine_names import ENGINES

    title, package = ENGINES[name].title, ENGINES[name].package
    try:
        result = answer_of(TRIAL, name)
    except RuntimeError as failure:
        remedy = f"pip install --force-reinstall {package}"
        return HealthItem(who, False, f"{title}: {failure}", remedy, needed)
    error, allowed = result if isinstance(result, list) else (math.nan, math.nan)
    text = f"error on a one-joint arm {error:.0e} (N·m, rad/s²); allowed {allowed:g}"
    if error <= allowed:
        return HealthItem(who, True, text, needed=needed)
    remedy = f"this version of {title} computes wrong results: install another one, and report this"
    return HealthItem(who, False, text, remedy, needed)


def folder() -> Iterator[HealthItem]:
    """Yield the working folder, which contains the runs."""
    try:
        here = Path.cwd()
        with tempfile.NamedTemporaryFile(dir=here, prefix=".sim-doctor-") as file:
            file.write(b"0")
            file.flush()
        free = shutil.disk_usage(here).free / GIB
    except OSError as error:
        remedy = "change to a writable folder, or use --out DIR"
        state = f"not writable: {error.strerror}"
        yield HealthItem("working folder", False, state, remedy, needed=True)
        return
    state = f"{here} is writable, {free:.1f} GiB free"
    if free >= LITTLE_DISK:
        yield HealthItem("working folder", True, state, needed=True)
    else:
        yield HealthItem("working folder", False, state, f"free at least {LITTLE_DISK} GiB")


def temporary() -> Iterator[HealthItem]:
    """Yield the folder for temporary files, through which PyBullet reads robots."""
    name, remedy = "temporary files", "set TMPDIR to a writable folder"
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"0")
            file.flush()
    except OSError as error:
        yield HealthItem(name, False, f"not writable: {error.strerror}", remedy, needed=True)
        return
    yield HealthItem(name, True, f"{tempfile.gettempdir()} is writable", needed=True)


def cache() -> Iterator[HealthItem]:
    """Yield the folder for cached results that follow from files."""
    from sim.disk_cache import VARIABLE, cache_folder, entries

    folder, remedy = cache_folder(), f"runs take longer; set {VARIABLE} to a folder of your own"
    if folder is None:
        yield HealthItem("cache", False, "no home folder", remedy)
        return
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(place, os.W_OK):
        yield HealthItem("cache", False, f"{place} is not writable", remedy)
        return
    size = sum(status.st_size for _, status in entries(folder))
    yield HealthItem("cache", True, f"{folder}, {size / 1e6:.1f} MB; may be removed at any time")


def memory() -> Iterator[HealthItem]:
    """Yield available cores and free memory."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    free = _free_memory()
    spoken = "memory unknown" if free is None else f"{free:.1f} GiB of memory free"
    state = f"{cores} core{'s' if cores > 1 else ''}, {spoken}"
    if free is None or free >= LITTLE_MEMORY:
        yield HealthItem("cores and memory", True, state)
    else:
        remedy = f"close other programs: long runs with a page require {LITTLE_MEMORY:g} GiB"
        yield HealthItem("cores and memory", False, state, remedy)


def windows() -> Iterator[HealthItem]:
    """Yield the display, the OpenGL libraries, and PyBullet's window."""
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
        reason = str(error).partition(":")[0]
        remedy = (
            "for sim play and sim teach --window: xvfb-run -a sim play ...; videos require none"
        )
        yield HealthItem("display", False, reason, remedy)
        yield HealthItem("window", False, "not tested: no display", "see the line above")
        return
    yield HealthItem("display", True, os.environ.get("DISPLAY") or "system display")
    if not is_installed("bullet"):
        reason = "windows require PyBullet, which is not installed"
        yield HealthItem("window", False, reason, "sim play opens the browser instead")
        return
    try:
        yield HealthItem("window", True, str(answer_of(WINDOW)))
    except RuntimeError as error:
        remedy = (
            "apt-get install libgl1 libegl1 libgl1-mesa-dri; sim play --video requires no window"
        )
        yield HealthItem("window", False, f"PyBullet's window: {error}", remedy)


def browser() -> Iterator[HealthItem]:
    """Yield the browser in which ``sim play --browser`` and ``sim teach`` open a page."""
    from sim.playback.browser import browser_here, is_textual

    browser = browser_here()
    remedy = (
        "for sim play --browser and sim teach: export BROWSER=COMMAND, or open the file that they "
        "print"
    )
    if browser is None:
        windowless = sys.platform == "linux" and not any(map(os.environ.get, SCREENS))
        why = "no display" if windowless else "none found by Python's webbrowser"
        yield HealthItem("browser", False, why, remedy)
    elif is_textual(browser):
        yield HealthItem("browser", False, f"only {browser}, a text browser", remedy)
    else:
        yield HealthItem("browser", True, (browser or "system default") + _browser_behind(browser))


def _browser_behind(browser: str) -> str:
    """Return the browser behind ``xdg-open``, and the files that its sandbox hides."""
    if Path(browser).name != "xdg-open":
        return ""
    entry = _output_of("xdg-settings", "get", "default-web-browser").strip()
    if not entry.endswith(".desktop"):
        return "" if entry else ", but no default browser is set"
    sandbox = next((name for name, folder in SANDBOXES.items() if (folder / entry).is_file()), "")
    limitation = f", a {sandbox} that reads only files below your home folder" if sandbox else ""
    return f", starts {entry.removesuffix('.desktop')}{limitation}"


def ffmpeg() -> Iterator[HealthItem]:
    """Yield the ffmpeg that writes MP4 files, and whether it has the encoder."""
    from sim.errors import PlaybackError

    remedy = "for MP4 only: apt-get install ffmpeg, or pip install imageio-ffmpeg"
    try:
        from sim.playback.film import find_ffmpeg

        program = find_ffmpeg()
    except PlaybackError:
        yield HealthItem("ffmpeg", False, "not on the PATH; imageio-ffmpeg has none", remedy)
        return
    works = "libx264" in _output_of(program, "-hide_banner", "-encoders")
    version = (_output_of(program, "-version").splitlines() or ["unknown version"])[0]
    program_and_version = f"{version.partition(' Copyright')[0]} ({program})"
    if works:
        yield HealthItem("ffmpeg", True, program_and_version)
    else:
        yield HealthItem("ffmpeg", False, f"{program_and_version} without libx264", remedy)


def chromium() -> Iterator[HealthItem]:
    """Yield the browser that prints a page as a PDF."""
    from sim.reports.page.pdf import find_browser

    if (program := find_browser()) is None:
        remedy = "for `sim report --pdf`: apt-get install chromium; any browser shows the page"
        yield HealthItem("Chromium", False, "not on the PATH", remedy)
        return
    yield HealthItem("Chromium", True, f"{_output_of(program, '--version').strip()} ({program})")


def _free_memory() -> float | None:
    """Return the memory available to a new process [GiB]; None if not reported."""
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
