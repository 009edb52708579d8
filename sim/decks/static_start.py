"""A scenario from the pose in which it would rest: SIMULATE/STATIC before a simulation in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim.dynamics.statics import equilibrium
from sim.errors import SimError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask
from sim.motion.joint_motion import JointMotion
from sim.scenario.scenario import Scenario

MOST = 4  # joints that a note names


def from_rest(scenario: Scenario, source: str) -> Scenario:
    """The scenario with its free joints at rest where all that acts is balanced, noted.

    Where no such pose is found it starts as it did, with a note of the reason.

    Parameters
    ----------
    source : str
        Beginning of the note.
    """
    robot, motion = scenario.robot, scenario.motion
    path = motion.on(robot, scenario.duration)
    if not path.free.any() or not isinstance(motion, JointMotion):
        note = f"{source}: STATIC moves nothing: all joints are driven"
        return replace(scenario, notes=(*scenario.notes, note))
    start = np.where(path.free, path.q0, path.at(0.0).q[:, 0])
    try:
        rest = equilibrium(
            robot, path.free, start, gravity=scenario.gravity, forces=scenario.forces
        )
    except SimError as error:
        note = f"{source}: STATIC is not followed, the run starts as typed: {error}"
        return replace(scenario, notes=(*scenario.notes, note))
    moved = path.free | passive_joints(robot)
    at_rest = replace(
        motion,
        q0=np.where(moved, rest.q, path.q0),
        qd0=np.where(moved, 0.0, path.qd0),
    )
    # the stiffness of rotation vectors, by which stability is judged, is none of a ball
    known = "" if robot.ball_names else f", which is {rest.stability}"
    places = _places(robot.row_names, path.free, rest.q)
    note = f"{source}: starts at rest in its static equilibrium{known}: {places}"
    return replace(scenario, motion=at_rest, notes=(*scenario.notes, note))


def _places(names: Sequence[str], free: Mask, q: Array) -> str:
    """Positions of the first free joints."""
    rows = np.flatnonzero(free).tolist()
    texts = [f"{names[row]} {q[row]:.6g}" for row in rows[:MOST]]
    return ", ".join([*texts, *(["…"] if len(rows) > MOST else [])])
