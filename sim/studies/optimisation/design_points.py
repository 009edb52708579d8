"""Points at which a search begins: a designed experiment for a response surface of degree two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from sim.maths.arrays import Array

MOST_FACTORIAL = 4  # parameters; of more, the corners of a cube are too many
SPARE = 1.5  # points for each term of a surface


def term_count(size: int) -> int:
    """Terms of a polynomial of degree two in some parameters."""
    return (size + 1) * (size + 2) // 2


def design_points(size: int, seed: int, least: int = 1) -> Array:
    """Shares of the points of a design, (N, size), the middle first.

    A face-centred central composite design of up to four parameters (five levels of one), a Latin
    hypercube of more; further points of a Latin hypercube where `least` are needed.
    """
    if size == 1:
        points = np.array([[0.5], [0.0], [1.0], [0.25], [0.75]])
    elif size <= MOST_FACTORIAL:
        middle = np.full((1, size), 0.5)
        faces = middle + 0.5 * np.vstack([-np.eye(size), np.eye(size)])
        corners = np.array(list(itertools.product((0.0, 1.0), repeat=size)))
        points = np.vstack([middle, faces, corners])
    else:
        points = np.vstack(
            [np.full((1, size), 0.5), hypercube(size, math.ceil(SPARE * term_count(size)), seed)]
        )
    more = least - len(points)
    return np.vstack([points, hypercube(size, more, seed)]) if more > 0 else points


def hypercube(size: int, count: int, seed: int) -> Array:
    """Shares of some points of a Latin hypercube, (count, size)."""
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(size, rng=seed).random(count))


def embed(points: Array, free: Sequence[int], base: Array) -> list[Array]:
    """Points of the free shares within a whole point."""
    xs = []
    for row in points:
        x = base.copy()
        x[list(free)] = row
        xs.append(x)
    return xs
