"""Colours of the generated meshes: a common strip of swatches.

A face's colour is a position in the strip: every corner of the face has the texture coordinates of
the centre of its swatch, ``u = (index + 1/2) / number of swatches`` and ``v = 1/2``. Renderers
limited to textures show the strip as an image; others can look up the colour of a coordinate here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FILE = "palette.png"
SWATCH = 8  # edge of a swatch in the image [pixel]: its centre is clear of its neighbours

# Name and sRGB colour. New colours are appended: existing meshes keep theirs.
PALETTE: dict[str, str] = {
    "tube grey": "#c6cacd",
    "cap blue": "#7fa6bf",
    "rubber": "#26282b",
    "steel": "#a4aab0",
    "bright steel": "#d5d9dc",
    "graphite": "#3a3e43",
    "motor black": "#27292c",
    "cast orange": "#f57f20",
    "shadow orange": "#d96a12",
    "arm orange": "#ee5a1c",
    "deep orange": "#c94610",
    "yellow": "#f2b61a",
    "deep yellow": "#d19a0c",
    "copper": "#b8713c",
    "cable": "#2f3338",
    "label white": "#f1f2f0",
}


def coordinate(name: str) -> tuple[float, float]:
    """Return the texture coordinates u, v of a colour.

    Raises
    ------
    ValueError
        If the palette has no such colour.
    """
    return ((list(PALETTE).index(name) + 0.5) / len(PALETTE), 0.5)


def colours_at(u: ArrayLike) -> NDArray[np.uint8]:
    """Return red, green and blue at texture coordinates `u` of shape (N,); shape (N, 3)."""
    swatches = image()[0, ::SWATCH]
    index = np.floor(np.asarray(u, dtype=np.float64) * len(swatches)).astype(np.int64)
    return swatches[np.clip(index, 0, len(swatches) - 1)]


def rgb(name: str) -> tuple[int, int, int]:
    """Return red, green and blue of a colour, from 0 to 255."""
    word = PALETTE[name]
    return (int(word[1:3], 16), int(word[3:5], 16), int(word[5:7], 16))


def image() -> NDArray[np.uint8]:
    """Return the strip, shape (SWATCH, SWATCH · number of colours, 3)."""
    strip = np.array([[rgb(name) for name in PALETTE]], dtype=np.uint8)
    return strip.repeat(SWATCH, axis=0).repeat(SWATCH, axis=1)
