"""after_events: turns a scenario whose event times are known into one without conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from sim.errors import ScenarioError
from sim.functions.expression import Expression, expression
from sim.functions.time_function import text_of
from sim.maths.sampling import SAME_TIME
from sim.motion.joint_motion import JointMotion
from sim.motion.joint_path import Motion
from sim.motion.state_torque import StateTorque
from sim.scenario.events import (
    Action,
    Attach,
    EndPhase,
    EndRun,
    Evaluate,
    Release,
    StartMotion,
    SwitchOff,
    SwitchOn,
    When,
)
from sim.scenario.payload_events import PickUp, SetDown
from sim.scenario.scenario import Scenario
from sim.scenario.switchable import name_of, require_switchable

if TYPE_CHECKING:
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.sforce import SForce
    from sim.dynamics.shape_contact import Contact
    from sim.dynamics.spring import Spring

TIME = re.compile(r"(?<![\w.$])time(?![\w.$])", re.IGNORECASE)


@dataclass(frozen=True)
class Occurrence:
    """An event, its time [s], and the values of its `Evaluate`, in order."""

    event: When
    t: float
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Gate:
    """Switching of an element by events: whether it is on at the start, and its changes [s]."""

    from_start: bool
    changes: tuple[float, ...]

    @property
    def now(self) -> Gate:
        """Gate that is always in this one's final state."""
        return Gate(self.from_start != bool(len(self.changes) % 2), ())

    @property
    def times(self) -> tuple[float, ...]:
        """Times at which it switches off, on, off …; see `MarkerForce.is_on`."""
        return self.changes if self.from_start else (0.0, *self.changes)

    def on(self, text: str | float) -> str | float:
        """Return a function that is zero while the gate is off."""
        if text == 0:
            return text
        if not self.changes:
            return text if self.from_start else f"0*({_end_comment(text)})"
        signs = "-+" if self.from_start else "+-"
        steps = [f"{signs[k % 2]}{_step(t)}" for k, t in enumerate(self.changes)]
        factor = ("1" if self.from_start else "") + "".join(steps).removeprefix(
            "" if self.from_start else "+"
        )
        return f"({factor})*({_end_comment(text)})"


def _step(t: float) -> str:
    """Return a function that is 0 before a time and 1 from then on."""
    return f"IF(TIME-{t!r}:0,1,1)"


def _end_comment(text: str | float) -> str:
    """Return a function that can be continued: a comment at its end gets a new line."""
    return f"{text}\n" if "!" in str(text) else str(text)


def after_events(
    scenario: Scenario, occurrences: Sequence[Occurrence], *, is_whole: bool = True
) -> Scenario:
    """Return the scenario with the effects of its events, each from its time on.

    Elements that wait for events act as before all of them: payloads of an `Attach` are omitted.

    Parameters
    ----------
    is_whole : bool
        Whether it is valid before the last event too; else switched elements are final throughout.

    Raises
    ------
    ScenarioError
        If an event switches, starts or releases something that it cannot.
    """
    scenario = _with_values(scenario, occurrences)
    gates = gates_of(scenario, occurrences)
    if not is_whole:
        gates = {name: gate.now for name, gate in gates.items()}
    motion = _with_motions(scenario, occurrences)
    return replace(
        scenario,
        forces=tuple(_with_gate(force, gates) for force in scenario.forces),
        contacts=tuple(_switched_contact(one, gates) for one in scenario.contacts),
        motion=_with_switches(motion, gates),
        events=(*scenario.payload_events, *_payload_events(occurrences)),
    )


def gates_of(scenario: Scenario, occurrences: Sequence[Occurrence]) -> dict[str, Gate]:
    """Return the gate of each force and motor that events switch, by name."""
    possible = [switch for event in scenario.conditions for switch in _possible_switches(event)]
    turned_on = {switch.name for switch in possible if isinstance(switch, SwitchOn)}
    turned_off = {switch.name for switch in possible if isinstance(switch, SwitchOff)}
    made = list(_switches_made([(one.event, one.t) for one in occurrences]))
    gates = {}
    for name in sorted(turned_on | turned_off):
        require_switchable(scenario, name)
        from_start = is_on = name in turned_off
        changes = []
        for t, switch in made:
            if switch.name == name and isinstance(switch, SwitchOn) != is_on:
                changes.append(t)
                is_on = not is_on
        gates[name] = Gate(from_start, tuple(changes))
    return gates


def _with_values(scenario: Scenario, occurrences: Sequence[Occurrence]) -> Scenario:
    """Return the scenario with all readers of values that events have set rebuilt."""
    steps: dict[str, list[tuple[float, float]]] = {}
    remake = None
    for one in occurrences:
        setting = (action for action in one.event.actions if isinstance(action, Evaluate))
        for action, value in zip(setting, one.values, strict=True):
            steps.setdefault(action.name, []).append((one.t, value))
            remake = action.remake
    if remake is None or not isinstance(scenario.motion, JointMotion):
        return scenario
    remade, motion = remake(steps), scenario.motion
    return replace(
        scenario,
        forces=remade.forces,
        requests=(*remade.requests, *scenario.requests[len(remade.requests) :]),
        motion=replace(remade.motion, q0=motion.q0, qd0=motion.qd0),
    )


def is_ended(events: Sequence[tuple[When, float]]) -> bool:
    """Whether the run ends with the last of its events; each has its time [s], ascending."""
    return any(
        isinstance(action, EndRun)
        or (isinstance(action, EndPhase) and begun.stop > max(len(action.ends), 1))
        for _, action, begun, _ in _actions(events)
    )


def phase_end(events: Sequence[tuple[When, float]]) -> tuple[float | None, float]:
    """Return the latest end of the phase after some events, and its duration [s].

    The end is None if no phase has ended, the duration 0 if the end does not count from the begin.
    """
    end, duration = None, 0.0
    for _, action, begun, begin in _actions(events):
        if isinstance(action, EndPhase) and begun.stop <= len(action.ends):
            end = action.end_of(begun.stop - 1, begin)
            duration = action.durations[begun.stop - 1] if action.durations else 0.0
    return end, duration


def _actions(events: Sequence[tuple[When, float]]) -> Iterator[tuple[float, Action, range, float]]:
    """Yield the time [s] of each action, and the phases that begin with it, the last at a time."""
    phase, begin = 0, 0.0
    for event, t in events:
        for action in event.actions:
            before = phase
            if isinstance(action, EndPhase):
                while phase < len(action.ends):
                    if (end := action.end_of(phase, begin)) > t + SAME_TIME:
                        break
                    phase, begin = phase + 1, max(begin, end)
                if phase not in action.ignored:
                    phase, begin = phase + 1, t
            yield t, action, range(before + 1, phase + 1), begin


def _switches_made(
    events: Sequence[tuple[When, float]],
) -> Iterator[tuple[float, SwitchOff | SwitchOn]]:
    """Yield the switches that events make, in order, with their times [s]."""
    for t, action, begun, _ in _actions(events):
        if isinstance(action, SwitchOff | SwitchOn):
            yield t, action
        elif isinstance(action, EndPhase):
            yield from ((t, one) for one in chain(*action.switches[begun.start : begun.stop]))


def _possible_switches(event: When) -> Iterator[SwitchOff | SwitchOn]:
    """Yield the switches that an event may make."""
    for action in event.actions:
        if isinstance(action, SwitchOff | SwitchOn):
            yield action
        elif isinstance(action, EndPhase):
            yield from chain(*action.switches)


def payloads_of_events(scenario: Scenario) -> tuple[PickUp, ...]:
    """Return the payloads of events; each is a link from the start, without mass until then."""
    return tuple(
        PickUp(0.0, action.payload, action.name)
        for event in scenario.conditions
        for action in event.actions
        if isinstance(action, Attach)
    )


def _payload_events(occurrences: Sequence[Occurrence]) -> Iterator[PickUp | SetDown]:
    for one in occurrences:
        for action in one.event.actions:
            if isinstance(action, Attach):
                yield PickUp(one.t, action.payload, action.name)
            elif isinstance(action, Release):
                yield SetDown(one.t, action.name)


def _with_gate(force: ForceElement, gates: Mapping[str, Gate]) -> ForceElement:
    """Return a force with its gate, if events switch it."""
    gate = gates.get(name_of(force))
    if gate is None:
        return force
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.force import VForce
    from sim.dynamics.sforce import SForce
    from sim.dynamics.shape_contact import Contact
    from sim.dynamics.spring import Bushing, Spring

    if isinstance(force, GroundContact | Contact):
        return _switched_contact(force, gates)
    if isinstance(force, Bushing):
        return replace(force, switched=gate.times)
    if isinstance(force, Spring):
        force = _as_string(force)
    if isinstance(force, SForce):
        return replace(force, function=gate.on(force.function))
    if isinstance(force, VForce):
        rows, turning = ([gate.on(one) for one in row] for row in (force.force, force.torque))
        return replace(force, force=rows, torque=turning)
    return force


def _switched_contact(
    one: GroundContact | Contact, gates: Mapping[str, Gate]
) -> GroundContact | Contact:
    """Return a contact with its gate, if events switch it."""
    from sim.dynamics.shape_contact import Contact

    gate = gates.get(name_of(one))
    if gate is None:
        return one
    shapes = one if isinstance(one, Contact) else replace(one.of_shapes, name=name_of(one))
    return replace(shapes, switched=gate.times)


def _as_string(spring: Spring) -> SForce:
    """Return a spring as an expression force; its stored energy then counts as external work."""
    from sim.dynamics.sforce import SForce

    i, j = replace(spring.i, name="i"), replace(spring.j, name="j")
    law = f"{spring.preload!r}-{spring.stiffness!r}*(DM(i, j)-{spring.free_length!r})"
    return SForce(spring.name, i, j, f"{law}-({spring.damping!r})*VR(i, j)")


def _with_switches(motion: Motion, gates: Mapping[str, Gate]) -> Motion:
    """Return a motion whose switched motors and drives have their gates."""
    if not isinstance(motion, JointMotion):
        return motion
    drives, switched = dict(motion.drives), dict(motion.switched)
    for name in sorted(gates.keys() & drives.keys()):
        level, function = drives[name]
        if level == "torque":
            text = str(gates[name].on(text_of(function)))
            drives[name] = level, _rewrite(function, name, text)
        else:
            switched[name] = gates[name].times
    return replace(motion, drives=drives, switched=switched)


def _rewrite(function: object, joint: str, text: str) -> Expression | StateTorque:
    """Return a function of time, or of the state, with another text and the same names."""
    if isinstance(function, StateTorque):
        return StateTorque(function.names.parse(f"Torque of joint {joint!r}", text), function.names)
    return expression(text, function.splines if isinstance(function, Expression) else None)


def _with_motions(scenario: Scenario, occurrences: Sequence[Occurrence]) -> Motion:
    """Return the motion including those that events start, each from its time on."""
    motion, never = scenario.motion, 2.0 * scenario.duration + 1.0
    for event in scenario.conditions:
        for action in event.actions:
            if not isinstance(action, StartMotion):
                continue
            if not isinstance(motion, JointMotion) or not isinstance(action.motion, JointMotion):
                raise ScenarioError(
                    f"{event.label} starts a motion; it and the scenario's must be a "
                    "sim.JointMotion each"
                )
            if event.repeat:
                raise ScenarioError(f"{event.label} repeats; a motion starts only once")
            start = next((one.t for one in occurrences if one.event is event), never)
            motion |= _from_then(action.motion, start, event.label)
    return motion


def _from_then(motion: JointMotion, start: float, label: str) -> JointMotion:
    """Return a motion whose TIME counts from `start` [s] on."""
    drives = dict(motion.drives)
    for joint, (level, function) in motion.drives.items():
        if not isinstance(function, Expression | StateTorque):
            raise ScenarioError(
                f"{label} starts joint {joint!r} along a table; give its drive as a string, with "
                "AKISPL or CUBSPL of the points"
            )
        text = TIME.sub(f"MAX(TIME-{start!r},0)", function.text)
        if level != "displacement":
            text = f"{_step(start)}*({_end_comment(text)})"
        drives[joint] = level, _rewrite(function, joint, text)
    return replace(motion, drives=drives)
