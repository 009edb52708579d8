"""Still picture of the robot and small curves, without scripts."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.disk_cache import Arrays, cached_arrays
from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.reports.page.glb_scene import GlbScene
from sim.shapes.ground import Ground, ground_of, samples_of

WIDTH, HEIGHT = 480, 400  # [px]
ROUNDING = 1e-9  # relative to a curve's largest value
FINER = 2  # supersampling factor
DENSITY = 8.0  # points on a surface per supersampled pixel
PIECE = 1 << 15  # points at once, to bound the memory
LIGHT = np.array([-0.45, 0.65, 0.61])  # towards the light: right, up, towards the eye
AMBIENT = 0.42


def poster(scene: GlbScene, recording: Recording, scale: float = 1.0) -> str:
    """Return an SVG of the robot at the start of a run, with the path of its tool.

    Parameters
    ----------
    scale : float
        Pixels of the picture per unit of the drawing; smaller for a thumbnail.
    """
    words = "The robot at the start, and the way of its tool"
    return poster_of(scene, recorded_of(recording), scale, words)


def poster_of(scene: GlbScene, table: Table, scale: float, words: str) -> str:
    """Draw the robot at the poses of a table as SVG, with a text for screen readers."""
    corners, rgb = _triangles(scene, table)
    view = _view()
    seen, way = corners @ view.T, _way(table) @ view.T
    place = _placing(np.concatenate([seen.reshape(-1, 3), way]))
    floor = _floor(np.concatenate([corners.reshape(-1, 3), _way(table)]))
    width, height = round(scale * WIDTH), round(scale * HEIGHT)
    image = _image(scale * place(seen), rgb, width, height)
    lines = "".join(f"M{_path(place(ends @ view.T))}" for ends in floor)
    shapes = [
        f'<path class="floor" d="{lines}"/>',
        f'<image width="{WIDTH}" height="{HEIGHT}" '
        f'href="data:image/png;base64,{base64.b64encode(image).decode()}"/>',
    ]
    if len(way) > 1:
        shapes.append(f'<polyline class="way" points="{_path(place(way))}"/>')
    return (
        f'<svg class="poster" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{words}">{"".join(shapes)}</svg>'
    )


def _image(corners: Array, rgb: Array, width: int, height: int) -> bytes:
    """Return the PNG of triangles, from the cache if the same ones were drawn before."""

    def draw() -> Arrays:
        return (np.frombuffer(png(picture(corners, rgb, width, height)), np.uint8),)

    size = f"{width} {height}".encode()
    data = [size, corners.tobytes(), rgb.tobytes(), zlib.ZLIB_RUNTIME_VERSION.encode()]
    return cached_arrays(data, draw, packages=["numpy"])[0].tobytes()


def sparkline(values: Array, width: int = 160, height: int = 32, limit: float | None = None) -> str:
    """Return a curve without axes; lowest and highest value at the edges.

    With a `limit` the lower edge is zero, and a line marks the limit.
    """
    stride = max(1, values.size // width)
    thin = np.nan_to_num(values[::stride], posinf=0.0, neginf=0.0)
    if limit is None and np.ptp(thin) <= ROUNDING * np.abs(thin).max(initial=0.0):
        thin[:] = thin[0]  # a curve that is constant within rounding is drawn straight
    low, high = float(thin.min()), float(thin.max())
    if limit is not None:
        low, high = 0.0, max(high, limit)
    span = (high - low) or 1.0
    x = np.linspace(1, width - 1, thin.size)
    y = height - 2 - (height - 4) * (thin - low) / span
    line = ""
    if limit is not None:
        at = height - 2 - (height - 4) * limit / span
        line = f'<line x1="1" x2="{width - 1}" y1="{at:.1f}" y2="{at:.1f}"/>'
    elif np.ptp(thin) == 0:
        y[:] = height / 2
    points = _path(np.column_stack([x, y]))
    return (
        f'<svg class="spark" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'aria-hidden="true">{line}<polyline points="{points}"/></svg>'
    )


def ground(scene: GlbScene, tables: Sequence[Table]) -> Ground:
    """Return the ground below the robot, sized by the region reached in the shown runs."""
    moving: set[str] = set()
    for facts in scene.links.values():
        if facts.joint or facts.parent in moving:
            moving.add(facts.link)
    motions = [scene.poses(table, samples_of(len(table))) for table in tables]
    root = next(iter(scene.links.values())).link
    outlines = {link: points for link, (points, _, _) in scene.shapes().items()}
    path = _way(tables[0], every=True)
    return ground_of(outlines, moving, motions, path, motions[0][root][:, :, 0])


def bounds(ground: Ground) -> tuple[list[float], float]:
    """Return centre [m] and radius [m] of a ball that contains all that is reached."""
    low, high = ground.reached.min(axis=0), ground.reached.max(axis=0)
    return ((low + high) / 2).tolist(), float(np.linalg.norm(high - low)) / 2


def _triangles(scene: GlbScene, table: Table) -> tuple[Array, Array]:
    """Return all triangles in the world (F, 3, 3) [m], and their colours in sRGB."""
    poses = scene.poses(table, [0])
    corners, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
    for link, (points, light, faces) in scene.shapes().items():
        T = poses[link][:, :, 0]
        corners.append((points @ T[:3, :3].T + T[:3, 3])[faces])
        dim, bright = 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055
        colours.append(np.where(light <= 0.0031308, dim, bright)[faces[:, 0]])
    return np.concatenate(corners), np.concatenate(colours)


def _view() -> Array:
    """Return right, up and towards-the-eye rows of a view from the front, slightly from above."""
    azimuth, height = math.radians(40), math.radians(22)
    level = math.cos(height)
    toward = np.array([math.cos(azimuth) * level, math.sin(azimuth) * level, math.sin(height)])
    right = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    return np.stack([right, np.cross(toward, right), toward])


def _way(table: Table, *, every: bool = False) -> Array:
    columns = [f"tool.{c}" for c in "xyz"]
    if not set(columns) <= set(table.columns):
        return np.zeros((0, 3))
    points = np.column_stack([numbers_in(table, column) for column in columns])
    points = points[np.isfinite(points).all(axis=1)]
    return np.asarray(points if every else points[:: max(1, len(points) // 200)])


def _floor(points: Array) -> list[Array]:
    """Return the ends of the lines of a grid at the height of the lowest point."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = max(float(np.linalg.norm(high - low)), 1e-9)
    cell = 10.0 ** math.floor(math.log10(size / 2))
    cell = next(c for c in (cell / 5, cell / 2, cell) if c >= size / 20)
    first, last = np.floor(low[:2] / cell) - 1, np.ceil(high[:2] / cell) + 1
    lines = []
    for along in (0, 1):
        for k in np.arange(first[1 - along], last[1 - along] + 1):
            ends = np.empty((2, 3))
            ends[:, along] = cell * first[along], cell * last[along]
            ends[:, 1 - along], ends[:, 2] = cell * k, low[2]
            lines.append(ends)
    return lines


def _placing(points: Array) -> Callable[[Array], Array]:
    """Return a function from view coordinates [m] to pixels that fits all points with a margin."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    span = np.maximum(high - low, 1e-9)
    scale = 0.9 * min(WIDTH / span[0], HEIGHT / span[1])
    middle = np.array([*(low + high) / 2, 0.0])

    def place(p: Array) -> Array:
        offset = np.array([WIDTH / 2, HEIGHT / 2, 0.0])
        return np.asarray(offset + scale * (p - middle) * np.array([1, -1, 1]))

    return place


def _path(points: Array) -> str:
    return " ".join(f"{p[0]:.1f},{p[1]:.1f}" for p in points)


def picture(corners: Array, rgb: Array, width: int, height: int) -> NDArray[np.uint8]:
    """Render triangles as an image, shape (height, width, 4), transparent elsewhere.

    Each triangle is sampled at points, evenly by the plastic number's sequence (Roberts 2018);
    the nearest point colours a pixel. Back faces are left out.

    Parameters
    ----------
    corners : ndarray, shape (F, 3, 3)
        Vertices of each triangle: pixels to the right, pixels down, nearness to the eye.
    rgb : ndarray, shape (F, 3)
        Colour of each triangle, 0 to 1.
    """
    a, b, c = (FINER * corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a) * np.array([-1, 1, -1])  # the pixel axis points downwards
    size = np.linalg.norm(normal, axis=1)
    front = normal[:, 2] > 0
    a, b, c, normal, size, rgb = (x[front] for x in (a, b, c, normal, size, rgb))
    shade = AMBIENT + (1 - AMBIENT) * np.clip(normal @ LIGHT / size, 0, 1)
    count = np.ceil(DENSITY * normal[:, 2] / 2).astype(np.int64)
    seen = _nearest(np.stack([a, b - a, c - a]), count, FINER * width, FINER * height)
    drawn = np.flatnonzero(seen >= 0)
    row, column = np.divmod(drawn, FINER * width)
    pixel = row // FINER * width + column // FINER
    face = seen[drawn]
    covered = np.bincount(pixel, minlength=width * height)
    image = np.empty((width * height, 4), np.uint8)
    for k in range(3):
        summed = np.bincount(pixel, (rgb[:, k] * shade)[face], minlength=width * height)
        image[:, k] = np.round(255 * summed / np.maximum(covered, 1))
    image[:, 3] = np.round(255 * covered / FINER**2)
    return image.reshape(height, width, 4)


def _nearest(faces: Array, count: NDArray[np.int64], width: int, height: int) -> NDArray[np.int64]:
    """Return the face visible in each pixel of an image, row by row; -1 for none.

    Parameters
    ----------
    faces : ndarray, shape (3, F, 3)
        For each face its first vertex and the two sides from there.
    count : ndarray, shape (F,)
        Number of points on each face.
    """
    owner = np.repeat(np.arange(count.size, dtype=np.int32), count)
    across = np.abs(faces[1:, :, 2]).sum(axis=0)
    far = (faces[0, :, 2] - across).min(initial=0.0)
    near = (faces[0, :, 2] + across).max(initial=0.0)
    steps = (2**31 - 1) / max(near - far, 1.0)
    # Nine contiguous rows, from which the points of a batch are gathered.
    corner, first, second = faces.transpose(0, 2, 1).copy()
    corner[2], first[2], second[2] = (corner[2] - far) * steps, first[2] * steps, second[2] * steps
    k = np.arange(PIECE)
    u, v = (0.7548776662466927 * k) % 1, (0.5698402909980532 * k) % 1
    over = u + v > 1
    u[over], v[over] = 1 - u[over], 1 - v[over]
    # The maximum per pixel of a key: quantised nearness, then face number plus one.
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
    """Return the PNG of an image of shape (height, width, 4), ISO/IEC 15948."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width = image.shape[:2]
    # Filter 2, the difference from the row above, compresses best here.
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
