"""Records of pairs of shapes for kernels, and their results at many states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.contact_hull import Hull, box_hull, pack_hulls
from sim.dynamics.contact_law import LAWS, ContactLaw
from sim.dynamics.contact_shape import KINDS, ContactShape
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, MESH, PLANE, TOTALS
from sim.kinematics.forward import FrameMotion, Kinematics
from sim.maths.arrays import Array
from sim.robots.marker import Marker

if TYPE_CHECKING:
    from sim.dynamics.kernels.contact_records import ContactPairs


class Pair(Protocol):
    """Fields of a contact that its record for kernels has."""

    @property
    def a(self) -> ContactShape:
        """The first shape."""
        ...

    @property
    def b(self) -> ContactShape:
        """The second one."""
        ...

    @property
    def law(self) -> ContactLaw:
        """Law of the force between the shapes."""
        ...

    @property
    def friction(self) -> tuple[float, float, float, float]:
        """Static and dynamic coefficient, and the slips [m/s] where they are reached."""
        ...

    @property
    def patch(self) -> tuple[float, ...]:
        """Whether friction is that of a patch, and the direction in which it starts to slide."""
        ...


def pairs_of(contacts: Sequence[Pair], markers: list[tuple[int, int]]) -> ContactPairs:
    """Return contacts as a record for kernels, by the indices of their markers."""
    from sim.dynamics.kernels.contact_records import ContactPairs

    laws = [one.law for one in contacts]
    shapes = [shape for one in contacts for shape in (one.a, one.b)]
    hulls = [hull for one in contacts for hull in _hulls(one)]
    meshes = [hull for hull in hulls if hull is not None]
    sizes = [
        shape.size if hull is None else (np.linalg.norm(hull.points, axis=1).max(), 0.0, 0.0)
        for shape, hull in zip(shapes, hulls, strict=True)
    ]
    kinds = [
        KINDS[shape.kind] if hull is None else MESH
        for shape, hull in zip(shapes, hulls, strict=True)
    ]
    numbers = accumulate((hull is not None for hull in hulls), initial=0)
    return ContactPairs(
        np.array(markers).reshape(-1, 2),
        np.array(kinds).reshape(-1, 2),
        np.array(sizes).reshape(-1, 3),
        pack_hulls(meshes),
        np.array([-1 if h is None else k for k, h in zip(numbers, hulls, strict=False)]).reshape(
            -1, 2
        ),
        np.array(
            [(LAWS[x.kind], x.stiffness, x.exponent, x.damping, x.depth) for x in laws]
        ).reshape(-1, 5),
        np.array([one.friction for one in contacts]).reshape(-1, 4),
        np.array([one.patch for one in contacts]).reshape(-1, 7),
        np.zeros((len(contacts), 18)),
        np.zeros((len(contacts), TOTALS)),
    )


def _hulls(contact: Pair) -> tuple[Hull | None, Hull | None]:
    """Return the meshes of a contact; a box in contact with a mesh is one itself."""
    shapes = contact.a, contact.b
    has_mesh = any(one.kind == "mesh" for one in shapes)
    a, b = (
        box_hull(np.asarray(one.size).tolist()) if has_mesh and one.kind == "box" else one.hull
        for one in shapes
    )
    return a, b


def with_own_memory(pairs: ContactPairs) -> ContactPairs:
    """Return the same pairs with separate work memory."""
    return replace(
        pairs, acting=np.zeros_like(pairs.acting), totals=np.zeros_like(pairs.totals)
    )  # fmt: skip


def _as_rows(i: FrameMotion, j: FrameMotion) -> tuple[Array, Array, Array, Array]:
    """Return axes (N, 2, 3, 3), origins and velocities (N, 2, 3) of two markers at N states."""
    N = max(i.p.shape[1], j.p.shape[1])
    R = np.stack([np.broadcast_to(one.R, (3, 3, N)) for one in (i, j)])
    rows = [
        np.stack([np.broadcast_to(x, (3, N)) for x in pair])
        for pair in ((i.p, j.p), (i.v, j.v), (i.w, j.w))
    ]
    p, v, w = (np.ascontiguousarray(np.moveaxis(x, -1, 0)) for x in rows)
    return np.ascontiguousarray(np.moveaxis(R, -1, 0)), p, v, w


def totals_of(
    pairs: ContactPairs, patches: ArrayLike, i: Marker, j: Marker, kinematics: Kinematics
) -> Array:
    """Return the results of `kernels.contact_forces.meet` of one pair at N states, (N, 27).

    `patches` (7,) or (N, 7) are those of `ContactPairs` at the states. Where the bounding spheres
    are apart at all states only their distance is computed, not its largest rate.
    """
    from sim.dynamics.kernels.contact_forces import meet_at_states

    N = kinematics.q.shape[1]
    rows = np.zeros((N, TOTALS))
    rows[:, 14] = _distances_of_spheres(pairs, kinematics.place(i), kinematics.place(j))
    if not (rows[:, 14] > 0.0).all():
        ends = kinematics.marker(i), kinematics.marker(j)
        meet_at_states(pairs, np.array(np.broadcast_to(patches, (N, 7))), *_as_rows(*ends), rows)
    return rows


def _distances_of_spheres(
    pairs: ContactPairs, i: tuple[Array, Array], j: tuple[Array, Array]
) -> Array:
    """Return `kernels.nearness.distance_of_spheres` of one pair at N states, (N,) [m].

    Each side is the origin and the z axis of its marker.
    """
    radii = [radius_around(int(k), x) for k, x in zip(pairs.kinds[0], pairs.sizes, strict=True)]
    offset = j[0] - i[0]
    for k, normal in enumerate((i[1], -j[1])):
        if pairs.kinds[0, k] == PLANE:
            return np.asarray((offset * normal).sum(axis=0) - radii[1 - k])
    return np.asarray(np.sqrt((offset * offset).sum(axis=0)) - radii[0] - radii[1])


def radius_around(kind: int, size: Array) -> float:
    """Return the radius of a shape's bounding sphere; infinite for a plane [m]."""
    if kind == PLANE:
        return np.inf
    if kind == CAPSULE:
        return float(size[0] + size[1])
    return float(np.linalg.norm(size[: {CYLINDER: 2, BOX: 3}.get(kind, 1)]))


def features_of(pairs: ContactPairs, i: FrameMotion, j: FrameMotion) -> Array:
    """Return distance, normal from a to b and closest points of a pair at N poses, (N, 10) [m]."""
    from sim.dynamics.kernels.contact_forces import features_of_poses

    R, p, _, _ = _as_rows(i, j)
    rows, gaps = np.empty((len(R), 10)), np.empty(len(R))
    features_of_poses(pairs, R, p, rows, gaps)
    return rows
