"""A run as a video, a still picture or a contact sheet of poses, without a display."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from sim.errors import PlaybackError
from sim.playback.colours import INK, VERDICTS, in_bytes
from sim.playback.film import ENDINGS, find_ffmpeg, write_film
from sim.playback.frames import Frame, caption_font, frames, plain_frames
from sim.playback.process import ChildLostError, in_child
from sim.playback.shown_run import ShownRun
from sim.recording.files.named_file import require_place

SMALLEST, LARGEST = 16, 4096  # pixels
SIZE = (1280, 720)  # pixels
FPS = 25.0  # period of whole hundredths of a second, the unit of a GIF
SLOWEST, FASTEST = 0.01, 120.0  # pictures per second; a GIF shows a picture for up to 655 s
MOST_PICTURES = 20_000
POSE_SIZE = (400, 360)  # pixels of a pose
SMALLEST_POSE = 80

# (pictures done, pictures in all)
Progress = Callable[[int, int], None]

MOST = 48  # poses
ACROSS = 4  # poses in a row, at least
HEAD = 0.12  # of a pose's height, for the heading
GAP = 2  # pixels between poses


def write_video(
    shown: ShownRun,
    path: Path,
    *,
    speed: float = 1.0,
    size: tuple[int, int] = SIZE,
    fps: float = FPS,
    at: float | None = None,
    progress: Progress | None = None,
) -> int:
    """Write a run as MP4 or GIF, or one moment of it as PNG; return the number of pictures.

    Parameters
    ----------
    path : Path
        Its suffix decides the format.
    speed : float
        Seconds of the run per second of the video; shown in each picture.
    size : tuple of two ints
        Width and height in pixels; even for an MP4.
    fps : float
        Pictures per second.
    at : float, optional
        Time of the still [s] (default: the middle of the run).
    progress : callable, optional
        Called with the number of completed pictures, and of all.

    Raises
    ------
    PlaybackError
        If the suffix, the size or a number is invalid, there is no ffmpeg for an MP4, or the file
        cannot be written.
    RecordingError
        If the file may not be written there, see `require_place`.
    """
    _check(path, size, fps, speed)
    require_place(path)
    width, height = size
    if path.suffix.lower() == ".png":
        pictures = frames(shown, [_still_time(shown, at)], width, height)
        return write_film(path, pictures, fps)
    if at is not None:
        raise PlaybackError(f"A time (at = {at:g} s) is for a still; {path} is a video")
    if path.suffix.lower() == ".mp4":
        find_ffmpeg()  # checked before the pictures are drawn
    times = picture_times(shown.track.duration, fps, speed)
    drawn = _draw_in_process(shown, times, width, height, speed)
    pictures = _count_frames(drawn, len(times), progress)
    return write_film(path, pictures, fps)


def picture_times(duration: float, fps: float, speed: float) -> list[float]:
    """Return the times of a video's pictures, from 0 to the end of the run [s].

    Raises
    ------
    PlaybackError
        If the video would have more than `MOST_PICTURES`.
    """
    pictures = duration * fps / speed
    if not pictures < MOST_PICTURES:  # infinite at a speed of 1e-308
        raise PlaybackError(
            f"A video of {duration:g} s at speed {speed:g} has {pictures:.6g} pictures; at most "
            f"{MOST_PICTURES} are allowed: raise the speed, or lower the pictures a second"
        )
    count = math.ceil(pictures - 1e-9) + 1
    return [min(k * speed / fps, duration) for k in range(count)]


def still(shown: ShownRun, *, at: float | None = None, size: tuple[int, int] = SIZE) -> Frame:
    """Draw one moment of a run, shape (height, width, 3); the same on every machine.

    Parameters
    ----------
    at : float, optional
        [s] (default: the middle of the run).
    """
    _check(Path("still.png"), size, FPS, 1.0)
    return next(frames(shown, [_still_time(shown, at)], *size))


def _draw_in_process(
    shown: ShownRun, times: Sequence[float], width: int, height: int, speed: float
) -> Iterator[Frame]:
    """Draw by OpenGL in a child process, or by the software renderer without OpenGL."""
    drawn = 0
    try:
        for frame in in_child(graphics_frames, shown, times, width, height, speed):
            drawn += 1
            yield frame
    except ChildLostError:
        # Jagged edges, but not four times the pixels for a software renderer.
        yield from frames(shown, times[drawn:], width, height, speed, fine=1)


def graphics_frames(
    shown: ShownRun, times: Sequence[float], width: int, height: int, speed: float | None = None
) -> Iterator[Frame]:
    """Draw `frames` by OpenGL; for a child process."""
    return frames(shown, times, width, height, speed, graphics=True)


def _count_frames(
    pictures: Iterator[Frame], total: int, progress: Progress | None
) -> Iterator[Frame]:
    for done, picture in enumerate(pictures, 1):
        yield picture
        if progress is not None:
            progress(done, total)


def _still_time(shown: ShownRun, at: float | None) -> float:
    duration = shown.track.duration
    if at is None:
        return duration / 2
    if not 0 <= at <= duration:
        raise PlaybackError(f"There is no time {at:g} s in a run from 0 to {duration:g} s")
    return at


def _check(path: Path, size: tuple[int, int], fps: float, speed: float) -> None:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise PlaybackError(
            f"{path} has no ending of a video or a picture; allowed: {', '.join(ENDINGS)}"
        )
    for what, pixels in zip(("width", "height"), size, strict=True):
        if not SMALLEST <= pixels <= LARGEST:
            raise PlaybackError(
                f"The {what} of a picture is {SMALLEST} to {LARGEST} pixels; got {pixels}"
            )
        if ending == ".mp4" and pixels % 2:
            raise PlaybackError(f"The {what} of an MP4 is an even number of pixels; got {pixels}")
    if not (np.isfinite(speed) and speed > 0):
        raise PlaybackError(f"The speed is a positive number; got {speed:g}")
    if not SLOWEST <= fps <= FASTEST:
        raise PlaybackError(f"Pictures a second: {SLOWEST:g} to {FASTEST:g}; got {fps:g}")
    if ending == ".gif" and (100 / fps) % 1:
        raise PlaybackError(
            "A GIF counts in hundredths of a second: 10, 20, 25 or 50 pictures a second; "
            f"got {fps:g}"
        )


def write_sheet(
    shown: ShownRun,
    path: Path,
    count: int,
    *,
    size: tuple[int, int] = POSE_SIZE,
    progress: Progress | None = None,
) -> list[float]:
    """Write `count` poses at even times, both ends included, as a PNG; return the times.

    Parameters
    ----------
    path : Path
        With suffix ``.png``.
    count : int
        2 to 48.
    size : tuple of two ints
        Width and height of one pose in pixels.
    progress : callable, optional
        Called with the number of poses drawn, and of all.

    Returns
    -------
    list of float
        Their times [s].

    Raises
    ------
    PlaybackError
        If the suffix, the number or the size is invalid, or the file cannot be written.
    RecordingError
        If the file may not be written there, see `require_place`.
    """
    columns = _columns(count)
    _check_sheet(path, count, size, columns)
    require_place(path)
    times = np.linspace(0.0, shown.track.duration, count).tolist()
    poses = []
    for picture in plain_frames(shown, times, *size):
        poses.append(picture)
        if progress is not None:
            progress(len(poses), count)
    write_film(path, iter([_sheet(shown, times, poses, columns)]), FPS)
    return times


def _columns(count: int) -> int:
    """Return the number of poses in a row: one that fills the rows, if not much below the most."""
    rows = max(1, math.floor(math.sqrt(count / 2)))
    return max(min(count, ACROSS), math.ceil(count / rows))


def _sheet(shown: ShownRun, times: Sequence[float], poses: Sequence[Frame], columns: int) -> Frame:
    """Return the poses in rows, each with its time, below a line with name and verdict."""
    from PIL import Image, ImageDraw

    height, width, _ = poses[0].shape
    rows, head = math.ceil(len(poses) / columns), max(24, round(HEAD * height))
    across = columns * width + (columns - 1) * GAP
    image = Image.new("RGB", (across, head + rows * (height + GAP)), "white")
    draw = ImageDraw.Draw(image)
    font = caption_font(head / 2)
    draw.text((head / 3, head / 2), shown.name, fill=in_bytes(INK), font=font, anchor="lm")
    if shown.verdict:
        colour = in_bytes(VERDICTS.get(shown.verdict, INK))
        place = (across - head / 3, head / 2)
        draw.text(place, shown.verdict, fill=colour, font=font, anchor="rm")
    for k, (time, pose) in enumerate(zip(times, poses, strict=True)):
        row, column = divmod(k, columns)
        x, y = column * (width + GAP), head + row * (height + GAP)
        image.paste(Image.fromarray(pose), (x, y))
        place = (x + head / 3, y + head / 4)
        draw.text(place, time_text(time, times), fill=in_bytes(INK), font=font)
    return np.asarray(image)


def time_text(time: float, times: Sequence[float]) -> str:
    """Format a time with decimals that distinguish neighbours, at least two: ``1.43 s``."""
    decimals = max(2, 1 - math.floor(math.log10(times[1] - times[0])))
    return f"{time:.{decimals}f} s"


def _check_sheet(path: Path, count: int, size: tuple[int, int], columns: int) -> None:
    if path.suffix.lower() != ".png":
        raise PlaybackError(f"A contact sheet is a .png; got {path}")
    if not 2 <= count <= MOST:
        raise PlaybackError(f"A contact sheet has 2 to {MOST} poses; got {count}")
    for what, pixels, all_of in (
        ("width", size[0], columns),
        ("height", size[1], math.ceil(count / columns)),
    ):
        if not SMALLEST_POSE <= pixels <= 4 * LARGEST // all_of:
            raise PlaybackError(
                f"The {what} of a pose is {SMALLEST_POSE} to {4 * LARGEST // all_of} pixels where "
                f"there are {count}; got {pixels}"
            )
