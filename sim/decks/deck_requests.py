"""The requests of a deck as curves of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sim.decks.deck import channel_names
from sim.decks.deck_calls import OF_FORCES, called_functions
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_gcon import markers_of
from sim.decks.deck_inputs import constant_of, listed
from sim.decks.deck_loops import tie_name
from sim.decks.deck_urdf import pose_numbers, without_rounding
from sim.decks.statements import Statement
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.model_names import PART, ModelNames
from sim.dynamics.request import Request
from sim.dynamics.request_kinds import COLUMNS, KINDS
from sim.dynamics.request_reading import JointEnds
from sim.dynamics.request_units import NO_UNIT
from sim.errors import DeckError, SimError
from sim.foreign.matching import shorten_list
from sim.functions.operations import FUNCTIONS, LAWS, READ, REQUESTED, STATE_FUNCTIONS
from sim.functions.spline_functions import SIGNATURES
from sim.functions.state_functions import GROUND
from sim.maths.rotations import inverse_pose
from sim.robots.marker import Marker

MOST_VARIABLES = 300  # that are recorded

Forces = Sequence[tuple[Statement, MarkerForce]]

ONLY_REQUESTED = frozenset({*REQUESTED, "JPRIM"})  # no VARIABLE of a run may read them
ONLY_ADAMS = frozenset({"USER", "INVPSD", "CURVE", "TIRE", "MFORCE"})
_OF_ADAMS = re.compile(
    r"(?<!\w)\w+ (in DELAY: what the state was before is not kept|requires [^;\n]*)"
    r"|(?:(?<=, )|^)[^,]*: a spline of X and Y is offered, from the deck itself"
)
_PAIR = re.compile(r"\b[FT][MXYZ]\s*\(\s*([0-9]+)\s*(?:,\s*([0-9]+))?", re.IGNORECASE)
_SCALED = re.compile(r"\w\([^()]*\)/[0-9.]")  # a call that is in the deck's units
_CALL = re.compile(r"\w+\([^()]*\)")
_OF_JOINT = re.compile(r"\b(JOINT|JPRIM|MOTION)\s*\(\s*([0-9]+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class DeckRequests:
    """What is recorded, and a note on each component that cannot be."""

    requests: tuple[tuple[Statement, Request], ...]
    notes: tuple[str, ...]


def deck_requests(functions: DeckFunctions, forces: Forces) -> DeckRequests:
    """The requests of a deck.

    Raises
    ------
    DeckError
        If one cannot be read, or names what is not there; names line and statement.
    """
    names, found, notes = channel_names(functions.deck.of("REQUEST")), [], []
    for one in functions.deck.of("REQUEST"):
        asked = _Asked(one, functions, forces)
        if floating := asked.floating_marker():
            notes.append(f"{one.label}: not recorded: MARKER/{floating} floats and has no place")
            continue
        texts: dict[str, str] = {}
        left_out: dict[str, list[str]] = {}
        for component, text in asked.components():
            reason = asked.why_not(text)
            if reason:
                left_out.setdefault(reason, []).append(component)
            else:
                texts[component] = text
        request = asked.recordable(names[one.id], texts, left_out)
        for reason, components in left_out.items():
            notes.append(f"{one.label}: not recorded are {', '.join(components)}: {reason}")
        if request is not None:
            found.append((one, request))
            notes += _mixed(one, request)
    return DeckRequests(tuple(found), tuple(notes))


def deck_variables(functions: DeckFunctions, forces: Forces) -> DeckRequests:
    """The VARIABLEs of a deck as one request, channels ``variable.<name>``, in the deck's units.

    Those that are numbers are parameters, and recorded only where another program reads or writes
    them. What cannot be recorded is a note.
    """
    deck = functions.deck
    names, plants = channel_names(deck.of("VARIABLE")), deck.of("PINPUT", "POUTPUT")
    shared = {id for one in plants if one.numbers("VARIABLES") is not None for id in listed(one)}
    others = [one.id for one in deck.of("VARIABLE") if constant_of(one) is None]
    ids = dict.fromkeys(id for id in (*sorted(shared), *others) if id in names)
    texts: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for id in list(ids)[:MOST_VARIABLES]:
        text, asked = f"VARVAL({id})", _Asked(functions.variables[id], functions, forces)
        try:
            reasons[names[id]] = asked.why_not(text)
            texts[names[id]] = "" if reasons[names[id]] else asked.in_si(text)
        except SimError as error:
            reasons[names[id]] = str(error)
    texts = {name: text for name, text in texts.items() if text}
    found = []
    if texts:
        asked = _Asked(functions.variables[next(iter(ids))], functions, forces)
        try:
            found = [(asked.statement, asked.variables(texts))]
        except SimError:
            texts = dict(_possible(asked, texts, reasons))
            found = [(asked.statement, asked.variables(texts))] if texts else []
    return DeckRequests(tuple(found), tuple(_not_recorded(reasons, len(ids))))


def _possible(
    asked: _Asked, texts: Mapping[str, str], reasons: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """The variables that can be recorded, one by one, and the reasons of the others."""
    for name, text in texts.items():
        try:
            asked.variables({name: text})
        except SimError as error:
            reasons[name] = str(error)
        else:
            yield name, text


def _not_recorded(reasons: Mapping[str, str], count: int) -> Iterator[str]:
    left_out = {name: reason for name, reason in reasons.items() if reason}
    if left_out:
        name, reason = next(iter(left_out.items()))
        yield (
            f"VARIABLEs that are not recorded: {shorten_list(list(left_out))}; of {name}: {reason}"
        )
    if count > MOST_VARIABLES:
        yield f"of {count} VARIABLEs {MOST_VARIABLES} are recorded, those of plants first"


def deck_names(functions: DeckFunctions, forces: Forces) -> ModelNames:
    """What the deck calls its parts, joints and motions, as ADAMS's results do."""
    deck, tree = functions.deck, functions.tree
    bodies = [s for s in deck.of("PART", "POINT_MASS") if "GROUND" not in s.flags]
    parts: dict[str, Marker] = {}
    for id, name in channel_names(bodies).items():
        link = tree.link_of[id]
        T_lp = inverse_pose(link.T_0l) @ deck.parts[id].T_0p
        xyz, rpy = (without_rounding(values).tolist() for values in pose_numbers(T_lp))
        parts[name] = Marker(PART, link.name, tuple(xyz), tuple(rpy))
    joints: dict[str, JointEnds] = {}
    for one in deck.of("JOINT"):
        asked = _Asked(one, functions, forces)
        if not asked.why_no_force_of(one):
            joints[functions.joint_names[one.id]] = asked.ends(one)
    of_joint = [(s, functions.joint_read("MOTION", s.id)) for s in deck.of("MOTION")]
    names = channel_names(s for s, _ in of_joint)
    led = {names[s.id]: functions.joint_names[j.id] for s, j in of_joint if j is not None}
    return ModelNames(parts, joints, {name: of for name, of in led.items() if of in joints})


def _mixed(one: Statement, request: Request) -> Iterator[str]:
    """That products of quantities stay in the deck's units, where those are not SI."""
    units = zip(request.functions.items(), request.units.values(), strict=True)
    components = [c for (c, text), unit in units if unit == NO_UNIT and _SCALED.search(str(text))]
    if components:
        yield f"{one.label}: {', '.join(components)}: in the deck's units, as a product has no name"


@dataclass(frozen=True, eq=False)
class _Asked:
    """One REQUEST."""

    statement: Statement
    functions: DeckFunctions
    forces: Forces

    def components(self) -> Iterator[tuple[str, str]]:
        """Name of each component and its function, as the deck has it."""
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
        """Of I, J and RM the first that floats; None if none does."""
        ids = (self.statement.reference(key) for key in ("I", "J", "RM"))
        markers = self.functions.deck.markers
        return next((id for id in ids if id and id in markers and markers[id].is_floating), None)

    def _name(self, key: str) -> str:
        """The name that CNAMES gives a column, if it can be part of a channel's."""
        given = [text.strip(" \"'") for text in self.statement.values.get("CNAMES", ())]
        named = dict(zip(COLUMNS, given, strict=False)).get(key, "")
        own = re.sub(r"\W", "_", named)
        return own if own and given.count(named) == 1 else key

    def _marker(self, key: str) -> str:
        """The id of I, J or RM; the world where there is none."""
        if key != "I" and self.statement.reference(key) in (None, 0):
            return "0"
        return str(self.functions.deck.marker(self.statement, key))

    def why_not(self, text: str) -> str:
        """Why a function that ADAMS has cannot be recorded; empty if it can be.

        Raises
        ------
        DeckError
            If ADAMS has no such function, or a joint that is read is not there.
        """
        try:
            text = self.functions.written_out(text, self.statement)
        except DeckError as error:
            return str(error)
        text = self.functions.with_variables(text)
        called = called_functions(text)
        known = {*FUNCTIONS, *STATE_FUNCTIONS, *SIGNATURES, *LAWS, *ONLY_ADAMS}
        if unknown := [name for name in called if name not in known]:
            raise self.statement.refusal(f"{unknown[0]} is not an ADAMS function")
        offered = {*FUNCTIONS, *SIGNATURES, *LAWS, *READ, *REQUESTED, *OF_FORCES, "JPRIM"}
        offered -= ONLY_ADAMS
        if others := [name for name in called if name not in offered]:
            what = "a subroutine cannot be called here" if others[0] == "USER" else "not offered"
            return f"{others[0]}: {what}"
        return self._why_no_force(text) or self._why_too_long(text, called)

    def _why_no_force(self, text: str) -> str:
        """Why the force of a joint, or one between markers, cannot be recorded."""
        for match in _OF_JOINT.finditer(text):
            if reason := self._why_no_joint(match[1].upper(), int(match[2])):
                return f"{match[1].upper()}({match[2]}): {reason}"
        for match in _PAIR.finditer(text):
            i, j = int(match[1]), int(match[2] or 0)
            if not self._between(i, j):
                if not j:
                    return f"no action-only force acts on MARKER/{i}"
                return f"no force and no joint that is recorded acts between {i} and {j}"
        return ""

    def _why_too_long(self, text: str, called: Sequence[str]) -> str:
        """Why VARIABLEs that only a request can read cannot be written out in it."""
        if ONLY_REQUESTED.isdisjoint(called):
            return ""
        try:
            self.functions.without_variables(text)
        except DeckError as error:
            return str(error)
        return ""

    def recordable(
        self, name: str, texts: Mapping[str, str], left_out: dict[str, list[str]]
    ) -> Request | None:
        """The request of what can be recorded; what ADAMS has and cannot be is put into `left_out`.

        Raises
        ------
        DeckError
            If a function cannot be read, or names what is not there.
        """
        if not texts:
            return None
        try:
            return self.request(name, texts)
        except DeckError:
            kept = dict[str, str]()
        for component, text in texts.items():
            try:
                self.request(name, {component: text})
                kept[component] = text
            except DeckError as error:
                if not (reason := _OF_ADAMS.search(str(error))):
                    raise
                left_out.setdefault(reason[0], []).append(component)
        return self.request(name, kept) if kept else None

    def _why_no_joint(self, function: str, id: int) -> str:
        if function == "JPRIM":
            is_there = f"JPRIM/{id}" in self.functions.closing_names
        else:
            joint = self.functions.joint_read(function, id)
            motions = [s.id for s in self.functions.deck.of("MOTION") if "JOINT" not in s.values]
            if function == "MOTION" and id in motions:
                return "it is between markers; what drives a JOINT is computed, see tau"
            is_there = joint is not None
        if not is_there:
            raise self.statement.refusal(f"{function}({id}): there is no {function}/{id}")
        if function == "JPRIM" or joint is None:
            return ""
        rows = self.functions.tree.joints_of[joint.id]
        if "SCREW" in joint.flags and rows and not tie_name(joint, self.functions):
            return "forces along its freedoms are not separated; FX(I, J) … have all of them"
        return self.why_no_force_of(joint)

    def why_no_force_of(self, joint: Statement) -> str:
        """Why the force of a joint is not known."""
        tree = self.functions.tree
        rows = tree.joints_of[joint.id]
        if tree.is_idle(joint, self.functions.deck):
            return "FIXED joints hold its parts together already, and it carries nothing here"
        if joint in tree.closing:
            return ""
        if not rows:
            return f"{joint.label} couples two joints, and its own force is not computed"
        if all(row.move == "fixed" for row in rows):
            return "it is FIXED; a sim.Measure records its reaction"
        led = {one.joint for row in tree.joints if row.mimic for one in row.mimic.each}
        is_coupled = any(row.mimic or row.name in led for row in rows)
        deck = self.functions.deck
        if is_coupled and (deck.of("GEAR") or any("RACKPIN" in s.flags for s in deck.of("JOINT"))):
            return "forces of the teeth on it are not computed"
        return ""

    def ends(self, joint: Statement) -> JointEnds:
        """The two markers of what holds parts together, a joint of the tree or a loop."""
        functions = self.functions
        i, j = (functions.marker(id) for id in self._markers(joint))
        if loop := functions.closing_names.get(f"{joint.keyword}/{joint.id}"):
            return JointEnds(loop, (), i, j, loop)
        rows = tuple(row.name for row in functions.tree.joints_of[joint.id])
        name = functions.joint_names[joint.id]
        return JointEnds(name, rows, i, j, tie_name(joint, functions))

    def _markers(self, one: Statement) -> tuple[int, int]:
        """I and J of a joint or a force; those that the function of a GCON reads."""
        if one.keyword == "GCON":
            b, a = markers_of(one, self.functions)
            return int(b), -1 if a == GROUND else int(a)  # the ground itself is no marker
        return one.reference("I") or 0, one.reference("J") or 0

    def _between(self, i: int, j: int) -> list[Statement]:
        """The joints, loops and forces between two markers; by 0 the action-only forces on i."""
        if not j:
            alone = (s for s, force in self.forces if not force.has_reaction)
            return [s for s in alone if s.reference("I") == i]
        deck, pair = self.functions.deck, {i, j}
        joints = [s for s in deck.of("JOINT") if not self.why_no_force_of(s)]
        acting = [*joints, *deck.of("JPRIM", "GCON"), *(statement for statement, _ in self.forces)]
        return [s for s in acting if {*self._markers(s)} == pair]

    def request(self, name: str, texts: Mapping[str, str]) -> Request:
        """The request in SI units."""
        functions = self.functions
        units = functions.deck.units
        scales = {
            "m": units.length,
            "m/s": units.speed,
            "m/s²": units.speed / units.time,
            "rad/s": 1 / units.time,
            "rad/s²": units.time**-2,
            "N": units.force,
            "N·m": units.torque,
            "s": units.time,
        }
        try:
            read = {component: self.in_si(text) for component, text in texts.items()}
            request = self._request(name, read)
            scaled = {
                component: scale_text(read[component], scales.get(unit, 1.0))
                for component, unit in zip(texts, request.units.values(), strict=True)
            }
            return self._request(name, scaled)
        except DeckError:
            raise
        except SimError as error:
            raise DeckError(f"{self.statement.label}: {error}") from None

    def variables(self, texts: Mapping[str, str]) -> Request:
        """The request of VARIABLEs."""
        return replace(self._request("VARIABLES", texts), group="variable")

    def in_si(self, text: str) -> str:
        """A function with its calls in SI units; VARIABLEs that only a request can read inlined."""
        text = self.functions.in_si(self.functions.written_out(text, self.statement))
        called = called_functions(self.functions.with_variables(text))
        is_plain = ONLY_REQUESTED.isdisjoint(called)
        return text if is_plain else self.functions.without_variables(text)

    def _request(self, name: str, texts: Mapping[str, str]) -> Request:
        functions, strings = self.functions, list(texts.values())
        between = [
            statement
            for text in strings
            for match in _PAIR.finditer(text)
            for statement in self._between(int(match[1]), int(match[2] or 0))
        ]
        made = {(s.keyword, s.id): force for s, force in self.forces}
        more = [made[s.keyword, s.id] for s in between if (s.keyword, s.id) in made]
        named = functions.labels_read(strings, "SFORCE")
        read = [force for _, force in self.forces if force.name in named]
        own = functions.names_of_request(strings, tuple(dict.fromkeys([*read, *more])))
        named = functions.labels_read(strings, "JOINT", "MOTION")
        holding = {f"JPRIM/{s.id}": s for s in functions.deck.of("JPRIM")}
        holding = {functions.closing_names[of]: s for of, s in holding.items()}
        holding |= {functions.joint_names[id]: s for id, s in functions.joints.items()}
        joints = [s for s in between if (s.keyword, s.id) not in made]
        joints += [s for name, s in holding.items() if name in named]
        return Request(
            name,
            texts,
            names=own,
            joints=tuple(self.ends(one) for one in dict.fromkeys(joints)),
        )


def scale_text(text: str, scale: float) -> str:
    """A string times the deck's unit; one call that was divided by it is the call itself."""
    if scale == 1.0:
        return text
    divided, end = text.strip(), f"/{scale!r})"
    single = divided[1 : -len(end)]
    if divided == f"({single}{end}" and _CALL.fullmatch(single):
        return single
    return f"({text})*{scale!r}"
