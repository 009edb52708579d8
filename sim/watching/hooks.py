"""Hooks: wrapped functions of a PyBullet module or client that report to the watches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, Protocol

# By the identity of the module or client: several watches share one set of hooks.
_active: dict[int, Hooks] = {}

Function = Callable[..., Any]
Wrapper = Callable[[Function], Function]
Call = tuple[tuple[Any, ...], dict[str, Any]]  # arguments, without and with a name


# Functions that change a state, and others that invalidate a reading.
SET_STATES = (
    *("resetJointState", "resetJointStateMultiDof", "resetJointStatesMultiDof"),
    *("resetBasePositionAndOrientation", "resetBaseVelocity", "restoreState"),
)
OTHER_CHANGES = (
    *("setTimeStep", "setPhysicsEngineParameter", "setGravity", "changeDynamics"),
    *("removeBody", "resetSimulation", "disconnect", "setRealTimeSimulation"),
)
TIES = ("createConstraint", "removeConstraint")
FORCES = {
    "applyExternalForce": ("objectUniqueId", "linkIndex", "forceObj", "posObj", "flags"),
    "applyExternalTorque": ("objectUniqueId", "linkIndex", "torqueObj", "flags"),
}
WHOLE_WORLD = ("restoreState", "resetSimulation", "disconnect")  # affect all bodies of a client


class Listener(Protocol):
    """Reactions of a watch to calls of PyBullet by its loop."""

    body: int
    client: int

    @property
    def knows_motors(self) -> bool:
        """Whether the loop has commanded a motor of every joint."""
        ...

    def before_step(self) -> None:
        """Handle the start of a step, if torques were commanded for it."""

    def before_change(self, name: str, *, is_own: bool, joints: Sequence[int], call: Call) -> None:
        """Handle a coming call of a function in `SET_STATES` or `OTHER_CHANGES`.

        `joints` are those whose states it sets.
        """

    def read_pending(self) -> None:
        """Read a pending sample before its state is lost."""

    def take(self, body: int, client: int, joints: Sequence[int], states: Any) -> None:
        """The loop has read joints itself, of a state that is to be sampled."""

    def see_torques(self, joints: Sequence[int], torques: Sequence[float]) -> None:
        """Handle commanded joint torques."""

    def see_motors(self, joints: Sequence[int], forces: Sequence[float] | None) -> None:
        """Handle commanded velocity or position motors; None for their default force."""

    def see_plugin(self, joints: Sequence[int]) -> None:
        """Handle joints that a plugin moves."""

    def see_ties(self) -> None:
        """Handle constraints that were created or are to be removed."""

    def see_force(self, link: int, vector: Any, point: Any, flags: int) -> None:
        """Handle an external force at a point of the next step, or a torque if that is None."""


class Hooks:
    """Wrapped functions of one PyBullet module or client; `add` a watch, `remove` it at its end.

    The functions are restored with the last watch.
    """

    def __init__(self, bullet: Any) -> None:
        self.bullet = bullet
        self.watches: list[Listener] = []
        self._default_client = int(getattr(bullet, "_client", 0))
        self.reading: tuple[int, int, Sequence[int], Any] | None = None  # by the loop, in this step
        self.waiting: list[Listener] = []  # for a reading, by the loop or their own
        self.commanded: list[Listener] = []  # with torques of the next step
        self.steps: dict[int, int] = defaultdict(int)  # by client
        self.is_settled = False  # commands of motors need not be examined any more
        self._former: dict[str, Any] = {}
        self._originals: dict[str, Function] = {}

    @classmethod
    def of(cls, bullet: Any) -> Hooks:
        """Return the hooks of a module or client; created if there are none."""
        return _active.setdefault(id(bullet), cls(bullet))

    def add(self, watch: Listener) -> None:
        """Start reporting to a watch."""
        if not self.watches:
            client = vars(self.bullet).get("_client")
            for name, make in self._wrappers():
                self._originals[name] = original = getattr(self.bullet, name)
                self._former[name] = vars(self.bullet).get(name)
                setattr(self.bullet, name, make(original))
                if client is not None:  # a BulletClient loses it as "disconnect" is looked up
                    self.bullet._client = client
        self.watches.append(watch)
        self.is_settled = False

    def remove(self, watch: Listener) -> None:
        """Stop reporting to a watch; harmless if it is unknown."""
        for watches in (self.watches, self.waiting, self.commanded):
            if watch in watches:
                watches.remove(watch)
        if self.watches or not self._originals:
            return
        for name, former in self._former.items():
            if former is None:
                delattr(self.bullet, name)
            else:
                setattr(self.bullet, name, former)
        self._originals.clear()
        _active.pop(id(self.bullet), None)

    @property
    def all_steps(self) -> int:
        """Steps of all clients so far."""
        return sum(self.steps.values())

    def original(self, name: str) -> Function:
        """Return PyBullet's own function."""
        function: Function = self._originals.get(name) or getattr(self.bullet, name)
        return function

    def _wrappers(self) -> Iterator[tuple[str, Wrapper]]:
        yield "stepSimulation", self._step
        yield "getJointStates", self._states
        yield "setJointMotorControlArray", self._motors
        yield "setJointMotorControl2", self._motors
        yield "setJointMotorControl", self._obsolete
        yield "setJointMotorControlMultiDof", self._multi_dof
        yield "setJointMotorControlMultiDofArray", self._multi_dof
        for name in (*SET_STATES, *OTHER_CHANGES):
            yield name, partial(self._change, name=name)
        for name in TIES:
            yield name, self._tie
        for name, arguments in FORCES.items():
            yield name, partial(self._force, names=(*arguments, "physicsClientId"))

    def _change(self, original: Function, *, name: str) -> Function:
        @wraps(original)
        def record_and_call(*given: Any, **named: Any) -> Any:
            first = given[0] if given else None
            client = named.get("physicsClientId", self._default_client)
            body = named.get("bodyUniqueId", named.get("objectUniqueId", first))
            joints: Any = given[1:2] or (named.get("jointIndex", named.get("jointIndices")),)
            joints = joints[0] if name == "resetJointStatesMultiDof" else joints
            if name in WHOLE_WORLD:
                client = client if first is None or name == "restoreState" else first
            self._flush()
            self.reading = None
            for watch in tuple(self.watches):
                is_own = name in WHOLE_WORLD or body == watch.body
                if watch.client == client:
                    watch.before_change(name, is_own=is_own, joints=joints, call=(given, named))
            return original(*given, **named)

        return record_and_call

    def _tie(self, original: Function) -> Function:
        @wraps(original)
        def record_and_call(*given: Any, **named: Any) -> Any:
            for watch in self.watches:  # a constraint is only known while it is there
                watch.see_ties()
            done = original(*given, **named)
            for watch in self.watches:
                watch.see_ties()
            return done

        return record_and_call

    def _force(self, original: Function, *, names: Sequence[str]) -> Function:
        @wraps(original)
        def record_and_call(*given: Any, **named: Any) -> Any:
            done = original(*given, **named)
            call = {"physicsClientId": self._default_client, **named}
            call |= zip(names, given, strict=False)
            for watch in self.watches:
                if (watch.body, watch.client) == (call[names[0]], call["physicsClientId"]):
                    link, vector = call["linkIndex"], call[names[2]]
                    watch.see_force(link, vector, call.get("posObj"), call["flags"])
            return done

        return record_and_call

    def _step(self, original: Function) -> Function:
        steps, default = self.steps, self._default_client
        original = getattr(original, "func", original)  # a BulletClient sets its number by name

        def stepSimulation(physicsClientId: int = default) -> Any:
            if self.waiting:
                self._flush()
            if self.reading:  # by another body, or twice
                self.reading = None
            if self.commanded:
                self._end_commands(physicsClientId)
            steps[physicsClientId] += 1
            return original(physicsClientId)

        return stepSimulation

    def _end_commands(self, client: int) -> None:
        for watch in tuple(self.commanded):
            if watch.client == client:
                watch.before_step()
                self.commanded.remove(watch)

    def _states(self, original: Function) -> Function:
        default, original = self._default_client, getattr(original, "func", original)

        def getJointStates(
            bodyUniqueId: int, jointIndices: Sequence[int], physicsClientId: int = default
        ) -> Any:
            states = original(bodyUniqueId, jointIndices, physicsClientId)
            if waiting := self.waiting:
                self.waiting = []
                for watch in waiting:
                    watch.take(bodyUniqueId, physicsClientId, jointIndices, states)
            self.reading = bodyUniqueId, physicsClientId, jointIndices, states
            return states

        return getJointStates

    def _flush(self) -> None:
        """Let waiting watches read, using the loop's own reading if it is sufficient."""
        waiting, self.waiting = self.waiting, []
        for watch in waiting:
            watch.read_pending()

    def _motors(self, original: Function) -> Function:
        torque = self.bullet.TORQUE_CONTROL

        def set_motors(*given: Any, **named: Any) -> Any:
            if self.is_settled and len(given) > 2 and given[2] != torque:
                return original(*given, **named)
            done = original(*given, **named)
            mode = given[2] if len(given) > 2 else named["controlMode"]
            if mode == torque or not self.is_settled:
                self._tell(mode, given, named)
            return done

        return set_motors

    def _multi_dof(self, original: Function) -> Function:
        @wraps(original)
        def set_motors(*given: Any, **named: Any) -> Any:
            done = original(*given, **named)
            names = ("bodyUniqueId", "jointIndices", "controlMode", "_", "_", "forces")
            call = named | dict(zip(names, given, strict=False))
            joints = call.get("jointIndices", call.get("jointIndex"))
            forces = call.get("force", call.get("forces"))
            if forces is not None:  # a list a joint, of one number where it is a hinge
                is_one = isinstance(joints, int)
                forces = forces[0] if is_one else [force[0] for force in forces]
            body, mode = call["bodyUniqueId"], call["controlMode"]
            own = {"physicsClientId": named.get("physicsClientId", self._default_client)}
            self._tell(mode, (body, joints, mode, None, None, forces), own)
            return done

        return set_motors

    def _obsolete(self, original: Function) -> Function:
        @wraps(original)
        def set_motor(*given: Any) -> Any:  # body, joint, mode, target, force
            done = original(*given)
            place = 3 if given[2] == self.bullet.TORQUE_CONTROL else 4
            self._tell(given[2], (*given[:3], None, None, *given[place : place + 1]), {})
            return done

        return set_motor

    def _tell(self, mode: int, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Report a motor command; argument names differ for one joint and for several."""
        body = given[0] if given else named.get("bodyUniqueId", named.get("bodyIndex"))
        several = "jointIndices" in named or (len(given) > 1 and not isinstance(given[1], int))
        key = "jointIndices" if several else "jointIndex"
        joints = given[1] if len(given) > 1 else named[key]
        forces = named.get("forces" if several else "force", given[5] if len(given) > 5 else None)
        if not several:
            joints, forces = (joints,), None if forces is None else (forces,)
        client = named.get("physicsClientId", self._default_client)
        for watch in self.watches:
            if watch.body == body and watch.client == client:
                if mode == self.bullet.TORQUE_CONTROL:
                    watch.see_torques(joints, () if forces is None else forces)
                elif mode == self.bullet.PD_CONTROL:
                    watch.see_plugin(joints)
                else:
                    watch.see_motors(joints, forces)
        self.is_settled = all(watch.knows_motors for watch in self.watches)
