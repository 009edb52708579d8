"""Parts of a run's description, as typed facts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal

import msgspec

from sim.recording.schema.base import Facts, Vector
from sim.recording.schema.clearance_facts import ClearanceFacts
from sim.recording.schema.element_facts import NamesFacts, SplineFacts
from sim.recording.schema.measured_facts import MeasuredFacts
from sim.robots.coordinate import Coordinate, Limits, coordinates_of
from sim.robots.loop_kinds import LoopKind
from sim.robots.repair import Repair


class NeighbourFacts(Facts, frozen=True, kw_only=True):
    """Deviation of the model's motion for a slightly displaced start of its free joints.

    Parameters
    ----------
    aside : float
        Initial displacement of each free joint [rad or m].
    t : tuple of float
        Some of the sample times [s].
    position, velocity : tuple of float
        Largest deviation of any free joint up to each of these times [rad or m], [rad/s or m/s].
    """

    aside: float
    t: tuple[float, ...]
    position: tuple[float, ...]
    velocity: tuple[float, ...]


class Settings(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Solution settings of a scenario; fields added later are omitted if empty.

    Parameters
    ----------
    duration, dt : float
        [s]
    samples : int
    gravity : tuple of float
        In the world [m/s²].
    corners : tuple of float
        Times at which an acceleration jumps, or bends between two samples, or at which a load
        changes [s].
    bends : tuple of float
        Times on samples at which an acceleration bends [s].
    free, passive : tuple of str
        Joints without prescribed motion; joints whose positions closed loops determine.
    tolerances : mapping of str to float
        Absolute tolerances by pattern of channels, for comparisons.
    path_tolerance : float or None
        Allowed distance of the tool from its path [m].
    neighbour : NeighbourFacts or None
        For a motion too sensitive to its start to be compared over its whole duration.
    clearance : ClearanceFacts or None
        For a run with distances between links.
    """

    duration: float
    dt: float
    samples: int
    gravity: Vector
    corners: tuple[float, ...]
    free: tuple[str, ...]
    passive: tuple[str, ...]
    tolerances: dict[str, float]
    path_tolerance: float | None
    bends: tuple[float, ...] = ()
    neighbour: NeighbourFacts | None = None
    clearance: ClearanceFacts | None = None


class JointFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A movable joint: limits (None if infinite), friction and force elements.

    Parameters
    ----------
    forces : mapping
        Parameters of its force elements, by the channel group that records them.
    drive : mapping or None
        Parameters of its drive train.
    """

    name: str
    kind: str
    mimic: str | None
    axis: Vector
    lower: float | None
    upper: float | None
    velocity: float | None
    effort: float | None
    damping: float
    friction: float
    friction_law: dict[str, float | str | tuple[str, ...] | None] | None
    forces: dict[str, dict[str, float | str | None]]
    drive: dict[str, float | bool | None] | None = None

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Its rows in (n_tree, N) arrays."""
        limits = Limits(
            -math.inf if self.lower is None else self.lower,
            *(math.inf if x is None else x for x in (self.upper, self.velocity, self.effort)),
        )
        return coordinates_of(self.name, self.kind, self.axis, limits)


class LoopFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Closure of a loop; see `sim.robots.loop.Loop`. A point has no axis and no angle."""

    name: str
    link_a: str
    point_a: Vector
    link_b: str
    point_b: Vector
    normal: Vector | None
    passive: tuple[str, ...]
    kind: LoopKind = "point"
    axis_a: Vector | None = None
    axis_b: Vector | None = None
    across_a: Vector | None = None
    across_b: Vector | None = None
    length: float | None = None
    function: str | None = None


class RobotFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """The simulated robot, with its payloads; fields added later are omitted if empty.

    Parameters
    ----------
    T_0b : tuple, shape (4, 4)
        Pose of the root link in the world [m].
    mesh_folder : str or None
        Base folder of relative mesh paths; None for shipped robots.
    joints : tuple of JointFacts
        All movable joints, in the order of ``q_tree``.
    coupling : tuple, shape (n_tree, n)
        S of ``q_tree = S q + q_0``.
    masses : mapping of str to float
        For each link [kg].
    assumed : tuple of str
        Assumptions of the robot's card.
    repairs : tuple of Repair
        Parts of the URDF that could not be used as written.
    loop_kinds : tuple of str
        For each loop, as in `sim.robots.loop_kinds.LOOP_KINDS`; empty if all are points.
    closures : tuple of LoopFacts
        Loops with their points.
    """

    name: str
    urdf_sha256: str
    tool: str | None
    T_0b: tuple[tuple[float, float, float, float], ...]
    mesh_folder: str | None
    joints: tuple[JointFacts, ...]
    coupling: tuple[tuple[float, ...], ...]
    masses: dict[str, float]
    loops: tuple[str, ...]
    assumed: tuple[str, ...]
    repairs: tuple[Repair, ...] = ()
    loop_kinds: tuple[LoopKind, ...] = ()
    closures: tuple[LoopFacts, ...] = ()

    @property
    def kinds_of_loops(self) -> Iterator[tuple[str, LoopKind]]:
        """Yield name and kind of each loop."""
        yield from zip_longest(self.loops, self.loop_kinds[: len(self.loops)], fillvalue="point")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of ``q``, (n, N): those of independent joints."""
        independent = (joint for joint in self.joints if joint.mimic is None)
        return tuple(row for joint in independent for row in joint.coordinates)

    @property
    def tree_coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of ``q_tree``, (n_tree, N)."""
        return tuple(row for joint in self.joints for row in joint.coordinates)

    @property
    def tree_row_joints(self) -> tuple[JointFacts, ...]:
        """Joint of each row of ``q_tree``."""
        return tuple(joint for joint in self.joints for _ in joint.coordinates)


class DriveFacts(Facts, frozen=True, kw_only=True):
    """A drive as typed, with the linter's warnings.

    `names` are those available to a torque of the state, `splines` those of a function of time
    (AKISPL, CUBSPL, INTERP); other drives have none. One that is `switched` is alternately off and
    on from these times on [s].
    """

    joint: str
    level: str
    function: str
    warnings: tuple[str, ...] = ()
    names: NamesFacts | msgspec.UnsetType = msgspec.UNSET
    splines: dict[str, SplineFacts] | msgspec.UnsetType = msgspec.UNSET
    switched: tuple[float, ...] | msgspec.UnsetType = msgspec.UNSET


class MeasureFacts(Facts, frozen=True, kw_only=True):
    """A requested reaction; see `sim.dynamics.reactions.Measure`."""

    name: str
    joint: str
    on: str
    axes: str
    at: str | None


class EventFacts(Facts, frozen=True, kw_only=True):
    """A payload picked up or set down at `t` [s], with the energies added or removed [kg], [J]."""

    t: float
    kind: Literal["pick up", "set down"]
    payload: str
    link: str
    mass: float
    ke: float
    pe: float


class ClaimFacts(Facts, frozen=True, kw_only=True):
    """Claim of a source about the run; see `sim.scenario.claim.Claim`."""

    text: str
    source: str
    channel: str
    statistic: str
    value: float | None = None
    within: float | None = None
    time: float | None = None


class GrowthFacts(Facts, frozen=True, kw_only=True):
    """Growth of a tolerance with its curve; see `sim.reference.limits.Growth`."""

    size: float
    share: float


class SourceErrorFacts(Facts, frozen=True, kw_only=True):
    """Error of a source itself; see `sim.reference.limits.SourceError`."""

    errors: dict[str, float]
    reason: str


class ReferenceFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Results of another program for the run; see `sim.reference.reference.Reference`.

    Fields added later are omitted if empty.
    """

    source: str
    digits: int
    tolerances: dict[str, float]
    peer: str
    peer_tolerances: dict[str, float]
    channels: tuple[str, ...]
    growth: dict[str, GrowthFacts] = msgspec.field(default_factory=dict)
    own: SourceErrorFacts | None = None
    measured: MeasuredFacts | None = None


class Provenance(Facts, frozen=True, kw_only=True):
    """Time, platform and versions of a run.

    `cpu` is the processor time of engine and model [s]; absent in runs of earlier versions.
    """

    created: str
    command: tuple[str, ...]
    python: str
    platform: str
    versions: dict[str, str]
    cpu: float | msgspec.UnsetType = msgspec.UNSET


class ScriptFacts(Facts, frozen=True, kw_only=True):
    """The scenario script of a run.

    `acf_sha256` is the hash of the command file of a deck; absent without one.
    """

    path: str
    sha256: str
    acf_sha256: str | msgspec.UnsetType = msgspec.UNSET
