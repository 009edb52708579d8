"""What kernels take of pairs of shapes that may touch."""

from __future__ import annotations

from typing import NamedTuple

from sim.dynamics.kernels.closest_features import Solid
from sim.dynamics.kernels.compiling import record
from sim.dynamics.kernels.hull_distance import Hulls
from sim.dynamics.kernels.records import Indices
from sim.dynamics.kernels.vectors import Vector
from sim.maths.arrays import Array


@record
class ContactPairs:
    """Pairs of shapes that may touch, with their laws, and what they do at the latest state."""

    markers: Indices  # (C, 2), of each the frames of its shapes
    kinds: Indices  # (C, 2)
    sizes: Array  # (2 C, 3); of a mesh the radius of the sphere about it
    hulls: Hulls  # the meshes among the shapes
    mesh: Indices  # (C, 2), which of them each shape is; -1: none
    laws: Array  # (C, 5): which, stiffness, exponent, damping and the depth at which it is full
    friction: Array  # (C, 4): static and dynamic coefficient, and the slips where they are reached
    acting: Array  # (C, 18), as `MarkerWork` has it
    totals: Array  # (C, 16), see `contact_forces.meet`


class Meeting(NamedTuple):
    """Two shapes whose kinds ascend, with their velocities."""

    a: Solid
    b: Solid
    va: Vector
    wa: Vector
    vb: Vector
    wb: Vector
    about: Vector  # the origin about which moments are
    sign: float  # 1 where forces on a are wanted, -1 where those on b
    found: Vector  # the closest point of a
