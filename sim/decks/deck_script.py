"""A deck in place of a scenario script, for commands that run one."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import structs

from sim.decks.command_file import CommandFile, Switch, read_command_file
from sim.decks.deck import Deck, channel_names
from sim.decks.deck_inputs import constant_of
from sim.decks.deck_model import DURATION, STEP, DeckModel, load_statements, model_of_file
from sim.decks.deck_names import force_names
from sim.decks.deck_sensors import has_return
from sim.errors import DeckError, ScenarioError, SimError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask
from sim.motion.joint_motion import JointMotion
from sim.robots.names import Names
from sim.scenario.events import PHASE_END, Action, EndPhase, SwitchOff, SwitchOn, When
from sim.scenario.scenario import Scenario
from sim.scenario.script import Script
from sim.scenario.switchable import require_switchable

OWN_PARAMETERS: Mapping[str, object] = MappingProxyType(
    {"duration": DURATION, "dt": STEP, "input": "", "input_order": "", "parts": "", "acf": ""}
)
"""Parameters that every deck has, and their defaults."""

SELDOM_SET = ("input_order", "parts", "acf")  # mentioned by a run only if set
MOST = 4  # joints in a note

Switches = tuple[tuple[SwitchOff | SwitchOn, ...], ...]
"""Those at the beginning of each simulation in time."""


class DeckScript(Script, frozen=True):
    """A script with the scenario of a deck.

    Parameters
    ----------
    deck : Deck
    load_model : callable
        Returns the model of the deck as typed.
    """

    deck: Deck
    load_model: Callable[[], DeckModel]

    @property
    def title(self) -> str:
        """Title of the deck."""
        return self.deck.title

    def explain(self, error: SimError) -> str:
        """Return the message of a run's error, with the statements that it names and their lines.

        An argument that it names can be set in a script only.
        """
        message = str(error)
        with contextlib.suppress(SimError):
            places = model_places(self.load_model())
            if named := [place for phrase, place in places.items() if phrase in message]:
                message = f"{self.path.name}, {' and '.join(named)}: {message}"
        if re.search(r"\b[a-z_]+=(True|False)\b", message):
            message += " in the script that `sim convert DECK FOLDER` writes"
        return message

    def build(self, settings: Mapping[str, object]) -> tuple[Scenario, dict[str, Any]]:
        """Build the scenario; a command file gives the duration and dt that are not set."""
        if settings.get("acf"):
            of_commands = settings_of_commands(self, Path(str(settings["acf"])))
            settings = {**of_commands, **settings, "acf": of_commands["acf"]}
        return super().build(settings)

    def settings_of(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """Return settings that restore parameters, beside a command file even those by default."""
        recorded = ("duration", "dt") if parameters.get("acf") else ()
        return super().settings_of(parameters) | {name: parameters[name] for name in recorded}

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and default values of parameters, without rarely used options."""
        return {name: x for name, x in super().parameters.items() if name not in SELDOM_SET}


def model_places(model: DeckModel) -> dict[str, str]:
    """Return lines and statements by the phrases with which a run's errors name them."""
    deck = model.deck
    places = {element.label: one.label for one, element in model.forces}
    for one, states in model.states:
        places |= {f"state {name!r}": one.label for name in states.state_names}
    for one in deck.of("MOTION"):
        places[f"Motion for joint {model.drives.joints.get(one.id)!r}"] = one.label
    for kind in ("JOINT", "JPRIM", "GCON"):
        lines = {one.id: one.label for one in deck.of(kind)}
        for id, name in channel_names(deck.of(kind)).items():
            places |= {f"oint {name!r}": lines[id], f"oop {name!r}": lines[id]}  # in any case
    return places


def constants(deck: Deck) -> dict[str, int]:
    """Return the ids of constant VARIABLEs, by the name of their parameter."""
    constants = [one for one in deck.of("VARIABLE") if constant_of(one) is not None]
    names = channel_names(constants)
    return {f"VARIABLE_{id}" if name in OWN_PARAMETERS else name: id for id, name in names.items()}


def deck_script(path: Path) -> DeckScript:
    """Return the script of a deck.

    Raises
    ------
    DeckError
        If it cannot be read, or cannot be run although it needs no table.
    """
    deck = load_statements(path)
    ids, variables = constants(deck), deck.by_id("VARIABLE")
    defaults: dict[str, object] = {**OWN_PARAMETERS}
    defaults |= {name: constant_of(variables[id]) for name, id in ids.items()}
    load_model = cache(partial(model_of_file, path, deck))
    if not deck.of("PINPUT"):
        load_model()  # refuse invalid decks at once

    def scenario(**parameters: Any) -> Scenario:
        """Run the deck for `duration` [s], sampled every `dt` [s], with a table of its inputs."""
        chosen = {**defaults, **parameters}
        values = {id: chosen[name] for name, id in ids.items() if chosen[name] != defaults[name]}
        if chosen["input_order"] and not chosen["input"]:
            raise DeckError("--input-order requires --input TABLE")
        if values or chosen["input"]:
            table = Path(chosen["input"]) if chosen["input"] else None
            model = model_of_file(path, deck, table, values, chosen["input_order"])
        else:
            model = load_model()
        model = model.with_parts(chosen["parts"])
        built = model.scenario(chosen["duration"], chosen["dt"])
        return _with_commands(built, Path(chosen["acf"]), made) if chosen["acf"] else built

    kind = inspect.Parameter.KEYWORD_ONLY
    scenario.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind, default=value) for name, value in defaults.items()]
    )
    made = DeckScript(path.stem, path.resolve(), scenario, deck, load_model)
    return made


def settings_of_commands(script: Script, path: Path) -> dict[str, str]:
    """Return the settings of a deck's script that make it follow a command file.

    Raises
    ------
    DeckError, ForeignError
        If the script is not a deck, or the file does not state the simulated time.
    """
    if not isinstance(script, DeckScript):
        raise DeckError(f"--acf {path}: it is for a deck, MODEL.adm, and {script.name} is not one")
    second = script.deck.units.time
    commands = read_command_file(path, script.path, may_return=has_return(script.deck))
    settings = {"acf": str(path.resolve()), "duration": repr(commands.duration * second)}
    if commands.dt is not None:
        settings["dt"] = repr(commands.dt * second)
    return settings


def _with_commands(scenario: Scenario, path: Path, script: DeckScript) -> Scenario:
    """Return the scenario that follows a command file."""
    commands = read_command_file(path, script.path, may_return=has_return(script.deck))
    scenario = replace(scenario, notes=(*scenario.notes, *commands.notes))
    scenario, switches = _switches(scenario, commands, script, path.name)
    second = script.deck.units.time
    scenario = _with_phases(scenario, commands, switches, second, path.name)
    return from_rest(scenario, path.name) if commands.is_from_rest else scenario


def _pairs(scenario: Scenario, name: str) -> list[str]:
    """Return the contact names of a CONTACT with several shape pairs; otherwise its own name."""
    names = [getattr(force, "name", "") for force in scenario.forces]
    if name in names:
        return [name]
    prefix = f"{name}_"
    pairs = [one for one in names if one.startswith(prefix) and one[len(prefix) :].isdecimal()]
    return pairs or [name]


def _changes(switches: Sequence[Switch]) -> list[Switch]:
    """Return the net changes at the start of each simulation; elements are active before them."""
    is_on, changes = dict[str, bool](), list[Switch]()
    for _, of_simulation in groupby(switches, key=lambda one: one.simulation):
        for element, last in {one.element: one for one in of_simulation}.items():
            if is_on.get(element, True) != last.is_on:
                changes.append(last)
                is_on[element] = last.is_on
    return changes


def _with_phases(
    scenario: Scenario,
    commands: CommandFile,
    switches: Switches,
    second: float,
    source: str,
) -> Scenario:
    """Return the scenario with its switches, each at the beginning of a simulation.

    A SENSOR with RETURN ends one simulation, and the next one goes on.
    """
    ends = tuple(one.end * second for one in commands.simulations)
    phased = [x for one in scenario.conditions for x in one.actions if isinstance(x, EndPhase)]
    missing = {one.element for one in commands.of_sensors} - {one.name for one in phased}
    notes = [f"{source}: not followed: there is no {one} with RETURN" for one in sorted(missing)]
    scenario = replace(scenario, notes=(*scenario.notes, *notes))
    has_phases = bool(phased) and (len(ends) > 1 or bool(commands.of_sensors))
    if not has_phases:
        events = _at_times(zip((0.0, *ends[:-1]), switches, strict=True))
        return replace(scenario, events=(*scenario.events, *events))
    phases = range(len(ends))
    by_phase = ((), *switches[1:])
    durations = (0.0, *(one.duration * second for one in commands.simulations[1:]))

    def of_phases(action: Action) -> Action:
        if not isinstance(action, EndPhase):
            return action
        settings = [one for one in commands.of_sensors if one.element == action.name]
        is_on = [
            ([True] + [one.is_on for one in settings if one.simulation <= phase])[-1]
            for phase in phases
        ]
        ignored = tuple(k for k in phases if not is_on[k])
        return structs.replace(
            action, ends=ends, ignored=ignored, switches=by_phase, durations=durations
        )

    sensing = [
        replace(event, then=tuple(map(of_phases, event.actions)), repeat=True)
        if isinstance(event, When) and any(one in phased for one in event.actions)
        else event
        for event in scenario.events
    ]
    never = (*phases, len(ends))
    passed = EndPhase(ends, ignored=never, switches=by_phase, durations=durations)
    if any(durations):
        end = Names(variables={PHASE_END: repr(ends[0])})
        at_end = When(f"TIME >= VARVAL({PHASE_END})", passed, names=end, repeat=True)
        return replace(scenario, events=(*sensing, *_at_times([(0.0, switches[0])]), at_end))
    watched = {end for end, then in zip(ends, switches[1:], strict=False) if then}
    watched |= {ends[-1]} if ends[-1] < max(ends) else set()
    times = [(0.0, switches[0]), *((end, (passed,)) for end in sorted(watched))]
    return replace(scenario, events=(*sensing, *_at_times(times)))


def _at_times(times: Iterable[tuple[float, tuple[Action, ...]]]) -> Iterator[When]:
    """Yield the events of actions at times [s]."""
    yield from (When(f"TIME >= {t!r}", then, repeat=True) for t, then in times if then)


def _switches(
    scenario: Scenario, commands: CommandFile, script: DeckScript, source: str
) -> tuple[Scenario, Switches]:
    """Return the switches before each simulation, and a scenario with a note on unsupported ones.

    A MOTION that is never active is left out.
    """
    made, notes = [list[SwitchOff | SwitchOn]() for _ in commands.simulations], list[str]()
    switches = [one for one in commands.of_forces if one.simulation < len(made)]
    never_on = {one.element for one in switches}
    never_on -= {one.element for one in _changes(switches) if one.is_on}
    names = force_names(script.deck)
    if any(one.element.startswith("MOTION") for one in switches):
        names |= {f"MOTION/{id}": one for id, one in script.load_model().drives.joints.items()}
        scenario = replace(scenario, method="adaptive")
    missing = dict.fromkeys(one.element for one in switches if one.element not in names)
    notes += [f"{source}: not followed: there is no {element}" for element in missing]
    for change in _changes([one for one in switches if one.element in names]):
        element = change.element
        switch = SwitchOn if change.is_on else SwitchOff
        of_pairs = _pairs(scenario, names[element])
        try:
            for name in of_pairs:
                require_switchable(scenario, name)
        except ScenarioError as error:
            notes.append(f"{source}: not followed: {element}: {error}")
            continue
        is_never_on = change.simulation == 0 and element in never_on
        if is_never_on and isinstance(scenario.motion, JointMotion):
            drives = {x: y for x, y in scenario.motion.drives.items() if x not in of_pairs}
            if len(drives) < len(scenario.motion.drives):
                free = (*scenario.motion.free, *of_pairs)
                motion = replace(scenario.motion, drives=drives, free=free)
                scenario = replace(scenario, motion=motion)
                continue
        made[change.simulation] += map(switch, of_pairs)
    return replace(scenario, notes=(*scenario.notes, *notes)), tuple(map(tuple, made))


def from_rest(scenario: Scenario, source: str) -> Scenario:
    """Return the scenario with its free joints at rest in static equilibrium, with a note.

    If no equilibrium is found the start is unchanged, with a note of the reason.

    Parameters
    ----------
    source : str
        Prefix of the note.
    """
    robot, motion = scenario.robot, scenario.motion
    path = motion.on(robot, scenario.duration)
    if not path.free.any() or not isinstance(motion, JointMotion):
        note = f"{source}: STATIC moves nothing: all joints are driven"
        return replace(scenario, notes=(*scenario.notes, note))
    from sim.dynamics.statics import equilibrium

    start = np.where(path.free, path.q0, path.at(0.0).q[:, 0])
    try:
        rest = equilibrium(
            robot, path.free, start, gravity=scenario.gravity, forces=scenario.forces
        )
    except SimError as error:
        note = f"{source}: STATIC is not followed, the run starts as typed: {error}"
        return replace(scenario, notes=(*scenario.notes, note))
    are_moving = path.free | passive_joints(robot)
    at_rest = replace(
        motion,
        q0=np.where(are_moving, rest.q, path.q0),
        qd0=np.where(are_moving, 0.0, path.qd0),
    )
    # stability is judged by the stiffness of rotation vectors, which does not apply to a ball
    known = "" if robot.ball_names else f", which is {rest.stability}"
    places = _places(robot.row_names, path.free, rest.q)
    note = f"{source}: starts at rest in its static equilibrium{known}: {places}"
    return replace(scenario, motion=at_rest, notes=(*scenario.notes, note))


def _places(names: Sequence[str], free: Mask, q: Array) -> str:
    """Return the positions of the first free joints as text."""
    rows = np.flatnonzero(free).tolist()
    texts = [f"{names[row]} {q[row]:.6g}" for row in rows[:MOST]]
    return ", ".join([*texts, *(["…"] if len(rows) > MOST else [])])
