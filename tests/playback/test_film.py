import sys

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

from sim.errors import PlaybackError, RecordingError
from sim.playback.film import find_ffmpeg, write_film
from tests.helpers.decoded_video import decoded

WIDTH, HEIGHT = 64, 48
COLOURS = ((200, 30, 30), (30, 180, 40), (40, 50, 210), (240, 240, 240))
CODED = 12  # of 255; what the compression of a plain colour costs


def plain(colours=COLOURS):
    for colour in colours:
        yield np.full((HEIGHT, WIDTH, 3), colour, dtype=np.uint8)


def broken():
    yield from plain(COLOURS[:2])
    raise ZeroDivisionError


def test_an_mp4_has_every_picture_in_order_at_the_rate_and_in_its_colours(tmp_path):
    path = tmp_path / "film.mp4"
    assert write_film(path, plain(), 25) == 4
    assert path.read_bytes()[4:8] == b"ftyp"
    said, pictures = decoded(path, WIDTH, HEIGHT)
    assert "Video: h264" in said
    assert "yuv420p" in said  # what every player takes
    assert f"{WIDTH}x{HEIGHT}" in said
    assert "25 fps" in said
    assert len(pictures) == 4
    for picture, colour in zip(pictures, COLOURS, strict=True):
        assert np.abs(picture.reshape(-1, 3).mean(axis=0) - colour).max() < CODED


def test_a_gif_has_every_picture_at_the_rate_in_its_colours_and_repeats(tmp_path):
    path = tmp_path / "film.gif"
    scene = np.concatenate([next(plain([colour])) for colour in COLOURS], axis=1)
    shifted = [np.roll(scene, 20 * k, axis=1) for k in range(3)]
    assert write_film(path, iter(shifted), 20) == 3
    with Image.open(path) as image:
        assert image.n_frames == 3
        assert image.info["loop"] == 0
        for found, wanted in zip(ImageSequence.Iterator(image), shifted, strict=True):
            assert found.info["duration"] == 50  # ms
            assert np.abs(np.asarray(found.convert("RGB")).astype(int) - wanted).max() < 8


def test_what_stands_still_in_a_gif_keeps_its_colour_to_the_bit(tmp_path):
    """Shades that need a palette, beside a part that changes from picture to picture."""
    shades = np.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)

    def changing():
        for colour in COLOURS:
            picture = shades.copy()
            picture[: HEIGHT // 2] = colour
            yield picture

    path = tmp_path / "film.gif"
    write_film(path, changing(), 20)
    with Image.open(path) as image:
        still = [
            np.asarray(frame.convert("RGB"))[HEIGHT // 2 :]
            for frame in ImageSequence.Iterator(image)
        ]
    assert len(still) == len(COLOURS)
    for frame in still[2:]:
        np.testing.assert_array_equal(frame, still[1])


def test_a_png_is_the_first_picture_to_the_bit(tmp_path):
    path = tmp_path / "still.png"
    assert write_film(path, plain(), 25) == 1
    with Image.open(path) as image:
        np.testing.assert_array_equal(np.asarray(image), next(plain()))


@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_after_an_error_nothing_is_left_and_an_earlier_film_is_as_it_was(tmp_path, ending):
    path = tmp_path / f"film.{ending}"
    path.write_bytes(b"earlier")
    with pytest.raises(ZeroDivisionError):
        write_film(path, broken(), 25)
    assert path.read_bytes() == b"earlier"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "film.png"
    path.mkdir()
    (path / "file").touch()
    with pytest.raises(RecordingError, match=r"Cannot write .*film.png"):
        write_film(path, plain(), 25)


def test_without_ffmpeg_the_message_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(PlaybackError) as caught:
        find_ffmpeg()
    said = str(caught.value)
    assert "apt-get install ffmpeg" in said
    assert "pip install imageio-ffmpeg" in said
    assert ".gif" in said
    assert "\n" not in said


def test_the_ffmpeg_on_the_path_comes_first_and_that_of_the_package_second(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ffmpeg() == imageio_ffmpeg.get_ffmpeg_exe()
    mine = tmp_path / "ffmpeg"
    mine.write_text("#!/bin/sh\nexit 0\n")
    mine.chmod(0o755)
    assert find_ffmpeg() == str(mine)


@pytest.mark.parametrize(
    ("complaints", "quoted"),
    [
        (("noise", "Unknown encoder libx264"), "Unknown encoder libx264"),
        (("av_write: No space left on device", "no packets"), "No space left on device"),
    ],
)
def test_an_ffmpeg_that_fails_is_quoted(tmp_path, monkeypatch, complaints, quoted):
    mine = tmp_path / "ffmpeg"
    said = "".join(f"echo '{line}' >&2\n" for line in complaints)
    mine.write_text(f"#!/bin/sh\n{said}exit 1\n")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(PlaybackError, match=rf"Cannot write .*\.mp4: ffmpeg failed: {quoted}$"):
        write_film(tmp_path / "film.mp4", plain(COLOURS * 500), 25)
    assert not (tmp_path / "film.mp4").exists()
