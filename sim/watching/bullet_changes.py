"""LoopChanges: states that a PyBullet loop sets, and its calls that change the robot or world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sim.errors import EngineError
from sim.maths.arrays import Array
from sim.watching.cause import MOVING_BASE, Cause
from sim.watching.hooks import SET_STATES, Call

SAME_POSE = 1e-9  # [m] and of a quaternion
OF_BASE = "resetBasePositionAndOrientation"
RELOADS = ("removeBody", "resetSimulation")  # a loop that goes on has loaded the body anew
CHANGES = ("changeDynamics", *RELOADS)
OF_CONTACTS = (  # what changeDynamics sets that acts in contacts only, or not at all
    *("lateralFriction", "spinningFriction", "rollingFriction", "restitution", "frictionAnchor"),
    *("contactStiffness", "contactDamping", "contactProcessingThreshold", "anisotropicFriction"),
    *("ccdSweptSphereRadius", "collisionMargin", "activationState"),
)
NOT_SHOWN = ("bodyUniqueId", "linkIndex", "physicsClientId", *OF_CONTACTS)


class LoopChanges:
    """Changes of a body, by the next sample.

    Parameters
    ----------
    joints : sequence of int
        PyBullet's numbers.
    pose : callable, optional
        Reads position and quaternion of a fixed base.
    """

    def __init__(self, joints: Sequence[int], pose: Callable[[], Any] | None) -> None:
        self._joints, self._pose = set(joints), pose
        self._set_by_hand = dict[int, set[int]]()  # by the next sample, the joints that are set
        self._calls: dict[str, list[int]] = {}  # by function, the samples before each call
        self._first: dict[str, str] = {}  # by function, the first call
        self._poses = dict[int, Array]()  # of the base, before it is set
        self.has_own_clock = False  # PyBullet steps in real time

    def restart(self, sample: int) -> None:
        """Record a new state of all joints."""
        self._set_by_hand.setdefault(sample, set()).update(self._joints)

    def add(
        self, name: str, sample: int, *, is_own: bool, joints: Sequence[int], call: Call
    ) -> None:
        """Record a call before it is made; `joints` are the joints whose states it sets."""
        if is_own and name in SET_STATES:
            if name == OF_BASE and self._pose is not None:
                self._poses[sample] = np.concatenate(self._pose())
            every = self._joints if name == "restoreState" else ()
            set_now = self._set_by_hand.setdefault(sample, set())
            set_now.update(joints if name.startswith("resetJoint") else every)
        if name == "setRealTimeSimulation":
            self.has_own_clock |= bool(next(iter([*call[0], *call[1].values()]), 0))
        if is_own and name in RELOADS:
            self.restart(sample)
        if sample > 1 and (name == "setGravity" or (is_own and name in CHANGES)):
            values, named = call
            if name == "changeDynamics" and len(values) < 3 and named.keys() <= {*NOT_SHOWN}:
                return
            self._calls.setdefault(name, []).append(sample)
            self._first.setdefault(name, _as_code(name, values, named))

    @property
    def whole(self) -> set[int]:
        """Samples after states of all joints that are set."""
        return {at for at, joints in self._set_by_hand.items() if self._joints <= joints}

    @property
    def parts(self) -> set[int]:
        """Samples after states of some joints, or a base that is free, that are set."""
        moved = {at for at in self._poses if not self._set_by_hand[at]}
        return self._set_by_hand.keys() - self.whole - moved

    def calls(self) -> Iterator[str]:
        """Describe calls during the loop that change the body or the world."""
        for name, samples in self._calls.items():
            more = len(samples) - 1
            also = f" and {more} more, the last before step {samples[-1]}" if more else ""
            yield f"{self._first[name]} before step {samples[0]}{also}"

    def require_steps(self, client: int, others: int) -> None:
        """Name the reason for which no step of the watched client is seen, if it is known.

        Parameters
        ----------
        client : int
        others : int
            Steps of other clients.

        Raises
        ------
        EngineError
        """
        if self.has_own_clock:
            raise EngineError(
                "p.setRealTimeSimulation(1) lets PyBullet step by its own clock, without a step "
                "that a sample could follow (and never under p.DIRECT): "
                "p.setRealTimeSimulation(0), and p.stepSimulation() before each watch.sample()"
            )
        if others:
            raise EngineError(
                f"The loop made {others} steps in other clients and none in client {client}, "
                "which is watched: sim.watch(…, client=NUMBER), as p.connect returned it"
            )

    def moving_base(self) -> Iterator[Cause]:
        """Yield a fixed base that the loop moves between steps, other than for a new episode."""
        poses = {at: pose for at, pose in self._poses.items() if at > 1}
        if self._pose is None or not poses or poses.keys() <= self.whole:
            return
        _, *after = poses.values()
        try:
            after.append(np.concatenate(self._pose()))
        except Exception:  # the body is gone
            after.append(list(poses.values())[-1])
        moved = [
            at
            for (at, before), pose in zip(poses.items(), after, strict=True)
            if at not in self.whole and np.abs(pose - before).max() > SAME_POSE
        ]
        if moved:
            more = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
            yield Cause(
                MOVING_BASE,
                f"p.{OF_BASE} moves the fixed base before step {moved[0]}{more}: it has no speed "
                "or acceleration there, and nothing else is judged",
                "give the robot joints that move its base, or watch anew after it is moved",
            )


def _as_code(name: str, values: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Return a call as it may be written in a loop: ``p.changeDynamics(0, 3, mass=5)``."""
    ids = [named[key] for key in NOT_SHOWN[:2] if key in named]
    shown = [str(value) for value in (*ids, *values)]
    shown += [f"{key}={_short(value)}" for key, value in named.items() if key not in NOT_SHOWN]
    return f"p.{name}({', '.join(shown)})"


def _short(value: Any) -> str:
    try:
        return f"{value:.6g}"
    except (TypeError, ValueError):
        return str(value)
