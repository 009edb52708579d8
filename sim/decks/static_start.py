"""A scenario from the pose in which it would rest: SIMULATE/STATIC before a simulation in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim.dynamics.statics import equilibrium
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask
from sim.motion.joint_motion import JointMotion
from sim.scenario.scenario import Scenario

MOST = 4  # joints that a note names


def from_rest(scenario: Scenario, source: str) -> Scenario:
    """The scenario with its free joints at rest where all that acts is balanced, noted.

    Parameters
    ----------
    source : str
        Beginning of the note.

    Raises
    ------
    ScenarioError
        If no equilibrium is found; names the joint that is farthest from its balance.
    """
    robot, motion = scenario.robot, scenario.motion
    path = motion.on(robot, scenario.duration)
    if not path.free.any() or not isinstance(motion, JointMotion):
        note = f"{source}: STATIC moves nothing: all joints are driven"
        return replace(scenario, notes=(*scenario.notes, note))
    start = np.where(path.free, path.q0, path.at(0.0).q[:, 0])
    rest = equilibrium(robot, path.free, start, gravity=scenario.gravity, forces=scenario.forces)
    moved = path.free | passive_joints(robot)
    at_rest = replace(
        motion,
        q0=np.where(moved, rest.q, path.q0),
        qd0=np.where(moved, 0.0, path.qd0),
    )
    note = (
        f"{source}: starts at rest in its static equilibrium, which is {rest.stability}: "
        f"{_places(robot.row_names, path.free, rest.q)}"
    )
    return replace(scenario, motion=at_rest, notes=(*scenario.notes, note))


def _places(names: Sequence[str], free: Mask, q: Array) -> str:
    """Positions of the first free joints."""
    rows = np.flatnonzero(free).tolist()
    texts = [f"{names[row]} {q[row]:.6g}" for row in rows[:MOST]]
    return ", ".join([*texts, *(["…"] if len(rows) > MOST else [])])
