"""DeckModel: an ADAMS deck as robot, drives and forces, ready to run or to be written."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.assembly import move_together
from sim.decks.carriages import with_carriages
from sim.decks.couplings import with_couplings
from sim.decks.deck import Deck, read_deck
from sim.decks.deck_contacts import deck_contacts, with_contacts
from sim.decks.deck_drives import DeckDrives, deck_drives, require_masses
from sim.decks.deck_forces import deck_forces
from sim.decks.deck_friction import deck_friction, friction_notes
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_inputs import input_notes, read_inputs, require_span, with_inputs
from sim.decks.deck_joints import ApartError
from sim.decks.deck_loops import (
    deck_loops,
    idle_notes,
    loop_notes,
    still_joints,
    threads_in_loops,
    with_loops,
)
from sim.decks.deck_reactions import deck_names
from sim.decks.deck_requests import DeckRequests, deck_requests, deck_variables
from sim.decks.deck_sensors import DeckSensors, deck_sensors
from sim.decks.deck_speeds import with_speeds
from sim.decks.deck_systems import deck_systems
from sim.decks.deck_urdf import urdf_text
from sim.decks.other_files import refuse_other_file
from sim.decks.spanning_tree import spanning_tree
from sim.decks.statements import Statement
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.model_names import ModelNames
from sim.dynamics.states import States
from sim.errors import DeckError, ForeignError, SimError, unreadable
from sim.foreign.text_file import decode
from sim.functions.spline import Spline
from sim.recording.schema.methods import MethodName
from sim.robots.joint_friction import JointFriction
from sim.robots.loading import read_urdf
from sim.robots.loop import Loop
from sim.scenario.events import Steps, ValueReaders
from sim.scenario.scenario import Scenario
from sim.showing.one_line import shorten_list

DURATION, STEP = 5.0, 0.01  # [s] defaults; these are in a command file, not in a deck


class DeckModel(Struct, frozen=True, eq=False):
    """Result of the translation of a deck.

    Parameters
    ----------
    source : str
        Name of the deck's file.
    urdf : str
        Text of the robot.
    loops : tuple of Loop
        Loop closures of the robot.
    balls : tuple of str
        Its ball joints, which are free or determined by loops.
    drives : DeckDrives
    forces : tuple of (Statement, MarkerForce)
    requests : DeckRequests
    states : tuple of (Statement, States)
        States integrated with the motion.
    sensors : DeckSensors
    friction : mapping of str to JointFriction
        By joint.
    inputs : mapping of int to Spline
        Values over time of VARIABLEs, by id.
    names : ModelNames
        Names of its parts and joints.
    skipped : tuple of str
        One line for each kind of ignored statement.
    notes : tuple of str
        Notes for the reader of a run.
    """

    source: str
    deck: Deck
    urdf: str
    loops: tuple[Loop, ...]
    balls: tuple[str, ...]
    drives: DeckDrives
    forces: tuple[tuple[Statement, MarkerForce], ...]
    requests: DeckRequests
    states: tuple[tuple[Statement, States], ...]
    sensors: DeckSensors
    friction: Mapping[str, JointFriction]
    inputs: Mapping[int, Spline]
    names: ModelNames
    skipped: tuple[str, ...] = msgspec.field(default=())
    notes: tuple[str, ...] = msgspec.field(default=())

    @property
    def method(self) -> MethodName:
        """Adaptive if there is a free joint, a ball or a state; otherwise ideal."""
        is_solved = self.drives.free or self.balls or self.states
        return "adaptive" if is_solved else "ideal"

    @property
    def elements(self) -> tuple[tuple[Statement, MarkerForce | States], ...]:
        """Forces and states, each with its statement."""
        return (*self.forces, *self.states)

    @property
    def value_readers(self) -> ValueReaders:
        """Parts of its scenario that may read SENVAL."""
        forces = tuple(element for _, element in self.elements)
        requests = tuple(request for _, request in self.requests.requests)
        return ValueReaders(forces, requests, self.drives.motion())

    def scenario(self, duration: float = DURATION, dt: float = STEP) -> Scenario:
        """Return the scenario of `duration` [s], sampled every `dt` [s].

        Raises
        ------
        DeckError
            If a table of inputs is shorter.
        """
        require_span(self.inputs, duration)
        made = self.value_readers
        return Scenario(
            read_urdf(self.urdf, source=self.source)
            .with_friction(self.friction)
            .with_loops(*self.loops),
            made.motion,
            duration=duration,
            dt=dt,
            method=self.method,
            gravity=self.deck.gravity,
            forces=made.forces,
            requests=made.requests,
            notes=self.notes,
            model_names=self.names,
            events=self.sensors.events,
        )

    def with_parts(self, names: str) -> DeckModel:
        """Return the model with poses and velocities of parts recorded: names, or ``all``.

        Raises
        ------
        DeckError
            If there is no such part.
        """
        own = {name.upper(): name for name in self.names.parts}
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        wanted = [*own] if [name.upper() for name in wanted] == ["ALL"] else wanted
        for name in wanted:
            if name.upper() not in own:
                there = shorten_list(list(own.values()))
                raise DeckError(
                    f"--parts {names}: there is no part {name!r}; parts: {there}, or all"
                )
        chosen = dict.fromkeys(own[name.upper()] for name in wanted)
        more = tuple((self.deck.statements[0], self.names.part(name)) for name in chosen)
        return replace(
            self, requests=replace(self.requests, requests=(*self.requests.requests, *more))
        )


def load_deck(path: Path) -> DeckModel:
    """Return the model of an ``.adm`` file.

    Raises
    ------
    DeckError
        If it cannot be read or run; names file, line, statement and reason.
    """
    return model_of_file(path, load_statements(path))


def load_statements(path: Path) -> Deck:
    """Read the statements of an ``.adm`` file without building a robot; raises as `load_deck`.

    A deck whose plant is driven by another program may not be a robot before its inputs are given.
    """
    refuse_other_file(path)
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise DeckError(unreadable(path, error)) from None
    with _naming(path):
        return replace(read_deck("\0" if text is None else text), folder=path.parent)


def model_of_file(
    path: Path,
    deck: Deck,
    table: Path | None = None,
    values: Mapping[int, float] = MappingProxyType({}),
    order: str = "",
) -> DeckModel:
    """Return the model of a file's statements, with a table of VARIABLEs of another program.

    `values` replace the constant FUNCTIONs of VARIABLEs, by id; `order` is the interpolation of the
    table, see `sim.decks.deck_inputs.read_inputs`.

    Raises
    ------
    DeckError, ForeignError
        If it cannot be run; names file, line, statement and reason.
    """
    with _naming(path):
        return deck_model(deck, path.name, table, values, order)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Prefix the message of an error with the path."""
    try:
        yield
    except ForeignError:
        raise
    except SimError as error:
        raise DeckError(f"{path}, {error}") from None


def _on_tree(
    deck: Deck, inputs: Mapping[int, Spline], values: Mapping[int, float]
) -> DeckFunctions:
    """Return the functions of a deck on its tree, in which loops tie the threads within them."""
    threads = frozenset[int]()
    while True:
        tree = with_carriages(deck, spanning_tree(deck, threads))
        tree = with_couplings(DeckFunctions(deck, tree, inputs, values))
        functions = DeckFunctions(deck, tree, inputs, values)
        hidden = threads_in_loops(functions, deck_loops(functions))
        if hidden <= threads:
            return functions
        threads |= hidden


def deck_model(
    deck: str | Deck,
    source: str = "deck.adm",
    table: Path | None = None,
    values: Mapping[int, float] = MappingProxyType({}),
    order: str = "",
) -> DeckModel:
    """Return the model of a deck, or of its text; see `model_of_file`."""
    typed = read_deck(deck) if isinstance(deck, str) else deck
    inputs = {} if table is None else read_inputs(typed, table, order)
    told = tuple(input_notes(typed, inputs, order))
    deck = with_inputs(typed, inputs)
    try:
        return _model(deck, source, inputs, values, told)
    except ApartError as apart:
        return _model(move_together(deck, inputs, values, apart), source, inputs, values, told)


def _model(
    deck: Deck,
    source: str,
    inputs: Mapping[int, Spline],
    values: Mapping[int, float],
    notes: tuple[str, ...],
    sensed: Mapping[str, Steps] = MappingProxyType({}),
) -> DeckModel:
    """Build the model of a deck with assembled parts; `notes` are those on its inputs."""
    functions = replace(_on_tree(deck, inputs, values), sensed=sensed)
    tree, loops = functions.tree, deck_loops(functions)
    require_masses(deck, tree)
    drives = deck_drives(functions)
    if not (drives.free or any(drives.drives.values())):
        raise DeckError("line 1: no joint of the deck moves")
    name = re.sub(r"\W", "_", source.rpartition(".")[0] or source)
    urdf = urdf_text(name, tree, f"{source}, an ADAMS deck, as a tree of links; written by sim")
    try:
        robot = read_urdf(urdf, source=source)
    except SimError as error:
        raise DeckError(f"line 1: the parts of the deck make no robot: {error}") from None
    of_loops: tuple[str, ...] = ()
    still: Collection[str] = ()
    if loops:
        typed = {joint.name: joint.start for joint in tree.joints if joint.start}
        q = np.array([[typed.get(name, 0.0)] for name in robot.row_names])
        robot = with_loops(robot, loops, q, drives.free)
        of_loops = loop_notes(robot, q)
        still = still_joints(robot, q) if deck.of("FRICTION") else ()
        passive = {name for loop in robot.loops for name in loop.passive}
        drives = replace(drives, free=tuple(n for n in drives.free if n not in passive))
    drives = with_speeds(drives, deck, tree, robot)
    forces, contacts = deck_forces(functions), deck_contacts(functions)
    acting, functions = (*forces, *contacts.contacts), with_contacts(functions, contacts)
    requests, read = deck_requests(functions, acting), deck_variables(functions, acting)
    requests = DeckRequests((*requests.requests, *read.requests), (*requests.notes, *read.notes))
    states, of_states = deck_systems(functions, forces, requests)

    def remake(steps: Mapping[str, Steps]) -> ValueReaders:
        return _model(deck, source, inputs, values, (), steps).value_readers

    sensors = deck_sensors(functions, acting, remake)
    friction = deck_friction(functions, still)
    told = (
        *contacts.notes,
        *deck.notes,
        *tree.notes,
        *idle_notes(functions),
        *of_loops,
        *drives.notes,
        *requests.notes,
        *of_states,
        *sensors.notes,
    )
    told = (*told, *friction_notes(functions, friction), *notes)
    ignored = ", ".join(re.sub(r" \([0-9]+\)$", "", s.partition(":")[0]) for s in deck.skipped)
    remedy = "; SIMULATE belongs in a command file, --acf FILE" if "SIMULATE" in ignored else ""
    notes = (
        *(f"{source}: {note}" for note in told),
        *([f"{source}: ignored statements: {ignored}{remedy}"] if ignored else []),
    )
    return DeckModel(
        source,
        deck,
        urdf,
        robot.loops,
        robot.ball_names,
        drives,
        acting,
        requests,
        states,
        sensors,
        friction,
        inputs,
        deck_names(functions, forces),
        deck.skipped,
        notes,
    )
