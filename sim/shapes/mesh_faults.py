"""Faults that invalidate the volume of a mesh, as text."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sim.errors import ModelError
from sim.shapes.closed_bodies import ClosedMesh

SMALLEST = 1e-6  # [m] smaller than any part
FLAT = 1e-9  # of the cube of the largest side: smaller volumes count as zero

FaultKind = Literal["faces twice", "not closed", "turned", "inside out", "no volume"]


class MeshFault(Struct, frozen=True):
    """A fault of a mesh.

    Parameters
    ----------
    kind : str
    text : str
        Description of the fault, with its count.
    remedy : str
    """

    kind: FaultKind
    text: str
    remedy: str


def mesh_faults(mesh: ClosedMesh) -> tuple[MeshFault, ...]:
    """Return the faults of a mesh; empty if every edge has two faces of opposite direction.

    Intersecting faces of one body, and wrong units, are not detected.
    """
    if not len(mesh.faces):
        return (_fault("no volume", "no face has an area"),)
    largest = float(mesh.sides.max())
    if largest < SMALLEST:
        return (_fault("no volume", f"it is {largest:.2g} m large"),)
    faults = []
    if repeated := mesh.repeats:
        faults.append(_fault("faces twice", f"{_count(repeated, 'face')} there twice"))
    if edges := mesh.open_edges:
        faults.append(
            _fault("not closed", f"{_count(edges, 'edge', 'has', 'have')} a face on one side only")
        )
    if edges := mesh.turned_edges:
        text = f"{_count(edges, 'edge', 'has', 'have')} two faces that run the same way"
        faults.append(_fault("turned", text))
    if faults:
        return tuple(faults)
    volume = mesh.volume
    if abs(volume) < FLAT * largest**3:
        faults.append(_fault("no volume", f"{volume:.2g} m³ in a box of {largest:.3g} m"))
    elif volume < 0:
        faults.append(_fault("inside out", f"its volume is {1000 * volume:.4g} l"))
    return tuple(faults)


def require_closed(mesh: ClosedMesh, what: str) -> None:
    """Check that a mesh has a meaningful volume.

    Raises
    ------
    ModelError
        If it has faults; the message names all, and the remedy for the first.
    """
    if faults := mesh_faults(mesh):
        listed = "; ".join(f"{one.kind}: {one.text}" for one in faults)
        raise ModelError(f"{what} has no mass properties: {listed}. {faults[0].remedy}")


_REMEDIES: dict[FaultKind, str] = {
    "faces twice": "Unite the bodies that share them in CAD, or delete the copies",
    "not closed": "Export a solid, not surfaces, and close the holes in a mesh program",
    "turned": "Make the faces run the same way: 'recalculate normals' in a mesh program",
    "inside out": "Turn all faces over: 'flip normals' in a mesh program",
    "no volume": "Export a solid body: a plane or a line has no mass",
}


def _fault(kind: FaultKind, text: str) -> MeshFault:
    return MeshFault(kind, text, _REMEDIES[kind])


def _count(number: int, noun: str, one: str = "is", many: str = "are") -> str:
    return f"{number} {noun} {one}" if number == 1 else f"{number} {noun}s {many}"
