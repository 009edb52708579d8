"""Which contacts with stiction a run can solve for; others are refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.drive_trains import drive_trains_of
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics
from sim.maths.rotations import cross
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
    if problem.scenario.controller is not None:
        yield "is not solved for under a sampled controller", "give the motors torques, or "
    if robot.loops:
        yield f"is not solved for in the closed loops of robot {robot.name!r}", ""
    for joint in robot.tree_joints:
        if joint.friction_law is not None:
            yield f"is not solved for next to the JointFriction of joint {joint.name!r}", ""
    if trains is not None and trains.has_losses.any():
        yield "is not solved for next to gears that lose torque", ""
    if not _is_moved(problem, contact):
        remedy = "free a joint that moves them along each other, or "
        yield "nothing decides where drives alone move its links", remedy


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
