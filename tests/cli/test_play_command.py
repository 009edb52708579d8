import argparse

import msgspec
import pytest
from PIL import Image

from sim.cli.play_command import add_arguments, play_run
from sim.errors import PlaybackError, RecordingError
from sim.playback import video
from sim.robots import Repair
from tests.cli.command_runs import assert_refused_without_display
from tests.helpers.short_runs import short_run

PLAY = {
    "run": "swing", "speed": 1.0, "video": None, "against": None, "size": "64x48", "fps": None,
    "at": None, "sheet": None, "out": None, "browser": False,
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
    assert play_run(options(video="still.png")) == 0
    assert capsys.readouterr().out == "file     still.png\n"
    with Image.open("still.png") as image:
        assert image.size == (64, 48)


def test_repairs_of_the_robot_are_said(swing, monkeypatch, capsys):
    monkeypatch.setattr("sim.playback.play", lambda folder, **how: None)
    play_run(options(video="run.gif"))
    assert capsys.readouterr().err == ""
    repair = Repair(kind="name", part="robot", says="a", taken="b", joints=(), why="c")
    recording = short_run()
    robot = msgspec.structs.replace(recording.run.robot, repairs=(repair,))
    recording.with_description(robot=robot).write_description(swing)
    play_run(options(video="run.gif"))
    said = "sim: repaired robot: a; read as: b; affects no joint torque (c)\n"
    assert capsys.readouterr().err == said


def test_another_run_is_shown_as_the_ghost(swing, monkeypatch):
    calls = []
    monkeypatch.setattr("sim.playback.play", lambda folder, **how: calls.append((folder, how)))
    play_run(options(video="run.gif", against=str(swing), speed=0.5, fps=20.0))
    ((folder, how),) = calls
    assert folder.resolve() == swing
    assert how["against"] == swing
    assert (how["speed"], how["fps"], how["size"]) == (0.5, 20.0, (64, 48))


def test_a_run_that_is_not_there_is_named(swing):
    with pytest.raises(RecordingError, match="There is no run 'swung'"):
        play_run(options(run="swung", video="run.gif"))


@pytest.mark.parametrize(("text", "size"), [("640x480", (640, 480)), ("0x-5", (0, -5))])
def test_a_size_is_width_and_height(swing, monkeypatch, text, size):
    sizes = []
    monkeypatch.setattr("sim.playback.play", lambda folder, *, size, **how: sizes.append(size))
    play_run(options(video="run.gif", size=text))
    assert sizes == [size]


@pytest.mark.parametrize("text", ["640", "640,480", "x", "1e3x5", "640x480x3", ""])
def test_another_size_is_refused(swing, text):
    with pytest.raises(PlaybackError, match="--size must be WIDTHxHEIGHT in pixels"):
        play_run(options(video="run.gif", size=text))


def test_without_a_display_one_line_says_so(swing):
    assert_refused_without_display("play", "swing", cwd=swing.parents[3])


@pytest.mark.rotates(2)
def test_a_video_says_its_speed_when_it_is_done(swing, capsys):
    assert play_run(options(video="run.gif", speed=0.5)) == 0
    assert capsys.readouterr().out == "file     run.gif\nspeed    0.5×\n"
    play_run(options(video="run.gif"))
    assert "speed    1×" in capsys.readouterr().out


def test_a_video_is_1280_by_720_unless_told_otherwise(swing, monkeypatch):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    sizes = []
    monkeypatch.setattr(video, "write_video", lambda *_, size, **__: sizes.append(size))
    play_run(parser.parse_args(["swing", "--video", "run.gif"]))
    assert sizes == [(1280, 720)]


def test_poses_side_by_side_are_written(swing, capsys):
    assert play_run(options(sheet=3, size="80x80", out="poses.png")) == 0
    assert capsys.readouterr().out == "file     poses.png\n"
    with Image.open("poses.png") as image:
        assert image.width > 240


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sheet": 3, "video": "a.gif"}, "--sheet and --video: choose one"),
        ({"out": "a.png"}, "--out requires --sheet"),
        ({"sheet": 3, "at": 0.1}, "without a time or a rate"),
        ({"sheet": 3, "out": "a.gif", "size": None}, r"A contact sheet is a \.png"),
    ],
)
def test_options_of_a_sheet_and_a_video_do_not_mix(swing, wrong, words):
    with pytest.raises(PlaybackError, match=words):
        play_run(options(**wrong))


def test_a_page_is_written_once_and_opened(swing, opened, capsys):
    plain = {"size": None, "browser": True}
    assert play_run(options(**plain)) == 0
    page = swing / "report.html"
    assert opened == [(page.as_uri(), 2)]
    assert capsys.readouterr().out.startswith("page     ")
    written = page.read_bytes()
    assert b"<canvas" in written
    play_run(options(**plain))
    assert page.read_bytes() == written
    play_run(options(**plain, against=str(swing)))  # the run's own page stays as it is
    assert page.read_bytes() == written and opened[-1][0] != opened[0][0]


def test_without_pybullet_a_run_plays_in_a_browser(swing, opened, monkeypatch, capsys):
    (swing / "report.html").write_text("x", encoding="utf-8")
    monkeypatch.setattr("sim.cli.play_command.is_installed", lambda engine: False)
    monkeypatch.setattr("webbrowser.open", lambda url, new: False)
    assert play_run(options(size=None)) == 0
    assert "no browser found" in capsys.readouterr().out
    for given in ({"speed": 2.0}, {"fps": 9.0}, {"video": "a.gif", "browser": True}):
        with pytest.raises(PlaybackError, match="applies to windows and videos"):
            play_run(options(size=None, **given))
