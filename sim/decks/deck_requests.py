"""Requests of a deck as curves of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from msgspec import Struct

from sim.decks import trees
from sim.decks.contact_reads import why_no_contact
from sim.decks.deck import channel_names
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_inputs import constant_of, listed
from sim.decks.deck_reactions import Forces, Reactions
from sim.decks.deck_variables import calls_read, without_variables
from sim.decks.statements import Statement
from sim.decks.typed_checks import ADAMS, ONLY_ADAMS
from sim.dynamics.request import Request
from sim.dynamics.request_kinds import COLUMNS, KINDS
from sim.dynamics.request_units import NO_UNIT
from sim.errors import DeckError, SimError
from sim.functions.operations import FUNCTIONS, LAWS, READ, REQUESTED
from sim.functions.spline_functions import SIGNATURES
from sim.functions.syntax import Call, Node, Number, walk
from sim.showing.one_line import shorten_list

MOST_VARIABLES = 300  # recorded at most

ONLY_REQUESTED = frozenset({*REQUESTED, "JPRIM"})  # not readable by VARIABLEs of a run
USER = "USER: a subroutine cannot be called here"
_OF_ADAMS = re.compile(
    r"(?<!\w)\w+ (in DELAY: earlier states are not stored|requires [^;\n]*)"
    r"|(?:(?<=, )|^)[^,]*: a spline of X and Y is supported, from the deck itself"
)


class DeckRequests(Struct, frozen=True, eq=False):
    """Recorded requests, and a note on each component that cannot be recorded."""

    requests: tuple[tuple[Statement, Request], ...]
    notes: tuple[str, ...]


def deck_requests(functions: DeckFunctions, forces: Forces) -> DeckRequests:
    """Return the requests of a deck.

    Raises
    ------
    DeckError
        If one cannot be parsed or refers to a missing object; names line and statement.
    """
    names, requests, notes = channel_names(functions.deck.of("REQUEST")), [], []
    for one in functions.deck.of("REQUEST"):
        reader = _RequestReader(one, functions, forces)
        if floating := reader.floating_marker():
            notes.append(f"{one.label}: not recorded: MARKER/{floating} floats and has no place")
            continue
        nodes: dict[str, Node] = {}
        left_out: dict[str, list[str]] = {}
        for component, text in reader.components():
            node = None if trees.is_subroutine(text) else trees.parse(text, one)
            reason = USER if node is None else reader.why_not(node)
            if node is None or reason:
                left_out.setdefault(reason, []).append(component)
            else:
                nodes[component] = node
        request = reader.recordable(names[one.id], nodes, left_out)
        for reason, components in left_out.items():
            notes.append(f"{one.label}: not recorded are {', '.join(components)}: {reason}")
        if request is not None:
            requests.append((one, request))
            notes += _unit_notes(one, request)
    return DeckRequests(tuple(requests), tuple(notes))


def deck_variables(functions: DeckFunctions, forces: Forces) -> DeckRequests:
    """Return the VARIABLEs of a deck as one request, channels ``variable.<name>``, in deck units.

    Constant ones are parameters, and recorded only if another program reads or writes them. Those
    that cannot be recorded are notes.
    """
    deck, by_id = functions.deck, functions.deck.by_id("VARIABLE")
    names, plants = channel_names(deck.of("VARIABLE")), deck.of("PINPUT", "POUTPUT")
    shared = {id for one in plants if one.numbers("VARIABLES") is not None for id in listed(one)}
    others = [one.id for one in deck.of("VARIABLE") if constant_of(one) is None]
    ids = dict.fromkeys(id for id in (*sorted(shared), *others) if id in names)
    nodes: dict[str, Node] = {}
    reasons: dict[str, str] = {}
    for id in list(ids)[:MOST_VARIABLES]:
        node, reader = trees.call("VARVAL", str(id)), _RequestReader(by_id[id], functions, forces)
        try:
            reasons[names[id]] = reader.why_not(node)
            if not reasons[names[id]]:
                nodes[names[id]] = reader.in_si(node)
        except SimError as error:
            reasons[names[id]] = str(error)
    columns = []
    if nodes:
        reader = _RequestReader(by_id[next(iter(ids))], functions, forces)
        try:
            columns = [(reader.statement, reader.variables(nodes))]
        except SimError:
            nodes = dict(_recordable_variables(reader, nodes, reasons))
            columns = [(reader.statement, reader.variables(nodes))] if nodes else []
    return DeckRequests(tuple(columns), tuple(_not_recorded(reasons, len(ids))))


def _recordable_variables(
    reader: _RequestReader, nodes: Mapping[str, Node], reasons: dict[str, str]
) -> Iterator[tuple[str, Node]]:
    """Yield the variables that can be recorded, one by one; store the reasons of the others."""
    for name, node in nodes.items():
        try:
            reader.variables({name: node})
        except SimError as error:
            reasons[name] = str(error)
        else:
            yield name, node


def _not_recorded(reasons: Mapping[str, str], count: int) -> Iterator[str]:
    left_out = {name: reason for name, reason in reasons.items() if reason}
    if left_out:
        name, reason = next(iter(left_out.items()))
        yield (
            f"VARIABLEs that are not recorded: {shorten_list(list(left_out))}; of {name}: {reason}"
        )
    if count > MOST_VARIABLES:
        yield f"of {count} VARIABLEs {MOST_VARIABLES} are recorded, those of plants first"


def _unit_notes(one: Statement, request: Request) -> Iterator[str]:
    """Yield a note that products of quantities keep the deck's units, if those are not SI."""
    units = zip(request.functions.items(), request.units.values(), strict=True)
    components = [c for (c, text), unit in units if unit == NO_UNIT and _is_scaled(str(text))]
    if components:
        yield f"{one.label}: {', '.join(components)}: in the deck's units, as a product has no name"


def _is_scaled(text: str) -> bool:
    """Whether a function contains a call in the deck's units."""
    parts = walk(trees.parse_text(text))
    return any(_scaled_call(part) is not None for part in parts)


def _scaled_call(part: Node) -> tuple[Call, Number] | None:
    """Return call and divisor of a function of the state divided by the deck's unit."""
    match part:
        case Call(name="/", arguments=(Call() as read, Number(is_literal=True) as unit)):
            return (read, unit) if read.name in trees.READINGS else None
    return None


class _RequestReader(Struct, frozen=True, eq=False, dict=True):
    """A single REQUEST."""

    statement: Statement
    functions: DeckFunctions
    forces: Forces

    @cached_property
    def reactions(self) -> Reactions:
        """Forces between markers."""
        return Reactions(self.functions, self.forces)

    def components(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each component and its function, as in the deck."""
        one = self.statement
        kinds, columns = sorted(one.flags), [key for key in COLUMNS if key in one.values]
        typed = bool(columns or "FUNCTION" in one.values)
        if len(kinds) + typed + ("VARIABLES" in one.values) != 1:
            raise one.refusal(f"it is one of {', '.join(KINDS)}, or has functions F1 to F8")
        if "VARIABLES" in one.values:
            for number, id in enumerate(one.values["VARIABLES"], 1):
                yield self._name(f"F{number}"), f"VARVAL({id})"
        elif not kinds:
            for key in columns or ["FUNCTION"]:
                yield self._name(key), one.text(key) or ""
        else:
            ends = {key.lower(): self._marker(key) for key in ("I", "J", "RM")}
            for component, text in KINDS[kinds[0]].items():
                yield component, text.format(**ends)

    def floating_marker(self) -> int | None:
        """Return the first floating marker of I, J and RM; None if none floats."""
        ids = (self.statement.reference(key) for key in ("I", "J", "RM"))
        markers = self.functions.deck.markers
        return next((id for id in ids if id and id in markers and markers[id].is_floating), None)

    def _name(self, key: str) -> str:
        """Return the name that CNAMES gives a column, if it is valid in a channel name."""
        names = [text.strip(" \"'") for text in self.statement.values.get("CNAMES", ())]
        named = dict(zip(COLUMNS, names, strict=False)).get(key, "")
        plain = re.sub(r"\W", "_", named)
        return plain if plain and names.count(named) == 1 else key

    def _marker(self, key: str) -> str:
        """Return the id of I, J or RM; the world if it is missing."""
        if key != "I" and self.statement.reference(key) in (None, 0):
            return "0"
        return str(self.functions.deck.marker(self.statement, key))

    def why_not(self, node: Node) -> str:
        """Return why a function of ADAMS cannot be recorded; empty if it can be.

        Raises
        ------
        DeckError
            If ADAMS has no such function, or a referenced joint does not exist.
        """
        try:
            node = self.functions.expand(node, self.statement)
        except DeckError as error:
            return str(error)
        calls = calls_read(node, self.functions)
        called = [one.name.upper() for one in calls]
        if unknown := [name for name in called if name not in ADAMS]:
            raise self.statement.refusal(f"{unknown[0]} is not an ADAMS function")
        offered = {*FUNCTIONS, *SIGNATURES, *LAWS, *READ, *REQUESTED, *trees.OF_FORCES, "JPRIM"}
        offered -= ONLY_ADAMS
        if others := [name for name in called if name not in offered]:
            return USER if others[0] == "USER" else f"{others[0]}: not supported"
        return self._why_no_force(calls) or self._why_too_long(node, called)

    def _why_no_force(self, calls: Sequence[Call]) -> str:
        """Return why the force of a joint or contact, or between markers, cannot be recorded."""
        for one in calls:
            if one.name == "CONTACT" and (
                reason := why_no_contact(one, self.functions.contacts, self.statement)
            ):
                return reason
            if one.name not in ("JOINT", "JPRIM", "MOTION"):
                continue
            id = trees.ids_of(one)[0]
            if id is not None and (reason := self.reactions.why_not(one.name, id, self.statement)):
                return f"{one.name}({id}): {reason}"
        for i, j in map(_pair, calls):
            if i and (reason := self.reactions.why_incomplete(i, j)):
                return reason
            if i and not self.reactions.between(i, j):
                if not j:
                    return f"no action-only force acts on MARKER/{i}"
                return f"no force and no joint that is recorded acts between {i} and {j}"
        return ""

    def _why_too_long(self, node: Node, called: Sequence[str]) -> str:
        """Return why VARIABLEs readable by a request only cannot be inlined in it."""
        if ONLY_REQUESTED.isdisjoint(called):
            return ""
        try:
            without_variables(node, self.functions)
        except DeckError as error:
            return str(error)
        return ""

    def recordable(
        self, name: str, nodes: Mapping[str, Node], left_out: dict[str, list[str]]
    ) -> Request | None:
        """Return the request of all recordable components; others are added to `left_out`.

        Raises
        ------
        DeckError
            If a function cannot be parsed, or refers to a missing object.
        """
        if not nodes:
            return None
        try:
            return self.request(name, nodes)
        except DeckError:
            recorded = dict[str, Node]()
        for component, node in nodes.items():
            try:
                self.request(name, {component: node})
                recorded[component] = node
            except DeckError as error:
                if not (reason := _OF_ADAMS.search(str(error))):
                    raise
                left_out.setdefault(reason[0], []).append(component)
        return self.request(name, recorded) if recorded else None

    def request(self, name: str, nodes: Mapping[str, Node]) -> Request:
        """Return the request in SI units."""
        units = self.functions.deck.units
        try:
            in_si = {component: self.in_si(node) for component, node in nodes.items()}
            request = self._request(name, in_si)
            scaled = {
                component: scale_request(in_si[component], units.of(unit))
                for component, unit in zip(nodes, request.units.values(), strict=True)
            }
            return self._request(name, scaled)
        except DeckError:
            raise
        except SimError as error:
            raise DeckError(f"{self.statement.label}: {error}") from None

    def variables(self, nodes: Mapping[str, Node]) -> Request:
        """Return the request of VARIABLEs."""
        return replace(self._request("VARIABLES", nodes), group="variable")

    def in_si(self, node: Node) -> Node:
        """Return a function with calls in SI; VARIABLEs readable by requests only are inlined."""
        node = self.functions.in_si(self.functions.expand(node, self.statement))
        is_plain = ONLY_REQUESTED.isdisjoint(one.name for one in calls_read(node, self.functions))
        return node if is_plain else without_variables(node, self.functions)

    def _request(self, name: str, nodes: Mapping[str, Node]) -> Request:
        functions, every = self.functions, list(nodes.values())
        pairs = [_pair(one) for node in every for one in trees.calls(node)]
        between = [one for i, j in pairs if i for one in self.reactions.between(i, j)]
        forces = {(s.keyword, s.id): force for s, force in self.forces}
        more = [forces[s.keyword, s.id] for s in between if (s.keyword, s.id) in forces]
        named = functions.labels_read(every, "SFORCE")
        readable = [force for _, force in self.forces if force.name in named]
        names = functions.names_of_request(every, tuple(dict.fromkeys([*readable, *more])))
        named = functions.labels_read(every, "JOINT", "MOTION")
        holding = {f"JPRIM/{s.id}": s for s in functions.deck.of("JPRIM")}
        holding = {functions.closing_names[of]: s for of, s in holding.items()}
        holding |= {functions.joint_names[id]: s for id, s in functions.deck.by_id("JOINT").items()}
        joints = [s for s in between if (s.keyword, s.id) not in forces]
        joints += [s for name, s in holding.items() if name in named]
        ends = [self.reactions.ends(one) for one in dict.fromkeys(joints)]
        drives = [self.reactions.ends(one) for one in self.reactions.drives()]
        rows = {row for one in ends for row in one.joints}
        ends += [one for one in drives if one.label in named or one.joints[0] in rows]
        return Request(
            name,
            {component: trees.write(node) for component, node in nodes.items()},
            names=names,
            joints=tuple({one.label: one for one in ends}.values()),
        )


def _pair(one: Call) -> tuple[int, int]:
    """Return I and J of a function that sums forces between two markers; zeros otherwise."""
    if one.name not in REQUESTED or REQUESTED[one.name].unit not in ("N", "N·m"):
        return 0, 0
    i, j = (*trees.ids_of(one), None)[:2]
    return i or 0, j or 0


def scale_request(node: Node, scale: float) -> Node:
    """Return a function times the deck's unit; a call divided by it becomes the call itself."""
    scaled = _scaled_call(node)
    if scaled is not None and scaled[1].value == scale:
        return scaled[0]
    return trees.scale_by(node, scale)
