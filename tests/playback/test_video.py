from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from PIL import Image

from sim.errors import PlaybackError, RecordingError
from sim.playback import video
from sim.playback.frames import frames
from sim.playback.process import ChildLostError
from sim.playback.video import MOST_PICTURES, picture_times, still, write_video
from tests.helpers.decoded_video import decoded

SIZE = (96, 64)


@pytest.fixture
def software(monkeypatch):
    """A machine without OpenGL."""

    def lost(*arguments):
        raise ChildLostError("no OpenGL", began=False, crashed=False)
        yield

    monkeypatch.setattr(video, "in_child", lost)


@pytest.mark.parametrize(
    ("duration", "fps", "speed", "count"),
    [
        (10.0, 25, 1.0, 251),
        (10.0, 25, 2.0, 126),
        (0.3, 10, 1.0, 4),
        (0.3, 10, 0.5, 7),
        (1, 30, 7, 6),
    ],
)
def test_a_video_goes_from_the_start_to_the_end_at_the_speed(duration, fps, speed, count):
    times = picture_times(duration, fps, speed)
    assert len(times) == count
    assert times[0] == 0.0
    assert times[-1] == duration
    np.testing.assert_allclose(np.diff(times[:-1]), speed / fps, atol=1e-12)
    assert 0 < times[-1] - times[-2] <= speed / fps + 1e-12


def test_a_video_without_end_is_refused():
    with pytest.raises(PlaybackError, match=f"at most {MOST_PICTURES} are allowed"):
        picture_times(10.0, 25, 1e-3)


def test_an_mp4_shows_the_run(shown, tmp_path):
    """By OpenGL where this machine has it, by the software renderer elsewhere."""
    path = tmp_path / "run.mp4"
    told = []
    count = write_video(shown, path, size=SIZE, fps=20, progress=lambda *x: told.append(x))
    assert count == 7
    assert told == [(k, 7) for k in range(1, 8)]
    said, pictures = decoded(path, *SIZE)
    assert "96x64" in said
    assert len(pictures) == 7
    for picture, wanted in zip(
        pictures, frames(shown, picture_times(0.3, 20, 1), *SIZE), strict=True
    ):
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50  # colours: not blank
        assert np.abs(picture.astype(int) - wanted).mean() < 6  # of 255; renderers and coding


def test_a_gif_shows_the_run(shown, tmp_path, software):
    path = tmp_path / "run.gif"
    assert write_video(shown, path, size=SIZE, fps=10, speed=0.5) == 7
    with Image.open(path) as image:
        assert (image.n_frames, image.size) == (7, SIZE)
        assert image.info["duration"] == 100  # ms


def test_a_machine_without_opengl_draws_by_software(shown, tmp_path, software, monkeypatch):
    drawn = []
    monkeypatch.setattr(video, "frames", lambda *a, **k: drawn.append((a, k)) or frames(*a, **k))
    write_video(shown, tmp_path / "run.gif", size=SIZE, fps=10)
    ((arguments, how),) = drawn
    assert arguments[1] == picture_times(0.3, 10, 1)
    assert how == {"fine": 1}


def test_an_opengl_that_is_lost_on_the_way_is_replaced_from_there_on(shown, tmp_path, monkeypatch):
    def lost(program, *arguments):
        yield from islice(frames(*arguments), 2)
        raise ChildLostError("gone", began=True, crashed=True)

    monkeypatch.setattr(video, "in_child", lost)
    path = tmp_path / "run.gif"
    assert write_video(shown, path, size=SIZE, fps=10) == 4
    with Image.open(path) as image:
        assert image.n_frames == 4


def test_a_still_is_the_middle_of_the_run_or_the_time_asked_for(shown, tmp_path):
    path = tmp_path / "still.png"
    assert write_video(shown, path, size=SIZE) == 1
    with Image.open(path) as image:
        middle = np.asarray(image)
    np.testing.assert_array_equal(middle, still(shown, at=0.15, size=SIZE))
    write_video(shown, path, size=SIZE, at=0.3)
    with Image.open(path) as image:
        assert (np.asarray(image) != middle).any()


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("run.avi", {}, r"run.avi has no ending of a video .*\.mp4, \.gif, \.png"),
        ("run", {}, r"allowed: \.mp4, \.gif, \.png"),
        ("run.gif", {"size": (0, 480)}, "The width of a picture is 16 to 4096 pixels; got 0"),
        ("run.gif", {"size": (640, -480)}, "The height of a picture is 16 to 4096 .* got -480"),
        ("run.png", {"size": (640, 5000)}, "The height of a picture .* got 5000"),
        ("run.mp4", {"size": (641, 480)}, "The width of an MP4 is an even number .* got 641"),
        ("run.gif", {"speed": 0.0}, "The speed is a positive number; got 0"),
        ("run.gif", {"speed": float("nan")}, "The speed is a positive number; got nan"),
        ("run.gif", {"fps": 0.0}, "Pictures a second: 0.01 to 120; got 0"),
        ("run.gif", {"fps": 0.001}, "Pictures a second: 0.01 to 120; got 0.001"),
        ("run.mp4", {"fps": float("nan")}, "Pictures a second: 0.01 to 120; got nan"),
        ("run.gif", {"fps": 1e9}, "Pictures a second"),
        ("run.gif", {"fps": 30.0}, "A GIF counts in hundredths of a second: .* got 30"),
        ("run.gif", {"at": 0.1}, r"A time \(at = 0.1 s\) is for a still"),
        ("run.png", {"at": 9.0}, "There is no time 9 s in a run from 0 to 0.3 s"),
        ("run.png", {"at": float("nan")}, "There is no time nan s"),
    ],
)
def test_what_cannot_be_written_is_said_before_a_picture_is_drawn(
    shown, tmp_path, monkeypatch, name, how, said
):
    monkeypatch.setattr(video, "frames", None)
    monkeypatch.setattr(video, "in_child", None)
    with pytest.raises(PlaybackError, match=said) as caught:
        write_video(shown, tmp_path / name, **how)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_place_for_a_video(shown, tmp_path):
    (tmp_path / "run.gif").mkdir()
    with pytest.raises(RecordingError, match="it is a folder"):
        write_video(shown, tmp_path / "run.gif")
    with pytest.raises(RecordingError, match=r"Cannot write .*gone is not a folder"):
        write_video(shown, tmp_path / "gone" / "run.gif")


def test_odd_sizes_are_only_too_odd_for_an_mp4(shown, tmp_path, software):
    brief = replace(shown, track=replace(shown.track, t=shown.track.t / 10))
    write_video(brief, tmp_path / "run.gif", size=(65, 49), fps=50)
    with Image.open(tmp_path / "run.gif") as image:
        assert image.size == (65, 49)
