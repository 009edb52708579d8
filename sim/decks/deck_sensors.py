"""SENSORs of a deck as events of a run.

Source: MSC Adams Solver, statement SENSOR.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.deck_functions import DeckFunctions
from sim.decks.statement_forms import FORMS
from sim.decks.statements import Statement
from sim.errors import DeckError, SimError
from sim.functions.syntax import Node
from sim.robots.names import NamedForce
from sim.scenario.events import Action, EndPhase, EndRun, Evaluate, Steps, ValueReaders, When

SENSES = {"GE": ">=", "LE": "<=", "EQ": "="}
ENDS = ("HALT", "RETURN", "STOP", "TERMINATE")  # flags that end a simulation

_FLAG = re.compile(r",\s*([A-Za-z]+)\s*$")


class DeckSensors(Struct, frozen=True, eq=False):
    """Events of a deck, and a note on each ignored SENSOR."""

    events: tuple[When, ...]
    notes: tuple[str, ...]


def deck_sensors(
    functions: DeckFunctions,
    forces: Sequence[tuple[Statement, NamedForce]],
    remake: Callable[[Mapping[str, Steps]], ValueReaders],
) -> DeckSensors:
    """Read the SENSORs of a deck; unsupported ones are listed in a note.

    `remake` returns the readers of SENVAL for given steps, by SENSOR id.
    """
    single = {one.id: force for one, force in forces if one.keyword == "SFORCE"}
    pairs = {force.name.upper(): force for one, force in forces if one.keyword == "CONTACT"}
    events, notes = list[When](), list[str]()
    for one in functions.deck.of("SENSOR"):
        try:
            events += _events(_Sensor(one), functions, single, pairs, remake)
        except (DeckError, SimError) as error:
            reason = str(error).partition("\n")[0].removeprefix(f"{one.label}: ")
            notes.append(f"{one.label}: not followed: {reason}")
    return DeckSensors(tuple(events), tuple(notes))


def _events(
    sensor: _Sensor,
    functions: DeckFunctions,
    forces: Mapping[int, NamedForce],
    pairs: Mapping[str, NamedForce],
    remake: Callable[[Mapping[str, Steps]], ValueReaders],
) -> Iterator[When]:
    """Yield the events of a SENSOR that ends the simulation or evaluates something.

    `pairs` has the shape pairs of CONTACTs by their names in capitals.
    """
    actions, nodes = list[Action](), [sensor.function(functions)]
    if sensor.texts["EVALUATE"]:
        nodes.append(sensor.function(functions, "EVALUATE"))
        actions.append(Evaluate(str(sensor.statement.id), trees.write(nodes[1]), remake))
    if sensor.ends:
        actions.append(EndPhase(name=sensor.label) if sensor.returns else EndRun())
    names = functions.names(nodes, forces, ())
    names_read = sorted(
        pairs.keys() & {one.upper() for one in functions.labels_read(nodes, "SFORCE")}
    )
    names = replace(names, forces=(*names.forces, *(pairs[one] for one in names_read)))
    for node in nodes:
        names.parse(sensor.statement.label, trees.write(node))
    if actions:
        yield When(
            f"{trees.write(nodes[0])} {sensor.sense} {sensor.value!r}",
            tuple(actions),
            names=names,
            repeat=not sensor.ends,
            waits=sensor.ends,
        )


def has_return(deck: Deck) -> bool:
    """Whether a SENSOR may end a SIMULATE, after which the next command follows."""
    return any(one.ends and one.returns for one in map(_Sensor, deck.of("SENSOR")))


class _Sensor:
    """A SENSOR, whose flags may follow its function."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.flags = set(statement.flags)
        self.texts: dict[str, str] = {}
        known = FORMS["SENSOR"].flags.split()
        for key in ("FUNCTION", "EVALUATE"):
            text = statement.text(key) or ""
            while (match := _FLAG.search(text)) and match[1].upper() in known:
                self.flags.add(match[1].upper())
                text = text[: match.start()]
            self.texts[key] = text

    @property
    def ends(self) -> bool:
        """Whether it ends the simulation."""
        return not self.flags.isdisjoint(ENDS)

    @property
    def returns(self) -> bool:
        """Whether it ends one SIMULATE only: the next command of a command file follows."""
        return self.flags.isdisjoint({*ENDS} - {"RETURN"})

    @property
    def label(self) -> str:
        """Its name in command files."""
        return f"SENSOR/{self.statement.id}"

    @property
    def sense(self) -> str:
        """Comparison of its function with the value; equality by default."""
        senses = [flag for flag in SENSES if flag in self.flags]
        structs.replace(self.statement, flags=frozenset(senses)).require_one_of(*SENSES)
        return SENSES[senses[0]] if senses else "="

    @property
    def value(self) -> float:
        """Value compared with its function, in the deck's units; 0 by default."""
        return self.statement.number("VALUE")

    def function(self, functions: DeckFunctions, key: str = "FUNCTION") -> Node:
        """Return a function in SI units, whose value is in the deck's."""
        text = self.texts[key]
        if not text or "ROUTINE" in self.statement.values or trees.is_subroutine(text):
            reason = "a subroutine cannot be called here" if text else f"it has no {key}"
            raise self.statement.refusal(f"{reason}; give {key} = an expression")
        node = functions.expand(trees.parse(text, self.statement), self.statement)
        return functions.in_si(node)
