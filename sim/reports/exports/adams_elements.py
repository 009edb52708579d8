"""Force elements of a run as statements of an ADAMS model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.dynamics.contact import GroundContact
from sim.dynamics.counted_angle import CountedAngle
from sim.dynamics.force import Force, VForce
from sim.dynamics.force_element import ForceElement
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.sforce import SForce
from sim.dynamics.shape_contact import Contact
from sim.dynamics.spring import Bushing, Spring
from sim.dynamics.states import States
from sim.errors import ExpressionError, RecordingError
from sim.functions.expression import Expression, StateExpression
from sim.functions.spline import Spline
from sim.functions.write_expression import number
from sim.maths.arrays import Array
from sim.recording.schema.element_facts import ElementFacts, class_of, value_of
from sim.reports.exports.adams_contacts import write_contact
from sim.reports.exports.adams_frames import marker
from sim.reports.exports.adams_functions import (
    AdamsNames,
    in_place_of_time,
    parenthesise,
    spline_statement,
    times,
)
from sim.reports.exports.adams_joints import GROUND, AdamsParts
from sim.reports.exports.adams_statements import (
    comment,
    function,
    named_statement,
    number_list,
    statement,
)
from sim.robots.marker import WORLD, Marker
from sim.robots.names import Names

FIRST = 1001  # id of the first force, spline and variable that does not belong to a joint
CALLS = {  # functions that read a spline, by its kind
    "cubic": "CUBSPL({}, 0, {})",
    "akima": "AKISPL({}, 0, {})",
    "linear": "INTERP({}, 1, {})",
}
AXES = "XYZ"


@dataclass
class AdamsElements:
    """Force elements, numbered in order, with the markers, splines and variables that they need.

    Parameters
    ----------
    parts : AdamsParts
    length : float
        Model's units of length per metre.
    first_marker : int
        Id of the first marker.
    """

    parts: AdamsParts
    length: float
    first_marker: int
    lines: list[str] = field(default_factory=list)
    markers: dict[Marker, int] = field(default_factory=dict)
    forces: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    graphics: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def number_of(self, kind: str) -> int:
        """Return the next id of a kind of statement."""
        self.counts[kind] = self.counts.get(kind, FIRST - 1) + 1
        return self.counts[kind]

    def marker(self, one: Marker) -> int:
        """Return the id of a marker, which is written on first use."""
        place = Marker("place", one.link, one.xyz, one.rpy)
        if place not in self.markers:
            is_world = one.link == WORLD and WORLD not in self.parts.places
            id, T_pl = (GROUND, None) if is_world else self.parts.places[one.link]
            T = one.T_lm if T_pl is None else T_pl @ one.T_lm
            self.markers[place] = self._new_marker(id, T)
        return self.markers[place]

    def floating(self, link: str) -> int:
        """Return the id of a floating marker on the part of a link, for the reaction to a force."""
        is_world = link == WORLD and WORLD not in self.parts.places
        part = GROUND if is_world else self.parts.places[link][0]
        id = self.first_marker + self._count_marker()
        self.lines.append(statement(f"MARKER/{id}, PART = {part}", "FLOATING"))
        return id

    def _new_marker(self, part: int, T: Array) -> int:
        id = self.first_marker + self._count_marker()
        self.lines.append(marker(id, part, T, self.length))
        return id

    def _count_marker(self) -> int:
        count = self.counts.get("MARKER", 0)
        self.counts["MARKER"] = count + 1
        return count

    def world(self) -> int:
        """Return the id of a marker in the world frame."""
        return self.marker(Marker("world", WORLD))

    def spline(self, one: Spline) -> int:
        """Return the id of a SPLINE through the points of a curve."""
        id = self.number_of("SPLINE")
        self.lines.append(spline_statement(id, one))
        return id

    def names(self, names: Names, what: str) -> AdamsNames:
        """Return the numbers of all names in strings; variables and splines are written."""
        if missing := [one.name for one in names.forces if one.name not in self.forces]:
            raise RecordingError(
                f"{what} reads force {missing[0]!r}, which is no SForce of the run; SFORCE of "
                "ADAMS reads no other"
            )
        markers = {key: self.marker(one) for key, one in names.marker_by_label.items()}
        splines = {key.upper(): self.spline(one) for key, one in names.splines.items()}
        ids = {key: self.number_of("VARIABLE") for key in names.expressions}
        forces = {name.upper(): id for name, id in self.forces.items()}
        known = AdamsNames(markers, ids, splines, forces, self.states, self.world, self.length)
        for key, one in names.expressions.items():
            self.lines.append(statement(f"VARIABLE/{ids[key]}", function(known.text(one))))
        return known

    def text(self, one: StateExpression, names: Names, what: str, factor: float) -> str:
        """Return a function, times a factor, in the units of the model."""
        return times(self.names(names, what).text(one), factor)


def add_elements(model: AdamsElements, elements: Sequence[ElementFacts]) -> None:
    """Write all force elements on links.

    Raises
    ------
    RecordingError
        If ADAMS cannot represent an element; the message names it and the reason.
    """
    # ADAMS counts the full turns of its angles itself.
    statements = [_element(one) for one in elements if class_of(one) is not CountedAngle]
    for one in statements:
        if isinstance(one, SForce):  # written first, since other elements may read it
            model.forces[one.name] = model.number_of("SFORCE")
        for name in one.state_names:
            model.states[str(name).upper()] = model.number_of("DIFF")
    for one in statements:
        if isinstance(one, MarkerForce) and one.switched:
            raise RecordingError(
                f"{one.label} is switched by events; ADAMS does that by ACTIVATE and DEACTIVATE of "
                "a command file, which is not written"
            )
        _WRITERS[type(one)](model, one)


def _element(facts: ElementFacts) -> ForceElement:
    try:
        return value_of(facts)
    except ExpressionError:
        if class_of(facts) is States:
            raise
        where = f"frame {facts.frame!r}" if class_of(facts) is Force else facts.name
        raise RecordingError(
            f"The force on {where} is a function of a program, of which the run has kept the name "
            "alone; give it as an expression or by points"
        ) from None


def _write_sforce(model: AdamsElements, one: SForce) -> None:
    i, j = model.marker(one.i), model.marker(one.j)
    turns = one.acts == "rotational"
    text = model.text(one.expression, one.scope, one.label, model.length if turns else 1.0)
    more = ["ACTIONONLY"] if one.action_only else []
    model.lines += named_statement(
        one.name,
        f"SFORCE/{model.forces[one.name]}",
        "ROTATION" if turns else "TRANSLATION",
        *more,
        f"I = {i}",
        f"J = {j}",
        function(text),
    )


def _write_vforce(model: AdamsElements, one: VForce) -> None:
    names = model.names(one.scope, one.label)
    texts = [names.text(part) for part in one.expressions]
    i, along = model.marker(one.i), model.marker(one.axes)
    _write_gforce(model, one.name, texts, i, model.floating(one.j.link), along)


def _write_force(model: AdamsElements, one: Force) -> None:
    what = f"The force on frame {one.frame!r}"
    names = model.names(Names(splines=dict(one.splines)), what)
    # The run description keeps every component as a string.
    texts = [names.text(part) for part in one.functions if isinstance(part, Expression)]
    at, along = Marker("at", one.frame, one.at), Marker("along", one.axes)
    ids = model.marker(at), model.floating(WORLD), model.marker(along)
    _write_gforce(model, one.name or f"force_on_{one.frame}", texts, *ids)


def _write_gforce(
    model: AdamsElements, name: str, texts: Sequence[str], i: int, floating: int, along: int
) -> None:
    """Write six components; a VFORCE where there is no torque."""
    has_torque = any(text not in ("0", "0.0") for text in texts[3:])
    keyword = "GFORCE" if has_torque else "VFORCE"
    keys = [f"F{c}" for c in AXES] + [f"T{c}" for c in AXES] * has_torque
    factors = [1.0] * 3 + [model.length] * 3
    component_texts = [
        function(times(text, factor), key)
        for key, text, factor in zip(keys, texts, factors, strict=False)
    ]
    components = "\\\n, ".join(component_texts)
    head = f"{keyword}/{model.number_of(keyword)}"
    model.lines += named_statement(
        name, head, f"I = {i}", f"JFLOAT = {floating}", f"RM = {along}", components
    )


def _write_spring(model: AdamsElements, one: Spring) -> None:
    i, j = model.marker(one.i), model.marker(one.j)
    if one.function is None:
        numbers = {
            "K": one.stiffness / model.length,
            "C": one.damping / model.length,
            "LENGTH": one.free_length * model.length,
            "FORCE": one.preload,
        }
        model.lines += named_statement(
            one.name,
            f"SPRINGDAMPER/{model.number_of('SPRINGDAMPER')}",
            "TRANSLATION",
            f"I = {i}",
            f"J = {j}",
            *(f"{key} = {number(value)}" for key, value in numbers.items()),
        )
        return
    per = "" if model.length == 1.0 else f"{number(1.0 / model.length)} * "
    x = f"({per}DM({i}, {j}) - {number(one.free_length)})"
    law = _law_of_spring(model, one, x)
    damping = f" - {parenthesise(one.damping)} * {per}VR({i}, {j})" if one.damping else ""
    model.lines += named_statement(
        one.name,
        f"SFORCE/{model.number_of('SFORCE')}",
        "TRANSLATION",
        f"I = {i}",
        f"J = {j}",
        function(law + damping),
    )


def _law_of_spring(model: AdamsElements, one: Spring, x: str) -> str:
    """Return f(x) of a spring."""
    if isinstance(one.function, Expression):
        return in_place_of_time(one.function.tree, x)
    assert isinstance(one.function, Spline)
    if one.function.kind not in CALLS:
        raise RecordingError(
            f"{one.label}: ADAMS has no {one.function.kind} spline; choose one of "
            f"{', '.join(CALLS)}"
        )
    return CALLS[one.function.kind].format(x, model.spline(one.function))


def _write_bushing(model: AdamsElements, one: Bushing) -> None:
    length = model.length
    numbers: Mapping[str, tuple[object, float]] = {
        "K": (one.stiffness, 1 / length),
        "C": (one.damping, 1 / length),
        "KT": (one.turning_stiffness, length),
        "CT": (one.turning_damping, length),
        "FORCE": (one.preload, 1.0),
        "TORQUE": (one.turning_preload, length),
    }
    rows = (
        number_list(key, (factor * x for x in values))  # type: ignore[attr-defined]
        for key, (values, factor) in numbers.items()
    )
    i, j = model.marker(one.i), model.marker(one.j)
    head = f"BUSHING/{model.number_of('BUSHING')}"
    model.lines.append(
        comment("Turns of this bushing are a rotation vector; of ADAMS's, three small angles")
    )
    model.lines += named_statement(one.name, head, f"I = {i}", f"J = {j}", *rows)


def _write_states(model: AdamsElements, one: States) -> None:
    names = model.names(one.names, "A state")
    for name, rate, start in zip(
        one.names.states, one.names.rates.values(), one.names.first_values, strict=True
    ):
        head = f"DIFF/{model.states[name.upper()]}"
        text = function(names.text(rate))
        model.lines += named_statement(name, head, f"IC = {number(start)}", text)


_WRITERS: Mapping[type[ForceElement], Callable[[AdamsElements, Any], None]] = {
    SForce: _write_sforce,
    VForce: _write_vforce,
    Force: _write_force,
    Spring: _write_spring,
    Bushing: _write_bushing,
    States: _write_states,
    GroundContact: write_contact,
    Contact: write_contact,
}
