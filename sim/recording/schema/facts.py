"""The parts of a run's description, as typed facts."""

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
from sim.robots.repair import Repair, RepairKind


class NeighbourFacts(Facts, frozen=True, kw_only=True):
    """How far off the model's motion is when its free joints start a little aside.

    Parameters
    ----------
    aside : float
        How far from its start each free joint was put [rad or m].
    t : tuple of float
        Some of the sample times [s].
    position, velocity : tuple of float
        Largest difference of any free joint up to each of them [rad or m], [rad/s or m/s].
    """

    aside: float
    t: tuple[float, ...]
    position: tuple[float, ...]
    velocity: tuple[float, ...]


class Settings(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """How a scenario was solved; what was added later is left out where there is none.

    Parameters
    ----------
    duration, dt : float
        [s]
    samples : int
    gravity : tuple of float
        In the world [m/s²].
    corners : tuple of float
        Times where an acceleration jumps, or bends between two samples, or where a load changes
        [s].
    bends : tuple of float
        Times on samples where an acceleration bends [s].
    free, passive : tuple of str
        Joints that nothing prescribes; joints whose positions closed loops decide.
    tolerances : mapping of str to float
        Absolute tolerances by pattern of channels, for comparisons.
    path_tolerance : float or None
        How far the tool may be from its path [m].
    neighbour : NeighbourFacts or None
        Of a motion that is too sensitive to its start to be compared as long as it lasts.
    clearance : ClearanceFacts or None
        Of a run whose links are judged against each other.
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
    """A joint that moves: its limits, infinite ones None, and what rubs and pushes in it.

    Parameters
    ----------
    forces : mapping
        Parameters of its force elements, by the group of channels that records them.
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


class RepairFacts(Facts, frozen=True, kw_only=True):
    """A value of the URDF that was not taken as written; see `sim.robots.repair.Repair`."""

    kind: RepairKind
    part: str
    says: str
    taken: str
    joints: tuple[str, ...]
    why: str

    @property
    def text(self) -> str:
        """All of it in one line."""
        return Repair(**msgspec.structs.asdict(self)).text


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
    """The robot that was simulated, with its payloads; what was added later is left out if empty.

    Parameters
    ----------
    T_0b : tuple, shape (4, 4)
        Pose of the root link in the world [m].
    mesh_folder : str or None
        Where relative mesh paths start; None for the robots that are shipped.
    joints : tuple of JointFacts
        All that move, in the order of ``q_tree``.
    coupling : tuple, shape (n_tree, n)
        S of ``q_tree = S q + q_0``.
    masses : mapping of str to float
        Of each link [kg].
    assumed : tuple of str
        What the robot's card assumes.
    repairs : tuple of RepairFacts
        What of the URDF could not be taken as it is written.
    loop_kinds : tuple of str
        Of each loop, as in `sim.robots.loop_kinds.LOOP_KINDS`; empty where all are points.
    closures : tuple of LoopFacts
        The loops with their points.
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
    repairs: tuple[RepairFacts, ...] = ()
    loop_kinds: tuple[LoopKind, ...] = ()
    closures: tuple[LoopFacts, ...] = ()

    @property
    def kinds_of_loops(self) -> Iterator[tuple[str, LoopKind]]:
        """Name and kind of each loop."""
        yield from zip_longest(self.loops, self.loop_kinds[: len(self.loops)], fillvalue="point")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The rows of ``q``, (n, N): those of the joints that follow no other."""
        own = (joint for joint in self.joints if joint.mimic is None)
        return tuple(row for joint in own for row in joint.coordinates)

    @property
    def tree_coordinates(self) -> tuple[Coordinate, ...]:
        """The rows of ``q_tree``, (n_tree, N)."""
        return tuple(row for joint in self.joints for row in joint.coordinates)

    @property
    def tree_row_joints(self) -> tuple[JointFacts, ...]:
        """The joint of each row of ``q_tree``."""
        return tuple(joint for joint in self.joints for _ in joint.coordinates)


class DriveFacts(Facts, frozen=True, kw_only=True):
    """A drive as it was typed, and the linter's warnings.

    `names` is what a torque of the state names, `splines` what a function of time reads by AKISPL,
    CUBSPL and INTERP; any other drive has none. One that is `switched` is off, on, off … in turn
    from these times on [s].
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
    """A payload that came or went, with the energies it brought or took [kg], [J], at `t` [s]."""

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
    """How a tolerance grows with its curve; see `sim.reference.limits.Growth`."""

    size: float
    share: float


class SourceErrorFacts(Facts, frozen=True, kw_only=True):
    """Error of a source itself; see `sim.reference.limits.SourceError`."""

    errors: dict[str, float]
    reason: str


class ReferenceFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Results of another program with the run; see `sim.reference.reference.Reference`.

    What was added later is left out where there is none.
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
    """When, where and with which versions a run was made.

    `cpu` is the processor time that engine and model took [s]; of a run from before it was kept
    there is none.
    """

    created: str
    command: tuple[str, ...]
    python: str
    platform: str
    versions: dict[str, str]
    cpu: float | msgspec.UnsetType = msgspec.UNSET


class ScriptFacts(Facts, frozen=True, kw_only=True):
    """The scenario script of a run."""

    path: str
    sha256: str
