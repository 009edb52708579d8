"""A video as another program reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np


def decoded(path: Path, width: int, height: int) -> tuple[str, list[np.ndarray]]:
    """What ffmpeg says of a video, and its pictures."""
    done = subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    pictures = np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3)
    return done.stderr.decode(), list(pictures)
