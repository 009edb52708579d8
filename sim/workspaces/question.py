"""Choice of the tool directions examined in a section, and their joint samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError, ScenarioError
from sim.kinematics.forward import frame_of, frame_pose
from sim.kinematics.jacobian import jacobian
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.workspaces.joint_samples import random_positions, samples_in_section
from sim.workspaces.section import TOOLS, Section, tool_direction

_RANK = 1e-6  # smallest twist and singular value that count
_LOOKED_AT = 1000  # samples, to determine the possible motions of the tool
_OFTEN = 0.01  # of them; a few singular samples may fail
_FEWEST = 10  # samples of a section within reach


def require_robot(robot: Robot) -> None:
    """Check that a robot has a tool, a movable joint, and no joint positioned by loops.

    Raises
    ------
    ModelError
    """
    frame_of(robot, robot.require_tool(option="--frame"))
    if not robot.joint_names:
        raise ModelError(f"Robot {robot.name!r} has no joint that moves, so no workspace")
    robot.require_no_balls("a workspace is of hinges and slides with ranges")
    passive = [name for name, is_passive in zip(robot.row_names, passive_joints(robot), strict=True)
               if is_passive]  # fmt: skip
    if passive:
        raise ModelError(
            f"Joints {', '.join(passive)} of robot {robot.name!r} are passive in closed loops, "
            "which joint samples would tear open; a workspace needs them coupled by <mimic>, as "
            "in irb460"
        )


def choose_direction(robot: Robot, tool: str | None) -> tuple[str, Array]:
    """Return name and vector of the tool's direction; for a fixed tool direction, that one.

    Raises
    ------
    ScenarioError
        If the tool cannot have the requested direction.
    """
    direction = None if tool is None else tool_direction(tool)
    z = frame_pose(robot, random_positions(robot, _LOOKED_AT))[:3, 2]
    fixed = [name for name in TOOLS if np.abs(z.T - tool_direction(name)).max() < _RANK]
    if not fixed:
        name = tool or "down"
        return name, tool_direction(name)
    if direction is not None and tool != fixed[0]:
        raise ScenarioError(
            f"The tool of robot {robot.name!r} cannot point {tool}: its z axis always points "
            f"{fixed[0]}, so leave the direction out"
        )
    return fixed[0], tool_direction(fixed[0])


@dataclass(frozen=True, eq=False)
class Question:
    """Tool directions that count as reaching a point, and joint samples with them.

    Parameters
    ----------
    has_directions : bool
        Whether each of many directions counts, their share being a map.
    held_direction : str or None
        The tool's only direction, if one is requested.
    samples : ndarray, shape (n, M)
    has_closed_form : bool
    notes : tuple of str
    """

    has_directions: bool
    held_direction: str | None
    samples: Array
    has_closed_form: bool
    notes: tuple[str, ...]


def choose_question(
    robot: Robot, place: Section, tool: str, *, sphere: bool, has_closed_form: bool
) -> Question:
    """Choose all directions if joints turn the tool freely; else the direction `tool`, or any.

    Parameters
    ----------
    tool : str
    sphere : bool
        All directions of space, not only of the section.
    has_closed_form : bool
        Whether the robot has closed-form inverse kinematics (otherwise any direction counts).
    """
    if not has_closed_form:
        note = (
            "no map of directions: this robot has no closed-form inverse; the tool is brought to "
            "each point with any direction, numerically from joint samples"
        )
        return Question(False, None, samples_in_section(robot, place), False, (note,))
    square_to = None if sphere else place.normal[None]
    samples = samples_in_section(robot, place, square_to)
    if samples.size and _can_turn(robot, place, samples, sphere=sphere):
        return Question(True, None, samples, True, ())
    note = (
        f"no map of directions: no joint turns the tool {'as wanted' if sphere else 'in the plane'}"
        " while it stays at its point"
    )
    z = tool_direction(tool)
    samples = samples_in_section(robot, place, _perpendiculars(z))
    samples = samples[:, z @ frame_pose(robot, samples)[:3, 2] > 0]
    return Question(False, tool, samples, True, (note,))


def _perpendiculars(z: Array) -> Array:
    """Return two unit vectors perpendicular to `z` and to each other, shape (2, 3)."""
    return np.linalg.svd(z[None])[2][1:]


def _can_turn(robot: Robot, place: Section, samples: Array, *, sphere: bool) -> bool:
    """Whether joints give every twist in the plane, or on the sphere every twist."""
    twists = np.eye(6) if sphere else np.eye(6)[[*place.across, 3 + place.held]]
    return _often_gives(jacobian(robot, samples[:, :_LOOKED_AT]), twists)


def _often_gives(J: Array, motions: Array) -> bool:
    """Whether joints give all wanted motions (K, m) at enough of the samples of J, (m, n, N).

    Not at all samples: many are singular while another posture is not.
    """
    range_of_J, size, _ = np.linalg.svd(np.moveaxis(J, -1, 0), full_matrices=False)
    range_of_J = range_of_J * (size > _RANK * size[:, :1])[:, None]
    missing = motions - np.einsum("kai,kbi,tb->kta", range_of_J, range_of_J, motions)
    is_given = np.abs(missing).max(axis=(1, 2)) < _RANK
    return bool(np.count_nonzero(is_given) > _OFTEN * is_given.size)


def require_area(robot: Robot, place: Section, query: Question) -> None:
    """Check that joint samples show a tool that moves over an area of the section.

    Raises
    ------
    ScenarioError
        If there are no samples, or they are on a line.
    """
    if query.samples.shape[1] < _FEWEST:
        q = random_positions(robot, 5 * _LOOKED_AT)
        p = frame_pose(robot, q)[place.held, 3]
        if query.held_direction is None or samples_in_section(robot, place).shape[1] < _FEWEST:
            raise ScenarioError(
                f"The tool of robot {robot.name!r} does not come into section {place.text}: "
                f"{place.text[0]} goes from {p.min():.3g} to {p.max():.3g} m, by joint samples"
            )
        raise ScenarioError(
            f"The tool of robot {robot.name!r} comes into section {place.text}, but there it can "
            f"neither lie in it nor point {query.held_direction}; choose another direction of the "
            "tool, or take directions all around (sphere)"
        )
    J = jacobian(robot, query.samples[:, :_LOOKED_AT])
    others = np.empty((0, 3))
    if query.held_direction is not None:
        others = _perpendiculars(tool_direction(query.held_direction))
    rates = np.concatenate([J[:3], np.einsum("ka,anN->knN", others, J[3:])])
    if not _often_gives(rates, np.eye(len(rates))[list(place.across)]):
        raise ScenarioError(
            f"The tool of robot {robot.name!r} moves along a line of section {place.text}, or not "
            f"at all, {_phrase(query.held_direction)}and over no area of it; choose another section"
        )


def _phrase(direction: str | None) -> str:
    return f"while it points {direction}, " if direction else ""
