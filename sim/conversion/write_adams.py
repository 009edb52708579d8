"""A robot as a deck of ADAMS: the model of a run in which nothing drives its joints."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sim.conversion.written import Written, unsaid_laws
from sim.motion.joint_motion import JointMotion
from sim.reports.exports.adams_model import model_text
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.simulation.run import run

SHORT = 1e-6  # s; only the state at the start is in a deck


def adams_text(robot: Robot) -> Written:
    """The deck of a robot at positions 0, with gravity and free joints."""
    motion = JointMotion.torque({}, free=robot.joint_names)
    scenario = Scenario(robot, motion, SHORT, dt=SHORT, method="adaptive")
    text = model_text(run(scenario), degrees=True, millimetres=False)
    places = {joint.name: (re.sub(r"\W", "_", joint.name), 0) for joint in robot.tree_joints}
    changed = {name: place for name, place in places.items() if place[0] != name}
    return Written(text, changed, omissions=tuple(_unsaid(robot)))


def _unsaid(robot: Robot) -> Iterator[str]:
    if "<visual" in robot.text or "<collision" in robot.text:
        yield "shapes"
    if any(row.limits.lower > -math.inf for row in robot.coordinates):
        yield "ranges and ratings of the joints"
    yield from unsaid_laws(robot, springs=True, rotors=False, speeds=False)
