"""Outer surface of a mesh of several closed bodies: overlaps count once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ModelError, SimError
from sim.shapes.closed_bodies import ClosedMesh, weld

if TYPE_CHECKING:
    from manifold3d import Manifold

NEAR = 1e-6  # of a volume: rounding of the union


def unite(mesh: ClosedMesh, volumes: Sequence[float], what: str) -> ClosedMesh:
    """Return the mesh itself if its bodies are disjoint, else the surface of their union.

    A body of negative volume within others is a cavity of the smallest that contains it.

    Parameters
    ----------
    mesh : ClosedMesh
    volumes : sequence of float
        Volumes of its bodies, in order [m³].
    what : str
        Name of the mesh in messages.

    Raises
    ------
    ModelError
        If a body is inside out and not within another.
    SimError
        If bounding boxes of bodies overlap and manifold3d is missing.
    """
    if not _boxes_overlap(mesh.bodies):
        if inside_out := sum(volume < 0 for volume in volumes):
            raise _inside_out(inside_out, len(volumes), what)
        return mesh
    origin = mesh.vertices.mean(axis=0)
    united = _union([_manifold(body, origin, what) for body in mesh.bodies], volumes, what)
    mesh_of_union = united.to_mesh64()
    vertices = np.asarray(mesh_of_union.vert_properties)[:, :3] + origin
    return weld(vertices, np.asarray(mesh_of_union.tri_verts, dtype=np.int64))


def _union(parts: Sequence[Manifold], volumes: Sequence[float], what: str) -> Manifold:
    """Return the bodies with their cavities, united."""
    from manifold3d import Manifold, OpType

    solids = {k: parts[k] for k, volume in enumerate(volumes) if volume > 0}
    count = 0
    for k, volume in enumerate(volumes):
        if volume > 0:
            continue
        around = [
            n
            for n in solids
            if volumes[n] >= -volume
            and abs((parts[n] ^ parts[k]).volume() + volume) <= -NEAR * volume
        ]
        if around:
            host = min(around, key=lambda n: volumes[n])
            solids[host] = solids[host] - parts[k]
        else:
            count += 1
    if count:
        raise _inside_out(count, len(parts), what)
    return Manifold.batch_boolean(list(solids.values()), OpType.Add)


def _manifold(body: ClosedMesh, origin: np.ndarray, what: str) -> Manifold:
    """Return a body of positive volume for manifold3d about `origin`: `Mesh` has fewer digits."""
    try:
        from manifold3d import Error, Manifold, Mesh64
    except ImportError:
        raise SimError(  # not a fault of the mesh
            f"{what} has bodies that may overlap, and their common volume must count once; this "
            "requires manifold3d: pip install 'sim[meshes]'"
        ) from None
    places = body.vertices - origin
    a, b, c = places[body.faces].transpose(1, 0, 2)
    outwards = np.einsum("ij,ij->", a, np.cross(b, c)) > 0
    faces = body.faces if outwards else body.faces[:, ::-1]
    mesh = Mesh64(
        vert_properties=np.ascontiguousarray(places),
        tri_verts=np.ascontiguousarray(faces.astype(np.uint64)),
    )
    solid = Manifold(mesh)
    if solid.status() != Error.NoError:
        raise ModelError(
            f"{what}: one of its bodies is not a closed surface for manifold3d ({solid.status()}); "
            "repair it in a mesh program"
        )
    return solid


def _boxes_overlap(bodies: Sequence[ClosedMesh]) -> bool:
    """Whether the bounding boxes of any two bodies share more than a face."""
    lows = np.array([body.vertices.min(axis=0) for body in bodies])
    highs = np.array([body.vertices.max(axis=0) for body in bodies])
    for k in range(1, len(bodies)):
        if ((lows[:k] < highs[k]) & (lows[k] < highs[:k])).all(axis=1).any():
            return True
    return False


def _inside_out(count: int, bodies: int, what: str) -> ModelError:
    verb = "is" if count == 1 else "are"
    return ModelError(
        f"{what} has no mass properties: inside out: {count} of its {bodies} bodies {verb} so and "
        "no cavity of another. Turn their faces over: 'flip normals' in a mesh program"
    )
