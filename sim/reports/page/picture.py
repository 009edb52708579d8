"""Picture: the robot's shapes drawn into pixels, for where there is no WebGL."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array

FINER = 2  # pixels are drawn this much finer, and averaged
DENSITY = 8.0  # points on a surface for each of them
PIECE = 1 << 15  # points at once: bounds the memory
LIGHT = np.array([-0.45, 0.65, 0.61])  # towards the light: right, up, towards the eye
AMBIENT = 0.42


def picture(corners: Array, rgb: Array, width: int, height: int) -> NDArray[np.uint8]:
    """Triangles as an image, shape (height, width, 4), clear where nothing is.

    Each triangle is covered with points, evenly by the plastic number's sequence (Roberts 2018);
    the nearest point gives a pixel its colour. Triangles that look away are left out.

    Parameters
    ----------
    corners : ndarray, shape (F, 3, 3)
        Corners of each triangle: pixels to the right, pixels down, nearness to the eye.
    rgb : ndarray, shape (F, 3)
        Colour of each, 0 to 1.
    """
    a, b, c = (FINER * corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a) * np.array([-1, 1, -1])  # pixels count downwards
    size = np.linalg.norm(normal, axis=1)
    front = normal[:, 2] > 0
    a, b, c, normal, size, rgb = (x[front] for x in (a, b, c, normal, size, rgb))
    shade = AMBIENT + (1 - AMBIENT) * np.clip(normal @ LIGHT / size, 0, 1)
    count = np.ceil(DENSITY * normal[:, 2] / 2).astype(np.int64)
    seen = _nearest(np.stack([a, b - a, c - a]), count, FINER * width, FINER * height)
    drawn = np.flatnonzero(seen >= 0)
    row, column = np.divmod(drawn, FINER * width)
    pixel = row // FINER * width + column // FINER
    light = (rgb * shade[:, None])[seen[drawn]]
    covered = np.bincount(pixel, minlength=width * height)
    image = np.empty((width * height, 4))
    for k in range(3):
        summed = np.bincount(pixel, light[:, k], minlength=width * height)
        image[:, k] = summed / np.maximum(covered, 1)
    image[:, 3] = covered / FINER**2
    return np.round(255 * image).astype(np.uint8).reshape(height, width, 4)


def _nearest(faces: Array, count: NDArray[np.int64], width: int, height: int) -> NDArray[np.int64]:
    """Which face is seen in each pixel of an image, row by row; -1 where none is.

    Parameters
    ----------
    faces : ndarray, shape (3, F, 3)
        Of each face its first corner and the two sides that begin there.
    count : ndarray, shape (F,)
        Points on each.
    """
    owner = np.repeat(np.arange(count.size, dtype=np.int32), count)
    across = np.abs(faces[1:, :, 2]).sum(axis=0)
    far = (faces[0, :, 2] - across).min(initial=0.0)
    near = (faces[0, :, 2] + across).max(initial=0.0)
    steps = (2**31 - 1) / max(near - far, 1.0)
    # Nine rows that each run along the memory: from them the points of a piece are gathered.
    corner, first, second = faces.transpose(0, 2, 1).copy()
    corner[2], first[2], second[2] = (corner[2] - far) * steps, first[2] * steps, second[2] * steps
    k = np.arange(PIECE)
    u, v = (0.7548776662466927 * k) % 1, (0.5698402909980532 * k) % 1
    over = u + v > 1
    u[over], v[over] = 1 - u[over], 1 - v[over]
    # In each pixel the largest of: nearness in whole steps, then the number of the face plus one.
    keys = np.zeros(width * height, np.int64)
    for begin in range(0, owner.size, PIECE):
        face = owner[begin : begin + PIECE]
        x, y, z = (
            corner[axis].take(face)
            + u[: face.size] * first[axis].take(face)
            + v[: face.size] * second[axis].take(face)
            for axis in range(3)
        )
        column, row = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        key = z.astype(np.int64) << 32 | face + 1
        if not inside.all():
            column, row, key = column[inside], row[inside], key[inside]
        np.maximum.at(keys, row * width + column, key)
    return (keys & 0xFFFFFFFF) - 1


def png(image: NDArray[np.uint8]) -> bytes:
    """PNG file of an image of shape (height, width, 4), ISO/IEC 15948."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width = image.shape[:2]
    # Each row as its difference from the one above (filter 2), which compresses best here.
    above = np.concatenate([np.zeros_like(image[:1]), image[:-1]])
    rows = np.concatenate(
        [np.full((height, 1), 2, np.uint8), (image - above).reshape(height, -1)], axis=1
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + chunk(b"IEND", b"")
    )
