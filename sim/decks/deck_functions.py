"""Functions of a deck, which are in its own units, as strings of the state in SI units."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sim.decks.deck import Deck, channel_names
from sim.decks.deck_calls import (
    CALL,
    OF_FORCES,
    PINVAL,
    SPLINE_CALL,
    VARVAL,
    is_id,
    labels_of,
    scale_of_call,
)
from sim.decks.deck_inputs import METHOD_OF, listed
from sim.decks.deck_names import closing_names, force_names
from sim.decks.deck_states import DIF, DeckStates, read_states
from sim.decks.deck_surfaces import NAMED, curve_of, is_surface, without_surfaces
from sim.decks.deck_urdf import pose_numbers, without_rounding
from sim.decks.spanning_tree import SpanningTree
from sim.decks.statement_forms import FORMS
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.expression import expression
from sim.functions.spline import Spline, spline
from sim.functions.state_functions import OF_ONE
from sim.functions.syntax import constant
from sim.maths.dependencies import CircleError, dependency_order
from sim.maths.rotations import inverse_pose
from sim.robots.marker import Marker
from sim.robots.names import NO_NAMES, NamedForce, Names

MOST_WRITTEN = 20  # VARIABLEs in a text, beyond which those that are numbers are written so
LONGEST = 50_000  # characters of a function whose VARIABLEs are written out

_WHOLE = re.compile(r"\b\d++\b")


@dataclass
class Reads:
    """What a string reads of the deck, by id."""

    markers: dict[int, None] = field(default_factory=dict)
    variables: dict[int, str] = field(default_factory=dict)
    forces: dict[int, None] = field(default_factory=dict)
    splines: dict[int, None] = field(default_factory=dict)
    inputs: dict[int, None] = field(default_factory=dict)
    surfaces: dict[str, tuple[int, int]] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DeckFunctions:
    """The functions of a deck on its tree; `inputs` and `values` are those of VARIABLEs, by id."""

    deck: Deck
    tree: SpanningTree
    inputs: Mapping[int, Spline] = field(default_factory=dict)
    values: Mapping[int, float] = field(default_factory=dict)

    @cached_property
    def variables(self) -> Mapping[int, Statement]:
        """The VARIABLEs by id."""
        return {one.id: one for one in self.deck.of("VARIABLE")}

    @cached_property
    def splines(self) -> Mapping[int, Statement]:
        """The SPLINEs by id."""
        return {one.id: one for one in self.deck.of("SPLINE")}

    @cached_property
    def states(self) -> DeckStates:
        """States of the deck other than those of its parts."""
        return read_states(self.deck)

    @cached_property
    def force_names(self) -> Mapping[str, str]:
        """Names of forces by ``SFORCE/1``."""
        return force_names(self.deck)

    @cached_property
    def closing_names(self) -> Mapping[str, str]:
        """Names of loops by ``JPRIM/1``."""
        return closing_names(self.deck, self.tree.closing)

    @cached_property
    def single_forces(self) -> Mapping[str, int]:
        """Ids of the SFORCEs by name."""
        kind = "SFORCE/"
        named = self.force_names.items()
        return {name: int(of.removeprefix(kind)) for of, name in named if of.startswith(kind)}

    def marker(self, id: int) -> Marker:
        """A marker of the deck on its link."""
        one = self.deck.markers[id]
        link = self.tree.link_of[one.part]
        T_lm = inverse_pose(link.T_0l) @ self.deck.T_0m(id)
        xyz, rpy = (without_rounding(values).tolist() for values in pose_numbers(T_lm))
        return Marker(str(id), link.name, tuple(xyz), tuple(rpy))

    def spline(self, id: int) -> Spline:
        """The points of a SPLINE, in the deck's units, as its functions read them."""
        one = self.splines[id]
        x, y = one.numbers("X"), one.numbers("Y")
        if x is None or y is None or "Z" in one.values:
            raise one.refusal("a spline of X and Y is offered, from the deck itself")
        outside = "line" if "LINEAR_EXTRAPOLATE" in one.flags else "parabola"
        try:
            return spline(x, y, extrapolate=outside)  # type: ignore[arg-type]
        except SimError as error:
            raise one.refusal(str(error)) from None

    @cached_property
    def joints(self) -> Mapping[int, Statement]:
        """The JOINTs by id."""
        return {one.id: one for one in self.deck.of("JOINT")}

    @cached_property
    def joint_names(self) -> Mapping[int, str]:
        """Names of the JOINTs by id."""
        return channel_names(self.deck.of("JOINT"))

    def joint_read(self, function: str, id: int) -> Statement | None:
        """The joint that JOINT(id, …) or MOTION(id, …) reads."""
        if function == "JOINT":
            return self.joints.get(id)
        motions = {one.id: one for one in self.deck.of("MOTION")}
        of = motions[id].reference("JOINT") if id in motions else None
        return None if of is None else self.joints.get(of)

    def text(self, statement: Statement, key: str = "FUNCTION", scale: float = 1.0) -> str:
        """A function in SI units: `scale` is what one of the deck's unit is.

        Raises
        ------
        DeckError
            If it is not there, or is a subroutine.
        """
        given = statement.text(key)
        if given is None or "ROUTINE" in statement.values or re.match(r"USER\s*\(", given, re.I):
            reason = "a subroutine cannot be called here" if given else f"it has no {key}"
            keys = FORMS[statement.keyword].functions.split()
            wanted = " ".join(one for one in keys if one != "FUNCTION") or key
            raise statement.refusal(f"{reason}; give {wanted.replace(' ', ', ')} = an expression")
        text = self.in_si(self.written_out(given, statement))
        return text if scale == 1.0 else f"({text})*{scale!r}"

    def written_out(self, text: str, one: Statement) -> str:
        """A function with what is said in other words: surfaces, elements of arrays, rates."""
        return without_surfaces(self.states.written_out(text, one), self.splines)

    def names(
        self, texts: list[str], forces: Mapping[int, NamedForce], own: tuple[Marker, ...]
    ) -> Names:
        """All that some strings name besides the markers of their own force."""
        reads = self._reads(texts)
        known = {marker.name for marker in own}
        is_bare = not any(
            (reads.variables, reads.forces, reads.splines, reads.states, reads.surfaces)
        )
        if is_bare and known.issuperset(map(str, reads.markers)):
            return NO_NAMES
        needed = {id: None for id in reads.markers if reads.variables or str(id) not in known}
        return self._names(reads, needed, tuple(forces[id] for id in reads.forces))

    def names_of_states(self, names: Iterable[str], forces: Mapping[int, NamedForce]) -> Names:
        """Some states of the deck, and all that their rates name."""
        rates: dict[str, str] = {}
        reads, waiting = Reads(), list(names)
        while waiting:
            name = waiting.pop(0)
            rates[name] = self._rate_text(name)
            self._read_all([rates[name]], reads)
            waiting += [one for one in reads.states if one not in rates and one not in waiting]
        starts = {name: x for one in self.states.systems for name, x in one.start.items()}
        own = self._names(reads, reads.markers, tuple(forces[id] for id in reads.forces))
        start = {name: starts[name] for name in rates if starts[name]}
        return replace(own, states=rates, start=start, shared=())

    def _names(
        self, reads: Reads, markers: Iterable[int], forces: tuple[NamedForce, ...] = ()
    ) -> Names:
        return Names(
            markers=tuple(self.marker(id) for id in markers),
            variables={str(id): text for id, text in reads.variables.items()},
            forces=forces,
            splines=self._splines(reads),
            shared=tuple(reads.states),
        )

    def names_of_request(self, texts: list[str], forces: tuple[NamedForce, ...]) -> Names:
        """All that the strings of a request name but joints; `forces` are those that it reads."""
        reads = self._reads(texts)
        inputs = (id for id in self.inputs if any(input_name(id) in text for text in texts))
        reads.inputs.update((id, None) for id in inputs)
        return self._names(reads, reads.markers, forces)

    def _splines(self, reads: Reads) -> dict[str, Spline]:
        own = {str(id): self.spline(id) for id in reads.splines}
        for name, (id, row) in reads.surfaces.items():
            own[name] = curve_of(self.splines[id], row)
        return own | {input_name(id): self.inputs[id] for id in reads.inputs}

    def labels_read(self, texts: list[str], *functions: str) -> set[str]:
        """The forces or joints that some strings in SI units read, by name."""
        strings = [*texts, *self._reads(texts).variables.values()]
        calls = [match for text in strings for match in CALL.finditer(text) if match[2]]
        return {m[2].partition(",")[0].strip() for m in calls if m[1].upper() in functions}

    def forces_read(self, texts: list[str]) -> list[int]:
        """Ids of the SFORCEs that some strings read, by variables too."""
        return list(self._reads(texts).forces)

    def splines_read(self, text: str) -> dict[str, Spline]:
        """The splines that a string reads, by number."""
        reads = self._reads([text])
        reads.inputs.update((id, None) for id in self.inputs if input_name(id) in text)
        return self._splines(reads)

    def without_variables(self, text: str) -> str:
        """A string in SI units with the text of each VARIABLE for its VARVAL.

        A VARIABLE that is a number through many others is written as that number.

        Raises
        ------
        DeckError
            If one depends on itself, or all of them together are too long.
        """
        whole: dict[int, str] = {}
        order = self.variables_read([text])
        numbers = self._numbers(order) if len(order) > MOST_WRITTEN else {}

        def put(match: re.Match[str]) -> str:
            return whole.get(int(match[1]), match[0])

        for id in order:
            own = self._variable_text(id)
            is_other = VARVAL.fullmatch(own) is not None  # which has its parentheses
            whole[id] = VARVAL.sub(put, own) if is_other else f"({VARVAL.sub(put, own)})"
            if id in numbers:
                whole[id] = f"({numbers[id]!r})"
            if len(whole[id]) > LONGEST:
                raise self.variables[id].refusal(
                    f"written out, the variables in it are more than {LONGEST} characters"
                )
        return VARVAL.sub(put, text)

    def _numbers(self, order: Iterable[int]) -> dict[int, float]:
        """Of VARIABLEs, each after those that it reads, the values of those that are numbers."""
        found: dict[int, float] = {}

        def put(match: re.Match[str]) -> str:
            return f"({found[int(match[1])]!r})"

        for id in order:
            own = self._variable_text(id)
            if found.keys() >= {*map(int, VARVAL.findall(own))}:
                value = _number(VARVAL.sub(put, own))
                found |= {} if value is None else {id: value}
        return found

    def with_variables(self, text: str) -> str:
        """A string, and the functions of all VARIABLEs that it reads as they are typed, in lines.

        Raises
        ------
        DeckError
            If one depends on itself.
        """
        text = self.with_plant_inputs(text)
        read = self.variables_read([text], self._typed_text)
        return "\n".join([text, *map(self._typed_text, read)])

    def _typed_text(self, id: int) -> str:
        if id in self.inputs or id in self.values:
            return ""
        return self.with_plant_inputs(self.variables[id].text("FUNCTION") or "")

    def variables_read(
        self, texts: Iterable[str], text_of: Callable[[int], str] | None = None
    ) -> list[int]:
        """Ids of the VARIABLEs that some strings read, each after those that it reads itself.

        `text_of` gives the string of a VARIABLE (default: in SI units).

        Raises
        ------
        DeckError
            If one depends on itself.
        """
        text_of = self._variable_text if text_of is None else text_of

        def needs(id: int) -> list[int]:
            return self._variables_in(text_of(id))

        first = [id for text in texts for id in self._variables_in(text)]
        try:
            return dependency_order(first, needs)
        except CircleError as error:
            one = self.variables[error.circle[0]]  # type: ignore[index]
            through = f", through {error}" if len(error.circle) > 2 else ""
            raise one.refusal(f"it depends on itself{through}") from None

    def _variables_in(self, text: str) -> list[int]:
        return [id for id in map(int, VARVAL.findall(text)) if id in self.variables]

    def _variable_text(self, id: int) -> str:
        """A VARIABLE as a string in SI units, but for its own unit, which is the deck's."""
        if id not in self._variable_texts:
            self._variable_texts[id] = self._read_text(id)
        return self._variable_texts[id]

    @cached_property
    def _variable_texts(self) -> dict[int, str]:
        """What `_variable_text` has been asked for."""
        return {}

    def _read_text(self, id: int) -> str:
        if id in self.inputs:
            return f"INTERP(TIME, {METHOD_OF[self.inputs[id].kind]}, {input_name(id)})"
        if id in self.values:
            return repr(float(self.values[id]))
        return self.text(self.variables[id])

    def _reads(self, texts: list[str]) -> Reads:
        reads = Reads()
        self._read_all(texts, reads)
        return reads

    def _read_all(self, texts: Sequence[str], reads: Reads) -> None:
        """Take up what some strings read, by their VARIABLEs too."""
        for id in self.variables_read(texts):
            if id not in reads.variables:
                reads.variables[id] = text = self._variable_text(id)
                if id in self.inputs:
                    reads.inputs[id] = None
                else:
                    self._read(text, reads)
        for text in texts:
            self._read(text, reads)

    def in_si(self, text: str) -> str:
        """A function of the deck with each of its calls in the deck's units."""
        units, text = self.deck.units, self.with_plant_inputs(text)

        def in_deck_units(match: re.Match[str]) -> str:
            if match[3]:
                return "TIME" if units.time == 1.0 else f"(TIME/{units.time!r})"
            name = match[1].upper()
            labels = labels_of(match[2])
            if name in OF_FORCES:
                labels[0] = self.force_names.get(f"{OF_FORCES[name]}/{labels[0]}", labels[0])
                name = "SFORCE"
            elif name in ("JOINT", "MOTION") and is_id(labels[0]):
                joint = self.joint_read(name, int(labels[0]))
                labels[0] = labels[0] if joint is None else self.joint_names[joint.id]
            elif name == "JPRIM":
                name, labels[0] = "JOINT", self.closing_names.get(f"JPRIM/{labels[0]}", labels[0])
            call, one = f"{name}({', '.join(labels)})", scale_of_call(name, labels, units)
            return call if one == 1.0 else f"({call}/{one!r})"

        return CALL.sub(in_deck_units, text)

    def with_plant_inputs(self, text: str) -> str:
        """A function with the VARVAL that each PINVAL of a PINPUT is."""
        return PINVAL.sub(self._plant_input, text)

    def _plant_input(self, match: re.Match[str]) -> str:
        """VARVAL of the VARIABLE that PINVAL(id, k) reads; the call itself where there is none."""
        for plant in self.deck.of("PINPUT"):
            if plant.id == int(match[1]) and 1 <= int(match[2]) <= len(listed(plant)):
                return f"VARVAL({listed(plant)[int(match[2]) - 1]})"
        return match[0]

    def _read(self, text: str, reads: Reads) -> None:
        rows = NAMED.finditer(text)
        reads.surfaces.update((match[0], (int(match[1]), int(match[2]))) for match in rows)
        reads.states.update((match[1].lower(), None) for match in DIF.finditer(text))
        for match in CALL.finditer(text):
            if match[3]:
                continue
            ids = [int(label) for label in labels_of(match[2]) if is_id(label)]
            name = match[1].upper()
            if name == "VARVAL":
                continue
            if name == "SFORCE":
                label = match[2].partition(",")[0].strip()
                if label in self.single_forces:
                    reads.forces[self.single_forces[label]] = None
            if name in OF_ONE or name == "ORIENT":
                ids = ids[2:]  # side or system, component, markers
            reads.markers.update(
                (id, None)
                for id in ids
                if id in self.deck.markers and not self.deck.markers[id].is_floating
            )
        if SPLINE_CALL.search(text):  # one that a number merely looks like does no harm
            numbers = {int(number) for number in _WHOLE.findall(text)}
            named = [id for id in self.splines if id in numbers]
            reads.splines.update((id, None) for id in named if not is_surface(self.splines[id]))

    def _rate_text(self, name: str) -> str:
        """The rate of a state in a second; its own unit is the deck's."""
        system = self.states.system_of(name)
        assert system is not None
        text = self.in_si(self.written_out(system.rates[name], system.statement))
        time = self.deck.units.time
        return text if time == 1.0 else f"({text})/{time!r}"


def _number(text: str) -> float | None:
    """The value of a string of numbers alone; None of any other."""
    try:
        value = constant(expression(text).tree)
    except SimError:
        return None
    return value if value is not None and math.isfinite(value) else None


def input_name(id: int) -> str:
    """How strings call the table of a VARIABLE."""
    return f"input_{id}"
