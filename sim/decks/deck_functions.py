"""Functions of a deck, typed in its own units, as trees in SI units, and the names in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from math import nan

import msgspec
from msgspec import Struct

from sim.decks import trees
from sim.decks.contact_reads import force_of_pairs
from sim.decks.deck import Deck, channel_names
from sim.decks.deck_inputs import METHOD_OF, of_plant
from sim.decks.deck_names import closing_names, force_names
from sim.decks.deck_reads import Reads
from sim.decks.deck_states import DeckStates, read_states
from sim.decks.deck_surfaces import curve_of, curves_of
from sim.decks.deck_units import DeckUnits
from sim.decks.deck_urdf import pose_numbers, without_rounding
from sim.decks.sensed_values import sensed_value
from sim.decks.spanning_tree import SpanningTree
from sim.decks.statement_forms import form_of
from sim.decks.statements import Statement
from sim.decks.typed_checks import check_typed
from sim.errors import DeckError, SimError
from sim.functions.operations import OPERATIONS
from sim.functions.spline import Spline, spline
from sim.functions.state_functions import OF_ONE
from sim.functions.syntax import Call, Node, Number, Time, rewrite
from sim.maths.dependencies import CircleError, dependency_order
from sim.maths.rotations import inverse_pose
from sim.robots.marker import Marker
from sim.robots.names import NO_NAMES, NamedForce, Names
from sim.scenario.events import Steps


class DeckFunctions(Struct, frozen=True, eq=False, dict=True):
    """Functions of a deck on its tree; `inputs` and `values` are those of VARIABLEs, by id.

    `sensed` has the values of SENVAL by SENSOR, `contacts` the names of shape pairs by CONTACT.
    """

    deck: Deck
    tree: SpanningTree
    inputs: Mapping[int, Spline] = msgspec.field(default_factory=dict)
    values: Mapping[int, float] = msgspec.field(default_factory=dict)
    sensed: Mapping[str, Steps] = msgspec.field(default_factory=dict)
    contacts: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)

    @cached_property
    def states(self) -> DeckStates:
        """States of the deck besides those of its parts."""
        return read_states(self.deck)

    @cached_property
    def force_names(self) -> Mapping[str, str]:
        """Names of forces, keyed by ``SFORCE/1``."""
        return force_names(self.deck)

    @cached_property
    def closing_names(self) -> Mapping[str, str]:
        """Names of loops, keyed by ``JPRIM/1``."""
        return closing_names(self.deck, self.tree.closing)

    @cached_property
    def single_forces(self) -> Mapping[str, int]:
        """Ids of the SFORCEs by name."""
        kind = "SFORCE/"
        named = self.force_names.items()
        return {name: int(of.removeprefix(kind)) for of, name in named if of.startswith(kind)}

    def marker(self, id: int) -> Marker:
        """Return a marker of the deck on its link."""
        one = self.deck.markers[id]
        link = self.tree.link_of[one.part]
        T_lm = inverse_pose(link.T_0l) @ self.deck.T_0m(id)
        xyz, rpy = (without_rounding(values).tolist() for values in pose_numbers(T_lm))
        return Marker(str(id), link.name, tuple(xyz), tuple(rpy))

    def spline(self, id: int) -> Spline:
        """Return the points of a SPLINE, in the deck's units, as its functions read them."""
        one = self.deck.by_id("SPLINE")[id]
        x, y = one.numbers("X"), one.numbers("Y")
        if x is None or y is None or "Z" in one.values:
            raise one.refusal("a spline of X and Y is supported, from the deck itself")
        outside = "line" if "LINEAR_EXTRAPOLATE" in one.flags else "parabola"
        try:
            return spline(x, y, extrapolate=outside)  # type: ignore[arg-type]
        except SimError as error:
            raise one.refusal(str(error)) from None

    @cached_property
    def joint_names(self) -> Mapping[int, str]:
        """Names of the JOINTs by id."""
        return channel_names(self.deck.of("JOINT"))

    @cached_property
    def drive_names(self) -> Mapping[int, str]:
        """Names in MOTION(…) by id: of the JOINT that it drives alone, else one of its own."""
        used = {name.upper() for name in (*self.joint_names.values(), *self.closing_names.values())}
        names = dict[int, str]()
        for id, name in channel_names(self.deck.of("MOTION")).items():
            joint = self.joint_read("MOTION", id)
            if joint is not None and len(self.tree.joints_of[joint.id]) == 1:
                names[id] = self.joint_names[joint.id]
            else:
                names[id] = f"MOTION_{id}" if name.upper() in used else name
        return names

    def joint_read(self, function: str, id: int) -> Statement | None:
        """Return the joint that JOINT(id, …) or MOTION(id, …) reads."""
        of: int | None = id
        if function == "MOTION":
            motion = self.deck.by_id("MOTION").get(id)
            of = None if motion is None else motion.reference("JOINT")
        return None if of is None else self.deck.by_id("JOINT").get(of)

    def function(self, statement: Statement, key: str = "FUNCTION", scale: float = 1.0) -> Node:
        """Return a function in SI units; `scale` is the deck's unit of its value in SI.

        Raises
        ------
        DeckError
            If it is missing, is a subroutine, or cannot be parsed.
        """
        text = statement.text(key)
        if text is None or "ROUTINE" in statement.values or trees.is_subroutine(text):
            reason = "a subroutine cannot be called here" if text else f"it has no {key}"
            keys = form_of(statement.keyword).functions.split()
            wanted = " ".join(one for one in keys if one != "FUNCTION") or key
            raise statement.refusal(f"{reason}; give {wanted.replace(' ', ', ')} = an expression")
        typed = trees.parse(text, statement)
        check_typed(typed, text, statement, self.deck)
        node = self.expand(typed, statement)
        return trees.scale_by(self.in_si(node), scale)

    def expand(self, node: Node, one: Statement) -> Node:
        """Expand surfaces, array elements, rates, sensors and plants in a function."""
        whole = self.states.expand(node, one)
        return rewrite(whole, lambda part: self._expand_part(part, one))

    def _expand_part(self, part: Node, one: Statement) -> Node:
        if not isinstance(part, Call):
            return part
        if variable := of_plant(part, self.deck, one):
            return trees.call("VARVAL", str(variable))
        if part.name == "CURVE":
            raise one.refusal("CURVE reads a CURVE statement, which is not supported; a SPLINE is")
        if part.name == "SENVAL" and (id := trees.ids_of(part)[0]) is not None:
            if (sensor := self.deck.by_id("SENSOR").get(id)) is None:
                raise one.refusal(f"SENVAL({id}): there is no SENSOR/{id}")
            return sensed_value(self.sensed.get(str(id), ()), self.deck.units.time, sensor)
        return curves_of(part, self.deck.by_id("SPLINE"))

    def names(
        self, nodes: Sequence[Node], forces: Mapping[int, NamedForce], own: tuple[Marker, ...]
    ) -> Names:
        """Return all names in functions besides the markers of their own force."""
        reads = self._reads(nodes)
        known = {marker.name for marker in own}
        is_bare = not any(
            (reads.variables, reads.forces, reads.splines, reads.states, reads.surfaces)
        )
        if is_bare and known.issuperset(map(str, reads.markers)):
            return NO_NAMES
        needed = {id: None for id in reads.markers if reads.variables or str(id) not in known}
        return self._names(reads, needed, tuple(forces[id] for id in reads.forces))

    def names_of_states(self, names: Iterable[str], forces: Mapping[int, NamedForce]) -> Names:
        """Return some states of the deck, and all names in their rates."""
        rates: dict[str, Node] = {}
        reads, waiting = self._no_reads(), list(names)
        while waiting:
            name = waiting.pop(0)
            rates[name] = self._rate(name)
            self._read_all([rates[name]], reads)
            waiting += [one for one in reads.states if one not in rates and one not in waiting]
        starts = {name: x for one in self.states.systems for name, x in one.start.items()}
        own = self._names(reads, reads.markers, tuple(forces[id] for id in reads.forces))
        states = {name: trees.write(rate) for name, rate in rates.items()}
        start = {name: starts[name] for name in rates if starts[name]}
        return replace(own, states=states, start=start, shared=())

    def _names(
        self, reads: Reads, markers: Iterable[int], forces: tuple[NamedForce, ...] = ()
    ) -> Names:
        return Names(
            markers=tuple(self.marker(id) for id in markers),
            variables={str(id): trees.write(one) for id, one in reads.variables.items()},
            forces=forces,
            splines=self._splines(reads),
            shared=tuple(reads.states),
        )

    def names_of_request(self, nodes: Sequence[Node], forces: tuple[NamedForce, ...]) -> Names:
        """Return all names in the functions of a request except joints; `forces` are those read."""
        reads = self._reads(nodes)
        return self._names(reads, reads.markers, forces)

    def _splines(self, reads: Reads) -> dict[str, Spline]:
        splines = self.deck.by_id("SPLINE")
        own = {str(id): self.spline(id) for id in splines if id in reads.splines}
        for name, (id, row) in reads.surfaces.items():
            own[name] = curve_of(splines[id], row)
        return own | {input_name(id): self.inputs[id] for id in reads.inputs}

    def labels_read(self, nodes: Sequence[Node], *functions: str) -> set[str]:
        """Return the names of forces or joints read by functions in SI units."""
        every = [*nodes, *self._reads(nodes).variables.values()]
        return {
            trees.label_of(one.arguments[0])
            for node in every
            for one in trees.calls(node)
            if one.name in functions and one.arguments
        }

    def forces_read(self, nodes: Sequence[Node]) -> list[int]:
        """Return the ids of SFORCEs read by functions, including through variables."""
        return list(self._reads(nodes).forces)

    def splines_read(self, node: Node) -> dict[str, Spline]:
        """Return the splines that a function reads, by number."""
        return self._splines(self._reads([node]))

    def variable_id(self, part: Node) -> int | None:
        """Return the id of the VARIABLE that a part reads."""
        if isinstance(part, Call) and part.name == "VARVAL" and len(part.arguments) == 1:
            (id,) = trees.ids_of(part)
            return id if id in self.deck.by_id("VARIABLE") else None
        return None

    def variables_read(
        self, nodes: Iterable[Node], of: Callable[[int], Node] | None = None
    ) -> list[int]:
        """Return the ids of VARIABLEs that functions read, each after those that it reads.

        `of` returns the function of a VARIABLE (default: in SI units).

        Raises
        ------
        DeckError
            If one depends on itself.
        """
        of = of or self.variable
        first = [id for node in nodes for id in self.variables_in(node)]
        try:
            return dependency_order(first, lambda id: self._needs(of, id))
        except CircleError as error:
            one = self.deck.by_id("VARIABLE")[error.circle[0]]  # type: ignore[index]
            through = f", through {error}" if len(error.circle) > 2 else ""
            raise one.refusal(f"it depends on itself{through}") from None

    def variables_in(self, node: Node) -> list[int]:
        """Return the ids of VARIABLEs that a function reads directly."""
        return [id for one in trees.calls(node) if (id := self.variable_id(one)) is not None]

    @cached_property
    def _needs(self) -> Callable[[Callable[[int], Node], int], list[int]]:
        """Cached `variables_in` of a VARIABLE: chains are walked from each of their members."""
        return cache(lambda of, id: self.variables_in(of(id)))

    @cached_property
    def variable(self) -> Callable[[int], Node]:
        """Getter of VARIABLEs by id in SI units, except their own units, which are the deck's."""
        return cache(self._read_variable)

    @cached_property
    def typed(self) -> Callable[[int], Node]:
        """Getter of VARIABLEs by id in the deck's units; 0 if given by a number or table."""
        return cache(self._read_typed)

    @cached_property
    def typed_calls(self) -> Callable[[int], list[Call]]:
        """Getter of the calls in a VARIABLE by id, in the deck's units."""
        return cache(lambda id: list(trees.calls(self.typed(id))))

    def _read_typed(self, id: int) -> Node:
        one = self.deck.by_id("VARIABLE")[id]
        text = one.text("FUNCTION")
        if id in self.inputs or id in self.values or not text:
            return trees.literal(0.0)
        node = trees.parse(text, one)
        try:
            return self.expand(node, one)
        except DeckError:  # unsupported parts are refused elsewhere
            return node

    def _read_variable(self, id: int) -> Node:
        if id in self.inputs:
            method = str(METHOD_OF[self.inputs[id].kind])
            return Call("INTERP", (Time(0), *trees.labels(method, input_name(id))), 0)
        if id in self.values:
            return trees.literal(self.values[id])
        return self.function(self.deck.by_id("VARIABLE")[id])

    def _reads(self, nodes: Iterable[Node]) -> Reads:
        reads = self._no_reads()
        self._read_all(nodes, reads)
        return reads

    def _no_reads(self) -> Reads:
        inputs = {input_name(id): id for id in self.inputs}
        return Reads(self.deck, inputs, self.single_forces)

    def _read_all(self, nodes: Iterable[Node], reads: Reads) -> None:
        """Collect what functions read, including through their VARIABLEs."""
        for id in self.variables_read(nodes):
            if id not in reads.variables:
                reads.variables[id] = self.variable(id)
                reads.take(reads.variables[id])
        for node in nodes:
            reads.take(node)

    def in_si(self, node: Node) -> Node:
        """Return a function with each of its calls in the deck's units, evaluated in SI."""
        return rewrite(node, self._in_deck_units)

    def _in_deck_units(self, part: Node) -> Node:
        """Return a part as a run reads it, in SI units, divided by the deck's unit."""
        if isinstance(part, Time):
            return trees.divide(part, self.deck.units.time)
        if not isinstance(part, Call) or part.name not in trees.READINGS:
            return part
        name, (first, *others) = part.name, map(trees.label_of, part.arguments)
        if name == "CONTACT":
            if first not in self.contacts:
                raise DeckError(f"CONTACT({first}): there is no CONTACT/{first}")
            scale = _scale_of("SFORCE", part.arguments, self.deck.units)
            return trees.divide(force_of_pairs(self.contacts[first], others), scale)
        if name in trees.WITH_FLOATING_J and others[:1] == ["1"]:
            on_i = self._in_deck_units(trees.call(name, first, "0", *others[1:]))
            return on_i if {*others[1:2]} & {"1", "5"} else trees.negate(on_i)
        if name in trees.OF_FORCES:
            first = self.force_names.get(f"{trees.OF_FORCES[name]}/{first}", first)
            name = "SFORCE"
        elif name in ("JOINT", "MOTION") and trees.is_id(first):
            names = self.joint_names if name == "JOINT" else self.drive_names
            first = names.get(int(first), first)
        elif name == "JPRIM":
            name, first = "JOINT", self.closing_names.get(f"JPRIM/{first}", first)
        scale = _scale_of(name, part.arguments, self.deck.units)
        return trees.divide(trees.call(name, first, *others), scale)

    def _rate(self, name: str) -> Node:
        """Return the rate of a state per second; its own unit is the deck's."""
        system = self.states.system_of(name)
        assert system is not None
        node = self.expand(system.rates[name], system.statement)
        return trees.divide(self.in_si(node), self.deck.units.time)


def _scale_of(name: str, arguments: Sequence[Node], units: DeckUnits) -> float:
    """Return the deck's unit of a function of the state in SI."""
    others = arguments[int(name in OF_ONE) :]  # component and side for one force or joint
    numbers = [part.value if isinstance(part, Number) else nan for part in others]
    return units.of(OPERATIONS[name].unit_of([*numbers, nan, nan]))


def input_name(id: int) -> str:
    """Return the name of a VARIABLE's table in functions."""
    return f"input_{id}"
