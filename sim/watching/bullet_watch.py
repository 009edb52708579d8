"""BulletWatch: samples of a user's PyBullet loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import Gravity
from sim.errors import EngineError, SimError
from sim.recording.recording import Recording
from sim.robots.robot import Robot
from sim.watching.bullet_base import ROWS, FreeBase, is_free
from sim.watching.bullet_changes import LoopChanges
from sim.watching.bullet_commands import MotorCommands
from sim.watching.bullet_contacts import LOOK_EVERY, Contacts, mask
from sim.watching.bullet_forces import ExternalForces
from sim.watching.bullet_readback import (
    joint_numbers,
    link_frames,
    misplaced_links,
    read_back,
    ties_of,
)
from sim.watching.evidence import Evidence
from sim.watching.free_base import carried_rows
from sim.watching.hooks import Call, Hooks
from sim.watching.own_torques import OWN_TORQUES, OwnTorques
from sim.watching.sample_store import SampleStore, require_samples, require_thread
from sim.watching.writing import save_run

SELDOM, RARELY = LOOK_EVERY - 1, 64 * LOOK_EVERY - 1  # masks of sample numbers
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
        self._base = FreeBase(bullet, body, client) if is_free(bullet, body, client) else None
        self._root = None if self._base is None else robot.links[0].name
        self.robot = robot if self._base is None else self._base.robot(robot)
        self.gravity = gravity
        self.held = read_back(bullet, body, client, self.robot, root=self._root)
        self._frames = link_frames(bullet, body, client)
        self._ties = dict.fromkeys(ties_of(bullet, body, client), 0)  # the sample before each
        n = len(self.joints)
        self._store, self._commands = SampleStore(1 + 3 * n), MotorCommands(self.joints)
        self._add, self._own = self._store.adder(n), OwnTorques(n)
        self._contacts = Contacts(
            bullet, body, client, carries=bool(carried_rows(self.robot).any())
        )
        self._forces = ExternalForces(bullet, body, client)
        self._samples = self._repeated = self._next_look = 0
        read_pose = partial(bullet.getBasePositionAndOrientation, body, physicsClientId=client)
        self._changes = LoopChanges(self.joints, None if self._base else read_pose)
        self._is_pending = self._reads_at_once = False
        self._thread = threading.get_ident()
        self._hooks = Hooks.of(bullet)
        self._before = self._sampled = self._steps  # before the watch, and up to the last sample
        self._all_before = self._hooks.all_steps
        read = self._hooks.original("getJointStates")
        self._read_states = getattr(read, "func", read)  # a BulletClient sets its number by name
        self._keep(start := self._states())
        self._flat = _moving_part(start)
        self._changes.has_own_clock = bool(self.held.settings.get("useRealTimeSimulation"))
        self._hooks.add(self)
        self.sample = self._sampler()

    def _sampler(self) -> Sample:
        """Return ``sample`` with a short way for steps without a torque of the loop's own."""
        hooks, joints, own_body, own_client = self._hooks, self.joints, self.body, self.client
        add, steps, base = self._add, self._hooks.steps, self._base

        def sample(torque: ArrayLike | None = None) -> None:
            """Record the state after a step; see `BulletWatch`."""
            if torque is not None or (count := steps[own_client]) == self._sampled:
                self._take_sample(torque)
                return
            if reading := hooks.reading:  # then no sample is pending
                body, client, read, states = reading
                if (
                    body != own_body
                    or client != own_client
                    or (read if type(read) is list else list(read)) != joints
                ):
                    states = self._states()
                else:  # it is freed on return, not after a step, when it has left the cache
                    hooks.reading = None
            elif self._reads_at_once and not self._is_pending:
                states = self._states()
            else:
                self._take_sample()
                return
            add(count, states)
            if base:
                base.keep()
            self._sampled = count
            self._samples = number = self._samples + 1
            if number > self._next_look:
                self._look()

        return sample

    @property
    def _steps(self) -> int:
        """Engine steps so far."""
        return self._hooks.steps[self.client]

    def _take_sample(self, torque: ArrayLike | None = None) -> None:
        """Record the state after a step, or let the loop read it before the next step."""
        is_new = self._steps != self._sampled
        if is_new and self._hooks.reading is None and not self._is_pending:
            if torque is not None:
                self._own.add(self._samples, torque)
            self._is_pending = True  # the loop may read by itself before the next step
            self._hooks.waiting.append(self)
            return
        require_thread(self._thread)
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

    def _is_repeated(self) -> bool:
        """Whether nothing moved since the last sample, if steps are seen; else how they are not."""
        if self._steps != self._before:
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

    def restart(self) -> None:
        """State that the loop sets a new state before the next step, as between episodes.

        It need not be called where the loop sets the states of all joints, or by ``restoreState``:
        those calls are seen.
        """
        self.read_pending()
        self._changes.restart(self._samples)

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
        self._reads_at_once = True  # the loop does not read by itself
        self._keep(self._states())

    def take(self, body: int, client: int, joints: Sequence[int], states: Any) -> None:
        """Store the current state: the one read by the loop, or a separate reading."""
        self._is_pending = False
        is_own = body == self.body and client == self.client
        self._keep(states if is_own and list(joints) == self.joints else self._states())

    def before_step(self) -> None:
        """Keep the torques commanded for a step; called before it."""
        self._commands.begin_step(self._steps + 1)

    def before_change(self, name: str, *, is_own: bool, joints: Sequence[int], call: Call) -> None:
        """Handle a change of a state, a setting or the body; called before the change."""
        if name == "disconnect":
            self.close()
        self._changes.add(name, self._samples, is_own=is_own, joints=joints, call=call)

    @property
    def knows_motors(self) -> bool:
        """Whether the loop has commanded a motor of every joint."""
        return self._commands.knows_motors

    def see_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """Record commanded torques of the next step."""
        if self._commands.acting is None:
            self._hooks.commanded.append(self)
        self._commands.add_torques(joints, torques)

    def see_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """Record commanded velocity or position motors."""
        self._commands.add_motors(joints, forces)

    def see_plugin(self, joints: Sequence[int]) -> None:
        """Record joints that a plugin moves."""
        self._commands.add_plugin(joints)

    def see_ties(self) -> None:
        """Note the constraints on the body, at the next sample."""
        for tie in ties_of(self.bullet, self.body, self.client):
            self._ties.setdefault(tie, self._samples + self._is_pending)

    def see_force(self, link: int, vector: Any, point: Any, flags: int) -> None:
        """Record an external force of the next step at a point, or a torque if that is None."""
        self._forces.add(self._steps + 1, link, vector, point, flags)

    def _states(self) -> Any:
        try:
            return self._read_states(self.body, self.joints, self.client)
        except self.bullet.error as error:
            raise EngineError(
                f"Body {self.body} of PyBullet cannot be read after sample {self._samples}: "
                f"{error}; was it removed, or its client closed? Call save() before that"
            ) from None

    def _keep(self, states: Any) -> None:
        """Add a row: number of steps, then positions, velocities and torques of all joints."""
        self._add(self._steps, states)
        if self._base is not None:
            self._base.keep()
        self._sampled = self._steps
        self._samples += 1
        if self._samples > self._next_look:
            self._look()

    def _look(self) -> None:
        """Read rarely changing values; also read them in each sample while there are contacts."""
        sample = self._samples - 1
        contacts = self._contacts
        if points := contacts.read():
            contacts.keep(sample, points)
        require_thread(self._thread)
        if not sample & RARELY:
            self._store.spill()
            self._reads_at_once = False  # until the loop is seen again not to read by itself
        is_touching = sample + 1 < contacts.until
        self._next_look = sample + 1 if is_touching else (sample | SELDOM) + 1

    def evidence(self) -> Evidence:
        """Return all steps so far.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        rows = self._store.rows()
        if self._steps == self._before and len(rows) < 3:
            self._changes.require_steps(self.client, self._hooks.all_steps - self._all_before)
        require_samples(len(rows) - 1, "stepSimulation")
        last = rows[1:, 0].astype(np.intp)
        q, qd, read = np.split(np.ascontiguousarray(rows[:, 1:].T), 3)
        tau, brake, source = self._commands.torques(read[:, 1:], last)
        acting = tau + brake
        if (own := self._own.rows(len(last))) is not None:
            is_commanded = np.allclose(own, tau, rtol=1e-9, atol=0)  # without brakes
            tau, brake, source = own, brake * is_commanded, OWN_TORQUES
        if self._base is not None:
            q, qd = (np.concatenate(p) for p in zip(self._base.rows(), (q, qd), strict=True))
            none = np.zeros((ROWS, len(rows) - 1))
            tau, brake, acting = (np.concatenate([none, x]) for x in (tau, brake, acting))
        names = {number: name for name, number in self.held.numbers.items()}
        try:
            of = self.bullet, self.body, self.client
            self.held_at_end = read_back(*of, self.robot, root=self._root)
        except (SimError, self.bullet.error):
            self.held_at_end = self.held  # the client is closed
        bare = self.held_at_end.robot
        forces = self._forces.causes(bare, names, q[:, :-1], qd[:, :-1], last)
        has_steps = self._steps != self._before
        unseen = self._commands.unseen(tau, self.robot, has_steps=has_steps)
        base = self._changes.moving_base()
        named = unseen, base, misplaced_links(self.held.robot, q[:, 0], self._frames), forces
        ties, whole = self._ties.items(), self._changes.whole
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
            steps=np.diff(rows[:, 0]).astype(np.intp),
            brake=brake,
            acting=acting,
            contacts=self._contacts.masks(names, len(rows)),
            repeated=self._repeated,
            ties=tuple(f"{tie} from step {k} on" if k > 1 else tie for tie, k in ties),
            changes=tuple(self._changes.calls()),
            named=tuple(chain.from_iterable(named)),
            set_by_hand=mask(self._changes.parts, len(rows)),
            episodes=mask(whole, len(rows)),
        )
        if not evidence.carried_mask.any():
            return evidence
        spins = self._contacts.spins(self.held.robot, names, q[:, :-1])
        contacts = self._contacts.cause(self.held.robot, names, q[:, :-1], len(rows))
        return replace(evidence, spins=tuple(spins), named=(*evidence.named, *contacts))


def _moving_part(states: Any) -> list[float]:
    """Return positions and velocities of joint states, which a step changes unless all rest."""
    return [number for state in states for number in state[:2]]
