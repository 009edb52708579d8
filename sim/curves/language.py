"""Expressions of curves in the grammar of ADAMS's functions: ``tau.elbow_joint*qd.elbow_joint``.

Names are those of curves, in quotes if they contain characters other than letters, digits, ``_ $
.``. A number takes the unit of its other summand or comparand; sums of different units are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import NoReturn, cast

import numpy as np

from sim.curves import signals
from sim.curves.curve import Curve
from sim.curves.unit_algebra import ONE, Unit, unit_of_text
from sim.errors import CurveError, ExpressionError
from sim.functions.grammar import QUOTED, Token, Tree, check_arguments, place_of, syntax_tree
from sim.functions.jet import Jet
from sim.functions.operation import Operation
from sim.functions.operations import CONSTANTS, FUNCTIONS, OPERATORS
from sim.functions.tree_builder import DEPTH
from sim.maths.arguments import checked
from sim.maths.arrays import Array

SECOND = unit_of_text("s")

SIGNALS = {
    **{name: Operation(f"{name}(x)") for name in ("DERIVATIVE", "DIF", "INTEGRAL", "VALUE")},
    "FILTER": Operation("FILTER(x, cutoff[, order])"),
}

_OTHER_MEANING = "INT is not used here: INTEGRAL(x) integrates over time, AINT(x) cuts off decimals"


@dataclass(frozen=True, eq=False)
class _Term:
    """Values (N,), or one number; `unit` is None for a bare number, which adopts another's."""

    values: Array
    unit: Unit | None
    position: int

    @property
    def own_unit(self) -> Unit:
        return self.unit or ONE


def function_names() -> tuple[str, ...]:
    """Return the functions of curves: of signals, and of numbers, which the page also knows."""
    return *SIGNALS, *(name for name, row in FUNCTIONS.items() if row.js or row.text)


@checked
def calculate(text: str, curves: Mapping[str, Curve]) -> Curve:
    """Evaluate an expression of curves.

    Operators ``+ - * / **``, TIME [s], PI, RTOD, DTOR, numbers (``90d`` is 90 degrees in radians);
    DERIVATIVE(x) or DIF(x), INTEGRAL(x), FILTER(x, cutoff in Hz[, order]), VALUE(x), which is x
    without its unit; and the functions of drives except INT, DELAY and those of data points.

    Parameters
    ----------
    text : str
    curves : mapping of str to Curve
        By name; the curves in the expression must have the same times.

    Raises
    ------
    ExpressionError
        If the text is not an expression, a name is unknown, or units do not fit; shows the place.
    CurveError
        If curves have different times, or a derivative or filter cannot be computed.
    """
    tree = syntax_tree(text, QUOTED)
    names = [name for name in _names(tree) if name in curves]
    t = _common_times(text, names, curves)
    fine = _Evaluation(text, curves, t)
    with np.errstate(all="ignore"):  # overflow and undefined values become NaN or inf in the curve
        quantity = fine.term(tree)
        values = np.array(np.broadcast_to(quantity.values, t.shape))
        error = _error(fine, tree, values)
    if any(curves[name].error != 0 for name in names):
        error = float("nan")
    return Curve(t, values, str(quantity.own_unit), text, error)


def _error(fine: _Evaluation, tree: Tree | Token, values: Array) -> float:
    """Return twice the largest change if every other sample is left out; NaN if unknown."""
    if not fine.is_discretised:
        return 0.0
    coarse = _Evaluation(fine.text, fine.curves, fine.t[::2], slice(None, None, 2))
    try:
        others = np.broadcast_to(coarse.term(tree).values, coarse.t.shape)
    except CurveError:  # too few samples, or a filter above half of the halved rate
        return float("nan")
    change = np.abs(values[::2] - others)
    known = change[np.isfinite(change)]
    return 2.0 * float(known.max()) if known.size else float("nan")


def quote(name: str) -> str:
    """Return a curve's name in an expression, in quotes if it contains special characters."""
    return name if re.fullmatch(r"[A-Za-z_$][\w$.]*", name, re.ASCII) else f'"{name}"'


def _names(tree: Tree | Token) -> list[str]:
    """Return the names in the tree except functions, each once, in the order of the text."""
    names, open_parts = [], [tree]
    while open_parts:  # iterative, since the nesting depth is checked later
        part = open_parts.pop()
        if isinstance(part, str):
            names += [_plain(part)] if part.type == "NAME" else []
        else:
            open_parts += part.parts[part.rule == "call" :][::-1]
    return list(dict.fromkeys(names))


def _plain(token: str) -> str:
    return token[1:-1] if token[0] == '"' else str(token)


def _common_times(text: str, names: Sequence[str], curves: Mapping[str, Curve]) -> Array:
    """Return the common times of the curves in an expression; without any, those of any curve.

    Raises
    ------
    CurveError
        If two have different times.
    """
    terms = list(names) or list(curves)[:1]
    if not terms:
        raise CurveError(f"There are no curves for {text!r}")
    first = curves[terms[0]].t
    for name in terms[1:]:
        t = curves[name].t
        if t is not first and not (t.shape == first.shape and np.array_equal(t, first)):
            raise CurveError(
                f"{terms[0]!r} has {first.size} samples from {first[0]:g} to {first[-1]:g} s and "
                f"{name!r} {t.size} from {t[0]:g} to {t[-1]:g} s; bring one to the times of the "
                "other: curve.at(times)"
            )
    return first


@dataclass
class _Evaluation:
    """Bottom-up evaluation of a syntax tree at some of the samples."""

    text: str
    curves: Mapping[str, Curve]
    t: Array
    chosen: slice = field(default_factory=lambda: slice(None))
    bound: Mapping[str, _Term] = field(default_factory=dict)  # parameters, in a function's text
    is_discretised: bool = False

    def term(self, tree: Tree | Token, depth: int = 0) -> _Term:
        """Return the value of a part of the expression."""
        if isinstance(tree, str):
            return self.number(tree) if tree.type == "NUMBER" else self.name(tree)
        if depth > DEPTH:
            raise ExpressionError(f"more than {DEPTH} nested parts", self.text)
        parts = tree.parts
        if tree.rule == "call":
            return self.call(cast("Token", parts[0]), parts[1:], depth + 1)
        if tree.rule == "unary":
            operand = self.term(parts[1], depth + 1)
            values = -operand.values if parts[0] == "-" else operand.values
            return _Term(values, operand.unit, operand.position)
        result = self.term(parts[0], depth + 1)
        for sign, part in zip(parts[1::2], parts[2::2], strict=True):
            other = self.term(part, depth + 1)
            result = self.operation(cast("Token", sign), result, other)
        return result

    def operation(self, sign: Token, a: _Term, b: _Term) -> _Term:
        """Return a + b, a - b, a * b, a / b or a ** b."""
        if sign in "+-":
            unit = self.same_unit([a, b], f"{str(sign)!r}", place_of(sign))
            values = a.values + b.values if sign == "+" else a.values - b.values
            return _Term(values, unit, a.position)
        if sign == "**":
            return self.power(a, b)
        both = a.unit is None and b.unit is None
        values = _formula(OPERATORS[sign].formula, a, b)
        unit = a.own_unit * b.own_unit if sign == "*" else a.own_unit / b.own_unit
        return _Term(values, None if both else unit, a.position)

    def power(self, a: _Term, b: _Term) -> _Term:
        self.require_number(b, "an exponent")
        values = _formula(OPERATORS["**"].formula, a, b)
        if a.unit is None or not a.own_unit.powers:
            return _Term(values, a.unit if b.unit is None else ONE, a.position)
        if b.values.ndim or not np.isfinite(b.values):
            self.fail(f"the exponent of a quantity in {a.unit} must be one number", b.position)
        exponent = Fraction(float(b.values)).limit_denominator(1000)
        return _Term(values, a.unit**exponent, a.position)

    def same_unit(self, terms: Sequence[_Term], what: str, position: int) -> Unit | None:
        """Return the common unit of terms that are added or compared; bare numbers have none."""
        units = [term.unit for term in terms if term.unit is not None]
        for other in units[1:]:
            if other.dimension != units[0].dimension:
                self.fail(
                    f"{what} takes quantities of one unit, not {units[0]} and {other}; "
                    "VALUE(x) is x without its unit",
                    position,
                )
        return units[0] if units else None

    def require_number(self, term: _Term, what: str) -> None:
        """Check that a term has no unit; angles are accepted."""
        if term.unit is not None and term.unit.dimension:
            self.fail(f"{what} is a number, not in {term.unit}", term.position)

    def number(self, token: Token) -> _Term:
        in_degrees = token[-1] in "dD"
        value = float(token[:-1]) * CONSTANTS["DTOR"] if in_degrees else float(token)
        return _Term(np.asarray(value), None, place_of(token))

    def name(self, token: Token) -> _Term:
        name, place = _plain(token), place_of(token)
        if name in self.bound:
            return self.bound[name]
        if name in self.curves:
            curve = self.curves[name]
            return _Term(curve.values[self.chosen], unit_of_text(curve.unit), place)
        if token.upper() == "TIME":
            return _Term(self.t, SECOND, place)
        if token.upper() in CONSTANTS:
            return _Term(np.asarray(CONSTANTS[token.upper()]), None, place)
        near = get_close_matches(name, list(self.curves), n=3, cutoff=0.5)
        groups = dict.fromkeys(name.partition(".")[0] for name in self.curves)
        known = f"the nearest are {', '.join(near)}" if near else f"there are {', '.join(groups)}"
        self.fail(f"there is no channel {name!r}; {known}", place)

    def call(self, token: Token, parts: Sequence[Tree | Token], depth: int) -> _Term:
        name, place = token.upper(), place_of(token)
        if name == "INT":
            self.fail(_OTHER_MEANING, place)
        if name not in (known := function_names()):
            near = get_close_matches(name, known, n=3) or known
            self.fail(f"{name} is not a function of curves; {', '.join(near)} are", place)
        operation = SIGNALS.get(name) or FUNCTIONS[name]
        check_arguments(self.text, operation, token, parts)
        terms = [self.term(part, depth) for part in parts[::2]]
        if name in SIGNALS:
            return self.signal(name, terms, place)
        if not operation.js:
            return self.evaluate_definition(operation, terms, place, depth)
        unit = self.unit_of_call(operation, terms, place)
        return _Term(_formula(operation.formula, *terms), unit, place)

    def evaluate_definition(
        self, operation: Operation, terms: Sequence[_Term], place: int, depth: int
    ) -> _Term:
        """Return value and unit of a function defined by an expression."""
        text = operation.text_of(len(terms))
        bound = dict(zip(operation.parameters, terms, strict=False))
        inner = _Evaluation(text, {}, self.t, self.chosen, bound)
        try:
            return replace(inner.term(syntax_tree(text, QUOTED), depth), position=place)
        except ExpressionError as error:
            self.fail(f"{operation.signature}: {error.reason}", place)

    def unit_of_call(self, operation: Operation, terms: Sequence[_Term], place: int) -> Unit | None:
        """Return the unit of a function's result."""

        def choose(names: str) -> list[_Term]:
            return [terms[k] for k in operation.indices(names) if k < len(terms)]

        name, alike = operation.name, operation.alike
        for k, term in enumerate(choose(operation.numbers)):
            what = "the argument" if len(terms) == 1 else operation.numbers.split()[k]
            self.require_number(term, f"{what} of {name}")
        what = name if alike == "all" else f"{alike.partition(' ')[0]} of {name}"
        self.same_unit(choose(alike), what, place)
        unit = self.same_unit(choose(operation.heights), name, place)
        if all(term.unit is None for term in terms):
            return None
        if operation.unit:
            return unit_of_text(operation.unit_of())
        return (unit or ONE) ** Fraction(operation.power)

    def signal(self, name: str, terms: Sequence[_Term], place: int) -> _Term:
        """Return derivative, integral or filter of a curve, or its values without unit."""
        first = terms[0]
        if name == "VALUE":
            return _Term(first.values, None if first.unit is None else ONE, place)
        values = np.array(np.broadcast_to(first.values, self.t.shape))
        self.is_discretised = True
        if name == "INTEGRAL":
            return _Term(signals.integral(self.t, values), first.own_unit * SECOND, place)
        if name in ("DERIVATIVE", "DIF"):
            return _Term(signals.derivative(self.t, values), first.own_unit / SECOND, place)
        cutoff, order = [*(self.constant(term) for term in terms[1:]), float(signals.ORDER)][:2]
        if order != int(order):
            self.fail(f"a filter's order is a whole number; here it is {order:g}", place)
        return _Term(signals.low_pass(self.t, values, cutoff, int(order)), first.unit, place)

    def constant(self, term: _Term) -> float:
        if term.values.ndim or not np.isfinite(term.values):
            self.fail("the cut-off and the order of a filter are plain numbers", term.position)
        return float(term.values)

    def fail(self, reason: str, position: int) -> NoReturn:
        raise ExpressionError(reason, self.text, position)


def _formula(formula: Callable[..., Jet], *terms: _Term) -> Array:
    """Return a function of the drives' language, sample by sample; NaN where undefined."""
    values = np.asarray(formula(*(Jet.constant(term.values) for term in terms)).value)
    return np.where(np.isfinite(values), values, np.nan)
