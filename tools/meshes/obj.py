"""Bodies as Wavefront OBJ text: small, with normals that are smooth except at creases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.shapes.palette import PALETTE, coordinate
from sim.shapes.surface import corner_normals

NOTE = "illustrative, by python -m tools.meshes"
SLIVER = 2e-4  # [m]; thinner faces could flip when rounded
DIRECTIONS = 64  # directions in which a hull touches its body


def triangles(body: Manifold) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (V, 3) [m] and faces (F, 3) of a body."""
    mesh = body.to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, dtype=np.int64)


def painted_obj(bodies: Sequence[tuple[Manifold, str]], title: str, material: str) -> str:
    """Return one object with a texture coordinate of the palette at each vertex."""
    positions, directions, colours = _Pool("v", 4), _Pool("vn", 2), _Pool("vt", 5)
    lines = []
    for body, colour in bodies:
        vertices, faces = triangles(body.simplify(SLIVER))
        v = positions.indices(vertices)[faces]
        n = directions.indices(corner_normals(vertices, faces).reshape(-1, 3)).reshape(-1, 3)
        t = colours.indices(np.array([coordinate(colour)]))[0]
        for (i, j, k), (x, y, z) in zip(v.tolist(), n.tolist(), strict=True):
            if len({i, j, k}) == 3:  # not a sliver closed by rounding
                lines.append(f"f {i}/{t}/{x} {j}/{t}/{y} {k}/{t}/{z}")
    head = [f"# {title}, {NOTE}", f"mtllib {material}.mtl", f"o {title}"]
    return (
        "\n".join(
            [
                *head,
                *positions.lines,
                *colours.lines,
                *directions.lines,
                f"usemtl {material}",
                *lines,
            ]
        )
        + "\n"
    )


def hull_obj(bodies: Sequence[tuple[Manifold, str]], title: str) -> str:
    """Return a convex body of few faces that touches the bodies in evenly spread directions."""
    vertices, faces = triangles(convex(bodies))
    pool = _Pool("v", 4)
    v = pool.indices(vertices)[faces]
    lines = [f"f {i} {j} {k}" for i, j, k in v.tolist()]
    return "\n".join([f"# {title}, {NOTE}", f"o {title}", *pool.lines, *lines]) + "\n"


def convex(bodies: Sequence[tuple[Manifold, str]]) -> Manifold:
    """Return the convex hull of the outermost vertices in `DIRECTIONS` directions and on axes."""
    vertices = np.concatenate([triangles(body)[0] for body, _ in bodies])
    k = np.arange(DIRECTIONS)
    z = 1 - (2 * k + 1) / DIRECTIONS
    turn = np.pi * (1 + np.sqrt(5)) * k
    r = np.sqrt(1 - z * z)
    spread = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
    spread = np.concatenate([spread, np.eye(3), -np.eye(3)])
    # rounded first, so that equal heights do not differ in the last bit
    heights = np.round(spread @ vertices.T, 6)
    outermost = np.round(vertices[np.unique(heights.argmax(axis=1))], 4)
    return Manifold.hull_points(outermost)


class _Pool:
    """Rows of numbers, written once each and referenced by their line."""

    def __init__(self, key: str, digits: int) -> None:
        self.key = key
        self.digits = digits
        self.places: dict[str, int] = {}

    @property
    def lines(self) -> list[str]:
        return list(self.places)

    def indices(self, rows: Array) -> NDArray[np.int64]:
        words = (
            f"{self.key} " + " ".join(_number(value, self.digits) for value in row)
            for row in np.round(rows, 9).tolist()  # equal except for the last bit is equal
        )
        return np.array([self.places.setdefault(word, len(self.places) + 1) for word in words])


def _number(value: float, digits: int) -> str:
    word = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if word in ("-0", "") else word


def material_text(name: str, image: str) -> str:
    """Return the material library that assigns the palette as texture to every link."""
    return (
        f"# {len(PALETTE)} colours; which one a face has is in its texture coordinates\n"
        f"newmtl {name}\nKa 1 1 1\nKd 1 1 1\nKs 0 0 0\nmap_Kd {image}\n"
    )
