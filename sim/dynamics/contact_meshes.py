"""Mesh files as convex bodies that may touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.shapes.closed_bodies import ClosedMesh, weld
from sim.shapes.convex_hull import convex_hull
from sim.shapes.link_masses import require_metres
from sim.shapes.mesh_faults import mesh_faults
from sim.shapes.surface import read_mesh

HOLLOW = 1e-3  # largest relative difference between a body's volume and its hull's
HARMLESS = {"faces twice", "turned", "inside out"}  # irrelevant to a hull


def convex_bodies(path: Path, scale: float, *, as_hull: bool = False) -> tuple[Array, ...]:
    """Return the corners (V, 3) [m] of each closed body of a mesh file, OBJ or STL.

    Parameters
    ----------
    path : Path
    scale : float
        Length of the file's unit [m].
    as_hull : bool
        Whether bodies that are not convex are replaced by their hulls.

    Raises
    ------
    ModelError
        If the file cannot be read, is open, is so large that its unit seems to be the millimetre,
        or has a body that is not convex; names file and remedy.
    """
    triangles, what = read_mesh(path, only_places=True), f"mesh {path}"
    if not 0.0 < scale < np.inf:
        raise ModelError(f"{what}: scale {scale!r} must be above 0")
    if scale == 1.0:
        require_metres(triangles.vertices, what)
    mesh = weld(triangles.vertices * scale, triangles.faces)
    faults = [one for one in mesh_faults(mesh) if one.kind not in HARMLESS]
    if faults and not (as_hull and faults[0].kind == "not closed"):
        raise ModelError(
            f"{what} cannot touch: {faults[0].kind}, {faults[0].text}. {faults[0].remedy}"
        )
    if as_hull:
        return (mesh.vertices,)
    for number, body in enumerate(mesh.bodies, 1):
        _require_convex(body, f"{what}, body {number} of {len(mesh.bodies)}")
    return tuple(body.vertices for body in mesh.bodies)


def _require_convex(body: ClosedMesh, what: str) -> None:
    hull = convex_hull(body.vertices)
    share = abs(body.volume) / hull.volume if hull is not None else 0.0
    if hull is None or share < 1.0 - HOLLOW:
        raise ModelError(
            f"{what} is not convex: it has {100 * share:.1f} % of the volume of its hull; divide "
            "it into convex bodies in one file, or set hull=True to use its convex hull"
        )
