"""Pictures written to a file: MP4 by ffmpeg, GIF and PNG by Pillow."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sim.errors import PlaybackError
from sim.playback.frames import Frame
from sim.recording.files.named_file import MARK, require_place

ENDINGS = (".mp4", ".gif", ".png")
COLOURS = 128  # of a GIF

NO_FFMPEG = (
    "An MP4 needs ffmpeg, and there is none on the PATH: install it (apt-get install ffmpeg), or "
    "pip install imageio-ffmpeg (the extra 'video'), or write a .gif"
)


def write_film(path: Path, frames: Iterator[Frame], fps: float) -> int:
    """Write pictures into `path`, by its suffix; return their number.

    The file is written whole; after an error an earlier file is unchanged.

    Raises
    ------
    PlaybackError
        If there is no ffmpeg for an MP4, it fails, or the file cannot be written.
    """
    writer = {".mp4": _write_mp4, ".gif": _write_gif, ".png": _write_png}[path.suffix.lower()]
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.stem[:50]}.", dir=path.parent) as folder:
            part = Path(folder) / f"film{path.suffix.lower()}"
            count = writer(part, frames, fps)
            require_place(path)  # checked again, since drawing takes time
            part.replace(path.resolve())
    except OSError as error:
        raise PlaybackError(f"Cannot write {path}: {error.strerror or error}") from None
    return count


def find_ffmpeg() -> str:
    """Return the ffmpeg on the PATH, or that of the package imageio-ffmpeg.

    Raises
    ------
    PlaybackError
        If there is neither; the message states how to install it.
    """
    if (program := shutil.which("ffmpeg")) is not None:
        return program
    with contextlib.suppress(ImportError, RuntimeError):
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    raise PlaybackError(NO_FFMPEG)


def _write_mp4(path: Path, frames: Iterator[Frame], fps: float) -> int:
    ffmpeg = find_ffmpeg()
    first = next(frames)
    height, width, _ = first.shape
    command = [
        *(ffmpeg, "-loglevel", "error", "-nostdin", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}"),
        *("-i", "pipe:0", "-an", "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p"),
        *("-metadata", f"comment={MARK.decode()}", "-movflags", "+faststart", str(path)),
    ]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints
        ) as process,
    ):
        try:
            count = _feed(process, itertools.chain([first], frames))
        except BaseException:
            process.kill()
            raise
        if process.returncode:
            raise OSError(f"ffmpeg failed: {_complaint(complaints)}")
    return count


def _feed(process: subprocess.Popen[bytes], frames: Iterator[Frame]) -> int:
    """Send frames to a process and wait for its end; return the number of frames."""
    count = 0
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            for frame in frames:
                pipe.write(frame.tobytes())
                count += 1
    process.wait()  # its status shows whether the pipe broke
    return count


def _complaint(file: IO[bytes]) -> str:
    """Return the last message of ffmpeg, or that of a full disk, which causes the later ones."""
    file.seek(0)
    lines = file.read().decode(errors="replace").strip().splitlines()
    full = os.strerror(errno.ENOSPC)
    if any(full in line for line in lines):
        return full
    return lines[-1] if lines else "it reported no error"


def _write_gif(path: Path, frames: Iterator[Frame], fps: float) -> int:
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(COLOURS)
    count = 1

    def others() -> Iterator[Image.Image]:
        nonlocal count
        for frame in frames:
            count += 1
            # One palette for all pictures, so that static parts do not flicker.
            yield Image.fromarray(frame).quantize(palette=first, dither=Image.Dither.NONE)

    duration = round(1000 / fps)  # ms
    first.save(path, save_all=True, append_images=others(), duration=duration, loop=0, comment=MARK)
    return count


def _write_png(path: Path, frames: Iterator[Frame], fps: float) -> int:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    words = PngInfo()
    words.add_text("Software", MARK.decode())
    Image.fromarray(next(frames)).save(path, pnginfo=words)
    return 1
