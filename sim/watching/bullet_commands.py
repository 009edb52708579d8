"""MotorCommands: torques and motors that a PyBullet loop commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.showing.one_line import shorten_list
from sim.watching.cause import NAMED, Cause
from sim.watching.sample_store import SampleStore


class MotorCommands:
    """Commands to the joints of a body, by PyBullet's numbers `joints`."""

    def __init__(self, joints: Sequence[int]) -> None:
        self._rows = {joint: row for row, joint in enumerate(joints)}
        self._store = SampleStore(1 + len(joints))
        self.acting: list[float] | None = None  # torques of the next step
        self._of_torque, self._of_motors, self._of_plugin = set[int](), set[int](), set[int]()

    @property
    def knows_motors(self) -> bool:
        """Whether a motor of every joint was commanded."""
        return len(self._of_motors) == len(self._rows)

    def add_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """Record torques of the next step; PyBullet adds repeated commands."""
        if self.acting is None:
            self.acting = [0.0] * len(self._rows)
        for joint, torque in zip(joints, torques, strict=False):
            row = self._rows.get(joint)
            if row is not None:
                self.acting[row] += torque
                self._of_torque.add(row)

    def add_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """Record velocity or position motors; None for their default force."""
        pairs = zip(joints, [1.0] * len(joints) if forces is None else forces, strict=False)
        self._of_motors |= {self._rows[joint] for joint, f in pairs if f and joint in self._rows}

    def add_plugin(self, joints: Sequence[int]) -> None:
        """Record joints that a plugin moves."""
        self._of_plugin |= {self._rows[joint] for joint in joints if joint in self._rows}

    def begin_step(self, step: int) -> None:
        """Keep the torques commanded for an engine step."""
        if self.acting is not None:
            self._store.add(step, *self.acting)
            self.acting = None

    def torques(self, motor: Array, last: NDArray[np.intp]) -> tuple[Array, Array, str]:
        """Return the torques assumed by the loop, those of uncommanded motors, and the source.

        Parameters
        ----------
        motor : ndarray, shape (n, N)
            As read back.
        last : ndarray of int, shape (N,)
            Number of the last engine step before each sample.
        """
        commanded, rows = np.zeros_like(motor), self._store.rows()
        step = np.searchsorted(last, rows[:, 0])
        is_kept = step < len(last)
        commanded[:, step[is_kept]] = rows[is_kept, 1:].T
        torque_only = np.zeros(len(motor), dtype=bool)
        torque_only[list(self._of_torque - self._of_motors)] = True
        is_brake = torque_only[:, None]
        tau = np.where(is_brake, commanded, commanded + motor)
        source = "TORQUE_CONTROL commands" if torque_only.all() else "getJointStates"
        return tau, np.where(is_brake, motor, 0.0), source

    def unseen(self, tau: Array, robot: Robot, *, has_steps: bool) -> Iterator[Cause]:
        """Yield torques that are not read back: of a plugin, or of commands that were not detected.

        Without steps that were seen, functions were imported before the watch.
        """
        if self._of_plugin:
            names = [robot.tree_joints[row - len(self._rows)].name for row in self._of_plugin]
            text = f"p.PD_CONTROL moves {shorten_list(names, NAMED)} by a plugin, whose torques "
            remedy = "p.POSITION_CONTROL, or compute the torques and command p.TORQUE_CONTROL"
            yield Cause("torque unseen", f"{text}PyBullet states nowhere", remedy)
        elif not (has_steps or tau.any()):
            text = "no torque is read back, as under TORQUE_CONTROL, and no command of one was seen"
            remedy = "call p.setJointMotorControlArray by its module, or pass watch.sample(torque)"
            yield Cause("torque unseen", text, remedy)
