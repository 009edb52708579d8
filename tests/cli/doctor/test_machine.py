"""What is found of the machine where something is missing, and where it is there."""

import os
import sys

import pytest

from sim import engine_names
from sim.cli.doctor import machine
from tests.cli.command_runs import process


def only(findings):
    (one,) = findings
    return one


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def named(name):
    (found,) = (each for each in machine.engines() if each.name == name)
    return found


def test_the_engines_solve_the_arm():
    for title, needed in (("PyBullet", True), ("MuJoCo", False)):
        found = named(f"engine {title}")
        assert (found.works, found.needed) == (True, needed), found
    assert named("engine of runs").found.startswith("PyBullet, the first of those")


@pytest.mark.rotates(2)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise ImportError('no wheel')", "no wheel"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("", "has no attribute"),
    ],
)
@pytest.mark.parametrize("module", ["pybullet", "mujoco"])
def test_an_engine_that_is_broken_is_a_finding_not_a_crash(
    tmp_path, monkeypatch, text, says, module
):
    (tmp_path / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    name, title = {"pybullet": ("bullet", "PyBullet"), "mujoco": ("mujoco", "MuJoCo")}[module]
    answer_of = machine.answer_of  # the other engine is not tried
    monkeypatch.setattr(
        machine, "answer_of", lambda trial, one: answer_of(trial, one) if one == name else [0, 1]
    )
    found = named(f"engine {title}")
    assert (found.works, found.needed) == (False, module == "pybullet")
    assert says in found.found
    assert "pip install" in found.remedy


def test_files_of_the_working_folder_do_not_take_the_place_of_modules(tmp_path):
    for name in ("json", "pybullet"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('of the folder')")
    code = "from sim.cli.doctor import machine; print(*machine.engines())"
    done = process(sys.executable, "-P", "-c", code, cwd=tmp_path)
    assert done.stdout.count("works=True") == 3


@pytest.mark.parametrize("error", [[0.5, 1e-9], [float("nan"), 1e-9], None, "words"])
def test_an_engine_that_computes_something_else_is_not_trusted(monkeypatch, error):
    monkeypatch.setattr(machine, "answer_of", lambda *_: error)
    found = named("engine PyBullet")
    assert not found.works
    assert "report this" in found.remedy


def test_where_pybullet_is_not_installed_runs_are_by_mujoco(monkeypatch):
    monkeypatch.setattr(engine_names, "is_installed", lambda name: name == "mujoco")
    missing = named("engine PyBullet")
    assert (missing.works, missing.needed, missing.found) == (False, False, "not installed")
    assert named("engine MuJoCo").needed
    assert named("engine of runs").found.startswith("MuJoCo, the only one installed")


def test_the_working_folder_is_written_to_and_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = only(machine.folder())
    assert here.works
    assert str(tmp_path) in here.found
    assert list(tmp_path.iterdir()) == []


def test_a_working_folder_that_is_gone_says_what_to_do(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    here = only(machine.folder())
    assert (here.works, here.needed) == (False, True)
    assert "No such file" in here.found
    assert "--out DIR" in here.remedy


def test_a_full_disk_and_little_memory_are_told_but_do_not_stop_a_run(monkeypatch):
    monkeypatch.setattr(machine, "LITTLE_DISK", 1e9)
    monkeypatch.setattr(machine, "LITTLE_MEMORY", 1e9)
    for found in (machine.folder(), machine.memory()):
        one = only(found)
        assert (one.works, one.needed) == (False, False)


def test_cores_and_memory_are_those_of_the_system():
    one = only(machine.memory())
    assert one.found.startswith(f"{len(os.sched_getaffinity(0))} core")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    free = float(one.found.split(", ")[1].split()[0])
    assert 0 < free <= pages


@pytest.mark.parametrize("display", [None, ":8765"])
def test_without_a_display_no_window_is_tried(monkeypatch, display):
    monkeypatch.delenv("DISPLAY", raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr(machine, "answer_of", lambda *_: pytest.fail("a window was tried"))
    libraries, shown, window = machine.windows()
    assert not (shown.works or window.works or shown.needed or window.needed)
    assert "xvfb-run" in shown.remedy
    assert "libGL.so.1" in libraries.found


def test_a_window_that_does_not_open_and_libraries_that_are_missing_are_named(monkeypatch):
    def fails(*_):
        raise RuntimeError("cannot connect to X server")

    monkeypatch.setattr("sim.playback.display.require_display", lambda: None)
    monkeypatch.setattr(machine, "answer_of", fails)
    monkeypatch.setattr(machine, "LIBRARIES", {"libnone.so.7": "libnone7"})
    libraries, _, window = machine.windows()
    assert "apt-get install libnone7" in libraries.remedy
    assert "cannot connect to X server" in window.found
    assert "libgl1-mesa-dri" in window.remedy


@pytest.mark.parametrize(
    ("found", "entry", "works", "says"),
    [
        (None, "", False, "no display"),
        ("/usr/bin/w3m", "", False, "only /usr/bin/w3m, a text browser"),
        ("", "", True, "system default"),
        ("firefox", "", True, "firefox"),
        ("xdg-open", "echo", True, "xdg-open, but no default browser is set"),
        ("xdg-open", "exit 3", True, "xdg-open, but no default browser is set"),
        ("xdg-open", "echo epiphany.desktop", True, "xdg-open, starts epiphany"),
        (
            "xdg-open",
            "echo firefox_firefox.desktop",
            True,
            "xdg-open, starts firefox_firefox, a snap that reads only files below your home folder",
        ),
    ],
)
def test_the_browser_of_pages_is_found_without_opening_it(
    tmp_path, monkeypatch, found, entry, works, says
):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("webbrowser.open", lambda *_, **__: pytest.fail("one was opened"))
    monkeypatch.setattr("sim.playback.browser.browser_here", lambda: found)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    program(tmp_path, "xdg-settings", entry)
    (tmp_path / "firefox_firefox.desktop").write_text("")
    monkeypatch.setattr(machine, "SANDBOXES", {"snap": tmp_path})
    one = only(machine.browser())
    assert (one.works, one.needed, one.found) == (works, False, says)
    assert works or "BROWSER=COMMAND" in one.remedy


def test_an_ffmpeg_without_the_encoder_is_not_enough(tmp_path, monkeypatch):
    one = only(machine.ffmpeg())
    assert one.works, one
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "ffmpeg", "echo ffmpeg version 0.1")
    one = only(machine.ffmpeg())
    assert (one.works, one.needed) == (False, False)
    assert "ffmpeg version 0.1" in one.found
    assert "without libx264" in one.found


def test_ffmpeg_and_a_browser_that_are_nowhere_say_where_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    for one in (only(machine.ffmpeg()), only(machine.chromium())):
        assert (one.works, one.needed) == (False, False)
        assert "apt-get install" in one.remedy
    program(tmp_path, "chromium", "echo Chromium 1.2.3")
    assert only(machine.chromium()).found == f"Chromium 1.2.3 ({tmp_path / 'chromium'})"


def test_a_greeting_is_no_reason(tmp_path, monkeypatch):
    program = 'import sys\nsys.stderr.write("pybullet build time: today\\n")\nsys.exit(3)\n'
    (tmp_path / "leaving.py").write_text(program, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RuntimeError, match="its process ended with status 3 and no output"):
        machine.answer_of("leaving")
