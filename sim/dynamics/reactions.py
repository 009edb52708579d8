"""Reactions: force and moment that two links exert on each other through their joint.

Every joint has a reaction, including fixed joints. It can be expressed at any point, along the axes
of any frame, and on either of the two links:

    force on the parent = -(force on the child)
    moment about b = moment about a + (a - b) × force

It is the total load. Along the free direction of a joint (the moment about a hinge's axis, the
force along a slide's) it consists of the drive's effort and those of springs and end stops, less
the joint's friction; hence it is zero at a free joint without friction.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import newton_euler
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.wrench import Acting
from sim.errors import ModelError
from sim.kinematics.forward import frame_pose
from sim.maths.arguments import checked
from sim.maths.arrays import Array, columns, frozen
from sim.maths.rotations import cross
from sim.robots.robot import Robot
from sim.showing.one_line import count_text, one_line, vector

Side = Literal["parent", "child"]
SIDES: tuple[Side, ...] = ("parent", "child")

WORLD = "world"  # always the world itself, even if a link has this name


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force and moment through a joint over N samples, and their reference frame.

    Parameters
    ----------
    robot : Robot
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].
    joint : str
    force, moment : ndarray, shape (3, N)
        [N], [N·m]
    side : str
        Link on which they act: ``child`` (by the parent) or ``parent`` (by the child).
    axes : str
        Link whose axes the components are along, or ``world``.
    link : str
        Link, or ``world``, that carries the reference point of the moment.
    point : ndarray, shape (3,)
        That point in the frame of `link` [m].
    """

    robot: Robot
    q: Array
    joint: str
    force: Array
    moment: Array
    side: Side
    axes: str
    link: str
    point: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for name in ("q", "force", "moment", "point"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __repr__(self) -> str:
        return one_line(
            f"Reaction in {self.joint}:",
            f"on the {self.side} at {self.link} {vector(self.point)} m",
            f"axes of {self.axes}",
            count_text(self.force.shape[-1], "sample"),
        )

    @property
    def rows(self) -> Array:
        """Force and moment in one array (fx fy fz mx my mz), shape (6, N)."""
        return np.concatenate([self.force, self.moment])

    def on(self, side: Side) -> Reaction:
        """Return the reaction on one of the two links: action and reaction are opposite.

        Raises
        ------
        ModelError
            If `side` is neither ``parent`` nor ``child``.
        """
        require_side(side)
        if side == self.side:
            return self
        return replace(self, side=side, force=-self.force, moment=-self.moment)

    def in_axes(self, axes: str) -> Reaction:
        """Return the reaction along the axes of a link, or of the ``world``.

        Raises
        ------
        ModelError
            If there is no such frame.
        """
        R_0a, R_0b = (_pose(self.robot, self.q, name)[:3, :3] for name in (axes, self.axes))
        R_ab = np.einsum("caN,cbN->abN", R_0a, R_0b)
        force, moment = (np.einsum("abN,bN->aN", R_ab, v) for v in (self.force, self.moment))
        return replace(self, axes=axes, force=force, moment=moment)

    def at(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Reaction:
        """Return the reaction about a point on a link or the ``world``.

        Parameters
        ----------
        link : str
        point : array_like, shape (3,)
            Point in the frame of `link` [m].

        Raises
        ------
        ModelError
            If there is no such frame.
        """
        old = _place(self.robot, self.q, self.link, self.point)
        new = _place(self.robot, self.q, link, frozen(point, (3,)))
        R_0a = _pose(self.robot, self.q, self.axes)[:3, :3]
        arm = np.einsum("baN,bN->aN", R_0a, old - new)
        moment = self.moment + cross(arm, self.force)
        return replace(self, link=link, point=frozen(point), moment=moment)


def joint_reaction(
    robot: Robot,
    joint: str,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Reaction:
    """Return the reaction of a joint of any kind, by the parent on the child, in the joint frame.

    The joint frame is that of the child link. Friction is internal to the joint: it acts from the
    parent on the child together with the drive's effort, and the motion determines their sum.

    Parameters
    ----------
    joint : str
        Name of the joint, which may be fixed.
    q, qd, qdd : ndarray, shape (n, N)
        All independent joints [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]).
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        External wrenches on the links; for a robot with closed loops including those of their pins
        (`sim.dynamics.wrench.pin_wrenches`), otherwise the loops are open.

    Raises
    ------
    ModelError
        If the joint, or a link of `external`, is not in the robot.
    ValueError
        If a shape is not (n, N).
    """
    child = robot.joint(joint).child
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    hinged = _with_hinge(robot, joint)

    def widen(rows: Array) -> Array:
        if hinged is robot:
            return rows
        return np.insert(rows, hinged.row_names.index(joint), 0.0, axis=0)

    motion = widen(q), widen(qd), widen(qdd)
    row = [each.name for each in hinged.tree_row_joints].index(joint)
    wrench = newton_euler.wrenches(hinged, *motion, gravity, external).reaction[row]
    return Reaction(robot, q, joint, wrench[:3], wrench[3:], "child", child, child)


@checked
@dataclass(frozen=True)
class Measure:
    """A recorded reaction in chosen axes: channels ``measure.<name>.fx … .mz``.

    Parameters
    ----------
    name : str
    joint : str
        Joint of any kind, including fixed.
    on : str
        ``child``: load by the parent on the child; ``parent``: load by the child on the parent.
    axes : str
        Link whose axes the components are along, or ``world``.
    at : str or None
        Link whose origin is the reference point, or ``world``; None for the joint frame.

    Raises
    ------
    ModelError
        If the name cannot be part of a channel's name, or `on` is neither side.
    """

    name: str
    joint: str
    on: Side = "child"
    axes: str = WORLD
    at: str | None = None

    def __post_init__(self) -> None:
        if not self.name or any(character in ". \t\n" for character in self.name):
            raise ModelError(
                f"Measure {self.name!r} needs a name without dots and spaces: it becomes the "
                "channels measure.<name>.fx and so on"
            )
        require_side(self.on)

    def require(self, robot: Robot) -> None:
        """Check the names.

        Raises
        ------
        ModelError
            If the robot lacks the joint or a frame; the message lists those that exist.
        """
        robot.joint(self.joint)
        for frame in (self.axes, self.at):
            if frame is not None:
                require_frame(robot, frame)


def measure(
    robot: Robot,
    what: Measure,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Array:
    """Return rows fx fy fz mx my mz of a measure, shape (6, N); arguments of `joint_reaction`.

    Raises
    ------
    ModelError
        If the robot lacks the joint or a frame; the message lists those that exist.
    """
    what.require(robot)
    reaction = joint_reaction(robot, what.joint, q, qd, qdd, gravity, external)
    at_point = reaction if what.at is None else reaction.at(what.at)
    return at_point.in_axes(what.axes).on(what.on).rows


def require_frame(robot: Robot, frame: str) -> None:
    """Check the name of a frame, a link's or ``world``.

    Raises
    ------
    ModelError
        If there is none; the message lists the frames.
    """
    names = (WORLD, *(link.name for link in robot.links))
    if frame not in names:
        raise ModelError(
            f"Frame {frame!r} is not in robot {robot.name!r}; available: {', '.join(names)}"
        )


def require_side(side: str) -> None:
    """Check the name of a side.

    Raises
    ------
    ModelError
        If it is neither ``parent`` nor ``child``.
    """
    if side not in SIDES:
        raise ModelError(f"A reaction acts on the parent or on the child, not on {side!r}")


@lru_cache(maxsize=64)
def _with_hinge(robot: Robot, name: str) -> Robot:
    """Return the robot with a fixed joint replaced by a hinge at zero; unchanged for others."""
    if robot.joint(name).is_movable:
        return robot
    opened = (
        replace(joint, kind="revolute", axis=np.array([0.0, 0.0, 1.0]), mimic=None)
        if joint.name == name
        else joint
        for joint in robot.joints
    )
    return replace(robot, joints=tuple(opened))


def _pose(robot: Robot, q: Array, frame: str) -> Array:
    require_frame(robot, frame)
    if frame == WORLD:
        return np.broadcast_to(np.eye(4)[:, :, None], (4, 4, q.shape[1]))
    return frame_pose(robot, q, frame)


def _place(robot: Robot, q: Array, frame: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the world position of a point of a frame, shape (3, N) [m]."""
    T = _pose(robot, q, frame)
    return np.asarray(np.einsum("abN,b->aN", T[:3, :3], np.asarray(point)) + T[:3, 3])
