"""BulletWatch: samples of a PyBullet loop that is not ours."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import Gravity
from sim.errors import EngineError, SimError
from sim.maths.arrays import Array, Mask
from sim.recording.recording import Recording
from sim.robots.robot import Robot
from sim.watching.bullet_readback import joint_numbers, read_back
from sim.watching.evidence import Evidence
from sim.watching.hooks import SET_STATES, Hooks
from sim.watching.own_torques import OwnTorques
from sim.watching.sample_store import SampleStore
from sim.watching.writing import save_run

_position_velocity_torque = itemgetter(0, 1, 3)


class BulletWatch:
    """Watches one body; made by `sim.watch`.

    Call `sample` after each ``stepSimulation`` and `save` at the end. While it watches, PyBullet's
    ``stepSimulation``, ``getJointStates`` and ``setJointMotorControl*`` are wrapped: they do what
    they did, and `save` or `close` gives them back.
    """

    def __init__(self, bullet: Any, body: int, robot: Robot, gravity: Gravity, client: int) -> None:
        self.bullet, self.body, self.client = bullet, body, client
        self.robot, self.gravity = robot, gravity
        self.joints = joint_numbers(bullet, body, client, robot)
        self.rows = {joint: row for row, joint in enumerate(self.joints)}
        self.held = read_back(bullet, body, client, robot)
        n = len(self.joints)
        self._store = SampleStore(1 + 4 * n)
        self._own = OwnTorques(n)
        self._touching: dict[tuple[int, int, int], set[int]] = {}
        self._applied = self._acting = [0.0] * n
        self._steps = self._samples = self._repeated = 0
        self._sees_steps, self._flat = False, list[float]()
        self._set_by_hand = set[int]()
        self._is_pending = False
        self._last_states: Any = None
        self._commands_torque, self._commands_motors = set[int](), set[int]()
        self._thread = threading.get_ident()
        self._hooks = Hooks.of(bullet)
        self._read_states = self._hooks.original("getJointStates")
        self._read_contacts = bullet.getContactPoints
        self._keep(self._states())
        self._hooks.add(self)

    def sample(self, torque: ArrayLike | None = None) -> None:
        """Record the state after a step.

        Parameters
        ----------
        torque : array_like, shape (n,), optional
            What the loop takes for the torques of the motors during this step (default: what
            PyBullet gives, and what the loop commands under ``TORQUE_CONTROL``) [N·m or N].

        Raises
        ------
        EngineError
            If the body is gone, or another thread than the one that began calls.
        """
        if threading.get_ident() != self._thread:
            raise EngineError(
                "sample() was called by another thread than sim.watch; step and sample in one "
                "thread"
            )
        if self._is_pending:
            self._keep(self._states())
        if not self._steps and self._is_repeated():
            self._repeated += 1
            return
        if torque is not None:
            self._own.add(self._samples, torque)
        if self._last_states is not None:
            self._keep(self._last_states)
        else:
            self._is_pending = True

    def _is_repeated(self) -> bool:
        """Whether nothing moved since the last sample, if steps are seen; else how they are not."""
        if self._sees_steps:
            return True
        states = self._states()
        flat = [number for state in states for number in state[:2]]
        is_same, self._flat = flat == self._flat, flat
        return is_same

    def save(self, folder: str | Path) -> Recording:
        """Judge the loop, name the causes of what differs, and write the folder of a run.

        Returns
        -------
        Recording
            Judged; ``sim check`` and all other commands read the folder.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        self.close()
        return save_run(self.evidence(), folder)

    def close(self) -> None:
        """Give PyBullet its functions back, and sample no more."""
        try:
            if self._is_pending:
                self._keep(self._states())
        finally:
            self._hooks.remove(self)

    def before_step(self) -> None:
        """Called before each step: reads what is pending, and begins a new count of torques."""
        if self._is_pending:
            self._keep(self._states())
        self._applied, self._acting = self._acting, [0.0] * len(self.joints)
        self._last_states = None
        self._steps += 1
        self._sees_steps = True

    def before_change(self, name: str, *, is_own: bool) -> None:
        """Read what is pending before the loop changes a state, the time step or the body."""
        if name == "disconnect":
            self.close()
        if self._is_pending:
            self._keep(self._states())
        if is_own and name in SET_STATES and self._samples:
            self._set_by_hand.add(self._samples)
        self._last_states = None

    def see_states(self, joints: Sequence[int], states: Any) -> None:
        """The loop has read states: if they are those of all joints no second call is needed."""
        if list(joints) == self.joints:
            if self._is_pending:
                self._keep(states)
            elif self._steps:
                self._last_states = states

    def see_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """The loop commands torques of the next step; PyBullet adds what it is given twice."""
        for joint, torque in zip(joints, torques, strict=False):
            row = self.rows.get(joint)
            if row is not None:
                self._acting[row] += torque
                self._commands_torque.add(row)

    def see_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """The loop commands velocity or position motors."""
        if len(self._commands_motors) < len(self.joints):
            pairs = zip(joints, [1.0] * len(joints) if forces is None else forces, strict=False)
            seen = {self.rows[joint] for joint, force in pairs if force and joint in self.rows}
            self._commands_motors |= seen

    def _states(self) -> Any:
        try:
            return self._read_states(self.body, self.joints, physicsClientId=self.client)
        except self.bullet.error as error:
            self._is_pending = False
            raise EngineError(
                f"Body {self.body} of PyBullet cannot be read after sample {self._samples}: "
                f"{error}; was it removed, or its client closed? Call save() before that"
            ) from None

    def _keep(self, states: Any) -> None:
        """Add a row: steps since the last; of each joint position, velocity, torque; commands."""
        store = self._store
        store.buffer.append(self._steps)
        store.buffer.extend(chain.from_iterable(map(_position_velocity_torque, states)))
        store.buffer.extend(self._applied)
        touching = self._read_contacts(self.body, physicsClientId=self.client)
        if touching:
            self._note_contacts(touching)
        store.spill()
        self._samples += 1
        self._steps, self._is_pending, self._last_states = 0, False, None

    def _note_contacts(self, touching: Sequence[Any]) -> None:
        for point in touching:
            if point[9] > 0:  # the normal force
                self._touching.setdefault(point[2:5], set()).add(self._samples)

    def evidence(self) -> Evidence:
        """All steps so far.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        rows = self._store.rows()
        if len(rows) < 3:
            raise EngineError(
                f"The loop was sampled {len(rows) - 1} times; call watch.sample() after each "
                "stepSimulation, at least twice, before watch.save()"
            )
        n, steps = len(self.joints), rows[1:, 0].astype(np.intp)
        states = rows[:, 1 : 1 + 3 * n].reshape(-1, n, 3).transpose(2, 1, 0)
        q, qd, read = (np.ascontiguousarray(x) for x in states)
        commanded = rows[1:, 1 + 3 * n :].T
        motor = read[:, 1:]
        tau, brake, source = self._torques(motor, commanded)
        try:
            self.held_at_end = read_back(self.bullet, self.body, self.client, self.robot)
        except (SimError, self.bullet.error):
            self.held_at_end = self.held  # the client is closed
        return Evidence(
            engine="bullet",
            robot=self.robot,
            gravity=self.gravity,
            held=self.held_at_end,
            dt=float(self.held.settings["fixedTimeStep"]),
            q=q[:, :-1],
            qd=qd[:, :-1],
            q_next=q[:, 1:],
            qd_next=qd[:, 1:],
            tau=tau,
            torque_from=source,
            steps=steps,
            brake=brake,
            contacts={self._pair(*of): _mask(at, len(rows)) for of, at in self._touching.items()},
            repeated=self._repeated,
            set_by_hand=_mask(self._set_by_hand, len(rows)),
        )

    def _torques(self, motor: Array, commanded: Array) -> tuple[Array, Array, str]:
        """What the loop takes for torques, torque of motors that it did not command, and source."""
        own = self._own.rows(motor.shape[1])
        if own is not None:
            return own, np.zeros_like(motor), "watch.sample(torque)"
        torque_only = np.zeros(len(self.joints), dtype=bool)
        torque_only[list(self._commands_torque - self._commands_motors)] = True
        is_brake = torque_only[:, None]
        tau = np.where(is_brake, commanded, commanded + motor)
        source = "TORQUE_CONTROL commands" if torque_only.all() else "getJointStates"
        return tau, np.where(is_brake, motor, 0.0), source

    def _pair(self, other: int, own: int, theirs: int) -> str:
        """Two links that touch, by name."""
        names = {number: name for name, number in self.held.numbers.items()}
        if other == self.body:
            return f"{names.get(own, own)} with {names.get(theirs, theirs)}"
        return f"{names.get(own, own)} with body {other}"


def _mask(samples: Iterable[int], rows: int) -> Mask:
    """Steps (rows - 1,) that end in one of the samples."""
    mask = np.zeros(rows, dtype=bool)
    mask[[k for k in samples if k < rows]] = True
    return mask[1:]
