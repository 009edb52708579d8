"""A map as a drawing of the page: coloured points, boundary, axes and scale."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.workspaces.figure import COLOURS, points_over
from sim.workspaces.maps import Map
from sim.workspaces.outline import boundary, samples_at_boundary
from sim.workspaces.workspace import Workspace

WIDTH = 460  # px
LEFT, RIGHT, TOP, BELOW = 38, 10, 8, 76
_TEXT = 18  # px, height of a line of text
BAR = 10  # px, height of the scale of colours


@dataclass(frozen=True)
class Frame:
    """Where points of a section are in a drawing: ``x = left + scale (u - u_0)``, y downwards.

    Parameters
    ----------
    u, v : tuple of float
        Ends of what is drawn [m].
    scale : float
        [px/m]
    """

    u: tuple[float, float]
    v: tuple[float, float]
    scale: float

    @classmethod
    def of(cls, found: Workspace) -> Frame:
        """Half a step more than the grid on every side."""
        half = found.step / 2
        u = (float(found.u[0]) - half, float(found.u[-1]) + half)
        v = (float(found.v[0]) - half, float(found.v[-1]) + half)
        return cls(u, v, (WIDTH - LEFT - RIGHT) / (u[1] - u[0]))

    @property
    def height(self) -> float:
        """Of the points alone [px]."""
        return self.scale * (self.v[1] - self.v[0])

    def x(self, u: float) -> float:
        """Of a point [px]."""
        return LEFT + self.scale * (u - self.u[0])

    def y(self, v: float) -> float:
        """Of a point, downwards [px]."""
        return TOP + self.scale * (self.v[1] - v)

    def path(self, line: Array) -> str:
        """Of points (K, 2), as in SVG."""
        return "M" + "L".join(f"{self.x(u):.1f},{self.y(v):.1f}" for u, v in line)


def picture(found: Workspace, one: Map, *, samples: bool) -> Markup:
    """SVG of a map; the script of the page draws a posture into its last group."""
    frame = Frame.of(found)
    marks = "".join(_marks(found, one, frame, samples=samples))
    height = frame.height + TOP + BELOW
    return Markup(
        f'<svg class="map" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" tabindex="0" '
        f'role="img" aria-label="{one.quantity}">{marks}<g class="posture"></g></svg>'
    )


def _marks(found: Workspace, one: Map, frame: Frame, *, samples: bool) -> Iterator[str]:
    bottom, right = TOP + frame.height, frame.x(frame.u[1])
    yield (
        f'<rect class="field" x="{LEFT}" y="{TOP}" width="{right - LEFT:.1f}" '
        f'height="{frame.height:.1f}"/>'
    )
    low, high = scale_ends(one)
    yield (
        f'<image x="{LEFT}" y="{TOP}" width="{right - LEFT:.1f}" height="{frame.height:.1f}" '
        f'preserveAspectRatio="none" href="{_points_png(found, one, low, high)}"/>'
    )
    over = points_over(one).reshape(found.is_reached.shape)
    if over.any():
        lines = "".join(frame.path(line) + "Z" for line in boundary(found, over))
        yield f'<path class="over" d="{lines}"/>'
    lines = "".join(frame.path(line) + "Z" for line in boundary(found, found.is_reached))
    yield f'<path class="edge" d="{lines}"/>'
    if samples:
        dots = "".join(
            f"M{frame.x(u):.1f},{frame.y(v):.1f}h0" for u, v in samples_at_boundary(found).T
        )
        yield f'<path class="dots" d="{dots}"/>'
    names = found.section.names
    for value in _ticks(*frame.u):
        yield f'<path class="tick" d="M{frame.x(value):.1f},{bottom:.1f}v4"/>'
        yield _text(frame.x(value), bottom + 15, _number(value), "middle")
    for value in _ticks(*frame.v):
        if frame.y(value) < TOP + _TEXT:  # where the name of the axis is
            continue
        yield f'<path class="tick" d="M{LEFT},{frame.y(value):.1f}h-4"/>'
        yield _text(LEFT - 6, frame.y(value) + 4, _number(value), "end")
    yield _text(right, bottom + 28, f"{names[0]} [m]", "end")
    yield _text(4, TOP + 10, f"{names[1]} [m]", "start", "over-field")
    yield from _scale_marks(one, bottom + 38, right, low, high)


def _scale_marks(one: Map, y: float, right: float, low: float, high: float) -> Iterator[str]:
    wide = right - LEFT
    yield (
        f'<image x="{LEFT}" y="{y:.1f}" width="{wide:.1f}" height="{BAR}" '
        f'preserveAspectRatio="none" href="{_scale_png(one)}"/>'
    )
    for value in _ticks(low, high):
        x = LEFT + wide * (value - low) / (high - low)
        yield _text(x, y + BAR + 13, _number(value), "middle")


def scale_ends(one: Map) -> tuple[float, float]:
    """Values at the ends of a map's colours: zero, and 1 for shares of directions."""
    if one.name == "directions" or not one.is_reached.any():
        return 0.0, 1.0
    return 0.0, float(np.nanmax(one.values)) or 1.0


def _points_png(found: Workspace, one: Map, low: float, high: float) -> str:
    import matplotlib as mpl

    values = one.values.reshape(found.is_reached.shape)[::-1]
    shares = (np.nan_to_num(values) - low) / (high - low)
    colours = mpl.colormaps[COLOURS[one.name]](np.clip(shares, 0, 1), bytes=True)
    colours[np.isnan(values), 3] = 0
    return _png(colours)


def _scale_png(one: Map) -> str:
    import matplotlib as mpl

    return _png(mpl.colormaps[COLOURS[one.name]](np.linspace(0, 1, 256)[None], bytes=True))


def _png(colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str:
    """Colours (rows, columns, 4) as an address of data."""
    from PIL import Image

    block = io.BytesIO()
    Image.fromarray(colours).save(block, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(block.getvalue()).decode()


def _ticks(low: float, high: float) -> list[float]:
    """Some five round values between two."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(k * unit for k in (1, 2, 5, 10) if k * unit >= rough * 0.999)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}".replace("-", "−")


def _text(x: float, y: float, words: str, anchor: str, cls: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{cls}">{words}</text>'
