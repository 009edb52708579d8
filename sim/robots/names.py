"""Names: markers, variables and forces available to expressions of the state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Protocol, TypeVar

from sim.errors import ExpressionError, ScenarioError
from sim.functions.breaks import break_times
from sim.functions.expression import StateExpression, state_expression
from sim.functions.spline import Spline
from sim.functions.state_functions import ANGLES, GROUND, OF_ONE, Scope
from sim.functions.syntax import Node, Reading, walk
from sim.maths.arguments import checked
from sim.maths.arrays import Array, distinct
from sim.maths.dependencies import CircleError, dependency_order
from sim.robots.marker import NAME, ORIGIN, Angle, Marker
from sim.showing.one_line import count_text, one_line

Kind = TypeVar("Kind")


class NamedForce(Protocol):
    """A force that SFORCE can read; see `sim.kinematics.state_reading`."""

    @property
    def name(self) -> str:
        """Name of the force in functions."""
        ...


@checked
@dataclass(frozen=True, eq=False)
class Names:
    """Names available to expressions of the state, besides a force's own markers.

    Parameters
    ----------
    markers : sequence of Marker
    variables : mapping of str to str
        Expressions for VARVAL(name); they may read the markers, the forces and each other.
    forces : sequence of SForce, Spring, VForce and Bushing
        Forces for SFORCE(name, …).
    splines : mapping of str to Spline
        Points for AKISPL, CUBSPL and INTERP.
    states : mapping of str to str
        Rates of the continuous states of a motor or controller, for DIF(name) [unit/s]. Those of
        torques are integrated with the torques, those of a `sim.States` with the motion.
    start : mapping of str to float
        Initial values of states (default: 0).
    shared : sequence of str
        States of a `sim.States` among the forces, for DIF(name) in forces and requests.

    Raises
    ------
    ScenarioError
        If two have the same name, or variables depend on each other in a circle.
    ExpressionError
        If a variable cannot be parsed; the message shows the position.
    """

    markers: Sequence[Marker] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    forces: Sequence[NamedForce] = ()
    splines: Mapping[str, Spline] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    shared: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "markers", _each("markers", self.markers, Marker, "sim.Marker"))
        object.__setattr__(self, "forces", tuple(self.forces))
        object.__setattr__(self, "shared", tuple(self.shared))
        _each("splines", self.splines.values(), Spline, "sim.spline(x, y)")
        for kind, names in (
            ("variables", self.variables),
            ("splines", self.splines),
            ("states", [*self.states, *self.shared]),
            ("forces", [force.name for force in self.forces]),
        ):
            _require_names(kind, list(names))
        start = dict(zip(self.states, self.first_values, strict=True))
        object.__setattr__(self, "start", start)
        _ = self.marker_by_label, self.expressions, self.rates, self.ordered_variables

    def __repr__(self) -> str:
        sizes = ((self.markers, "marker"), (self.variables, "variable"), (self.forces, "force"))
        return one_line("Names:", *(count_text(len(x), what) for x, what in sizes if len(x)))

    @cached_property
    def marker_by_label(self) -> Mapping[str, Marker]:
        """Markers by name in capitals."""
        by_label: dict[str, Marker] = {}
        for marker in self.markers:
            other = by_label.setdefault(marker.name.upper(), marker)
            if other != marker:
                raise ScenarioError(f"Two markers are called {marker.name!r}; rename one of them")
        return by_label

    @cached_property
    def force_by_label(self) -> Mapping[str, NamedForce]:
        """Forces by name in capitals."""
        return {force.name.upper(): force for force in self.forces}

    @cached_property
    def expressions(self) -> Mapping[str, StateExpression]:
        """Variables by name in capitals."""
        scope, parsed = self.scope(), {}
        for name, text in self.variables.items():
            parsed[name.upper()] = _parse(f"Variable {name!r}", text, scope, self.splines)
        return parsed

    @cached_property
    def rates(self) -> Mapping[str, StateExpression]:
        """Rates of the states by name in capitals."""
        return {
            name.upper(): _parse(f"State {name!r}", text, self.scope(), self.splines)
            for name, text in self.states.items()
        }

    @cached_property
    def first_values(self) -> tuple[float, ...]:
        """Initial values of the states, in order."""
        for name, value in self.start.items():
            if name not in self.states:
                there = ", ".join(self.states) or "none"
                raise ScenarioError(f"start: {name!r} is not a state; states are {there}")
            if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
                raise ScenarioError(f"start of state {name!r} must be a finite number: {value!r}")
        return tuple(float(self.start.get(name, 0.0)) for name in self.states)

    def scope(self, reader: str = "", *, is_request: bool = False) -> Scope:
        """Return the names available to the expressions of a force `reader` or of a request."""
        markers = tuple(marker.name for marker in self.marker_by_label.values())
        forces = tuple(force.name for force in self.forces)
        states = (*self.states, *self.shared)
        return Scope(markers, tuple(self.variables), forces, reader, is_request, states)

    def with_markers(self, *markers: Marker) -> Names:
        """Return a copy with the markers of a force added."""
        every = (*markers, *self.markers)
        fields = self.variables, self.forces, self.splines, self.states, self.start, self.shared
        return Names(every, *fields)

    def parse(self, title: str, text: str | float, reader: str = "") -> StateExpression:
        """Parse an expression of the state with these names; `title` begins its errors."""
        return _parse(title, text, self.scope(reader), self.splines)

    def parse_request(self, title: str, text: str | float) -> StateExpression:
        """Parse an expression that is only recorded; it may read accelerations and reactions."""
        return _parse(title, text, self.scope(is_request=True), self.splines)

    @cached_property
    def ordered_variables(self) -> tuple[str, ...]:
        """All variables by name in capitals, each after those that it reads."""
        return tuple(self._in_order(self.expressions))

    def order_of(self, variable: str) -> tuple[str, ...]:
        """Return the variables that one reads, directly or not, each after those that it reads."""
        if variable not in self._orders:
            self._orders[variable] = tuple(self._in_order(self._variables_of[variable]))
        return self._orders[variable]

    def variables_read(self, tree: Node) -> list[str]:
        """Return the variables that an expression reads, in the same order."""
        return self._in_order(_variables_in(tree))

    def markers_read(self, expression: StateExpression) -> Iterator[Marker]:
        """Yield the markers that an expression reads, directly or through variables."""
        for reading in self._readings(expression.tree):
            labels = reading.labels[1:] if reading.name in OF_ONE else reading.labels
            yield from (self.marker_by_label[x] for x in labels if x in self.marker_by_label)

    def angles_read(self, tree: Node) -> Iterator[Angle]:
        """Yield the angles AX, AY and AZ in an expression, directly or through variables."""
        for reading in self._readings(tree):
            if reading.name in ANGLES:
                i, j = (self.marker(label) for label in (*reading.labels, GROUND)[:2])
                yield reading.name, i, j

    def _readings(self, tree: Node) -> Iterator[Reading]:
        """Yield the readings of markers and forces in an expression and its variables."""
        trees = [self.expressions[label].tree for label in self.variables_read(tree)]
        for one in (tree, *trees):
            for part in walk(one):
                if isinstance(part, Reading) and part.name not in ("VARVAL", "DIF"):
                    yield part

    def marker(self, label: str) -> Marker:
        """Return the marker of a label."""
        return ORIGIN if label == GROUND else self.marker_by_label[label]

    def breaks(
        self, expressions: Iterable[StateExpression], duration: float, has_middles: bool = False
    ) -> Array:
        """Return sorted times at which one of them, or a variable they read, may jump [s].

        With middles, those of narrow pulses are included; see `break_times`.
        """
        trees, of_time = [one.tree for one in expressions], dict[str, Node]()
        labels = self._in_order(label for tree in trees for label in _variables_in(tree))
        for label in labels:
            one = self.expressions[label]
            if all(x.name == "VARVAL" and x.labels[0] in of_time for x in one.readings):
                of_time[label] = one.tree
        trees += [self.expressions[label].tree for label in labels if label not in of_time]
        times = []
        for tree in trees:
            read = [x for x in self._in_order(_variables_in(tree)) if x in of_time]
            known = {label: of_time[label] for label in read}
            times.append(break_times(tree, 0.0, duration, known, has_middles=has_middles))
        return distinct((), *times)

    @cached_property
    def _orders(self) -> dict[str, tuple[str, ...]]:
        """Cache of `order_of`."""
        return {}

    @cached_property
    def _variables_of(self) -> Mapping[str, tuple[str, ...]]:
        """Variables that each variable reads directly."""
        return {name: _variables_in(one.tree) for name, one in self.expressions.items()}

    def _in_order(self, first: Iterable[str]) -> list[str]:
        """Return variables with those that they read, each after those that it reads.

        Raises
        ------
        ScenarioError
            If they depend on each other in a circle.
        """
        try:
            return dependency_order(first, self._variables_of.__getitem__)
        except CircleError as error:
            raise ScenarioError(
                f"Variables depend on each other in a circle: {str(error).lower()}; solve the "
                "equation for one of them, or make it a state with a rate, which DIF reads"
            ) from None


def _variables_in(tree: Node) -> tuple[str, ...]:
    """Return the variables that an expression reads directly."""
    parts = (part for part in walk(tree) if isinstance(part, Reading) and part.name == "VARVAL")
    return tuple(dict.fromkeys(part.labels[0] for part in parts))


def _each(what: str, values: object, kind: type[Kind], called: str) -> tuple[Kind, ...]:
    """Check that all values are of a kind and return them.

    Raises
    ------
    ScenarioError
        If one is not, or the values are not a sequence.
    """
    if not isinstance(values, Iterable):
        raise ScenarioError(f"{what} must be a row of {called}, got {type(values).__name__}")
    for value in values:
        if not isinstance(value, kind):
            raise ScenarioError(f"{what} must be {called} each, got {type(value).__name__}")
    return tuple(values)


def _require_names(what: str, names: Sequence[str]) -> None:
    """Check that names are unique, ignoring case."""
    index_of = dict[str, int]()
    for index, name in enumerate(names):
        if not (isinstance(name, str) and NAME.fullmatch(name)):
            raise ScenarioError(
                f"{what}: {name!r} is not a name; a name is a letter and then letters, digits, "
                "'_' or '.', or a whole number above 0"
            )
        first = index_of.setdefault(name.upper(), index)
        if first != index:
            raise ScenarioError(f"Two {what} are called {names[first]!r}; rename one of them")


def _parse(
    title: str, text: str | float, scope: Scope, splines: Mapping[str, Spline]
) -> StateExpression:
    try:
        return state_expression(text, scope, splines)
    except ExpressionError as error:
        raise ExpressionError(f"{title}: {error.reason}", error.text, error.position) from None
    except ScenarioError as error:
        raise ScenarioError(f"{title}: {error}") from None


NO_NAMES = Names()
