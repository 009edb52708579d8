"""Meshes of round bodies, as fine as they are wanted, with the content of the bodies themselves."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RoundBody:
    """A mesh, and volume, area and principal moments per mass of the body that it stands for."""

    vertices: np.ndarray
    faces: np.ndarray
    volume: float
    moments: np.ndarray


def sphere(n):
    """Radius 1."""
    return RoundBody(*turned(n, *half_circle(n // 2)), 4 / 3 * np.pi, np.full(3, 0.4))


def cylinder(n):
    """Radius 1, height 2, axis Z."""
    outline = np.array([0.0, 1, 1, 0]), np.array([-1.0, -1, 1, 1])
    return RoundBody(*turned(n, *outline), 2 * np.pi, np.array([7 / 12, 7 / 12, 0.5]))


def torus(n, c=0.25):
    """Radii 1 and c, axis Z."""
    w = 2 * np.pi * np.arange(n // 2) / (n // 2)
    flat = 0.5 + 5 * c * c / 8
    moments = np.array([flat, flat, 1 + 3 * c * c / 4])
    mesh = turned(n, 1 + c * np.cos(w), c * np.sin(w), closed=True)
    return RoundBody(*mesh, 2 * np.pi**2 * c * c, moments)


def half_circle(n):
    """Radii and heights from pole to pole."""
    w = np.linspace(-np.pi / 2, np.pi / 2, n + 1)
    return np.cos(w), np.sin(w)


def turned(n, r, z, closed=False):
    """An outline about Z as n slices; poles are there n times, as many exporters write them."""
    u = 2 * np.pi * np.arange(n) / n
    m = len(r)
    vertices = np.stack(
        [np.outer(np.cos(u), r), np.outer(np.sin(u), r), np.outer(np.ones(n), z)], axis=2
    ).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(m if closed else m - 1), indexing="ij")
    a, b = (i * m + j).ravel(), ((i + 1) % n * m + j).ravel()
    up = ((j + 1) % m - j).ravel()
    faces = np.concatenate([np.stack([a, b, b + up], 1), np.stack([a, b + up, a + up], 1)])
    return vertices, faces


def box(size=(1.0, 1.0, 1.0), middle=(0.0, 0.0, 0.0)):
    """Vertices and faces of a box along the axes."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return corners * size + middle, faces


def together(*meshes):
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(v) for v, _ in meshes)])
    faces = [f + start for (_, f), start in zip(meshes, starts, strict=False)]
    return np.concatenate([v for v, _ in meshes]), np.concatenate(faces)
