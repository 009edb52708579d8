"""Log: a record of positions and torques of a robot's joints over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ForeignError
from sim.foreign import Naming, read_foreign
from sim.identification.log_columns import joint_columns
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot
from sim.showing.one_line import count_text, one_line

GAP = 5.0  # steps; a longer gap ends a piece of the log
# Largest values by unit, beyond those of any robot, where products of numbers would lose digits.
LARGEST = {"q": ("rad or m", 1e6), "qd": ("rad/s or m/s", 1e6), "tau": ("N·m or N", 1e9)}
LATEST = 1e10  # [s]
FEWEST = 100  # samples; fewer do not identify friction reliably


@checked
@dataclass(frozen=True, eq=False)
class Log:
    """Measured motion and torque of a robot's joints.

    Parameters
    ----------
    joints : tuple of str
        Names of the rows, in the robot's order.
    t : ndarray, shape (N,)
        Ascending [s].
    q, tau : ndarray, shape (n, N)
        Positions [rad or m] and torques of the drives at the joints [N·m or N].
    qd : ndarray, shape (n, N), optional
        Measured velocities [rad/s or m/s].
    source : str
        The file's name.
    torque_from : str
        Source of the torques, as text.
    notes : tuple of str
        Omissions and assumptions made on reading.

    Raises
    ------
    ForeignError
        If there are too few samples, times do not ascend, or a number is not finite or beyond the
        range of a robot.
    ValueError
        If a shape is not as above.
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    tau: Array
    qd: Array | None = None
    source: str = "the log"
    torque_from: str = "logged torques are assumed to be drive torques at the joints"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", frozen(self.t))
        shape = (len(self.joints), self.t.size)
        for name in ("q", "tau", "qd"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), shape))
        self._require_use()

    @classmethod
    def read(
        cls,
        path: Path | str,
        robot: Robot,
        naming: Naming | None = None,
        gains: Mapping[str, float] | None = None,
        held: Mapping[str, float] | None = None,
    ) -> Self:
        """Read a log file: CSV, Parquet, MATLAB, Excel, RTDE, ROS bag or MCAP.

        Parameters
        ----------
        path : Path or str
        robot : Robot
            The robot that has the joints.
        naming : Naming, optional
            Columns of t, ``q.JOINT``, ``qd.JOINT``, ``tau.JOINT`` and ``current.JOINT``, if their
            names do not state it, and their units.
        gains : mapping of str to float, optional
            Torque at the joint per unit of motor current, by joint [N·m/A or N/A].
        held : mapping of str to float, optional
            Positions of joints that the log lacks, such as those of a gripper [rad or m].

        Raises
        ------
        ForeignError
            If it cannot be read, a joint has no position or no torque, torques are currents
            without gains, or the samples cannot be used.
        """
        chosen = Naming() if naming is None else naming
        table = read_foreign(Path(path), chosen.sheet, robot.row_names)
        columns = joint_columns(table, robot, chosen, gains or {}, held or {})
        return cls(
            robot.row_names,
            columns.t,
            columns.q,
            columns.tau,
            columns.qd,
            table.source,
            columns.torque_from,
            columns.notes,
        )

    def __repr__(self) -> str:
        return one_line(
            f"Log {self.source}:",
            count_text(len(self.joints), "joint"),
            f"{self.t.size} samples in {np.ptp(self.t):.4g} s",
        )

    def between(self, start: float, end: float) -> Log:
        """Return the part of the log between two times, both included [s].

        Raises
        ------
        ForeignError
            If there are fewer than 100 samples in it.
        """
        part = (self.t >= start) & (self.t <= end)
        if not part.any() or not start < end:
            raise ForeignError(
                f"{self.source} has no samples from {start:g} to {end:g} s; it lasts from "
                f"{self.t[0]:.6g} to {self.t[-1]:.6g} s"
            )
        qd = None if self.qd is None else self.qd[:, part]
        return replace(self, t=self.t[part], q=self.q[:, part], tau=self.tau[:, part], qd=qd)

    def require_of(self, robot: Robot) -> None:
        """Check that the log's joints are those of a robot.

        Raises
        ------
        ForeignError
            If they are others; the message names both.
        """
        if self.joints != robot.row_names:
            raise ForeignError(
                f"{self.source} is of joints {', '.join(self.joints)}; robot {robot.name!r} has "
                f"{', '.join(robot.row_names)}"
            )

    def _require_use(self) -> None:
        if self.t.size < FEWEST:
            raise ForeignError(
                f"{self.source} has {self.t.size} samples; to identify anything at least {FEWEST} "
                "are needed, and half a minute of motion of all joints is a good log"
            )
        if not (np.abs(self.t) <= LATEST).all():
            raise ForeignError(
                f"{self.source}: times must be finite and at most {LATEST:g} s; state their unit "
                "with --unit COLUMN=ns"
            )
        back = np.flatnonzero(np.diff(self.t) <= 0)
        if back.size:
            k = int(back[0])
            raise ForeignError(
                f"{self.source}: the times must ascend; {self.t[k + 1]:.9g} s in sample {k + 2} "
                f"follows {self.t[k]:.9g} s"
            )
        for name, (unit, largest) in LARGEST.items():
            values: ArrayLike | None = getattr(self, name)
            if values is None or (inside := np.abs(values) <= largest).all():
                continue
            row, k = np.argwhere(~inside)[0]
            value = float(np.asarray(values)[row, k])
            why = f"beyond {largest:g}" if np.isfinite(value) else "no finite number"
            raise ForeignError(
                f"{self.source}: {name} of {self.joints[row]} [{unit}] is {value:g} at "
                f"{self.t[k]:.6g} s, {why}"
            )
