"""Volume, mass, mass centre and inertia tensor of a closed triangle mesh, or of its shell.

Each triangle (a, b, c) spans a tetrahedron with the origin. With s = a + b + c and det = a·(b × c)
its volume is det/6, its first moment det/24 s, and its second moment det/120 (s sᵀ + a aᵀ + b bᵀ +
c cᵀ); the sums over all triangles are exact for the polyhedron (Messner and Taylor, ACM TOMS 6
(1980) 121). The origin is moved to the mean of the vertices: far from it the sum loses digits as
(distance/size)³.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.inertia import FARTHEST, Inertia
from sim.robots.materials import STEEL, density_of
from sim.shapes.closed_bodies import ClosedMesh, Faces, weld
from sim.shapes.convex_hull import convex_hull
from sim.shapes.mesh_faults import require_closed
from sim.shapes.mesh_union import NEAR, unite
from sim.shapes.surface import read_mesh
from sim.showing.one_line import one_line, vector

MOST_TRIANGLES = 3_000_000  # of a mesh for mass properties: about 1.6 GB
FAR = 20.0  # [m] larger than any link: the file is in millimetres

MeshLike = str | os.PathLike[str] | tuple[ArrayLike, ArrayLike]


class Moments(Struct, frozen=True, eq=False):
    """Moments of a body of unit density, by volume or by surface.

    Parameters
    ----------
    content : float
        [m³], or [m²]
    centre : ndarray, shape (3,)
        [m]
    second : ndarray, shape (3, 3)
        ∫ x xᵀ about the centre [m⁵], or [m⁴].
    """

    content: float
    centre: Array
    second: Array

    @property
    def tensor(self) -> Array:
        """Inertia tensor tr(S) 1 - S about the centre, of density 1, shape (3, 3)."""
        tensor: Array = np.trace(self.second) * np.eye(3) - self.second
        return tensor


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of a body from its mesh.

    Parameters
    ----------
    mass : float
        [kg]
    com : ndarray, shape (3,)
        Mass centre in the axes of the mesh [m].
    tensor : ndarray, shape (3, 3)
        About the mass centre, along the axes of the mesh [kg·m²].
    volume : float
        Within the outer surface, for a shell too [m³].
    area : float
        Area of that surface [m²].
    density : float
        [kg/m³]
    thickness : float or None
        Thickness of a shell [m]; None if the body is solid.
    bodies : int
        Number of closed bodies of the mesh.
    counted_twice : float
        Excess of the bodies' total volume over that of their union [m³].
    excess : float
        Relative excess mass of a shell because its mass is on the outer surface: thickness × mean
        curvature, to first order; 0 for a solid body.
    """

    mass: float
    com: Array
    tensor: Array
    volume: float
    area: float
    density: float
    thickness: float | None = None
    bodies: int = 1
    counted_twice: float = 0.0
    excess: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", frozen(self.com, (3,)))
        object.__setattr__(self, "tensor", frozen(self.tensor, (3, 3)))

    @property
    def inertia(self) -> Inertia:
        """Inertia of a link whose frame is that of the mesh."""
        return Inertia(self.mass, self.com, self.tensor)

    def __repr__(self) -> str:
        litres = f"{1000 * self.volume:.4g} l"
        return one_line("MassProperties:", f"{self.mass:g} kg, {litres}, at {vector(self.com)} m")


@checked
def inertia_of(
    mesh: MeshLike,
    density: float | str = STEEL,
    *,
    thickness: float | None = None,
    scale: float | Sequence[float] | None = None,
) -> MassProperties:
    """Compute mass, mass centre, tensor and volume of a closed mesh of uniform density.

    They are exact for the polyhedron; the error of a round body decreases as 1/triangles.
    Overlapping bodies are united first; a closed surface inside another that is inside out is a
    cavity.

    Parameters
    ----------
    mesh : str, Path, or (vertices, faces)
        An OBJ or STL file, or arrays of shape (V, 3) [m] and (F, 3).
    density : float or str
        [kg/m³], or a material of `sim.robots.materials.MATERIALS`.
    thickness : float, optional
        Thickness of a shell [m], whose mass is put on the outer surface (default: solid).
    scale : float or three floats, optional
        Factors on the coordinates: 0.001 for a file in millimetres (default: metres, and a mesh of
        more than 20 m is refused).

    Raises
    ------
    ModelError
        If the mesh cannot be read; is not closed, is inside out, has duplicate faces or no volume;
        if there is no such material, or a number is invalid.
    SimError
        If bodies overlap and manifold3d is missing.
    """
    what, vertices, faces = _mesh(mesh)
    vertices = vertices * _factors(scale, what)
    largest = float(np.ptp(vertices[faces.ravel()], axis=0).max())
    if scale is None and largest > FAR:
        raise ModelError(
            f"{what} is {largest:.4g} m large, at most {FAR:g} m are accepted without a scale: "
            "if it is in millimetres, give scale=0.001; if it is in metres, scale=1"
        )
    if np.prod(_factors(scale, what)) < 0:  # mirroring turns the faces inside out
        faces = faces[:, ::-1]
    return of_mesh(vertices, faces, density_of(density), thickness=thickness, what=what)


def of_mesh(
    vertices: Array, faces: Faces, density: float, *, thickness: float | None, what: str
) -> MassProperties:
    """Compute mass properties as `inertia_of`, for triangles in metres; `what` names the mesh."""
    far = float(np.abs(vertices).max())
    if far > FARTHEST:
        raise ModelError(
            f"{what} reaches {far:.3g} m from its origin; at most {FARTHEST:g} m are allowed"
        )
    mesh = weld(vertices, faces)
    require_closed(mesh, what)
    bodies = mesh.bodies
    volumes = [volume_moments(body).content for body in bodies]
    for body, volume in zip(bodies, volumes, strict=True):
        _require_disjoint(body, volume, what)
    outer = unite(mesh, volumes, what)
    whole, skin = volume_moments(outer), surface_moments(outer)
    twice = max(0.0, sum(volumes) - whole.content) if outer is not mesh else 0.0
    moments, by_content, excess = whole, density, 0.0
    if thickness is not None:
        _require_thin(thickness, whole.content, skin.content, what)
        moments, by_content = skin, density * thickness
        excess = thickness * outer.bend / skin.content
    return MassProperties(
        by_content * moments.content,
        moments.centre,
        by_content * moments.tensor,
        volume=whole.content,
        area=skin.content,
        density=density,
        thickness=thickness,
        bodies=len(bodies),
        counted_twice=twice,
        excess=excess,
    )


def volume_moments(mesh: ClosedMesh) -> Moments:
    """Return volume, its centre, and its central second moment; negative if inside out."""
    origin, corners = _about_the_mean(mesh)
    a, b, c = corners
    det = np.einsum("ij,ij->i", a, np.cross(b, c))
    s = a + b + c
    volume = float(det.sum()) / 6
    second = _outer_sum(det, (s, a, b, c)) / 120
    centre = det @ s / 24 / volume if volume else np.zeros(3)
    return Moments(volume, origin + centre, second - volume * np.outer(centre, centre))


def surface_moments(mesh: ClosedMesh) -> Moments:
    """Return area, its centre, and its central second moment."""
    origin, corners = _about_the_mean(mesh)
    a, b, c = corners
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    s = a + b + c
    total = float(area.sum())
    second = _outer_sum(area, (s, a, b, c)) / 12
    centre = area @ s / 3 / total if total else np.zeros(3)
    return Moments(total, origin + centre, second - total * np.outer(centre, centre))


def _about_the_mean(mesh: ClosedMesh) -> tuple[Array, Array]:
    """Return the mean of the vertices, and all triangle corners relative to it, (3, F, 3)."""
    origin = mesh.vertices.mean(axis=0)
    return origin, (mesh.vertices - origin)[mesh.faces].transpose(1, 0, 2)


def _outer_sum(weights: Array, vectors: Sequence[Array]) -> Array:
    total = np.zeros((3, 3))
    for v in vectors:
        total += (v.T * weights) @ v
    return total


def _mesh(mesh: MeshLike) -> tuple[str, Array, Faces]:
    """Return name, vertices and faces, as given."""
    if isinstance(mesh, str | os.PathLike):
        path = Path(mesh)
        triangles = read_mesh(path, MOST_TRIANGLES)
        return f"mesh {path}", triangles.vertices, triangles.faces
    what = "The mesh"
    try:
        vertices = np.asarray(mesh[0], dtype=np.float64)
        numbers = np.asarray(mesh[1], dtype=np.float64)
    except (TypeError, ValueError, IndexError):
        raise ModelError(f"{what} must be (vertices, faces), two arrays of numbers") from None
    for name, array in (("vertices", vertices), ("faces", numbers)):
        if array.ndim != 2 or array.shape[1] != 3 or not len(array):
            raise ModelError(
                f"{what}: {name} have shape {array.shape}; they need (…, 3), not empty"
            )
    if not np.isfinite(vertices).all():
        raise ModelError(f"{what}: vertices must be finite numbers [m]")
    if not ((numbers == np.floor(numbers)) & (numbers >= 0) & (numbers < len(vertices))).all():
        raise ModelError(f"{what}: faces must be whole numbers from 0 to {len(vertices) - 1}")
    return what, vertices, numbers.astype(np.int64)


def _factors(scale: float | Sequence[float] | None, what: str) -> Array:
    factors = np.asarray(1.0 if scale is None else scale, float)
    if factors.shape not in ((), (3,)) or not np.isfinite(factors).all() or not factors.all():
        raise ModelError(
            f"{what}: scale {scale} must be one or three finite numbers, none of them 0"
        )
    return np.broadcast_to(factors, (3,))


def _require_disjoint(body: ClosedMesh, volume: float, what: str) -> None:
    """Refuse overlapping bodies that share edges, which cannot be separated."""
    if not body.shared_edges:
        return
    hull = convex_hull(body.vertices)
    if hull is not None and volume > hull.volume * (1 + NEAR):
        raise ModelError(
            f"{what} has no mass properties: bodies overlap: {body.shared_edges} edges have more "
            f"than two faces, and {1000 * volume:.4g} l are more than the "
            f"{1000 * hull.volume:.4g} l of "
            "their hull. Unite the bodies in CAD, or export one after the other"
        )


def _require_thin(thickness: float, volume: float, area: float, what: str) -> None:
    if not (np.isfinite(thickness) and thickness > 0):
        raise ModelError(f"{what}: the shell's thickness {thickness} m must be above 0")
    if thickness * area > volume:
        raise ModelError(
            f"{what}: a shell of {1000 * thickness:g} mm on {area:.4g} m² has "
            f"{1000 * thickness * area:.4g} l, more than the {1000 * volume:.4g} l of the solid "
            f"body; at most {1000 * volume / area:.3g} mm are allowed"
        )
