"""Joint motions: drives in the style of ADAMS that prescribe a motion or a torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.functions.expression import Expression
from sim.functions.lint import Level, LintWarning, lint, lint_spline
from sim.functions.spline import Spline
from sim.functions.spline_functions import Data
from sim.functions.time_function import TimeFunction, text_of
from sim.maths.arguments import checked, short_text
from sim.maths.arrays import Array, distinct, frozen
from sim.motion.drive import Drive, corners_of, functions, hold, path_of, stops_of
from sim.motion.joint_path import JointPath
from sim.motion.row_drives import Motion, RowDrive, free_rows, row_drives
from sim.motion.starts import Start, start
from sim.motion.state_torque import StateTorque, TorqueOfState
from sim.motion.typed_drive import TypedDrive
from sim.robots.actuation import Actuation, TorqueOverTime
from sim.robots.names import Names
from sim.robots.robot import Robot
from sim.showing.one_line import names_text, one_line


class Options(TypedDict, total=False):
    """Keyword arguments of the drives of any level.

    Parameters
    ----------
    times : array_like
        Times of the points of array drives [s].
    splines : mapping
        Points of spline functions in the expressions, by name.
    free : sequence of str
        Joints without a drive.
    names : Names
        Names for torques of the state.
    """

    times: ArrayLike | None
    splines: Mapping[str, Data] | None
    free: Sequence[str]
    names: Names | None


@checked
@dataclass(frozen=True, eq=False)
class JointMotion:
    """Drives of some joints; the others hold their start position or are free.

    Created by `displacement`, `velocity`, `acceleration` or `torque`; combined with ``|``. A joint
    without a drive holds its start position, unless it is in `free`. A joint with a torque is free
    except for that torque. A ball is always free, or passive in a loop.

    Parameters
    ----------
    drives : mapping of str to (level, TimeFunction or StateTorque)
    q0, qd0 : mapping of str to float, array_like of shape (n,), or None
        Start position and velocity of the joints in the robot's order (default: zero). A
        displacement drive has its own start. For a ball, by name, the rotation vector [rad] or the
        angular velocity along the axes of the child [rad/s].
    free : tuple of str
        Joints moved only by gravity and the motion of the others.
    switched : mapping of str to sequence of float
        Joints whose drives are switched off, on, off … at these times [s]; they are free while off.
    """

    drives: Mapping[str, tuple[Level, TimeFunction | StateTorque]]
    q0: Start = None
    qd0: Start = None
    free: tuple[str, ...] = field(default=())
    switched: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        levels = dict.fromkeys(level for level, _ in self.drives.values())
        parts = [
            f"{level} of {names_text([n for n, (k, _) in self.drives.items() if k == level])}"
            for level in levels
        ]
        free = f"{names_text(self.free)} free" if self.free else ""
        return one_line("JointMotion:", *(parts or ["" if free else "all joints hold"]), free)

    @classmethod
    def displacement(
        cls, drives: Mapping[str, Drive], q0: Start = None, **more: Unpack[Options]
    ) -> JointMotion:
        """Prescribe joint positions as functions of time [rad or m]; `more` are `Options`."""
        return cls._at_level("displacement", drives, q0, None, **more)

    @classmethod
    def velocity(
        cls, drives: Mapping[str, Drive], q0: Start = None, **more: Unpack[Options]
    ) -> JointMotion:
        """Prescribe joint rates as functions of time [rad/s or m/s], integrated from `q0`."""
        return cls._at_level("velocity", drives, q0, None, **more)

    @classmethod
    def acceleration(
        cls,
        drives: Mapping[str, Drive],
        q0: Start = None,
        qd0: Start = None,
        **more: Unpack[Options],
    ) -> JointMotion:
        """Prescribe joint accelerations [rad/s² or m/s²], integrated from `q0`, `qd0`."""
        return cls._at_level("acceleration", drives, q0, qd0, **more)

    @classmethod
    def torque(
        cls,
        drives: Mapping[str, Drive],
        q0: Start = None,
        qd0: Start = None,
        **more: Unpack[Options],
    ) -> JointMotion:
        """Apply motor torques or forces [N·m or N]; the joints start from `q0`, `qd0`.

        For a joint with a drive train N times its motor's torque. Functions of time, or with
        `names` of the state: ``-30*AZ(arm, base)``.
        """
        return cls._at_level("torque", drives, q0, qd0, **more)

    @classmethod
    def _at_level(
        cls,
        level: Level,
        drives: Mapping[str, Drive],
        q0: Start,
        qd0: Start,
        /,
        times: ArrayLike | None = None,
        splines: Mapping[str, Data] | None = None,
        free: Sequence[str] = (),
        names: Names | None = None,
        **others: object,
    ) -> JointMotion:
        if others:
            starts = "q0, qd0" if level in ("acceleration", "torque") else "q0"
            raise ScenarioError(
                f"JointMotion.{level} takes no {', '.join(others)}; arguments next to the drives: "
                f"{starts}, {', '.join(Options.__annotations__)}"
            )
        if not isinstance(drives, Mapping):
            raise ScenarioError(
                f"JointMotion: drives must be a mapping by names, got {short_text(drives)}"
            )
        if isinstance(free, str) or not isinstance(free, Sequence):
            raise ScenarioError(
                f"JointMotion: free must be a sequence of names, got {short_text(free)}"
            )
        return cls(functions(level, drives, times, splines, names), q0, qd0, tuple(free))

    def __or__(self, other: JointMotion) -> JointMotion:
        """Combine both sets of drives; the start is the first one's if it has one.

        Raises
        ------
        ScenarioError
            If both drive one joint.
        """
        twice = sorted(set(self.drives) & set(other.drives))
        if twice:
            raise ScenarioError(
                f"Joint {twice[0]!r} has two motions; a joint can have only one drive"
            )
        return JointMotion(
            {**self.drives, **other.drives},
            self.q0 if self.q0 is not None else other.q0,
            self.qd0 if self.qd0 is not None else other.qd0,
            tuple(dict.fromkeys(self.free + other.free)),
            {**self.switched, **other.switched},
        )

    def on(self, robot: Robot, duration: float) -> JointPath:
        """Return the motion of all joints of `robot` from t = 0 to `duration` [s].

        Raises
        ------
        ScenarioError
            If a joint is unknown, a follower, or both driven and free, or a drive is not finite
            somewhere in the run.
        """
        self._check_names(robot)
        q0, qd0 = start(self.q0, robot, "q0"), start(self.qd0, robot, "qd0")
        paths, drives = [], row_drives(self.drives, robot)
        for index, row in enumerate(robot.coordinates):
            drive = drives.get(index)
            if drive is None or isinstance(drive.function, StateTorque):
                paths.append(hold(q0[index]))
                continue
            begin = q0[index] / drive.ratio, qd0[index] / drive.ratio
            path = path_of(drive.level, drive.function, *begin, duration, row.name)
            paths.append(drive.at_row(path))
        motors = {
            row: (one.function, one.ratio)
            for row, one in drives.items()
            if one.level == "torque" and not isinstance(one.function, StateTorque)
        }
        laws = [
            (row, one.function, one.ratio)
            for row, one in drives.items()
            if isinstance(one.function, StateTorque)
        ]
        passive = {name for loop in robot.loops for name in loop.passive}
        loose = {*self.free, *set(robot.ball_names) - passive}
        free = free_rows(robot, loose, drives)
        switched = {
            k: self.switched[row.joint]
            for k, row in enumerate(robot.coordinates)
            if row.joint in self.switched
        }
        corners = {t for times in switched.values() for t in times if 0 < t < duration}
        corners |= {
            float(t)
            for level, function in self.drives.values()
            for t in corners_of(level, function, duration)
        }

        stops = [stops_of(level, function, duration) for level, function in self.drives.values()]

        def motion(t: Array) -> tuple[Array, Array, Array]:
            q, qd, qdd = np.stack([np.stack(path(t)) for path in paths], axis=1)
            _require_finite(robot.row_names, t, q, qd, qdd)
            return q, qd, qdd

        def torque(t: Array) -> Array:
            rows = np.zeros((len(robot.coordinates), t.size))
            for row, (function, ratio) in motors.items():
                rows[row] = function.value(t) / ratio
            return rows

        if switched:
            rows = list(switched)
            free[rows] = True
            q0, qd0 = q0.copy(), qd0.copy()
            q0[rows], qd0[rows] = (x[rows, 0] for x in motion(np.zeros(1))[:2])
        q0, qd0 = self._untwist_starts(robot, drives, q0, qd0, motion)
        times = frozen(sorted(corners))
        actuation: Actuation | None = TorqueOverTime(torque) if motors else None
        if laws:
            actuation = TorqueOfState(robot, torque, laws)
        restarts = distinct(np.empty(0), *stops)
        return JointPath(motion, free, q0, qd0, times, duration, actuation, switched, restarts)

    def _untwist_starts(
        self, robot: Robot, drives: Mapping[int, RowDrive], q0: Array, qd0: Array, motion: Motion
    ) -> tuple[Array, Array]:
        """Return starts (n,) with links at 1/N of their driven motors, unless given."""
        motors = {
            row: one
            for row, one in robot.motor_rows.items()
            if one[0] in drives and drives[one[0]].level != "torque"
        }
        if not motors:
            return q0, qd0
        starts, at_start = (q0.copy(), qd0.copy()), motion(np.zeros(1))
        for stated, array, values in zip((self.q0, self.qd0), starts, at_start, strict=False):
            for row, (motor, ratio) in motors.items():
                if stated is None or (
                    isinstance(stated, Mapping) and robot.row_names[row] not in stated
                ):
                    array[row] = values[motor, 0] / ratio
        return frozen(starts[0]), frozen(starts[1])

    def describe(self, robot: Robot, duration: float) -> tuple[TypedDrive, ...]:
        """Return each drive as typed, with the linter's warnings."""
        drives = []
        for name, (level, function) in self.drives.items():
            (row,) = robot.joint(name).coordinates
            findings: Sequence[LintWarning] = ()
            if isinstance(function, Expression):
                findings = lint(function, level, row.units, duration)
            elif isinstance(function, Spline):
                findings = lint_spline(function, level, row.units)
            warnings = tuple(finding.message for finding in findings)
            names = function.names if isinstance(function, StateTorque) else None
            splines = function.splines if isinstance(function, Expression) else {}
            text, times = text_of(function), self.switched.get(name)
            drives.append(TypedDrive(name, level, text, warnings, names, splines, times))
        return tuple(drives)

    def _check_names(self, robot: Robot) -> None:
        drivable = [name for name in robot.joint_names if name not in robot.ball_names]
        for name in (*self.drives, *self.free):
            is_ball = {name, name.rpartition(".")[0]} & set(robot.ball_names)
            if is_ball and name in self.drives:
                raise ScenarioError(
                    f"Motion for joint {name!r}: it is a ball, which is free or passive in a loop "
                    "and takes no drive; replace it by three revolute joints to drive it, or "
                    "apply a sim.VForce to its link"
                )
            positioning = [loop.name for loop in robot.loops if name in loop.passive]
            if positioning and name in self.drives:
                passive = {one for loop in robot.loops for one in loop.passive}
                others = ", ".join(one for one in drivable if one not in passive) or "none"
                raise ScenarioError(
                    f"Motion for joint {name!r}: it is passive, loop {positioning[0]!r} determines "
                    f"its position; drive others ({others}), declare others as passive there, "
                    "or apply a sim.SForce to its links"
                )
            if name not in robot.joint_names:
                followers = {j.name: j.mimic.joint for j in robot.tree_joints if j.mimic}
                reason = (
                    f"follows {followers[name]!r}; drive that joint"
                    if name in followers
                    else f"is not in robot {robot.name!r}"
                )
                raise ScenarioError(
                    f"Motion for joint {name!r}: it {reason}; "
                    f"joints that can be driven: {', '.join(drivable)}"
                )
        for name in self.switched:
            if self.drives.get(name, ("torque",))[0] == "torque":
                raise ScenarioError(
                    f"Joint {name!r} is switched, but no drive prescribes its motion"
                )
        both = sorted(set(self.drives) & set(self.free))
        if both:
            raise ScenarioError(f"Joint {both[0]!r} is both driven and free; choose one")


def _require_finite(names: Sequence[str], t: Array, q: Array, qd: Array, qdd: Array) -> None:
    bad = ~np.isfinite([q, qd, qdd])
    if bad.any():
        k = int(np.argmax(bad.any(axis=(0, 1))))
        order, joint = np.argwhere(bad[:, :, k])[0]
        what = ("position", "velocity", "acceleration")[order]
        raise ScenarioError(
            f"Motion for joint {names[joint]!r}: its {what} is not finite at t = {t[k]:.9g} s"
        )
