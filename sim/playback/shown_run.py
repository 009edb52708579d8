"""Content of a playback: the motion, the tool's path, and another motion as a ghost."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.comparison import find_baseline
from sim.errors import RecordingError
from sim.kinematics.forward import body_poses, frame_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, frozen
from sim.maths.rotation_vectors import between_vectors
from sim.maths.sampling import SAME_TIME
from sim.recording.files.table_files import Table
from sim.recording.recorded_robot import robot_of, with_kept_loops
from sim.recording.recording import Recording
from sim.robots.robot import Robot
from sim.shapes.look import Look, look_of

PATH_RADIUS = 1 / 350  # radius of the tube along the tool's path, relative to the robot's length
APART = 1e-4  # m; a ghost that stays closer would only flicker


@dataclass(frozen=True, eq=False)
class Track:
    """Positions of all tree joints over time.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q_tree : ndarray, shape (n, N)
        [rad or m]
    balls : tuple of int
        First of the three rows of each ball.
    """

    t: Array
    q_tree: Array
    balls: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", frozen(self.t))
        object.__setattr__(self, "q_tree", frozen(self.q_tree))

    @property
    def duration(self) -> float:
        """Time of the last sample [s]."""
        return float(self.t[-1])

    def at(self, time: float) -> Array:
        """Return positions at a time, linearly interpolated, shape (n,)."""
        return self.at_times(np.array([time]))[:, 0]

    def at_times(self, times: Array) -> Array:
        """Return positions at times (M,), shape (n, M); balls are slerped between samples."""
        q = np.array([np.interp(times, self.t, row) for row in self.q_tree])
        for first in self.balls:
            rows = slice(first, first + 3)
            q[rows] = between_vectors(self.t, self.q_tree[rows], times)
        return q


@dataclass(frozen=True, eq=False)
class Ghost:
    """Another motion of the same robot, and the largest distance of its tool from the run's [m]."""

    track: Track
    name: str
    distance: float

    @property
    def is_visible(self) -> bool:
        """Whether the ghost is distinguishable from the robot."""
        return self.distance > APART

    @property
    def words(self) -> str:
        """Owner of the ghost's motion, and its difference, as text."""
        if not self.is_visible:
            return f"{self.name}: the same motion"
        return f"{self.name}: tool at most {1e3 * self.distance:.3g} mm away"


@dataclass(frozen=True, eq=False)
class ShownRun:
    """A run, ready to be shown.

    Parameters
    ----------
    path : ndarray, shape (3, N)
        Origin of the tool frame in the world [m]; N = 0 without a tool.
    verdict : str
        ``pass``, ``fail``, or empty if the run has not been judged.
    events : tuple of (float, str, bool)
        From a time [s] on, whether a payload's link is attached; ascending.
    """

    name: str
    robot: Robot
    look: Look
    track: Track
    path: Array
    verdict: str = ""
    ghost: Ghost | None = None
    events: tuple[tuple[float, str, bool], ...] = ()

    def carried_payloads(self, time: float) -> dict[str, bool]:
        """Return whether each payload with events is carried at a time, by link."""
        links = {link: False for _, link, _ in self.events}
        for when, link, there in self.events:
            if when <= time + SAME_TIME:
                links[link] = there
        return links

    def caption(self, time: float) -> str:
        """Return the name of the run, and the time with a fixed number of digits."""
        return f"{self.name}   t = {time:.2f} s"


def prepare_run(
    run: Recording | str | Path, against: Recording | str | Path | None = None
) -> ShownRun:
    """Prepare the playback of a run.

    Parameters
    ----------
    run : Recording or path
        The run, or its folder.
    against : Recording or path, optional
        Run shown as a ghost (default: the baseline of the scenario, if any).

    Raises
    ------
    RecordingError
        If a run cannot be read, or has no joints in common with the other.
    """
    recording = _recording(run)
    robot = robot_of(recording)
    facts = recording.run
    track = track_of(recording.recorded, robot, facts.scenario)
    return ShownRun(
        facts.scenario,
        robot,
        look_of(with_kept_loops(robot, recording)),
        track,
        tool_path(robot, track.q_tree),
        facts.verdict or "",
        _ghost(recording, robot, track, against),
        tuple((event.t, event.link, event.kind == "pick up") for event in facts.events),
    )


def track_of(table: Table, robot: Robot, name: str) -> Track:
    """Return positions of the robot's joints in a table of channels.

    Raises
    ------
    RecordingError
        If the table lacks a joint, or has non-numeric values for it.
    """
    columns = [f"q.{name}" for name in robot.tree_row_names]
    if missing := [column for column in columns if column not in table]:
        raise RecordingError(f"Run {name!r} has no channel {missing[0]!r} of robot {robot.name!r}")
    t = table.index.to_numpy(dtype=np.float64)
    q_tree = table[columns].to_numpy(dtype=np.float64).T.reshape(len(columns), t.size)
    if not np.isfinite(q_tree).all():
        worst = columns[int(np.argmin(np.isfinite(q_tree).all(axis=1)))]
        raise RecordingError(f"Run {name!r} has values in {worst!r} that are not finite")
    return Track(t, q_tree, tree_of(robot).balls)


def tool_path(robot: Robot, q_tree: Array) -> Array:
    """Return origins of the tool frame, shape (3, N) [m]; N = 0 for a robot without one."""
    if robot.tool is None:
        return np.empty((3, 0))
    body, T_bl = frame_of(robot)
    return np.array(body_poses(tree_of(robot), q_tree).point(body, T_bl[:3, 3]))


def _recording(run: Recording | str | Path) -> Recording:
    return run if isinstance(run, Recording) else Recording.read(Path(run))


def _ghost(
    recording: Recording, robot: Robot, track: Track, against: Recording | str | Path | None
) -> Ghost | None:
    if against is not None:
        other = _recording(against)
        name = other.run.scenario
        return _ghost_of(robot, track, track_of(other.recorded, robot, name), name)
    with contextlib.suppress(RecordingError):  # no ghost without a baseline of this robot
        baseline = find_baseline(recording.run.scenario)
        return _ghost_of(robot, track, track_of(baseline.recorded, robot, "baseline"), "baseline")
    return None


def _ghost_of(robot: Robot, track: Track, other: Track, name: str) -> Ghost:
    mine = track.at_times(other.t)
    strayed = tool_path(robot, mine) - tool_path(robot, other.q_tree)
    distance = float(np.linalg.norm(strayed, axis=0).max(initial=0.0))
    return Ghost(other, name, distance)
