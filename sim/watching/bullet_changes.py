"""LoopChanges: states that a PyBullet loop sets, and its calls that change the robot or world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.watching.cause import MOVING_BASE, Cause
from sim.watching.hooks import SET_STATES

SAME_POSE = 1e-9  # [m] and of a quaternion
OF_BASE = "resetBasePositionAndOrientation"
RELOADS = ("removeBody", "resetSimulation")  # a loop that goes on has loaded the body anew
CHANGES = ("changeDynamics", *RELOADS)


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
        self._calls: dict[str, dict[int, None]] = {}  # by function, the samples before it
        self._poses = dict[int, Array]()  # of the base, before it is set

    def restart(self, sample: int) -> None:
        """Record a new state of all joints."""
        self._set_by_hand.setdefault(sample, set()).update(self._joints)

    def add(self, name: str, sample: int, *, is_own: bool, joints: Sequence[int]) -> None:
        """Record a coming call of a function; `joints` are those whose states it sets."""
        if is_own and name in SET_STATES:
            if name == OF_BASE and self._pose is not None:
                self._poses[sample] = np.concatenate(self._pose())
            every = self._joints if name == "restoreState" else ()
            set_now = self._set_by_hand.setdefault(sample, set())
            set_now.update(joints if name.startswith("resetJoint") else every)
        if is_own and name in RELOADS:
            self.restart(sample)
        if sample > 1 and (name == "setGravity" or (is_own and name in CHANGES)):
            self._calls.setdefault(name, {})[sample] = None

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
            more = f" and {len(samples) - 1} more" if len(samples) > 1 else ""
            yield f"p.{name} before step {min(samples)}{more}"

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
