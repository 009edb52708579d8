import argparse
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from sim.cli import playing
from sim.errors import PlaybackError, RecordingError
from sim.playback.teach_state import teach_state
from sim.robots import load_robot
from tests.short_runs import short_run

PLAY = {
    "run": "swing", "speed": 1.0, "video": None, "against": None, "size": "64x48", "fps": None,
    "at": None,
}  # fmt: skip


@pytest.fixture
def swing(tmp_path, monkeypatch):
    """A folder with one run of the scenario 'swing'."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "runs" / "swing" / "20260101"
    folder.mkdir(parents=True)
    short_run().write(folder)
    return folder


def options(**changed):
    return argparse.Namespace(**{**PLAY, **changed})


def test_the_newest_run_of_a_scenario_becomes_a_picture(swing, capsys):
    assert playing.play_run(options(video="still.png")) == 0
    assert capsys.readouterr().out == "file     still.png\n"
    with Image.open("still.png") as image:
        assert image.size == (64, 48)


def test_another_run_is_shown_as_the_ghost(swing, monkeypatch):
    calls = []
    monkeypatch.setattr("sim.playback.play", lambda folder, **how: calls.append((folder, how)))
    playing.play_run(options(video="run.gif", against=str(swing), speed=0.5, fps=20.0))
    ((folder, how),) = calls
    assert folder.resolve() == swing
    assert how["against"] == swing
    assert (how["speed"], how["fps"], how["size"]) == (0.5, 20.0, (64, 48))


def test_a_run_that_is_not_there_is_named(swing):
    with pytest.raises(RecordingError, match="There is no run 'swung'"):
        playing.play_run(options(run="swung", video="run.gif"))


@pytest.mark.parametrize(("text", "size"), [("640x480", (640, 480)), ("0x-5", (0, -5))])
def test_a_size_is_width_and_height(text, size):
    assert playing.size_of_picture(text) == size


@pytest.mark.parametrize("text", ["640", "640,480", "x", "1e3x5", "640x480x3", ""])
def test_another_size_is_refused(text):
    with pytest.raises(PlaybackError, match="--size takes WIDTHxHEIGHT in pixels"):
        playing.size_of_picture(text)


def test_the_last_taught_position_is_printed(monkeypatch, capsys):
    arm = load_robot("ur10")
    state = teach_state(arm, np.radians([0, -90, 45, 0, 0, 0]))
    asked = []
    monkeypatch.setattr(
        "sim.playback.teach", lambda robot, **how: asked.append((robot.name, how)) or state
    )
    taught = argparse.Namespace(robot="ur10", tool=None, pose="upright")
    assert playing.teach_robot(taught) == 0
    ((name, how),) = asked
    assert name == "ur10"
    np.testing.assert_array_equal(how["start"], arm.pose("upright"))
    out = capsys.readouterr().out
    assert "elbow_joint +45.00 deg" in out
    assert "tool0:  x" in out
    assert "NEAR SINGULAR" in out
    assert "+045.00" in out


@pytest.mark.parametrize(
    "call",
    ["play_run(N(run='swing', video=None))", "teach_robot(N(robot='ur10', tool=None, pose=None))"],
)
def test_without_a_display_the_process_lives_and_says_one_line(swing, call):
    """PyBullet itself would end the process: so this is tried in one of its own."""
    code = (
        "import sys\nfrom argparse import Namespace as N\n"
        "from sim.cli.playing import play_run, teach_robot\nfrom sim.errors import SimError\n"
        f"try: {call}\n"
        "except SimError as error: sys.stderr.write(f'sim: {error}\\n'); sys.exit(2)\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    for display in ({}, {"DISPLAY": ":8765"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            env={**environment, **display},
            check=False,
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
        assert "display" in done.stderr
