"""Reasons why torques for another payload or speed require a simulation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.robot_by_description import unknown_forces
from sim.checks.run_view import RunView
from sim.maths.arrays import distinct
from sim.recording.schema.description import Run
from sim.recording.schema.facts import JointFacts
from sim.recording.schema.watched_facts import WatchedFacts
from sim.reports.page.what_if_terms import Terms, at_tool
from sim.robots.chains import FLOATING
from sim.robots.robot import Robot

OTHER_MOTION = "so another payload changes the motion"
TRIED = 101  # samples at which the force law is tested
ALIKE = 1e-9  # relative to the largest torque: rounding of such a test


def why_not(run: Run) -> str | None:
    """Return why the formula of `what_if` does not apply to a run; None if it does."""
    return next(_reasons(run), None)


def why_no_payload(view: RunView, robot: Robot) -> str | None:
    """Return why the payload cannot be varied; None if it can."""
    events = view.run.events
    if robot.tool is None or robot.row_names != view.row_names:
        return "the robot has no tool frame for a payload"
    if events and {event.link for event in events} != set(at_tool(robot)):
        return "the picked-up payload is not the whole tool load, or not at the tool frame"
    if unknown_forces(view):
        return "forces are computed by a program"
    return None


def why_no_loads(terms: Terms, torque: float) -> str | None:
    """Return why forces rule out the sliders, from tests at samples; None if they do not."""
    if terms.loads.states:
        return "forces have internal states, which depend on time and not on the path"
    some = distinct(np.linspace(0, terms.t.size - 1, TRIED).astype(int))
    t, (q, qd, _) = terms.t[some], terms.motion(some)
    still, once, twice = (terms.load(t, q, speed * qd) for speed in (0.0, 1.0, 2.0))
    size = max(torque, float(np.abs(still).max(initial=0.0)))
    if np.abs(terms.load(t[::-1], q, 0.0 * qd) - still).max(initial=0.0) > ALIKE * size:
        return "forces depend on time: at another speed they act at different points of the path"
    if np.abs(twice - 2.0 * once + still).max(initial=0.0) > ALIKE * size:
        return "end stops or other forces are nonlinear in speed"
    return None


def _reasons(run: Run) -> Iterator[str]:
    settings, joints = run.settings, run.robot.joints
    if giving := [one.name for one in joints if (one.drive or {}).get("stiffness") is not None]:
        yield f"elastic gears of {_list_joints(giving)} deflect, {OTHER_MOTION}"
    if settings.free:
        yield f"{_list_joints(settings.free)} moved freely or by a controller, {OTHER_MOTION}"
    if isinstance(run.watched, WatchedFacts):
        if any(one.name.endswith(f".{FLOATING[0]}") for one in joints):
            yield f"no motor moves the base, {OTHER_MOTION}"
        if any(one.text.endswith(("included", "counted in")) for one in run.watched.causes):
            yield "engine forces are included, which change with the motion"
    if run.contacts:
        yield "contacts act on the links"
    if run.robot.loops and (set(run.robot.loop_kinds) - {"point"} or not run.robot.closures):
        yield "its loops have closures other than coincident points"
    if len({event.link for event in run.events}) > 1:
        yield "several payloads are picked up or set down during the run"
    if rubbing := [joint.name for joint in joints if joint.friction_law is not None]:
        yield (f"the friction of {_list_joints(rubbing)} depends nonlinearly on load and speed")
    if rubbing := [joint.name for joint in joints if joint.friction and not _is_driven(run, joint)]:
        yield f"dry friction acts in {_list_joints(rubbing)}, driven through loops"


def _is_driven(run: Run, joint: JointFacts) -> bool:
    return joint.name not in run.settings.passive and not (run.robot.loops and joint.mimic)


def _list_joints(names: list[str] | tuple[str, ...]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 3 else ""
    first = names if len(names) <= 3 else names[:2]
    word = "joint" if len(names) == 1 else "joints"
    return f"{word} {', '.join(map(repr, first))}{more}"
