"""Hooks: functions of a PyBullet module or client that tell the watches what the loop does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, Protocol

# By the identity of the module or client: several watches share one set of hooks.
_active: dict[int, Hooks] = {}

Function = Callable[..., Any]
Wrapper = Callable[[Function], Function]


# What changes a state, and what else makes a later reading another one.
SET_STATES = (
    *("resetJointState", "resetJointStateMultiDof", "resetJointStatesMultiDof"),
    *("resetBasePositionAndOrientation", "resetBaseVelocity", "restoreState"),
)
OTHER_CHANGES = (
    *("setTimeStep", "setPhysicsEngineParameter", "setGravity", "changeDynamics"),
    *("removeBody", "resetSimulation", "disconnect"),
)
WHOLE_WORLD = ("restoreState", "resetSimulation", "disconnect")  # of all bodies of a client


class Listener(Protocol):
    """What a watch does when its loop calls PyBullet."""

    body: int
    client: int

    def before_step(self) -> None:
        """A step is about to be taken."""

    def before_change(self, name: str, *, is_own: bool) -> None:
        """A function of `SET_STATES` or `OTHER_CHANGES` is about to be called, on the own body."""

    def see_states(self, joints: Sequence[int], states: Any) -> None:
        """The loop has read joint states."""

    def see_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """The loop has commanded joint torques."""

    def see_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """The loop has commanded velocity or position motors; None for their default force."""


class Hooks:
    """Wrapped functions of one PyBullet module or client; `add` a watch, `remove` it at its end.

    The functions are given back with the last watch.
    """

    def __init__(self, bullet: Any) -> None:
        self.bullet = bullet
        self.watches: list[Listener] = []
        self._default_client = int(getattr(bullet, "_client", 0))
        self._former: dict[str, Any] = {}
        self._originals: dict[str, Function] = {}

    @classmethod
    def of(cls, bullet: Any) -> Hooks:
        """The hooks of a module or client; made where there are none."""
        return _active.setdefault(id(bullet), cls(bullet))

    def add(self, watch: Listener) -> None:
        """Tell a watch from now on."""
        if not self.watches:
            for name, make in self._wrappers():
                self._originals[name] = original = getattr(self.bullet, name)
                self._former[name] = vars(self.bullet).get(name)
                setattr(self.bullet, name, make(original))
        self.watches.append(watch)

    def remove(self, watch: Listener) -> None:
        """Tell a watch no more; harmless if it is not told."""
        if watch in self.watches:
            self.watches.remove(watch)
        if self.watches or not self._originals:
            return
        for name, former in self._former.items():
            if former is None:
                delattr(self.bullet, name)
            else:
                setattr(self.bullet, name, former)
        self._originals.clear()
        _active.pop(id(self.bullet), None)

    def original(self, name: str) -> Function:
        """PyBullet's own function."""
        found: Function = self._originals.get(name) or getattr(self.bullet, name)
        return found

    def _wrappers(self) -> Iterator[tuple[str, Wrapper]]:
        yield "stepSimulation", self._step
        yield "getJointStates", self._states
        yield "setJointMotorControlArray", self._motors
        yield "setJointMotorControl2", self._motor
        for name in (*SET_STATES, *OTHER_CHANGES):
            yield name, partial(self._change, name=name)

    def _change(self, original: Function, *, name: str) -> Function:
        @wraps(original)
        def changed(*given: Any, **named: Any) -> Any:
            first = given[0] if given else None
            client = named.get("physicsClientId", self._default_client)
            if name in WHOLE_WORLD:
                client = client if first is None or name == "restoreState" else first
            for watch in tuple(self.watches):
                is_own = name in WHOLE_WORLD or named.get("bodyUniqueId", first) == watch.body
                if watch.client == client:
                    watch.before_change(name, is_own=is_own)
            return original(*given, **named)

        return changed

    def _step(self, original: Function) -> Function:
        watches, default = self.watches, self._default_client

        def stepSimulation(physicsClientId: int = default) -> Any:
            for watch in watches:
                if watch.client == physicsClientId:
                    watch.before_step()
            return original(physicsClientId=physicsClientId)

        return stepSimulation

    def _states(self, original: Function) -> Function:
        watches, default = self.watches, self._default_client

        def getJointStates(
            bodyUniqueId: int, jointIndices: Sequence[int], physicsClientId: int = default
        ) -> Any:
            states = original(bodyUniqueId, jointIndices, physicsClientId=physicsClientId)
            for watch in watches:
                if watch.body == bodyUniqueId and watch.client == physicsClientId:
                    watch.see_states(jointIndices, states)
            return states

        return getJointStates

    def _motors(self, original: Function) -> Function:
        def setJointMotorControlArray(
            bodyUniqueId: int,
            jointIndices: Sequence[int],
            controlMode: int,
            *more: Any,
            **named: Any,
        ) -> Any:
            done = original(bodyUniqueId, jointIndices, controlMode, *more, **named)
            forces = named.get("forces", more[2] if len(more) > 2 else None)
            self._tell(bodyUniqueId, jointIndices, controlMode, forces, named)
            return done

        return setJointMotorControlArray

    def _motor(self, original: Function) -> Function:
        def setJointMotorControl2(
            bodyUniqueId: int, jointIndex: int, controlMode: int, *more: Any, **named: Any
        ) -> Any:
            done = original(bodyUniqueId, jointIndex, controlMode, *more, **named)
            force = named.get("force", more[2] if len(more) > 2 else None)
            forces = None if force is None else (force,)
            self._tell(bodyUniqueId, (jointIndex,), controlMode, forces, named)
            return done

        return setJointMotorControl2

    def _tell(
        self,
        body: int,
        joints: Sequence[int],
        mode: int,
        forces: Sequence[float] | None,
        named: dict[str, Any],
    ) -> None:
        client = named.get("physicsClientId", self._default_client)
        for watch in self.watches:
            if watch.body == body and watch.client == client:
                if mode == self.bullet.TORQUE_CONTROL:
                    watch.see_torques(joints, forces or ())
                else:
                    watch.see_motors(joints, forces)
