"""Background of a picture: a light sky, and a floor of squares that fades out."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array

Values = NDArray[np.float32]  # colours from 0 to 255, single precision: pictures need no more

SKY, GROUND, GRID = (np.array(c) for c in ((250, 251, 252), (232, 236, 240), (205, 211, 218)))
CELLS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # m; sizes of a square of the floor
PIECES = 40  # of a line, each in its own shade
FINE = 2  # supersampling of the floor, for smooth lines


def backdrop(to_clip: Array, middle: Array, size: float, width: int, height: int) -> Values:
    """Render sky and floor as seen by a camera, shape (height, width, 3).

    Parameters
    ----------
    to_clip : ndarray, shape (4, 4)
        Projection times view of the camera.
    middle : ndarray, shape (3,)
        Centre of the floor [m].
    size : float
        Size of the robot [m]; the floor extends 2.5 times as far.
    """
    from PIL import Image, ImageDraw

    down = np.linspace(0.0, 1.0, FINE * height)[:, None, None]
    sky = (SKY * (1 - down) + GROUND * down) * np.ones((1, FINE * width, 1))
    image = Image.fromarray(sky.astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for ends, strength in floor_lines(size):
        clip = to_clip @ np.array([[*(middle[:2] + end), middle[2], 1.0] for end in ends]).T
        if clip[3].min() <= 0:
            continue  # behind the camera
        x = FINE * width * (1 + clip[0] / clip[3]) / 2
        y = FINE * height * (1 - clip[1] / clip[3]) / 2
        row = min(max(int(y[0]), 0), FINE * height - 1)
        shade = sky[row, 0] + (GRID - sky[row, 0]) * strength
        colour = tuple(int(part) for part in shade)
        draw.line([(x[0], y[0]), (x[1], y[1])], fill=colour, width=FINE)
    return smaller(np.asarray(image), FINE)


def floor_lines(size: float) -> list[tuple[Array, float]]:
    """Return pieces of the lines between squares, ends of shape (2, 2) [m], and their strengths."""
    cell = next((edge for edge in CELLS if edge > size / 6), CELLS[-1])
    extent = cell * math.ceil(2.5 * size / cell)
    lines = np.arange(-extent, extent + cell / 2, cell)
    pieces = itertools.pairwise(np.linspace(-extent, extent, PIECES + 1))
    segments = []
    for across, (start, end) in itertools.product(lines, pieces):
        strength = min(1.0, 1.5 * (1 - math.hypot(across, (start + end) / 2) / extent))
        if strength > 0:
            ends = np.array([[across, start], [across, end]])
            segments += [(ends, strength), (ends[:, ::-1], strength)]
    return segments


def smaller(image: NDArray[Any], factor: int) -> Values:
    """Return means over squares of `factor` pixels; shape (height, width, channels)."""
    total = np.zeros(image[::factor, ::factor].shape, dtype=np.float32)
    for i, j in itertools.product(range(factor), repeat=2):
        total += image[i::factor, j::factor]
    return total / np.float32(factor**2)
