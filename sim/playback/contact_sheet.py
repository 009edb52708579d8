"""Contact sheet: poses of a run side by side with their times, as one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sim.errors import PlaybackError
from sim.playback.colours import INK, VERDICTS, in_bytes
from sim.playback.film import write_film
from sim.playback.frames import Frame, caption_font, plain_frames
from sim.playback.shown_run import ShownRun
from sim.playback.video import FPS, LARGEST, Progress
from sim.recording.files.named_file import require_place

SIZE = (400, 360)  # pixels of a pose
SMALLEST = 80
MOST = 48  # poses
ACROSS = 4  # poses in a row, at least
HEAD = 0.12  # of a pose's height, for the heading
GAP = 2  # pixels between poses


def write_sheet(
    shown: ShownRun,
    path: Path,
    count: int,
    *,
    size: tuple[int, int] = SIZE,
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
    _check(path, count, size, columns)
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


def _check(path: Path, count: int, size: tuple[int, int], columns: int) -> None:
    if path.suffix.lower() != ".png":
        raise PlaybackError(f"A contact sheet is a .png; got {path}")
    if not 2 <= count <= MOST:
        raise PlaybackError(f"A contact sheet has 2 to {MOST} poses; got {count}")
    for what, pixels, all_of in (
        ("width", size[0], columns),
        ("height", size[1], math.ceil(count / columns)),
    ):
        if not SMALLEST <= pixels <= 4 * LARGEST // all_of:
            raise PlaybackError(
                f"The {what} of a pose is {SMALLEST} to {4 * LARGEST // all_of} pixels where "
                f"there are {count}; got {pixels}"
            )
