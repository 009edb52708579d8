"""Records of pairs of shapes that may touch, for kernels."""

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
    """Pairs of shapes that may touch, with their laws, and their forces at the latest state."""

    markers: Indices  # (C, 2), frames of the shapes of each pair
    kinds: Indices  # (C, 2)
    sizes: Array  # (2 C, 3); for a mesh the radius of its bounding sphere
    hulls: Hulls  # meshes among the shapes
    mesh: Indices  # (C, 2), mesh of each shape; -1: none
    laws: Array  # (C, 5): kind, stiffness, exponent, damping and the depth at which it is full
    friction: Array  # (C, 4): static and dynamic coefficient, and the slips where they are reached
    patches: Array  # (C, 7): 1 with stiction, 2 if it starts to slide, and the direction of that
    acting: Array  # (C, 18), see `MarkerWork`
    totals: Array  # (C, 27), see `contact_forces.meet`


@record
class Reserve:
    """Distances of pairs at known joint positions, as shares that each joint may use up."""

    reach: Array  # (C, n), largest rate of each distance per joint rate [m/rad or m/m]
    place: Array  # (n,), joint positions at which the distances were computed [rad or m]
    rate: Array  # (n,), largest reach by distance [1/rad or 1/m]; NaN if shapes touch
    times: Array  # (C,), times without contact if no pair approaches faster; zero if unknown [s]


class Meeting(NamedTuple):
    """Two shapes with ascending kinds, and their velocities."""

    a: Solid
    b: Solid
    va: Vector
    wa: Vector
    vb: Vector
    wb: Vector
    about: Vector  # reference point of moments
    sign: float  # 1 for forces on a, -1 for forces on b
    point: Vector  # closest point of a
