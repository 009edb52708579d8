"""FasterMotion: a motion along the same path, r times as fast: q(r t), r qd(r t), r² qdd(r t)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.motion.joint_path import JointPath, Motion
from sim.motion.typed_drive import TypedDrive
from sim.robots.robot import Robot
from sim.showing.one_line import one_line

POWERS = {"displacement": 0, "velocity": 1, "acceleration": 2}


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
