"""Point motion: the path of a frame, converted to the motion of the joints that produces it.

`FasterMotion` is a motion along the same path, r times as fast: q(r t), r qd(r t), r² qdd(r t).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike

from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import as_function
from sim.functions.time_function import TimeFunction, text_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.motion.joint_path import JointPath, Motion
from sim.motion.starts import Start
from sim.motion.target import COMPONENTS, POSITION, target
from sim.motion.typed_drive import TypedDrive
from sim.robots.robot import Robot
from sim.showing.one_line import one_line

POWERS = {"displacement": 0, "velocity": 1, "acceleration": 2}


@checked
@dataclass(frozen=True, eq=False)
class PointMotion:
    """ADAMS's general point motion: up to six components of a frame as functions of time.

    Parameters
    ----------
    components : mapping of str to expression, number, or TimeFunction
        ``x y z`` [m] and the Body 1-2-3 angles ``b1 b2 b3`` [rad] of the frame relative to
        `relative_to`: R = Rx(b1) Ry(b2) Rz(b3). Components not named are free. If the joints are
        redundant, also for an arm of seven joints with a whole pose, the velocities are those of
        least norm, qd = J⁺ v, and the positions are their integral. A component that no joint moves
        is ignored if it is satisfied.
    start : mapping, array_like or None
        Joint positions near which the motion starts; they select the branch [rad or m]. If no
        motion starts there, for example with a stretched arm, other branches are tried. A whole
        pose may be singular at the start or later if the path is smooth there.
    frame : str, optional
        Link that is moved (default: the tool frame).
    relative_to : str or array_like of shape (4, 4), optional
        Link, which may itself move, or a pose in the world (default: the world).
    """

    components: Mapping[str, str | float | TimeFunction]
    start: Start = None
    frame: str | None = None
    relative_to: str | ArrayLike | None = None
    functions: Mapping[str, TimeFunction] = field(init=False)

    def __post_init__(self) -> None:
        unknown = [name for name in self.components if name not in COMPONENTS]
        if unknown:
            raise ScenarioError(
                f"Component {unknown[0]!r} of a point motion: components are "
                f"{', '.join(COMPONENTS)}, each at most once"
            )
        if not self.components:
            raise ScenarioError("A point motion prescribes at least one component")
        functions = {
            name: _function(name, self.components[name])
            for name in COMPONENTS
            if name in self.components
        }
        object.__setattr__(self, "functions", functions)
        if not isinstance(self.relative_to, str | None):
            from sim.kinematics.inverse.pose_error import check_poses

            pose = check_poses(self.relative_to, 2)
            object.__setattr__(self, "relative_to", frozen(pose))

    def __repr__(self) -> str:
        relative = self.relative_to
        base = relative if isinstance(relative, str) else "a frame of its own"
        what = f"{' '.join(self.functions)} of {self.frame or 'the tool'}"
        return one_line("PointMotion:", what if relative is None else f"{what} in {base}")

    @property
    def reference(self) -> str | Array:
        """Reference frame of the components: a link's name or a pose in the world."""
        if self.relative_to is None:
            return np.eye(4)
        return cast("str | Array", self.relative_to)

    def on(self, robot: Robot, duration: float) -> JointPath:
        """Return the joint motion from t = 0 to `duration` [s] that produces the prescribed motion.

        Raises
        ------
        ScenarioError
            If a component is not finite, or the frame cannot follow: names the time and the
            distance of the pose out of reach, the joint that would have to jump at a singular pose,
            or the unsatisfied component that no joint moves, with its value.
        ModelError
            If the robot has no such link.
        """
        return _solve(self, robot, duration).path

    def positions(self, t: Array) -> Array | None:
        """Return prescribed world positions of the frame at the times `t`, shape (3, N) [m].

        None if not all three are prescribed, or if they are relative to a link.
        """
        reference = self.reference
        if isinstance(reference, str) or not set(POSITION) <= set(self.functions):
            return None
        return reference[:3, :3] @ target(self.functions, t).value[:3] + reference[:3, 3:]

    def describe(self, robot: Robot, duration: float) -> tuple[TypedDrive, ...]:
        """Return the components as typed; warnings name the first singularity on the path."""
        warnings = _solve(self, robot, duration).warnings
        frame = self.frame or robot.tool
        return tuple(
            TypedDrive(
                joint=f"{frame}.{name}",
                level="displacement",
                function=text_of(function),
                warnings=() if k else warnings,
            )
            for k, (name, function) in enumerate(self.functions.items())
        )


class _Solved(Struct, frozen=True, eq=False):
    path: JointPath
    warnings: tuple[str, ...]


def _function(name: str, component: str | float | TimeFunction) -> TimeFunction:
    try:
        return as_function(component)
    except ExpressionError:
        raise
    except ScenarioError as error:
        raise ScenarioError(f"Component {name!r} of a point motion: {error}") from None


@lru_cache(maxsize=8)
def _solve(motion: PointMotion, robot: Robot, duration: float) -> _Solved:
    from sim.motion.tool_path import Follower

    if robot.motor_rows:
        name = robot.row_names[next(iter(robot.motor_rows))]
        raise ScenarioError(
            f"The gear of joint {name!r} gives way, and a tool's path prescribes joints and not "
            "their motors; drive the motors by a sim.JointMotion, or leave the stiffness out"
        )
    follower = Follower(
        robot, motion.functions, motion.frame, motion.reference, motion.start, duration
    )
    path = JointPath(
        follower.at,
        np.zeros(len(robot.coordinates), dtype=bool),
        follower.q_start,
        np.zeros(len(robot.coordinates)),
        follower.corners,
        duration,
    )
    return _Solved(path, tuple(follower.warnings()))


@dataclass(frozen=True, eq=False)
class FasterMotion:
    """A motion that runs `scale` times as fast.

    Parameters
    ----------
    motion : Motion
        Motion that prescribes all joints.
    scale : float

    Raises
    ------
    ScenarioError
        If the scale is not a number above 0.
    """

    motion: Motion
    scale: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise ScenarioError(f"A motion runs above 0 times as fast, got {self.scale!r}")

    def __repr__(self) -> str:
        return one_line("FasterMotion:", f"{self.scale:.6g} times as fast", repr(self.motion))

    def on(self, robot: Robot, duration: float) -> JointPath:
        """Return the motion of all joints from t = 0 to `duration` [s].

        Raises
        ------
        ScenarioError
            If a joint is free: its speed follows from its own dynamics.
        """
        r, path = self.scale, self.motion.on(robot, duration * self.scale)
        if path.free.any():
            name = robot.row_names[int(np.argmax(path.free))]
            raise ScenarioError(f"Joint {name!r} is free, and cannot be run {r:g} times as fast")

        def motion(t: Array) -> tuple[Array, Array, Array]:
            q, qd, qdd = path.motion(r * t)
            return q, r * qd, r**2 * qdd

        corners = path.corners / r
        return replace(path, motion=motion, qd0=r * path.qd0, corners=corners, duration=duration)

    def describe(self, robot: Robot, duration: float) -> tuple[TypedDrive, ...]:
        """Return each drive as typed for that speed, r^k f(r time)."""
        drives = self.motion.describe(robot, duration * self.scale)
        return tuple(replace(one, function=self._faster(one)) for one in drives)

    def _faster(self, drive: TypedDrive) -> str:
        text = re.sub(r"\btime\b", f"({self.scale!r}*time)", drive.function, flags=re.IGNORECASE)
        power = POWERS.get(drive.level, 0)
        return f"{self.scale!r}**{power}*({text})" if power else text
