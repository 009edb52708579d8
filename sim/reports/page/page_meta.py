"""Visible channels of a page, and the plain values that its script reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from sim.checks import Judgement, without_curves
from sim.maths.arrays import Array
from sim.recording.files.table_files import Table
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.channels import GROUPS, ChannelGroup
from sim.recording.schema.description import Run
from sim.recording.schema.element_facts import class_of, value_of
from sim.recording.schema.facts import RobotFacts
from sim.reports.event_texts import event_times
from sim.reports.page.data import CurvesMeta
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.overlay import Overlay
from sim.reports.page.poster import bounds, ground
from sim.reports.page.robot_file import RobotFile
from sim.robots.marker import Marker
from sim.shapes.ground import samples_of

RECORDED = "recorded"


class EndFacts(msgspec.Struct, frozen=True):
    """A point of a link, or of the world without a link [m]."""

    link: str | None
    point: tuple[float, float, float]


class SpringMark(msgspec.Struct, frozen=True):
    """A spring, drawn as a coil, or a force along a line, drawn as a line."""

    name: str
    coil: bool
    i: EndFacts
    j: EndFacts


def spring_marks(run: Run, scene: GlbScene | None) -> list[SpringMark]:
    """Return the marks of the forces of a run; none without a scene."""
    if scene is None or not run.forces:
        return []
    from sim.dynamics.sforce import SForce
    from sim.dynamics.spring import Spring

    links = {facts.link for facts in scene.links.values()}

    def end(marker: Marker) -> EndFacts:
        x, y, z = marker.point.tolist()
        return EndFacts(marker.link if marker.link in links else None, (x, y, z))

    forces = (value_of(one) for one in run.forces if class_of(one) in (Spring, SForce))
    return [
        SpringMark(one.name, isinstance(one, Spring), end(one.i), end(one.j))
        for one in forces
        if isinstance(one, Spring) or (isinstance(one, SForce) and one.is_along_line)
    ]


def places_of(marks: Iterable[SpringMark], scene: GlbScene, recording: Recording) -> Array:
    """Return the positions of the ends of all marks over a run, shape (points, 3) [m]."""
    table = recorded_of(recording)
    poses = scene.poses(table, samples_of(len(table)))
    points = [np.zeros((0, 3))]
    for mark in marks:
        for one in (mark.i, mark.j):
            if one.link is None:
                points.append(np.array([one.point]))
            else:
                T = poses[one.link]
                points.append(np.einsum("abN,b->Na", T[:3, :3], one.point) + T[:3, 3].T)
    return np.concatenate(points)


class VisibleChannels(msgspec.Struct, frozen=True, eq=False):
    """Channels of a run that a page shows.

    Parameters
    ----------
    recording : Recording
        A judged recording.
    judgements : sequence of Judgement
        Its checks, with their failing samples.
    scene : Scene or None
        The robot (default: none, no 3-D view).
    overlays : sequence of Overlay
        Baseline or other runs that are laid over the run.
    robot_file : RobotFile or None
        Findings of an audit of the robot (default: none, no section).
    """

    recording: Recording
    judgements: Sequence[Judgement]
    scene: GlbScene | None = None
    overlays: Sequence[Overlay] = ()
    robot_file: RobotFile | None = None

    @classmethod
    def of(
        cls,
        recording: Recording,
        scene: GlbScene | None = None,
        overlays: Sequence[Overlay] = (),
        robot_file: RobotFile | None = None,
        judgements: Sequence[Judgement] | None = None,
    ) -> VisibleChannels:
        """Return the visible channels of a run's page; without `judgements` the run is judged here.

        Raises
        ------
        RecordingError
            If a channel needed by a check is missing.
        """
        known = without_curves(recording) if judgements is None else judgements
        return cls(recording, known, scene, overlays, robot_file)

    @property
    def compared(self) -> int | None:
        """Index of the overlay that the run is compared with: the first that has a comparison."""
        compared = (k for k, overlay in enumerate(self.overlays) if overlay.comparison)
        return next(compared, None)

    @property
    def label(self) -> str:
        """Label of the run itself: ``recorded``, or its difference from the others."""
        words = dict.fromkeys(overlay.beside for overlay in self.overlays if overlay.beside)
        return ", ".join(words) or RECORDED

    @property
    def reference(self) -> int | None:
        """Index of the overlay with another program's result that the run is checked against."""
        return next((k for k, overlay in enumerate(self.overlays) if overlay.is_reference), None)

    @property
    def allowed(self) -> dict[str, float]:
        """Tolerance of each channel with respect to that overlay, in the channel's unit."""
        if self.compared is None or (found := self.overlays[self.compared].comparison) is None:
            return {}
        return {one.channel: one.limit for one in found.differences}

    def has_ghost(self, overlay: Overlay) -> bool:
        """Whether an overlay is visible in the three-dimensional view."""
        scene = self.scene
        return scene is not None and overlay.poses(link.joint for _, link in scene.moving())


class CheckFacts(msgspec.Struct, frozen=True):
    """A check, in the form that the page's script reads."""

    name: str
    worst: float | None
    limit: float | None
    at: float
    ok: bool


class Bounds(msgspec.Struct, frozen=True):
    """Region that the robot reaches in the run, and the ground below it [m].

    Parameters
    ----------
    centre, radius
        A ball that contains the region.
    reached : sequence of three floats each
        Outermost points of the region.
    floor : float
        Height of the floor.
    base : sequence of float
        The robot's base.
    pedestal : float
        Radius of the robot's stand; 0: none.
    pierced : bool
        Whether the robot passes through the stand.
    """

    centre: list[float]
    radius: float
    reached: list[list[float]] = []
    floor: float = 0.0
    base: Sequence[float] = (0.0, 0.0, 0.0)
    pedestal: float = 0.0
    pierced: bool = False


class OverlayFacts(msgspec.Struct, frozen=True):
    """Another run: its name, and whether it has a ghost."""

    label: str
    ghost: bool


class Meta(CurvesMeta, frozen=True):
    """Data for the page's script in addition to the curves.

    Parameters
    ----------
    name : str
        Name of the run.
    label : str
        Label of its curves among those of other runs.
    groups : mapping of str to str
        Headings, in page order.
    checks, corners, tool, bounds, overlays
        Corners are times [s]; the tool is the name of its frame.
    compared : int or None
        Index of the overlay that the run is compared with.
    reference : int or None
        Index of the overlay by another program that the run is checked against.
    degrees : bool
        Whether the page opens with angles in degrees.
    springs : list of SpringMark
        Forces drawn between two markers.
    """

    name: str
    label: str
    groups: dict[str, str]
    checks: list[CheckFacts]
    corners: Sequence[float]
    tool: str | None
    bounds: Bounds
    overlays: list[OverlayFacts]
    compared: int | None
    reference: int | None
    degrees: bool
    springs: list[SpringMark]


def in_degrees(robot: RobotFacts) -> bool:
    """Whether angles are in degrees: if all joints are revolute, as in the figures of a run."""
    return all(row.is_angle for row in robot.tree_coordinates)


def groups_with_curves(drawn: CurvesMeta) -> list[ChannelGroup]:
    """Return the groups that have curves on the page, in page order."""
    used = {channel.group for channel in drawn.channels}
    return [group for group in GROUPS.values() if group.name in used]


def meta_of(shown: VisibleChannels, drawn: CurvesMeta) -> Meta:
    """Return the plain values of a page."""
    run, scene = shown.recording.run, shown.scene
    checks = [one.check for one in shown.judgements]
    springs = spring_marks(run, scene)
    return Meta(
        **msgspec.structs.asdict(drawn),
        name=run.scenario,
        label=shown.label,
        groups={group.name: group.heading for group in groups_with_curves(drawn)},
        checks=[CheckFacts(c.name, c.worst, c.limit, c.at, c.ok) for c in checks],
        corners=sorted({*run.settings.corners, *event_times(run)})[:200],
        tool=run.robot.tool,
        bounds=Bounds([0.0] * 3, 1.0) if scene is None else _bounds(shown, scene, springs),
        overlays=[OverlayFacts(o.label, shown.has_ghost(o)) for o in shown.overlays],
        compared=shown.compared,
        reference=shown.reference,
        degrees=in_degrees(run.robot),
        springs=springs,
    )


def _bounds(shown: VisibleChannels, scene: GlbScene, springs: Sequence[SpringMark]) -> Bounds:
    """Return the bounds of the run, the runs with a ghost, and the ends of springs."""
    ghosts = [recorded_of(overlay) for overlay in shown.overlays if shown.has_ghost(overlay)]
    ends = places_of(springs, scene, shown.recording) if springs else None
    return bounds_of(scene, [recorded_of(shown.recording), *ghosts], ends)


def bounds_of(scene: GlbScene, tables: Sequence[Table], ends: Array | None = None) -> Bounds:
    """Return the region that a robot reaches over motions in tables, and the ground below it.

    Parameters
    ----------
    scene : GlbScene
    tables : sequence of Table
    ends : ndarray, shape (N, 3), optional
        Further points that must be in view, in the world [m].
    """
    below = ground(scene, tables)
    centre, radius = bounds(below)
    points = below.reached if ends is None else np.concatenate([below.reached, ends])
    reached = np.round(points, 4).tolist()
    drum = (below.base, below.pedestal, below.pierced)
    return Bounds(centre, radius or 1.0, reached, below.floor, *drum)
