"""Parser of the ADAMS function-expression language: text to a syntax tree, or an error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import cast

from msgspec import structs

from sim.errors import ExpressionError
from sim.functions.grammar import (
    Token,
    Tree,
    check_arguments,
    check_count,
    not_known,
    place_of,
    syntax_tree,
)
from sim.functions.operation import Operation
from sim.functions.operations import CONSTANTS, FUNCTIONS, LAWS, READ, REQUESTED, STATE_FUNCTIONS
from sim.functions.spline_functions import ID, SIGNATURES, Data, bind_data
from sim.functions.state_functions import CHOICES, GROUND, OF_ONE, Scope, why_not_read
from sim.functions.syntax import Call, Node, Number, Reading, Time, constant, delay, rewrite, walk
from sim.functions.tree_builder import PARTS, TreeBuilder


def parse(
    text: str,
    splines: Mapping[str, Data] | None = None,
    scope: Scope | None = None,
    variable: str = "TIME",
    parameters: Collection[str] = (),
) -> Node:
    """Parse an expression to a syntax tree.

    Parameters
    ----------
    text : str
    splines : mapping, optional
        Data for AKISPL, CUBSPL, INTERP and CURVE by name or number, in any case.
    scope : Scope, optional
        Names available to functions of the state (default: they are an error).
    variable : str
        Name of the variable, in any case.
    parameters : collection of str
        Names that become a `Reading` without labels, for `written_out`.

    Raises
    ------
    ExpressionError
        With the position of the mistake.
    """
    data = {name.upper(): points for name, points in (splines or {}).items()}
    known = frozenset(name.upper() for name in parameters)
    return _Builder(text, data, scope, variable.upper(), known).node(syntax_tree(text))


def written_out(call: Call) -> Node:
    """Expand a call to an expression of other functions, by the text of its `Operation`."""
    count = len(call.arguments)
    arguments = dict(zip(call.function.parameters, call.arguments, strict=False))

    def change(part: Node) -> Node:
        if isinstance(part, Reading):
            return arguments[part.name.lower()]
        return structs.replace(part, position=call.position)

    return rewrite(_definition(call.function, count), change)


@cache
def _definition(operation: Operation, count: int) -> Node:
    """Return the tree of an operation's text, with its parameters as readings."""
    parameters = operation.parameters[:count]
    return parse(operation.text_of(count), scope=Scope(), parameters=parameters)


def check_ends(text: str, function: Operation, arguments: Sequence[Node | None]) -> None:
    """Check that a profile ends after it begins, and that the stops of a BISTOP are in order.

    Raises
    ------
    ExpressionError
        With the place. Arguments that are None are not checked.
    """
    names = function.increasing.split()
    ends = [arguments[function.parameters.index(name)] for name in names]
    values = [None if end is None else constant(end) for end in ends]
    if not names or None in (*values, *ends) or cast("float", values[0]) < cast("float", values[1]):
        return
    first, second = names
    reason = (
        f"{function.signature} requires {first} < {second}; here {first} = {values[0]:g} and "
        f"{second} = {values[1]:g}"
    )
    trap = f" ({function.trap})" if function.trap else ""
    raise ExpressionError(reason + trap, text, cast("Node", ends[1]).position)


def check_signs(text: str, function: Operation, arguments: Sequence[Node | None]) -> None:
    """Check the numbers of a law, such as the depth d of an IMPACT; raises ExpressionError.

    Arguments that are None are not checked.
    """
    for name, argument in zip(function.parameters, arguments, strict=False):
        is_positive = name in function.positive.split()
        if argument is None or not (is_positive or name in function.not_negative.split()):
            continue
        value = constant(argument)
        if value is not None and (value < 0 or (is_positive and value == 0)):
            condition = f"{name} {'above' if is_positive else 'of at least'} 0"
            reason = f"{function.signature} requires {condition}; here {name} = {value:g}"
            raise ExpressionError(reason, text, argument.position)


@dataclass
class _Builder(TreeBuilder):
    """Builder of a syntax tree with all names bound."""

    splines: Mapping[str, Data]
    scope: Scope | None
    variable: str
    parameters: Collection[str]

    def constant(self, token: Token) -> Node:
        name = token.upper()
        if name in self.parameters:
            return Reading(name, (), (), place_of(token))
        if name in (self.variable, "TIME"):
            return Time(place_of(token))
        if name in CONSTANTS:
            return Number(name, CONSTANTS[name], place_of(token))
        if name in FUNCTIONS:
            raise self.error(f"{name} is a function: {FUNCTIONS[name].signature}", token)
        raise self.unknown_name(token)

    def call(self, token: Token, parts: Sequence[Tree | Token], depth: int) -> Node:
        name = token.upper()
        if name == self.variable or name in CONSTANTS:
            raise self.error(f"{name} takes no arguments; write it without parentheses", token)
        if name in SIGNATURES:
            return self.spline_call(name, token, parts[::2], depth)
        function = None if self.scope is None else self.scope.reads(name)
        if self.scope is not None and function is not None:
            return self.reading(self.scope, function, token, parts)
        law = LAWS.get(name) if self.scope is not None else None
        if law is None and name not in FUNCTIONS:
            raise self.unknown_name(token)
        function = law or FUNCTIONS[name]
        check_arguments(self.text, function, token, parts)
        arguments = tuple(self.node(part, depth + 1) for part in parts[::2])
        if name == "DELAY":
            arguments = self.expand_delay(arguments)
        check_ends(self.text, function, arguments)
        check_signs(self.text, function, arguments)
        call = Call(name, arguments, place_of(token))
        return self.written_out(call) if function.is_text else call

    def written_out(self, call: Call) -> Node:
        """Expand a call of a function that is an expression of others; its size counts."""
        node = written_out(call)
        self.parts += sum(1 for _ in islice(walk(node), PARTS + 1))
        if self.parts > PARTS:
            raise self.too_many()
        return node

    def reading(
        self, scope: Scope, function: Operation, token: Token, parts: Sequence[Tree | Token]
    ) -> Node:
        """Return a function of the state, bound to the objects of its labels."""
        check_arguments(self.text, function, token, parts)
        labels, numbers = [], []
        for parameter, part in zip(function.parameters, parts[::2], strict=False):
            if parameter in CHOICES:
                numbers.append(self.choice(function, parameter, part, token))
            else:
                labels.append(self.label(scope, function, parameter, part, token))
        return Reading(function.name, tuple(labels), tuple(numbers), place_of(token))

    def label(
        self, scope: Scope, function: Operation, parameter: str, part: object, token: Token
    ) -> str:
        """Return the name of a marker, a variable, a force or a joint, in capitals."""
        what, known = scope.of(function.name, parameter)
        label = part.upper() if isinstance(part, str) else ""
        is_world = what == "marker" and label == GROUND
        # whether a joint exists depends on the robot
        if label in map(str.upper, known) or is_world or (label and what == "joint"):
            return label
        place = cast("Token", part) if isinstance(part, str) else token
        if what == "force" and label and label == scope.reader.upper():
            raise self.error(f"the function of force {scope.reader!r} reads its own force", place)
        there = "" if what == "joint" else f"; given are: {', '.join(known) or 'none'}"
        need = f"{str(part)!r} is not a {what}" if label else f"the name of a {what} is required"
        raise self.error(f"{function.signature}: {need}{there}", place)

    def choice(self, function: Operation, parameter: str, part: object, token: Token) -> float:
        """Return the number of a side, a component or a system."""
        value, allowed = constant(self.node(cast("Token", part))), CHOICES[parameter]
        if value is None or value not in allowed:
            means = "systems 1 to 12 are body-fixed sequences, 27 Euler parameters"
            if function.name in OF_ONE:
                means = (
                    "side i is 0 and j is 1; 1 is the force, 2 3 4 its components, 5 the torque, "
                    "6 7 8 its components"
                )
            raise self.error(
                f"{function.signature}: {parameter} is one of {', '.join(map(str, allowed))}: "
                f"{means}",
                token,
            )
        return value

    def spline_call(
        self, name: str, token: Token, parts: Sequence[Tree | Token], depth: int
    ) -> Node:
        """Return a spline function, bound to its data points."""
        check_count(self.text, Operation(SIGNATURES[name]), len(parts), place_of(token))
        label = parts[ID[name]]
        if not isinstance(label, str) or label.upper() not in self.splines:
            there = ", ".join(self.splines) or "none"
            place = token if not isinstance(label, str) else label
            raise self.error(
                f"{SIGNATURES[name]}: id names points that are given with the "
                f"expression; known ids: {there}",
                place,
            )
        others = [part for k, part in enumerate(parts) if k not in (0, ID[name])]
        numbers = [constant(self.node(part, depth + 1)) for part in others]
        if any(number is None for number in numbers):
            raise self.error(f"{SIGNATURES[name]}: only the first may depend on TIME", token)
        try:
            function = bind_data(name, self.splines[label.upper()], cast("list[float]", numbers))
        except ValueError as error:
            raise self.error(f"{SIGNATURES[name]}: {error}", token) from None
        return Call(name, (self.node(parts[0], depth + 1),), place_of(token), function)

    def expand_delay(self, arguments: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return DELAY's arguments with TIME - dt, dt ≥ 0, as delay and for TIME in e and init."""
        body, lag, history, *logic = arguments
        for part in arguments:
            for inner in walk(part):
                if isinstance(inner, Reading):
                    raise ExpressionError(
                        f"{inner.name} in DELAY: earlier states are not stored; DELAY takes "
                        "functions of TIME; for a lag of the state use DIF of a sim.States, or "
                        "a DIFF or TFSISO of a deck",
                        self.text,
                        inner.position,
                    )
        size = constant(lag)
        if size is not None and size < 0.0:
            raise ExpressionError(
                f"a delay is not negative; here dt = {size:g}", self.text, lag.position
            )
        if size is None:
            lag = Call("MAX", (lag, Number("0", 0.0, lag.position)), lag.position)
        age = Call("+", (Time(lag.position), Call("-", (lag,), lag.position)), lag.position)
        arguments = (delay(body, age), age, delay(history, age), *logic)
        # Each delay replaces every TIME within it by its age: the size of nested delays doubles.
        if sum(1 for part in arguments for _ in islice(walk(part), PARTS + 1)) > PARTS:
            raise self.too_many()
        return arguments

    def unknown_name(self, token: Token) -> ExpressionError:
        name = token.upper()
        if name in STATE_FUNCTIONS:
            reason = (
                f"{name} depends on the state; a motion may depend on TIME only, a torque also on "
                "what names=sim.Names(...) has, and a sim.SForce on its markers"
            )
            return self.error(reason if self.scope is None else why_not_read(name), token)
        if name == "INVPSD":
            return self.error(
                "INVPSD makes a random signal from a spectrum and is not supported; "
                "drive the joint with an array and its times instead",
                token,
            )
        if name in SIGNATURES:
            return self.error(f"{name} is a function: {SIGNATURES[name]}", token)
        of_state = () if self.scope is None else (*READ, *LAWS)
        if self.scope is not None and self.scope.is_request:
            of_state = (*of_state, *REQUESTED)
        known = [self.variable, *CONSTANTS, *FUNCTIONS, *SIGNATURES, *of_state]
        return self.error(not_known(str(token), known), token)

    def error(self, reason: str, token: Token) -> ExpressionError:
        return ExpressionError(reason, self.text, place_of(token))
