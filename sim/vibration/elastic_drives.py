"""Elastic joints, with the stiffness and damping of their drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics, require_inertia
from sim.dynamics.joint_forces import joint_elements
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask
from sim.robots.gear_spring import GearSpring
from sim.robots.payload import motor_of, spin_joint
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring

# Values by joint, or one for all joints.
PerJoint = Mapping[str, float] | float


@dataclass(frozen=True, eq=False)
class ElasticDrives:
    """Drives that hold a robot's joints elastically.

    Parameters
    ----------
    elements : ElementSum
        The robot with its own force elements.
    loose : ndarray of bool, shape (n,)
        Compliant joints: those with a stiffness here or a spring, free ones, balls, and those
        positioned by closed loops.
    stiffness, damping : ndarray, shape (n,)
        [N·m/rad or N/m], [N·m·s/rad or N·s/m]; zero by default.
    """

    elements: ElementSum
    loose: Mask
    stiffness: Array
    damping: Array

    @property
    def robot(self) -> Robot:
        """Robot that has the drives."""
        return self.elements.robot

    @property
    def rigid(self) -> tuple[str, ...]:
        """Joints that are not compliant."""
        names = self.robot.row_names
        return tuple(name for name, is_loose in zip(names, self.loose, strict=True) if not is_loose)


def elastic_drives(
    robot: Robot,
    stiffness: PerJoint | None,
    damping: PerJoint | None,
    free: tuple[str, ...] | None = None,
    elements: ElementSum | None = None,
) -> ElasticDrives:
    """Return the drives by joint; a joint with neither stiffness nor spring is rigid.

    Parameters
    ----------
    stiffness, damping : mapping of str to float, or float, optional
        By joint [N·m/rad or N/m], [N·m·s/rad or N·s/m]; one number applies to all driven joints.
    free : tuple of str, optional
        Joints without a drive (default: those with a spring).
    elements : ElementSum, optional
        Force elements (default: those in the robot's joints).

    Raises
    ------
    ScenarioError
        If a joint is unknown, follows another, or has no drive that could be compliant; if a number
        is negative or not finite; if only joints positioned by loops are compliant.
    """
    _require_names(robot, free)
    free = None if free is None else _rows_of(robot, free)
    idle = without_drive(robot, free)
    k, has_k = _by_joint(robot, "stiffness", "N·m/rad or N/m", stiffness, idle)
    d, has_d = _by_joint(robot, "damping", "N·m·s/rad or N·s/m", damping, idle)
    held = _with_springs(robot) if free is None else np.isin(robot.row_names, free)
    held |= _are_of_balls(robot)
    passive = passive_joints(robot)
    loose = (has_k & (k > 0)) | held
    if not (loose & ~passive).any():
        raise ScenarioError(
            f"No joint of robot {robot.name!r} is elastic: a drive is rigid unless its "
            "stiffness is given; --stiffness JOINT=NUMBER [N·m/rad or N/m], joints: "
            f"{', '.join(robot.row_names)}"
        )
    idle_damping = [
        name
        for name, is_lost in zip(robot.row_names, has_d & (d > 0) & ~loose, strict=True)
        if is_lost
    ]
    if idle_damping and not (isinstance(damping, int | float)):
        raise ScenarioError(
            f"Joint {idle_damping[0]!r} has damping but is rigid, so that the damping has no "
            "effect; give it a stiffness too"
        )
    if robot.has_drives:  # a compliant drive has a locked motor, whose rotor is at rest
        locked = [name for name, gives_way in zip(robot.row_names, k > 0, strict=True) if gives_way]
        _require_no_bodies(robot, locked)
        robot = robot.without_drives(locked)
        elements = None if elements is None else ElementSum(robot, elements.elements)
    every = ElementSum(robot, joint_elements(robot)) if elements is None else elements
    return ElasticDrives(every, loose | passive, k, d)


def _require_no_bodies(robot: Robot, locked: list[str]) -> None:
    """Check that no rotor of a locked motor is a body that turns with its joint."""
    for name in locked:
        if (drive := robot.joint(name).drive) is not None and drive.gyroscopic:
            raise ScenarioError(
                f"The drive of joint {name!r} of robot {robot.name!r} is elastic, but its rotor "
                "is a body that turns with the joint; omit gyroscopic in its drive train"
            )


def require_pose(robot: Robot, q: ArrayLike) -> Array:
    """Return positions of all joints, (n, 1).

    Raises
    ------
    ScenarioError
        If there is not one finite number per joint.
    """
    names = robot.row_names
    try:
        pose = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        pose = np.empty(0)
    if pose.shape != (len(names),) or not np.isfinite(pose).all():
        raise ScenarioError(
            f"A pose of robot {robot.name!r} is {len(names)} finite numbers [rad or m], one per "
            f"joint ({', '.join(names)}); got {q!r}"
        )
    return pose[:, None]


def require_moving(drives: ElasticDrives, t: float, q: Array) -> None:
    """Check that each compliant joint moves some mass; see `require_inertia`."""
    require_inertia(LagrangianDynamics(drives.robot), drives.loose, t, q)


def _with_springs(robot: Robot) -> Mask:
    """Return a mask of the rows of q that a spring moves, directly or through a follower, (n,)."""
    sprung = [
        any(isinstance(one, JointSpring | GearSpring) for one in joint.forces)
        for joint in robot.tree_row_joints
    ]
    return np.asarray((robot.coupling[0][sprung] != 0).any(axis=0))


def without_drive(robot: Robot, free: Sequence[str] | None) -> Mask:
    """Return the joints without a rigid drive: free, positioned by loops, with an elastic gear."""
    is_free = np.isin(robot.row_names, [] if free is None else list(free))
    return passive_joints(robot) | is_free | _are_of_balls(robot) | _have_elastic_gears(robot)


def _have_elastic_gears(robot: Robot) -> Mask:
    """Return the rows of joints with elastic gears, and of their motors, which are locked, (n,)."""
    names = robot.row_names
    return np.array([spin_joint(motor_of(name)) in names for name in names], dtype=bool)


def _are_of_balls(robot: Robot) -> Mask:
    """Return the rows of balls, which have no drive, (n,)."""
    return np.isin([row.joint for row in robot.coordinates], robot.ball_names)


def _rows_of(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    """Return the rows of joints; the name of a ball stands for its three rows."""
    rows = ((row.name, {row.name, row.joint}) for row in robot.coordinates)
    return tuple(row for row, names_of_row in rows if names_of_row & set(names))


def _require_names(robot: Robot, free: tuple[str, ...] | None) -> None:
    """Check that joints named as free exist."""
    known = {*robot.row_names, *robot.ball_names}
    if unknown := [name for name in free or () if name not in known]:
        raise ScenarioError(
            f"Robot {robot.name!r} has no joint {unknown[0]!r} that could be free; joints: "
            f"{', '.join(robot.row_names)}"
        )


def _by_joint(
    robot: Robot, what: str, unit: str, stated: PerJoint | None, idle: Mask
) -> tuple[Array, Mask]:
    """Return values of the rows of q, zero where none is given, and a mask of the given ones."""
    names = robot.row_names
    if stated is None:
        stated = {}
    if isinstance(stated, int | float):
        driven = [name for name, is_idle in zip(names, idle, strict=True) if not is_idle]
        stated = dict.fromkeys(driven, stated)
    values, is_given = np.zeros(len(names)), np.zeros(len(names), dtype=bool)
    for name, value in stated.items():
        if name not in names:
            others = ", ".join(names)
            raise ScenarioError(
                f"Robot {robot.name!r} has no joint {name!r} that could have a {what}; "
                f"joints: {others}"
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < np.inf:
            raise ScenarioError(
                f"The {what} of joint {name!r} is a number [{unit}] that is not negative; "
                f"got {value!r}"
            )
        row = names.index(name)
        if idle[row]:
            raise ScenarioError(
                f"Joint {name!r} has no drive whose {what} that could be: it is free, a closed "
                "loop positions it, or its gear is elastic; add a sim.JointSpring, or change "
                "stiffness or gear_damping of its DriveTrain"
            )
        values[row], is_given[row] = value, True
    return values, is_given
