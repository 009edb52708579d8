"""Positions and exact derivatives of all joints over time: the common form of all motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike

from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask
from sim.motion.typed_drive import TypedDrive
from sim.robots.actuation import Actuation
from sim.robots.robot import Robot
from sim.showing.one_line import count_text, one_line


class JointPath(Struct, frozen=True, eq=False):
    """The motion of every joint of one robot over one run.

    Parameters
    ----------
    motion : callable
        Times t of shape (N,) -> q, qd, qdd of all joints, each (n, N).
    free : ndarray of bool, shape (n,)
        Joints whose motion is not prescribed; their path is only a start.
    q0, qd0 : ndarray, shape (n,)
        Start of the free joints.
    corners : ndarray
        Times at which a drive, a torque or one of its derivatives is not smooth [s].
    duration : float
        [s]
    actuation : Actuation, optional
        Torques of motors on free joints.
    switched : mapping of int to tuple of float
        Rows of `free` whose drives are switched off, on, off … at these times [s].
    stops : ndarray, optional
        Further times at which a solver restarts, as in the middle of a narrow pulse of torque [s].
    """

    motion: Callable[[Array], tuple[Array, Array, Array]]
    free: Mask
    q0: Array
    qd0: Array
    corners: Array
    duration: float
    actuation: Actuation | None = None
    switched: Mapping[int, tuple[float, ...]] = msgspec.field(default_factory=dict)
    stops: Array = msgspec.field(default_factory=lambda: np.empty(0))

    def __repr__(self) -> str:
        return one_line(
            "JointPath:",
            count_text(self.free.size, "joint"),
            f"{int(self.free.sum())} free" if self.free.any() else "",
            f"{self.duration:g} s",
            count_text(self.corners.size, "corner"),
        )

    def during(self, t: float) -> JointPath:
        """Return the path in which only the joints not prescribed at a time [s] are free."""
        if not self.switched:
            return self
        free = self.free.copy()
        for row, times in self.switched.items():
            free[row] = np.searchsorted(times, t, side="right") % 2
        return replace(self, free=free)

    def at(self, t: ArrayLike) -> Trajectory:
        """Return positions and exact derivatives at times `t` [s]; from the right at corners."""
        t = np.atleast_1d(np.asarray(t, dtype=np.float64))
        return Trajectory(t, *self.motion(t))


@runtime_checkable
class Motion(Protocol):
    """A motion that can be applied to a robot."""

    def on(self, robot: Robot, duration: float) -> JointPath:
        """Return the motion of all joints of `robot` from t = 0 to `duration` [s]."""
        ...

    def describe(self, robot: Robot, duration: float) -> tuple[TypedDrive, ...]:
        """Return the drives of the robot: for each its function as typed, and warnings."""
        ...
