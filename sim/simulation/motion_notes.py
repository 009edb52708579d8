"""Notes on free joints that start at rest on moving links, and on singular poses of loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.motion.joint_motion import JointMotion
from sim.recording.files.table_files import Table, numbers_in
from sim.showing.one_line import shorten_list
from sim.simulation.problem import Problem

STILL = 1e-9  # [m/s], [rad/s]; slower motions count as rest
SHOWN = 4  # joints named in the note
MOST_TIMES = 5  # times named in a note


def start_note(problem: Problem) -> tuple[str, ...]:
    """Return a note on free joints without start velocity behind drives that move at t = 0.

    Such a joint starts at rest relative to the link that carries it, so that its own link moves
    along; each is named with the speed of its link.
    """
    motion = problem.scenario.motion
    robot = problem.robot
    if not isinstance(motion, JointMotion):
        return ()
    with_speed = set(robot.row_names if motion.qd0 is not None else ())
    if isinstance(motion.qd0, Mapping):
        with_speed = set(motion.qd0)
    passive = {name for loop in robot.loops for name in loop.passive}
    free = {*motion.free, *robot.ball_names} - passive
    qd = problem.path.at(np.zeros(1)).qd[:, 0].copy()
    at_rest = [
        joint
        for joint in robot.tree_joints
        if joint.name in free
        and not {joint.name, *(f"{joint.name}.{x}" for x in "xyz")} & with_speed
    ]
    qd[problem.path.free] = 0.0
    if not at_rest or not qd.any():
        return ()
    q = problem.prescribed_motion(problem.t[:1]).q
    moving = []
    for joint in at_rest:
        v, w = _link_speed(problem, joint.child, q, qd)
        if max(v, w) > STILL:
            moving.append(f"{joint.name} ({joint.child} at {v:.4g} m/s, {w:.4g} rad/s)")
    if not moving:
        return ()
    return (
        f"Free joints start at rest against links that move: {shorten_list(moving, SHOWN)}; "
        "without qd0 their links move along at first (speeds of the mass centre and of rotation)",
    )


def _link_speed(problem: Problem, link: str, q: Array, qd: Array) -> tuple[float, float]:
    """Return the speed of a link's mass centre [m/s] and its angular speed [rad/s] at t = 0."""
    robot = problem.robot
    J = jacobian(robot, q, link)[..., 0]
    body = next(one for one in robot.links if one.name == link)
    com = np.zeros(3) if body.inertia is None else body.inertia.com
    arm = frame_pose(robot, q, link)[:3, :3, 0] @ com
    v, w = J[:3] @ qd, J[3:] @ qd
    return float(np.linalg.norm(v + cross(w, arm))), float(np.linalg.norm(w))


def singular_notes(problem: Problem, analytic: Table, times: Collection[float]) -> tuple[str, ...]:
    """Return a note on the times of singular poses, and the first pose; empty without any.

    Parameters
    ----------
    analytic : Table
        Table of the model, at the samples of the problem.
    times : collection of float
        [s]
    """
    if not times:
        return ()
    at = sorted(times)
    k = int(np.argmin(np.abs(problem.t - at[0])))
    pose = ", ".join(
        f"{row.name} = {numbers_in(analytic, f'q.{row.name}')[k]:.4g} {row.units.position}"
        for row in problem.robot.coordinates
    )
    named = ", ".join(f"{time:.4g}" for time in at[:MOST_TIMES])
    more = f" and {len(at) - MOST_TIMES} times more" if len(at) > MOST_TIMES else ""
    return (
        f"Closed loops pass a singular pose at t = {named} s{more}, first near {pose}; the motion "
        "goes on smoothly, and forces in the pins are not determined there",
    )
