"""BulletWatch: samples of a user's PyBullet loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.dynamics.gravity import Gravity
from sim.errors import EngineError, SimError
from sim.maths.arrays import Array
from sim.recording.recording import Recording
from sim.robots.robot import Robot
from sim.watching.bullet_base import ROWS, FreeBase, is_free
from sim.watching.bullet_contacts import LOOK_EVERY, Contacts, mask
from sim.watching.bullet_forces import ExternalForces
from sim.watching.bullet_readback import (
    joint_numbers,
    link_frames,
    misplaced_links,
    read_back,
    ties_of,
)
from sim.watching.cause import Cause
from sim.watching.evidence import Evidence
from sim.watching.free_base import carried_rows
from sim.watching.hooks import SET_STATES, Hooks
from sim.watching.own_torques import OWN_TORQUES, OwnTorques
from sim.watching.sample_store import SampleStore, require_samples
from sim.watching.writing import save_run

SELDOM = LOOK_EVERY - 1  # a mask of sample numbers
Sample = Callable[..., None]


class BulletWatch:
    """Watch of one body; created by `sim.watch`.

    Call ``sample()`` after each ``stepSimulation`` and `save` at the end. The argument of
    ``sample(torque)`` is the loop's assumption of the motor torques during this step, one number
    per joint of the robot [N·m or N] (default: those of PyBullet, and the commanded ones under
    ``TORQUE_CONTROL``); it raises an `EngineError` if the body has been removed, or in another
    thread than the first one. Meanwhile PyBullet's ``stepSimulation``, ``getJointStates`` and
    ``setJointMotorControl*`` are wrapped, and so is what applies forces or changes states,
    without change of their effect; `save` or `close` restores them.
    """

    def __init__(self, bullet: Any, body: int, robot: Robot, gravity: Gravity, client: int) -> None:
        self.bullet, self.body, self.client = bullet, body, client
        self.joints = joint_numbers(bullet, body, client, robot)
        self.rows = {joint: row for row, joint in enumerate(self.joints)}
        self._base = FreeBase(bullet, body, client) if is_free(bullet, body, client) else None
        self._root = None if self._base is None else robot.links[0].name
        self.robot = robot if self._base is None else self._base.robot(robot)
        self.gravity = gravity
        self.held = read_back(bullet, body, client, self.robot, root=self._root)
        self._frames = link_frames(bullet, body, client)
        self.ties = ties_of(bullet, body, client)
        n = len(self.joints)
        self._store, self._commanded = SampleStore(1 + 3 * n), SampleStore(1 + n)
        self._add, self._own = self._store.adder(n), OwnTorques(n)
        self._contacts = Contacts(
            bullet, body, client, carries=bool(carried_rows(self.robot).any())
        )
        self._forces = ExternalForces(bullet, body, client)
        self._acting: list[float] | None = None
        self._steps = self._sampled = 0  # engine steps so far, and up to the last sample
        self._samples = self._repeated = 0
        self._set_by_hand = set[int]()
        self._changes: dict[str, dict[int, None]] = {}  # by function, the samples before it
        self._is_pending = False
        self._commands_torque, self._commands_motors = set[int](), set[int]()
        self._thread = threading.get_ident()
        self._hooks = Hooks.of(bullet)
        self._read_states = self._hooks.original("getJointStates")
        self._keep(start := self._states())
        self._flat = _moving_part(start)
        self._hooks.add(self)
        self.sample = self._sampler()

    def _sampler(self) -> Sample:
        """Return ``sample`` with a short way for joints that the loop has just read itself."""
        hooks, joints, own, add = self._hooks, self.joints, (self.body, self.client), self._add
        contacts, is_simple = self._contacts, self._base is None

        def sample(torque: ArrayLike | None = None) -> None:
            """Record the state after a step; see `BulletWatch`."""
            if (reading := hooks.reading) and is_simple and torque is None:
                body, client, read, states = reading
                count, steps = self._samples, self._steps
                if (
                    steps != self._sampled
                    and (body, client) == own
                    and read == joints
                    and count & SELDOM
                    and count >= contacts.until
                    and not self._is_pending
                ):
                    add(steps, states)
                    self._samples = count + 1
                    self._sampled = steps
                    return
            self._take_sample(torque)

        return sample

    def _take_sample(self, torque: ArrayLike | None) -> None:
        """Record the state after a step, or let the loop read it before the next step."""
        is_new = self._steps != self._sampled
        if is_new and self._hooks.reading is None and not self._is_pending:
            if torque is not None:
                self._own.add(self._samples, torque)
            self._is_pending = True  # the loop may read by itself before the next step
            self._hooks.waiting.append(self)
            return
        self._require_own_thread()
        if self._is_pending:
            self.read_pending()
        if self._steps == self._sampled and self._is_repeated():
            self._repeated += 1
            return
        if torque is not None:
            self._own.add(self._samples, torque)
        if (reading := self._hooks.reading) is not None:
            self.take(*reading)
        else:
            self._keep(self._states())

    def _require_own_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise EngineError(
                "sample() was called by another thread than sim.watch; step and sample in one "
                "thread"
            )

    def _is_repeated(self) -> bool:
        """Whether nothing moved since the last sample, if steps are seen; else how they are not."""
        if self._steps:
            return True
        flat = _moving_part(self._states())
        is_same, self._flat = flat == self._flat, flat
        return is_same

    def save(self, folder: str | Path) -> Recording:
        """Judge the loop, name the causes of its differences, and write the folder of a run.

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
        """Restore PyBullet's functions, and end sampling."""
        try:
            if self._is_pending:
                self.read_pending()
        finally:
            self._hooks.remove(self)
            self.sample = self._refuse

    def _refuse(self, torque: ArrayLike | None = None) -> None:
        raise EngineError(
            "The loop is watched no more: save() or close() was called, or its client"
        )

    def read_pending(self) -> None:
        """Record the present state, as read by the loop or by the watch."""
        if not self._is_pending:
            return
        self._is_pending = False
        if self in self._hooks.waiting:
            self._hooks.waiting.remove(self)
        self._keep(self._states())

    def take(self, body: int, client: int, joints: Sequence[int], states: Any) -> None:
        """Keep the present state, as the loop has read it, or by a reading of its own."""
        self._is_pending = False
        is_own = body == self.body and client == self.client
        is_own = is_own and (joints == self.joints or list(joints) == self.joints)
        self._keep(states if is_own else self._states())

    def before_step(self) -> None:
        """Count the step, and keep the torques commanded for it; called before each step."""
        self._steps += 1
        if self._acting is not None:
            self._commanded.add(self._steps, *self._acting)
            self._acting = None

    def before_change(self, name: str, *, is_own: bool) -> None:
        """Handle a change of a state, the time step or the body; called before the change."""
        if name == "disconnect":
            self.close()
        if is_own and name in SET_STATES and self._samples:
            self._set_by_hand.add(self._samples)
        if self._samples > 1 and (name == "setGravity" or (is_own and name == "changeDynamics")):
            self._changes.setdefault(name, {})[self._samples] = None

    @property
    def knows_motors(self) -> bool:
        """Whether the loop has commanded a motor of every joint."""
        return len(self._commands_motors) == len(self.joints)

    def see_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """Record commanded torques of the next step; PyBullet adds repeated commands."""
        if self._acting is None:
            self._acting = [0.0] * len(self.joints)
        for joint, torque in zip(joints, torques, strict=False):
            row = self.rows.get(joint)
            if row is not None:
                self._acting[row] += torque
                self._commands_torque.add(row)

    def see_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """Record commanded velocity or position motors."""
        pairs = zip(joints, [1.0] * len(joints) if forces is None else forces, strict=False)
        seen = {self.rows[joint] for joint, force in pairs if force and joint in self.rows}
        self._commands_motors |= seen

    def see_force(self, link: int, vector: Any, point: Any, flags: int) -> None:
        """Record an external force of the next step at a point, or a torque if that is None."""
        self._forces.add(self._steps + 1, link, vector, point, flags)

    def _states(self) -> Any:
        try:
            return self._read_states(self.body, self.joints, physicsClientId=self.client)
        except self.bullet.error as error:
            raise EngineError(
                f"Body {self.body} of PyBullet cannot be read after sample {self._samples}: "
                f"{error}; was it removed, or its client closed? Call save() before that"
            ) from None

    def _keep(self, states: Any) -> None:
        """Add a row: number of steps, then positions, velocities and torques of all joints."""
        self._add(self._steps, states)
        count = self._samples
        if self._base is not None:
            self._base.keep()
        if not count & SELDOM or count < self._contacts.until:
            self._require_own_thread()
            self._contacts.look(count)
            self._store.spill()
        self._samples = count + 1
        self._sampled = self._steps

    def evidence(self) -> Evidence:
        """Return all steps so far.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        rows = self._store.rows()
        require_samples(len(rows) - 1, "stepSimulation")
        last = rows[1:, 0].astype(np.intp)
        q, qd, read = np.split(np.ascontiguousarray(rows[:, 1:].T), 3)
        tau, brake, source = self._torques(read[:, 1:], self._commands(last))
        if self._base is not None:
            q, qd = (np.concatenate(p) for p in zip(self._base.rows(), (q, qd), strict=True))
            none = np.zeros((ROWS, len(rows) - 1))
            tau, brake = np.concatenate([none, tau]), np.concatenate([none, brake])
        names = {number: name for name, number in self.held.numbers.items()}
        try:
            ties = ties_of(self.bullet, self.body, self.client)
            self.held_at_end = read_back(
                self.bullet, self.body, self.client, self.robot, root=self._root
            )
        except (SimError, self.bullet.error):
            self.held_at_end, ties = self.held, self.ties  # the client is closed
        bare = self.held_at_end.robot
        forces = self._forces.causes(bare, names, q[:, :-1], qd[:, :-1], last)
        named = self._unseen(tau), misplaced_links(self.held.robot, q[:, 0], self._frames), forces
        evidence = Evidence(
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
            steps=np.diff(last, prepend=0),
            brake=brake,
            contacts=self._contacts.masks(names, len(rows)),
            repeated=self._repeated,
            ties=ties,
            changes=tuple(self._calls()),
            named=tuple(chain.from_iterable(named)),
            set_by_hand=mask(self._set_by_hand, len(rows)),
        )
        if not evidence.carried_mask.any():
            return evidence
        spins = self._contacts.spins(self.held.robot, names, q[:, :-1])
        contacts = self._contacts.cause(self.held.robot, names, q[:, :-1], len(rows))
        return replace(evidence, spins=tuple(spins), named=(*evidence.named, *contacts))

    def _calls(self) -> Iterator[str]:
        """Describe calls during the loop that change the body or the world."""
        for name, samples in self._changes.items():
            more = f" and {len(samples) - 1} more" if len(samples) > 1 else ""
            yield f"p.{name} before step {min(samples)}{more}"

    def _unseen(self, tau: Array) -> tuple[Cause, ...]:
        """Report torques commanded by functions that were imported before the watch."""
        if self._steps or tau.any():
            return ()
        text = "no torque is read back, as under TORQUE_CONTROL, and no command of one was seen"
        remedy = "call p.setJointMotorControlArray by its module, or pass watch.sample(torque)"
        return (Cause("torque unseen", text, remedy),)

    def _commands(self, last: NDArray[np.intp]) -> Array:
        """Return the torques commanded for the last step before each sample, (n, N)."""
        commands, rows = np.zeros((len(self.joints), len(last))), self._commanded.rows()
        step = np.searchsorted(last, rows[:, 0])
        is_kept = step < len(last)
        commands[:, step[is_kept]] = rows[is_kept, 1:].T
        return commands

    def _torques(self, motor: Array, commanded: Array) -> tuple[Array, Array, str]:
        """Return the torques assumed by the loop, those of uncommanded motors, and the source."""
        own = self._own.rows(motor.shape[1])
        if own is not None:
            return own, np.zeros_like(motor), OWN_TORQUES
        torque_only = np.zeros(len(self.joints), dtype=bool)
        torque_only[list(self._commands_torque - self._commands_motors)] = True
        is_brake = torque_only[:, None]
        tau = np.where(is_brake, commanded, commanded + motor)
        source = "TORQUE_CONTROL commands" if torque_only.all() else "getJointStates"
        return tau, np.where(is_brake, motor, 0.0), source


def _moving_part(states: Any) -> list[float]:
    """Return positions and velocities of joint states, which a step changes unless all rest."""
    return [number for state in states for number in state[:2]]
