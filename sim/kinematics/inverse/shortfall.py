"""Reasons why a robot cannot reach a pose, and the nearest pose that it reaches."""

from __future__ import annotations

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.family import Angles, Family
from sim.kinematics.inverse.pose_error import TOLERANCE, PoseError
from sim.kinematics.inverse.solution import Shortfall
from sim.kinematics.inverse.travel import joint_limits
from sim.kinematics.jacobian import chain_length, jacobian
from sim.maths.arrays import Array
from sim.robots.robot import Robot

_SAME = 1e-6  # m and rad; residuals that differ by less are equal


def shortfall(
    robot: Robot,
    frame: str | None,
    q: Array,
    error: PoseError,
    form: tuple[Family, Angles] | None = None,
) -> Shortfall:
    """Return the best of the attempts `q` (n, B), and the reason why it is not better.

    The best has the smallest hypot(distance, length · angle), with `chain_length`.

    Parameters
    ----------
    error : PoseError
        Errors of the attempts.
    form : (Family, Angles), optional
        Given if the attempts are branches of a closed form.
    """
    length = chain_length(robot, frame)
    miss = np.hypot(error.distance, length * error.angle)
    best = int(np.argmax(miss <= miss.min() + _SAME))
    distance, angle = float(error.distance[best]), float(error.angle[best])
    direction = error.w[:, best] / angle if angle > TOLERANCE else np.zeros(3)
    reasons = []
    if distance > TOLERANCE:
        obstacle = "the tool" if form is None else _obstacle(*form, best)
        reasons.append(f"{obstacle} is {distance:.6g} m short of the position")
    if angle > TOLERANCE:
        x, y, z = direction + 0.0
        turning = direction @ jacobian(robot, q[:, best, None], frame)[3:, :, 0]
        reasons.append(
            f"the tool would have to turn {np.degrees(angle):.6g}° about ({x:.4g}, {y:.4g}, "
            f"{z:.4g}) in the world"
            + ("" if np.abs(turning).max(initial=0.0) > _SAME else ", and no joint turns it so")
        )
    ends = np.abs(q[:, best] - np.array(joint_limits(robot))).min(axis=0) <= _SAME
    if stopped := [name for name, is_end in zip(robot.row_names, ends, strict=True) if is_end]:
        reasons.append(f"at a position limit: {', '.join(stopped)}")
    return Shortfall(
        q[:, best],
        frame_pose(robot, q[:, best, None], frame)[..., 0],
        distance,
        angle,
        direction,
        length,
        "Out of reach: " + "; ".join(reasons),
    )


def _obstacle(family: Family, angles: Angles, branch: int) -> str:
    if family.each(angles.margins["elbow"])[branch] > 0:
        return "the arm, which cannot come nearer to its first axis,"
    bend = float(family.each(angles.a[2])[branch])
    return "the stretched arm" if abs(bend) < np.pi / 2 else "the folded arm"
