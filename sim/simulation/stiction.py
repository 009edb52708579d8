"""Which contacts with stiction a run can solve for; others are refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.friction import dry_joints
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics
from sim.maths.rotations import cross
from sim.robots.robot import Robot
from sim.simulation.problem import Problem

if TYPE_CHECKING:
    from sim.dynamics.shape_contact import Contact

ASIDE = 0.1  # rad or m from the start, where shapes are looked at too
MOVED = 1e-9  # m/s or rad/s at 1 rad/s or m/s of a joint, which is rounding


def require_known_stiction(problem: Problem) -> None:
    """Refuse contacts with stiction whose friction at rest the run cannot know.

    Raises
    ------
    ScenarioError
        Names the contact, why, and what to change.
    """
    if not problem.scenario.elements:
        return
    from sim.dynamics.shape_contact import Contact

    for contact in problem.scenario.elements:
        if not (isinstance(contact, Contact) and contact.stiction):
            continue
        for reason, remedy in _reasons(problem, contact):
            raise ScenarioError(
                f"{contact.label} has stiction, which {reason}; {remedy}leave out stiction=True, "
                "with which it creeps below its stiction_velocity"
            )


def _reasons(problem: Problem, contact: Contact) -> Iterator[tuple[str, str]]:
    """Why the stiction of a contact is not solved for, each with a remedy besides."""
    robot, trains = problem.robot, drive_trains_of(problem.robot)
    if not problem.method.solves_motion:
        yield f"method {problem.method.name!r} does not solve for", "use method 'adaptive', or "
    if trains is not None and trains.has_losses.any():
        yield "is not solved for next to gears that lose torque", ""
    if robot.loops and (rough := _rough_joint(robot)):
        yield f"is not solved for in closed loops next to dry friction of joint {rough!r}", ""
    if not _is_moved(problem, contact):
        remedy = "free a joint that moves them along each other, or "
        yield "nothing decides where drives alone move its links", remedy


def _rough_joint(robot: Robot) -> str:
    """Return the first joint with dry friction, in its bearing or its drive train; or nothing."""
    trains, is_dry = drive_trains_of(robot), dry_joints(robot)
    names = [joint.name for joint, dry in zip(robot.tree_row_joints, is_dry, strict=True) if dry]
    if trains is not None:
        names += [name for name, dry in zip(robot.row_names, trains.is_dry, strict=True) if dry]
    return next(iter(names), "")


def _is_moved(problem: Problem, contact: Contact) -> bool:
    """Whether free joints move the shapes along each other, at the start or next to it."""
    robot, free = problem.robot, np.flatnonzero(problem.path.free)
    q = problem.prescribed_motion(problem.t[:1]).q
    for aside in (0.0, ASIDE) if free.size else ():
        units = np.eye(len(q))[:, free]
        at = Kinematics(robot, np.repeat(q + aside, free.size, axis=1), units)
        normal, place = (contact.features(at).T[rows] for rows in (slice(1, 4), slice(4, 7)))
        i, j = (at.marker(one) for one in (contact.i, contact.j))
        v = i.v + cross(i.w, place - i.p) - j.v - cross(j.w, place - j.p)
        if np.abs(np.concatenate([cross(normal, v), i.w - j.w])).max(initial=0.0) > MOVED:
            return True
    return False
