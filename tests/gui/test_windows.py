"""PyBullet's own window on a virtual display: what is seen, and what a hand on it does."""

import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from sim.engines.bullet.view.window import BACKGROUND
from sim.errors import PlaybackError
from sim.playback import play
from sim.playback.playing import in_window
from sim.playback.run_window import open_run_window
from sim.playback.shown_run import prepare_run
from sim.playback.teach_window import open_teach_window
from sim.robots import load_robot
from sim.shapes import look_of
from tests.gui.conftest import WIDTH
from tests.helpers.short_runs import DURATION, short_run

# Where the parts of the window are, in pixels.
SLIDERS = (1047, 1245)  # left and right end
FIRST_SLIDER = 106
MIDDLE = (slice(150, 640), slice(260, 1020))
TEXT = (slice(30, 140), slice(260, 640))  # beside the panels of teach
CAPTION = (slice(10, 120), slice(0, 500))
HELP = (slice(765, 800), slice(0, 1200))

SLOW = 0.05  # the short run then takes six seconds


@pytest.fixture
def shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return prepare_run(short_run().with_description(verdict="pass"))


def orange(picture):
    """Where a picture is the ghost's colour over something light."""
    red, green, blue = np.moveaxis(picture.astype(int), -1, 0)
    return (red - blue > 40) & (red > green) & (green > blue)


def number_of_colours(picture):
    """Packed into one number each: rows of three take ten times as long to sort."""
    return np.unique(picture.astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], np.int32)).size


def drawn(display, condition, patience=60.0):
    """A picture of the screen that fulfils a condition."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        picture = display.picture()
        if condition(picture):
            return picture
        time.sleep(0.2)
    return pytest.fail("the screen never showed it")


def test_a_run_plays_at_wall_clock_time_until_the_display_goes(display, shown, until):
    told = in_window(open_run_window, shown, SLOW)
    first = until(told, lambda moment: moment.t > 0.01)
    start = time.monotonic()
    later = until(told, lambda moment: moment.t > 0.1)
    took = time.monotonic() - start
    assert later.t - first.t == pytest.approx(SLOW * took, abs=SLOW * 1.0)  # a second
    picture = drawn(display, lambda p: number_of_colours(p[MIDDLE]) > 50)
    dark = picture[CAPTION].max(axis=2) < 90
    assert dark.sum() > 100  # the letters of the caption
    assert not orange(picture[MIDDLE]).any()  # no ghost
    red, green, blue = np.moveaxis(picture[MIDDLE].astype(int), -1, 0)
    assert ((blue - red > 60) & (blue > green)).sum() > 100  # the path of the tool
    grey = picture[HELP].max(axis=2) < 170
    assert grey.sum() > 300  # the line of help
    ground = np.round(255 * np.array(BACKGROUND)).astype(int)
    for side in (slice(0, 240), slice(1040, 1280)):  # where PyBullet has its panels
        bare = np.abs(picture[140:500, side].astype(int) - ground).max(axis=2) < 4
        assert bare.mean() > 0.8
    display.server.terminate()
    list(told)  # a display that goes away ends it well


def test_a_run_that_differs_is_a_ghost_until_the_frame_is_closed(display, shown, until):
    table = short_run().recorded.copy()
    table["q.shoulder"] += 0.5
    other = replace(short_run(), recorded=table)
    told = in_window(open_run_window, prepare_run(short_run(), other), SLOW)
    until(told, lambda moment: moment.t > 0.01)
    drawn(display, lambda p: orange(p[MIDDLE]).sum() > 200)
    display.do("windowkill", display.window())  # what a window manager does
    list(told)  # closing the frame ends it well


def test_the_hand_takes_the_time_at_the_lower_edge_and_the_keys(display, shown, until):
    told = in_window(open_run_window, shown, SLOW)
    until(told, lambda moment: moment.t > 0)
    held = until(
        told,
        lambda moment: not moment.playing and moment.t > 0.45 * DURATION,
        gesture=lambda: display.drag(200, 780, WIDTH // 2),
    )
    assert held.t < 0.55 * DURATION
    display.key("space")
    until(told, lambda moment: moment.playing)
    display.key("space")
    stopped = until(told, lambda moment: not moment.playing)
    display.key("Left")
    assert until(told, lambda moment: moment.t < stopped.t).t == pytest.approx(
        max(stopped.t - 0.05, 0.0)
    )
    display.key("Up")
    assert until(told, lambda moment: moment.speed > SLOW).speed == 2 * SLOW
    before = display.picture()[MIDDLE]
    display.key("4")
    drawn(display, lambda p: np.abs(p[MIDDLE].astype(int) - before).max(axis=2).mean() > 5)
    display.key("Escape")
    list(told)  # comes to an end


def test_a_display_without_opengl_is_a_clear_error_and_not_the_end_of_the_process(
    start_display, shown
):
    start_display("-extension", "GLX")
    with pytest.raises(PlaybackError, match="could not open a window on this display"):
        play(short_run())


def test_the_play_of_the_package_returns_when_the_window_is_closed(display, tmp_path):
    short_run().write(tmp_path)
    code = f"import sim; sim.play({str(tmp_path)!r}); print('well')"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "DISPLAY": display.name, "PATH": "/usr/bin:/bin"},
    ) as process:
        drawn(display, lambda p: number_of_colours(p[MIDDLE]) > 50)
        display.key("Escape")
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("well\n", "")
    assert process.returncode == 0


def test_the_teach_panel_reads_its_sliders_and_its_buttons(display, until):
    arm = load_robot("ur10")
    start = arm.pose("zero")
    told = in_window(open_teach_window, arm, look_of(arm), start)
    first = until(told, lambda state: True)
    np.testing.assert_array_equal(first.q, start)
    middle = sum(SLIDERS) // 2
    moved = until(
        told,
        lambda state: state.q[0] > 0.5,
        gesture=lambda: display.drag(middle, FIRST_SLIDER, middle + 25),  # the first joint
    )
    np.testing.assert_array_equal(moved.q[1:], start[1:])
    assert moved.T_0e[:3, 3] @ moved.T_0e[:3, 3] == pytest.approx(
        first.T_0e[:3, 3] @ first.T_0e[:3, 3],
        rel=1e-9,  # turned about the base
    )
    picture = drawn(display, lambda p: (p[TEXT].max(axis=2) < 90).sum() > 100)
    assert number_of_colours(picture[MIDDLE]) > 50
    buttons = 84 + 44 * len(arm.joint_names)
    until(
        told,
        lambda state: np.array_equal(state.q, arm.pose(next(iter(arm.card.poses)))),
        gesture=lambda: display.click(middle, buttons),  # the first named pose
    )
    told.close()
