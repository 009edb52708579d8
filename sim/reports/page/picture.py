"""Picture: the robot's shapes drawn into pixels, for where there is no WebGL."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array

FINER = 2  # pixels are drawn this much finer, and averaged
DENSITY = 5.0  # points on a surface for each of them
LIGHT = np.array([-0.45, 0.65, 0.61])  # towards the light: right, up, towards the eye
AMBIENT = 0.42


def picture(corners: Array, rgb: Array, width: int, height: int) -> NDArray[np.uint8]:
    """Triangles as an image, shape (height, width, 4), clear where nothing is.

    Each triangle is covered with points, evenly by the plastic number's sequence (Roberts 2018);
    the nearest point gives a pixel its colour. Faces that look away are left out.

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
    face = np.repeat(np.arange(count.size), count)
    k = np.arange(face.size)
    u, v = (0.7548776662466927 * k) % 1, (0.5698402909980532 * k) % 1
    over = u + v > 1
    u[over], v[over] = 1 - u[over], 1 - v[over]

    def spread(axis: int) -> Array:
        """One coordinate of all points."""
        p, q, r = (x[:, axis] for x in (a, b - a, c - a))
        return np.asarray(p[face] + u * q[face] + v * r[face])

    x, y = (np.floor(spread(axis)).astype(np.int64) for axis in (0, 1))
    inside = np.flatnonzero((x >= 0) & (x < FINER * width) & (y >= 0) & (y < FINER * height))
    pixel, near = (y * (FINER * width) + x)[inside], spread(2)[inside]
    nearest = np.full(FINER * height * FINER * width, -np.inf)
    np.maximum.at(nearest, pixel, near)
    wins = near == nearest[pixel]
    seen = np.full(nearest.size, -1)
    seen[pixel[wins]] = face[inside[wins]]
    drawn = seen >= 0
    fine = np.zeros((seen.size, 4))
    fine[drawn, :3] = (rgb * shade[:, None])[seen[drawn]]
    fine[drawn, 3] = 1.0
    boxed = fine.reshape(height, FINER, width, FINER, 4).sum(axis=(1, 3))
    covered = boxed[:, :, 3:]
    image = np.concatenate([boxed[:, :, :3] / np.maximum(covered, 1), covered / FINER**2], axis=2)
    return np.round(255 * image).astype(np.uint8)


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
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
