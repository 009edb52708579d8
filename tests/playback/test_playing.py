import logging
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import sim
from sim.errors import ModelError, PlaybackError, RecordingError, ScenarioError
from sim.playback import play, playing, teach
from sim.robots import load_robot
from tests.helpers.short_runs import short_run
from tests.helpers.small_robots import robot


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_display(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)


@pytest.fixture
def opened(monkeypatch):
    """What would have been shown in a window on a machine with a display."""
    programs = []

    def in_window(program, *arguments):
        programs.append((program.__name__, *arguments))
        yield from replies.get(program.__name__, ())

    replies = {}
    monkeypatch.setattr(playing, "require_display", lambda: None)
    monkeypatch.setattr(playing, "in_window", in_window)
    programs_and_replies = type("Opened", (), {"programs": programs, "replies": replies})
    return programs_and_replies


def test_play_is_the_play_of_the_package():
    assert sim.play is play


def test_a_run_goes_to_the_window_with_its_speed(opened):
    play(short_run(), speed=0.5, against=short_run())
    ((program, shown, speed),) = opened.programs
    assert (program, speed) == ("open_run_window", 0.5)
    assert shown.name == shown.ghost.name == "swing"


def test_a_video_needs_no_display(no_display, tmp_path):
    play(short_run(), video="still.png", size=(64, 48), at=0.1)
    with Image.open(tmp_path / "still.png") as image:
        assert image.size == (64, 48)


def test_without_a_display_a_window_is_a_clear_error_before_anything_is_read(no_display, tmp_path):
    with pytest.raises(PlaybackError, match="There is no display"):
        play(tmp_path / "no such run")
    with pytest.raises(PlaybackError, match="There is no display"):
        teach(load_robot("ur10"))


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_is_positive(speed, opened):
    with pytest.raises(PlaybackError, match="The speed is a positive number; got"):
        play(short_run(), speed=speed)


def test_a_run_that_is_not_there_is_named(opened, tmp_path):
    with pytest.raises(RecordingError, match=r"run.json does not exist"):
        play(tmp_path)
    with pytest.raises(RecordingError, match=r"run.json does not exist"):
        play(tmp_path, video="run.gif")


def test_plain_shapes_for_lost_meshes_are_said_once(opened, caplog):
    from sim.motion import JointMotion
    from sim.scenario import Scenario
    from sim.simulation import run

    plant = load_robot("ur10")
    lost = replace(plant, text=plant.text.replace("../meshes/ur10/", "../meshes/lost/"))
    recording = run(Scenario(lost, JointMotion.displacement({}), 0.01))
    with caplog.at_level(logging.WARNING):
        play(recording)
        teach(lost)
    for record in caplog.records:
        assert "drawn with plain shapes" in record.message
        assert "meshes/lost" in record.message
    assert len(caplog.records) == 2


def test_teaching_starts_at_home_or_where_it_is_told(opened):
    arm = load_robot("irb460")
    teach(arm)
    teach(arm, start=[0.1, 0.2, 0.3, 0.4])
    starts = [start for _, _, _, start in opened.programs]
    np.testing.assert_array_equal(starts[0], arm.pose("home"))
    np.testing.assert_array_equal(starts[1], [0.1, 0.2, 0.3, 0.4])


def test_teaching_tells_every_state_and_returns_the_last(opened):
    opened.replies["open_teach_window"] = ["first", None, "second", None]
    told = []
    assert teach(load_robot("ur10"), show=told.append) == "second"
    assert told == ["first", "second"]


def test_what_cannot_be_taught_is_said_before_a_window_opens(opened):
    with pytest.raises(ScenarioError, match="'small' has no joint that moves"):
        teach(robot())
    with pytest.raises(ScenarioError, match="needs one finite number for each of its joints"):
        teach(load_robot("ur10"), start=[0.0])
    with pytest.raises(ModelError, match="has no tool frame"):
        teach(replace(load_robot("ur10"), tool=None))
    assert opened.programs == []
