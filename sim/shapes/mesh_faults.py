"""Faults that make the volume of a mesh worthless, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sim.errors import ModelError
from sim.shapes.closed_bodies import ClosedMesh

SMALLEST = 1e-6  # [m] no part is so small
FLAT = 1e-9  # of the cube of the largest side: a mesh of less volume has none

FaultKind = Literal["faces twice", "not closed", "turned", "inside out", "no volume"]


@dataclass(frozen=True)
class MeshFault:
    """One fault of a mesh.

    Parameters
    ----------
    kind : str
    text : str
        What is wrong, with its count.
    remedy : str
    """

    kind: FaultKind
    text: str
    remedy: str


def mesh_faults(mesh: ClosedMesh) -> tuple[MeshFault, ...]:
    """The faults of a mesh by itself; none where every edge has its two faces, run opposite ways.

    Not seen: faces of one body that pass through each other, and a wrong unit.
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
    volume = _volume(mesh)
    if abs(volume) < FLAT * largest**3:
        faults.append(_fault("no volume", f"{volume:.2g} m³ in a box of {largest:.3g} m"))
    elif volume < 0:
        faults.append(_fault("inside out", f"its volume is {1000 * volume:.4g} l"))
    return tuple(faults)


def require_closed(mesh: ClosedMesh, what: str) -> None:
    """Check that a mesh has a volume that means something.

    Raises
    ------
    ModelError
        If it has faults; the message names them all, and what to do about the first.
    """
    faults = mesh_faults(mesh)
    if faults:
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


def _volume(mesh: ClosedMesh) -> float:
    a, b, c = (mesh.vertices - mesh.vertices.mean(axis=0))[mesh.faces].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6
