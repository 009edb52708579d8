"""Workspace of a robot in one section: reach, singularity margin and gravity load."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim.errors import ScenarioError
from sim.kinematics.forward import frame_of, frame_pose
from sim.kinematics.inverse.recognition import NUMERICAL, family_of
from sim.kinematics.jacobian import chain_length
from sim.maths.arguments import checked
from sim.maths.arrays import Array, Mask, frozen
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.workspaces.maps import Map, map_directions, map_gravity, map_singular_value
from sim.workspaces.postures import Postures, postures_at_points, postures_at_poses
from sim.workspaces.question import (
    Question,
    choose_direction,
    choose_question,
    require_area,
    require_robot,
)
from sim.workspaces.sample_check import SampleCheck, check_by_samples
from sim.workspaces.section import Section, poses

POINTS = 57_600  # of the grid, if the inverse has a closed form
FEWER_POINTS = 10_000  # of the grid, if it is numerical
MOST_POINTS = 1_000_000
DIRECTIONS = 36
MOST_DIRECTIONS = 1_000
_MARGIN = 0.04  # of the samples' extent, around the grid
_NEAR = 3.0  # steps around a joint sample in which points are tried numerically


@dataclass(frozen=True, eq=False)
class Workspace:
    """Workspace maps of a robot's tool on a grid in one section.

    Parameters
    ----------
    robot : Robot
        With its payload.
    section : Section
    payload : float
        Mass added at the tool frame [kg].
    tool : str
        Direction of the tool in the maps of one direction; empty if any direction counts.
    family : str
        Family of the inverse kinematics; ``numerical`` without a closed form.
    u, v : ndarray, shape (columns,) and (rows,)
        Coordinates of the grid to the right and upwards [m], named by `section.names`.
    maps : tuple of Map
        Values at the points of the grid, row by row.
    samples : ndarray, shape (2, M)
        Joint samples in the section [m].
    check : SampleCheck
    length : float
        Divisor of lengths in the least singular value [m]; see `chain_length`.
    notes : tuple of str
        Missing maps with reasons, and omissions.
    """

    robot: Robot
    section: Section
    payload: float
    tool: str
    family: str
    u: Array
    v: Array
    maps: tuple[Map, ...]
    samples: Array
    check: SampleCheck
    length: float
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return one_line(
            f"Workspace of {self.robot.name}, section {self.section.text}:",
            f"{np.count_nonzero(self.is_reached)} of {self.is_reached.size} points reached",
            ", ".join(one.name for one in self.maps),
        )

    @property
    def step(self) -> float:
        """Spacing of the grid [m]."""
        return float(self.u[1] - self.u[0])

    @cached_property
    def points(self) -> Array:
        """Points of the grid in the world, shape (3, rows * columns) [m]."""
        U, V = np.meshgrid(self.u, self.v)
        return self.section.points(U.ravel(), V.ravel())

    @cached_property
    def is_reached(self) -> Mask:
        """Mask of points where any map has a value, shape (rows, columns)."""
        return np.any([one.is_reached for one in self.maps], axis=0).reshape(
            self.v.size, self.u.size
        )

    def map(self, name: str) -> Map:
        """Return a map by name.

        Raises
        ------
        ScenarioError
            If there is none; the message lists the maps and the reasons for missing ones.
        """
        for one in self.maps:
            if one.name == name:
                return one
        names = ", ".join(repr(one.name) for one in self.maps)
        raise ScenarioError(
            f"Workspace of robot {self.robot.name!r} has no map {name!r}; available: {names}"
            + "".join(f"; {note}" for note in self.notes)
        )

    def posture(self, name: str, u: float, v: float) -> Array:
        """Return joint positions of a map at the grid point nearest to (u, v), (n,) [rad or m].

        Raises
        ------
        ScenarioError
            If there is no such map, or the point is not reached.
        """
        row, column = np.abs(self.v - v).argmin(), np.abs(self.u - u).argmin()
        q = self.map(name).q[:, int(row * self.u.size + column)]
        if np.isnan(q).any():
            a, b = self.section.names
            raise ScenarioError(
                f"Point {a} = {u:g} m, {b} = {v:g} m of section {self.section.text} is not "
                f"reached in map {name!r} of robot {self.robot.name!r}"
            )
        return q


@checked
def workspace(
    robot: Robot,
    section: str = "xz",
    *,
    payload: float = 0.0,
    tool: str | None = None,
    directions: int = DIRECTIONS,
    sphere: bool = False,
    step: float | None = None,
    frame: str | None = None,
) -> Workspace:
    """Map reach, singularity margin and gravity load of a robot in one section.

    Each map has one question: the directions of the tool's z axis at each point; for one direction,
    the least singular value of the Jacobian; for that direction, the share of the rated efforts
    used by gravity. All branches of the closed-form inverse within the joint limits are used, and
    checked by joint samples, which use no inverse. Without a closed form, the tool is brought to
    each point in any direction, numerically from joint samples.

    Parameters
    ----------
    section : str
        ``xz``, ``yz``, ``xy``, or a coordinate of the world such as ``z=0.5`` [m].
    payload : float
        Mass at the origin of the tool frame [kg]; `Robot.with_payload` has more options.
    tool : str
        Direction of the tool's z axis in the second and third map: ``down``, ``up``, ``+x``,
        ``-x``, ``+y``, ``-y`` (default: down or, if no joint can point it down, its only
        direction).
    directions : int
        Number of directions in the first map.
    sphere : bool
        Whether they are spread over the sphere instead of the plane.
    step : float, optional
        Spacing of the grid [m] (default: about 57 600 points, or 10 000 with a numerical inverse).
    frame : str, optional
        Name of the link whose frame is the tool (default: the robot's tool).

    Raises
    ------
    ModelError
        If the robot has no tool, no movable joint, a prismatic joint without limits, or passive
        joints.
    ScenarioError
        If an argument is invalid, or no joint sample is in the section.
    """
    place = Section.of(section)
    _require_numbers(directions, step)
    if frame is not None:
        frame_of(robot, frame)  # raises, if there is none
        robot = replace(robot, tool=frame)
    require_robot(robot)
    robot = robot.with_payload(mass=payload) if payload else robot
    family = family_of(robot)
    tool, z = choose_direction(robot, tool)
    query = choose_question(robot, place, tool, sphere=sphere, has_closed_form=family is not None)
    require_area(robot, place, query)
    T = frame_pose(robot, query.samples)
    u, v = _grid(T[list(place.across), 3], step, POINTS if family else FEWER_POINTS)
    U, V = np.meshgrid(u, v)
    points = place.points(U.ravel(), V.ravel())
    maps: list[Map] = []
    if query.has_directions:
        sought = place.directions(directions, sphere=sphere)
        maps.append(map_directions(robot, points, place, sought, z))
    if family is not None:
        postures = postures_at_poses(robot, poses(points, place.orientation(z)))
        where = f"Tool {tool}"
    else:
        postures = _near_samples(robot, points, query.samples, T, float(u[1] - u[0]))
        where = "Tool in any direction"
    maps.append(map_singular_value(robot, postures, where))
    if (gravity := map_gravity(robot, postures, where)) is not None:
        maps.append(gravity)
    return Workspace(
        robot,
        place,
        payload,
        tool if family is not None else "",
        NUMERICAL if family is None else family.name,
        frozen(u),
        frozen(v),
        tuple(maps),
        frozen(T[list(place.across), 3]),
        _check(robot, place, maps, points, query, float(u[1] - u[0])),
        chain_length(robot),
        (*query.notes, *_notes(robot, payload)),
    )


def _grid(places: Array, step: float | None, count: int) -> tuple[Array, Array]:
    """Return coordinates with one step in both directions, over points (2, M) and a margin."""
    low, high = places.min(axis=1), places.max(axis=1)
    margin = _MARGIN * max(float((high - low).max()), 1e-3)
    low, extent = low - margin, high - low + 2 * margin
    if step is None:
        step = _round_up(math.sqrt(float(extent.prod()) / count))
    counts = np.ceil(extent / step) + 1
    if counts.prod() > MOST_POINTS:
        raise ScenarioError(
            f"Step {step:g} m makes {counts.prod():.3g} points of the section; at most "
            f"{MOST_POINTS} are allowed, so take {math.sqrt(extent.prod() / MOST_POINTS):.2g} m "
            "or more"
        )
    if counts.min() < 3:
        raise ScenarioError(
            f"Step {step:g} m is too long for a section of {extent[0]:.3g} m by {extent[1]:.3g} m"
        )
    u, v = (a + step * np.arange(int(n)) for a, n in zip(low, counts, strict=True))
    return u, v


def _round_up(value: float) -> float:
    """Return the next number of two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit) * unit:.3g}")


def _near_samples(robot: Robot, points: Array, samples: Array, T: Array, step: float) -> Postures:
    """Return numerical postures at the points near a joint sample."""
    from scipy.spatial import KDTree

    near: Mask = np.less(KDTree(T[:3, 3].T).query(points.T)[0], _NEAR * step)
    postures = postures_at_points(robot, points[:, near], samples)
    B, n, _ = postures.q.shape
    q, ok = np.zeros((B, n, near.size)), np.zeros((B, near.size), dtype=np.bool_)
    q[..., near], ok[:, near] = postures.q, postures.ok
    return Postures(q, ok, np.zeros(near.size, dtype=np.bool_))


def _check(
    robot: Robot, place: Section, maps: list[Map], points: Array, query: Question, step: float
) -> SampleCheck:
    reached = np.any([one.is_reached for one in maps], axis=0)
    at = np.concatenate([points[:, one.is_reached] for one in maps], axis=1)
    q = np.concatenate([one.q[:, one.is_reached] for one in maps], axis=1)
    return check_by_samples(
        robot,
        query.samples,
        points[:, reached],
        step,
        place.across,
        (at, q),
        has_closed_form=query.has_closed_form,
    )


def _notes(robot: Robot, payload: float) -> tuple[str, ...]:
    """Return notes on what the maps leave out."""
    unrated = [row.name for row in robot.coordinates if not math.isfinite(row.limits.effort)]
    notes = []
    if len(unrated) == len(robot.coordinates):
        notes.append("no map of gravity: the URDF gives no joint an effort (0 means none given)")
    elif unrated:
        notes.append(f"no rated effort, so not in the map of gravity: {', '.join(unrated)}")
    if payload and len(unrated) < len(robot.coordinates):
        notes.append(
            f"the {payload:g} kg are a point at the tool frame; farther out they take more torque"
        )
    notes.append("links may touch each other or the floor at a point that counts as reached")
    return tuple(notes)


def _require_numbers(directions: int, step: float | None) -> None:
    if step is not None and not (math.isfinite(step) and step > 0):
        raise ScenarioError(f"Step {step} m of the grid must be a finite number above 0 m")
    if not (isinstance(directions, int) and 4 <= directions <= MOST_DIRECTIONS):
        raise ScenarioError(
            f"{directions} directions cannot be tried; allowed: 4 to {MOST_DIRECTIONS}"
        )
