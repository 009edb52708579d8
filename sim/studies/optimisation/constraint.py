"""Quantity: a number of a case, by responses and parameters; Constraint: its limits."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow
from sim.studies.responses import POWER, RATINGS, STATISTICS, checks_of, parse_response

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "min": min, "max": max,
}  # fmt: skip
OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip

PEAK = "peak "

# A response in an expression: quoted, a statistic of a channel, or a name.
RESPONSE = re.compile(
    r"'(?P<quoted>[^']+)'"
    rf"|\b(?P<channel>(?:{'|'.join(STATISTICS)})\s+[A-Za-z_][\w.]*)"
    r"|\b(?P<plain>energy|margin(?:\.\w+)?)\b"
)

CHECKS = "checks"
ROUNDED = 1e-12  # relative to a bound: rounding


@dataclass(frozen=True)
class Quantity:
    """A number of each case, or several for a pattern.

    Parameters
    ----------
    text : str
        Requested text.
    responses : tuple of str
        Responses it is computed from, as texts of a study.
    tree : ast.expr or None
        None for a single response or pattern.
    """

    text: str
    responses: tuple[str, ...]
    tree: ast.expr | None = field(default=None, repr=False, compare=False)

    def values(self, row: CaseRow) -> dict[str, float]:
        """Return its numbers by name; NaN if the case has none."""
        if not row.is_run:
            return {self.text: math.nan}
        if self.tree is None:
            named = {name: _number(row, name) for name in names_of(self.responses[0], row)}
            return named or {self.text: math.nan}
        try:
            value = float(_evaluate(self.tree, self._variables(row)))
        except (ArithmeticError, ValueError, TypeError):  # a root of a negative number
            return {self.text: math.nan}
        return {self.text: value if math.isfinite(value) else math.nan}

    def upper_values(self, row: CaseRow) -> dict[str, float]:
        """Return numbers whose maximum is the maximum of `values`.

        A peak is the larger of maximum and negative minimum, each of which is smooth, while the
        peak has a kink.
        """
        parts: dict[str, float] = {}
        for name, value in self.values(row).items():
            channel = name.removeprefix(PEAK)
            ends = [row.response(f"{end} {channel}") for end in ("max", "min")]
            if self.tree is None and name.startswith(PEAK) and None not in ends:
                high, low = ends
                parts |= {f"max {channel}": high, f"-min {channel}": -low}  # type: ignore[operator,dict-item]
            else:
                parts[name] = value
        return parts

    def unit(self, row: CaseRow) -> str:
        """Return the unit of a response; empty for an expression."""
        names = () if self.tree is not None else names_of(self.responses[0], row)
        units = {row.responses[name][1] for name in names} - {"1"}
        return units.pop() if len(units) == 1 else ""

    def _variables(self, row: CaseRow) -> dict[str, float]:
        numbers = {k: float(v) for k, v in row.parameters.items() if isinstance(v, int | float)}
        for k, response in enumerate(self.responses):
            (name,) = names_of(response, row) or ("",)
            numbers[_placeholder(k)] = _number(row, name)
        return numbers


def names_of(response: str, row: CaseRow) -> list[str]:
    """Return the responses of a case that match a name or pattern; user functions by name."""
    short = response.rpartition(".py:")[2]
    return [name for name in row.responses if name == short or fnmatchcase(name, short)]


def _number(row: CaseRow, name: str) -> float:
    value = row.response(name)
    return math.nan if value is None else value


def _placeholder(k: int) -> str:
    return f"_response_{k}"


def _evaluate(tree: ast.expr, numbers: Mapping[str, float]) -> float:
    """Evaluate an expression accepted by `parse_quantity`."""
    match tree:
        case ast.Constant(value):
            return float(value)  # type: ignore[arg-type]
        case ast.Name(name):
            return numbers[name]
        case ast.UnaryOp(op, operand):
            return OPERATORS[type(op)](_evaluate(operand, numbers))
        case ast.BinOp(left, op, right):
            return OPERATORS[type(op)](_evaluate(left, numbers), _evaluate(right, numbers))
        case ast.Call(ast.Name(name), args):
            return FUNCTIONS[name](*(_evaluate(one, numbers) for one in args))
    raise TypeError(ast.dump(tree))  # pragma: no cover - refused by the parser


def parse_quantity(text: str, parameters: Sequence[str], option: str) -> Quantity:
    """Parse a quantity: a response, or an expression of responses and parameters.

    Parameters
    ----------
    parameters : sequence of str
        Parameters with a value in each case.

    Raises
    ------
    ScenarioError
        If it is invalid, with what is allowed.
    """
    try:
        one = parse_response(text.strip())
    except ScenarioError as error:
        reason = str(error)
    else:
        _require_distinct([one.text], parameters, f"{option} {text!r}")
        of_peak = (f"max {one.pattern}", f"min {one.pattern}") if one.statistic == "peak" else ()
        return Quantity(text.strip(), (one.text, *of_peak))
    responses: list[str] = []

    def take(match: re.Match[str]) -> str:
        named = match["quoted"] or match["channel"] or match["plain"]
        one = parse_response(" ".join(named.split())).text
        if "*" in one.rpartition(".py:")[2]:
            raise ScenarioError(
                f"{option} {text!r}: the pattern {named!r} names several responses; name each in "
                "an expression: max(peak tau.a, peak tau.b)"
            )
        responses.append(one)
        return _placeholder(len(responses) - 1)

    replaced = RESPONSE.sub(take, text)
    try:
        tree = ast.parse(replaced.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ScenarioError(reason.replace("--response", option)) from None
    _require_distinct(responses, parameters, f"{option} {text!r}")
    names = [*map(_placeholder, range(len(responses))), *parameters]
    _require_arithmetic(tree, names, f"{option} {text!r}")
    if not responses and not any(isinstance(one, ast.Name) for one in ast.walk(tree)):
        raise ScenarioError(f"{option} {text!r} is a constant; give a response such as energy")
    return Quantity(text.strip(), tuple(responses), tree)


def _require_distinct(responses: Sequence[str], parameters: Sequence[str], what: str) -> None:
    if both := set(responses).intersection(parameters):
        raise ScenarioError(
            f"{what}: {min(both)!r} is both a response and a varied parameter; rename the parameter"
        )


def _require_arithmetic(tree: ast.expr, names: Sequence[str], what: str) -> None:
    """Check that an expression has only numbers, known names and functions, and operators."""
    match tree:
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            return
        case ast.Name(name) if name in names:
            return
        case ast.Name(name):
            known = ", ".join(one for one in names if not one.startswith("_response_"))
            raise ScenarioError(
                f"{what}: {name!r} is neither a response nor a varied parameter; parameters: "
                f"{known or 'none'}; responses: energy, margin, 'peak tau.JOINT' and others"
            )
        case ast.UnaryOp(op, operand) if type(op) in OPERATORS:
            return _require_arithmetic(operand, names, what)
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            _require_arithmetic(left, names, what)
            return _require_arithmetic(right, names, what)
        case ast.Call(ast.Name(name), args, []) if name in FUNCTIONS and args:
            for one in args:
                _require_arithmetic(one, names, what)
            return None
    allowed = f"+ - * / ** ( ) and {', '.join(FUNCTIONS)}"
    raise ScenarioError(
        f"{what}: {ast.unparse(tree)!r} is not allowed in an expression; allowed: numbers, "
        f"responses, varied parameters, {allowed}"
    )


@dataclass(frozen=True)
class ResponseConstraint:
    """Bound of a quantity, or the requirement that every check passes.

    Parameters
    ----------
    text : str
        Text such as ``peak tau.j1 <= 330``.
    quantity : Quantity or None
        None for ``checks``.
    sign : {1, -1}
        1 for a lower bound, -1 for an upper one.
    bound : float
    """

    text: str
    quantity: Quantity | None = None
    sign: int = 1
    bound: float = 0.0

    @property
    def scale(self) -> float:
        """Size of the bound, which makes slacks comparable."""
        return abs(self.bound) or 1.0

    def slacks(self, row: CaseRow) -> dict[str, float]:
        """Return the slack by name; negative outside, NaN if the case has no value.

        A margin has one for each of its ratings, so that each is smooth.
        """
        if self.quantity is None:
            return _slacks_of_checks(row)
        if (checks := self._checks) and row.is_run:
            shares = _rating_slacks(row, checks)
            return {name: slack - self.bound for name, slack in shares.items()} or {self.text: 1.0}
        values = self.quantity.values(row) if self.sign > 0 else self.quantity.upper_values(row)
        return {name: self._slack(value) for name, value in values.items()}

    @property
    def _checks(self) -> tuple[str, ...]:
        """Ratings of a margin with a lower bound; empty for other quantities."""
        if self.quantity is None or self.quantity.tree is not None or self.sign < 0:
            return ()
        one = parse_response(self.quantity.responses[0])
        return checks_of(one.text) if one.is_margin and one.text != POWER else ()

    def _slack(self, value: float) -> float:
        inside = self.sign * (value - self.bound)
        return 0.0 if -ROUNDED * abs(self.bound) <= inside < 0 else inside


def _rating_slacks(row: CaseRow, checks: Iterable[str]) -> dict[str, float]:
    """Return the margin to each rating, relative to it; -1 beyond a range without a fraction."""
    return {
        f"{channel} {check}": _margin_of(one.used, ok=one.ok)
        for check in checks
        for channel, one in row.ratings.get(check, {}).items()
    }


def _margin_of(share: float | None, *, ok: bool) -> float:
    if share is None:
        return 0.0 if ok else -1.0
    return 1.0 - (min(share, 1.0) if ok else share)


def _slacks_of_checks(row: CaseRow) -> dict[str, float]:
    """Return the margin to the limit of each rating, and of all other checks by kind."""
    if not row.is_run:
        return {CHECKS: math.nan}
    others = {name: one for name, one in row.worst.items() if name not in RATINGS}
    slacks = {name: _margin_of(one.used, ok=one.ok) for name, one in others.items()}
    return _rating_slacks(row, RATINGS) | slacks or {CHECKS: 0.0}


def parse_constraint(text: str, parameters: Sequence[str]) -> ResponseConstraint:
    """Parse a constraint such as ``peak tau.j1 <= 330`` or ``checks``.

    Raises
    ------
    ScenarioError
        If it is invalid.
    """
    if text.strip() == CHECKS:
        return ResponseConstraint(CHECKS)
    parts = re.fullmatch(r"(.+?)(>=|<=)\s*([-+.0-9eE]+)\s*", text)
    try:
        expression, sign, right = parts.groups() if parts else ("", "", "nan")
        bound = float(right)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise ScenarioError(
            "--subject-to requires QUANTITY<=NUMBER, QUANTITY>=NUMBER or checks, such as "
            f"'peak tau.j1 <= 330', got {text!r}"
        )
    quantity = parse_quantity(expression, parameters, "--subject-to")
    return ResponseConstraint(
        f"{quantity.text} {sign} {bound:g}", quantity, 1 if sign == ">=" else -1, bound
    )
