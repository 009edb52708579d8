"""Check that a run can solve for its contacts with stiction; others are refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.closed_positions import decided_joints
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
    """Return reasons why the stiction of a contact is not supported, each with a remedy."""
    if not problem.method.solves_motion:
        yield f"method {problem.method.name!r} does not solve for", "use method 'adaptive', or "
    if not _is_moved(problem, contact):
        remedy = "free a joint that moves them along each other, or "
        yield "nothing decides where drives alone move its links", remedy


def _is_moved(problem: Problem, contact: Contact) -> bool:
    """Whether motion without a drive moves the shapes along each other, near the start."""
    robot, loose = problem.robot, problem.solved_joints
    q = problem.prescribed_motion(problem.t[:1]).q
    if problem.is_closed_by_solver:
        loose[list(decided_joints(robot, q[:, 0], ~loose))] = False
    free = np.flatnonzero(loose)
    for aside in (0.0, ASIDE) if free.size else ():
        units = np.eye(len(q))[:, free]
        at = Kinematics(robot, np.repeat(q + aside, free.size, axis=1), units)
        normal, place = (contact.features(at).T[rows] for rows in (slice(1, 4), slice(4, 7)))
        i, j = (at.marker(one) for one in (contact.i, contact.j))
        v = i.v + cross(i.w, place - i.p) - j.v - cross(j.w, place - j.p)
        if np.abs(np.concatenate([cross(normal, v), i.w - j.w])).max(initial=0.0) > MOVED:
            return True
    return False
