from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sim
from sim.errors import PlaybackError, RecordingError
from sim.playback.frames import plain_frames
from sim.playback.video import GAP, time_text, write_sheet
from tests.helpers.short_runs import short_run

SIZE = (96, 80)


def opened(path):
    with Image.open(path) as image:
        return np.asarray(image)


def test_the_poses_are_those_of_their_times_side_by_side(shown, tmp_path):
    path = tmp_path / "sheet.png"
    ticks = []
    times = write_sheet(shown, path, 5, size=SIZE, progress=lambda *done: ticks.append(done))
    assert times == pytest.approx([0, 0.075, 0.15, 0.225, 0.3])
    assert ticks == [(k, 5) for k in range(1, 6)]
    sheet = opened(path)
    head = sheet.shape[0] - (SIZE[1] + GAP)
    assert sheet.shape[1] == 5 * (SIZE[0] + GAP) - GAP
    own = list(plain_frames(shown, times, *SIZE))
    below = SIZE[1] // 4  # the time is written above
    for k, pose in enumerate(own):
        x = k * (SIZE[0] + GAP)
        np.testing.assert_array_equal(
            sheet[head + below : head + SIZE[1], x : x + SIZE[0]], pose[below:]
        )
        assert (sheet[head : head + below, x : x + SIZE[0]] != pose[:below]).any()
    assert (own[0] != own[-1]).any()
    assert b"written by sim" in path.read_bytes()
    write_sheet(shown, path, 2, size=SIZE)  # our own may be replaced
    assert opened(path).shape[1] < sheet.shape[1]


def test_times_have_the_decimals_that_tell_them_apart():
    assert [time_text(t, (0, 10 / 7)) for t in (0, 10 / 7, 10)] == ["0.00 s", "1.43 s", "10.00 s"]
    assert time_text(0.0003, (0, 0.0001)) == "0.00030 s"


@pytest.mark.parametrize(
    ("name", "count", "size", "words"),
    [
        ("a.gif", 4, SIZE, "A contact sheet is a \\.png; got"),
        ("a.png", 1, SIZE, "2 to 48 poses; got 1"),
        ("a.png", 49, SIZE, "2 to 48 poses; got 49"),
        ("a.png", 4, (79, 80), "width of a pose is 80 to 4096 pixels where there are 4; got 79"),
        ("a.png", 4, (80, 20000), "height of a pose is"),
    ],
)
def test_a_sheet_that_cannot_be_is_refused(shown, tmp_path, name, count, size, words):
    with pytest.raises(PlaybackError, match=words):
        write_sheet(shown, tmp_path / name, count, size=size)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_origin_is_left(shown, tmp_path):
    Path(tmp_path / "a.png").write_text("mine")
    with pytest.raises(RecordingError, match="sim did not write it"):
        write_sheet(shown, tmp_path / "a.png", 2, size=SIZE)
    with pytest.raises(PlaybackError, match=r"is a \.png"):
        sim.play(short_run(), sheet=4)
