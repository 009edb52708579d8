"""Warnings about expressions that are valid but probably not what the user intends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from sim.functions.expression import Expression
from sim.functions.jet import Jet
from sim.functions.spline import JUMPS, Spline
from sim.functions.syntax import Call, Node, Number, Time, constant, evaluate, walk
from sim.maths.arrays import Array
from sim.maths.units import ANGULAR, Units

Level = Literal["displacement", "velocity", "acceleration", "torque"]

RUN = 10.0
"""The run that is looked at where no duration is given [s]; more if a profile goes on longer."""

LEVELS: tuple[Level, ...] = ("displacement", "velocity", "acceleration", "torque")

SUDDEN = 1e-6
"""What a drive does within this part of a run, it does at once."""

LARGE = (6.5, 6.5, 65.0)
"""Bare numbers from here on look like degrees in a drive in [rad], [rad/s], [rad/s²]."""

LONG = (20.0, 20.0, 500.0)
"""Bare numbers from here on look like millimetres in a drive in [m], [m/s], [m/s²]."""

JUMPING = (
    ("position", "no finite acceleration does that"),
    ("velocity", "no finite acceleration does that"),
    ("acceleration", "the torque or force jumps with it"),
    ("torque or force", "the acceleration jumps with it"),
)
"""What a jump in a drive is, and what comes of it."""


class LintWarning(Struct, frozen=True):
    """A warning about an expression.

    Parameters
    ----------
    code : str
        ``missing-d``, ``degrees``, ``millimetres``, ``d-exponent``, ``acceleration-jump``,
        ``havsin-order``, ``short-run``, ``discontinuous`` or ``rough-spline``.
    message : str
        Consequence and remedy, with numbers and units.
    position : int or None
        Index into the expression of the suspicious part, if there is a single one.
    """

    code: str
    message: str
    position: int | None = None


class _Profile(Struct, frozen=True):
    """A STEP, STEP5 or HAVSIN between two times [s]."""

    call: Call
    start: float
    end: float


class _Drive(Struct, frozen=True):
    """Arguments of lint: a function, the index of its level, its units, its run and breaks [s]."""

    function: Expression
    order: int
    units: Units
    run: float
    breaks: Array

    def amount(self, value: float, order: int) -> str:
        """Return a value of the derivative of this order with its unit, angles also in degrees."""
        return _amount(value, self.units[self.order + order])


def lint(
    function: Expression, level: Level, units: Units = ANGULAR, duration: float | None = None
) -> tuple[LintWarning, ...]:
    """Return warnings about a drive, none if nothing is suspicious.

    Parameters
    ----------
    function : Expression
        The drive, in [rad] or [m], per second or second squared by `level`; or in [N·m or N].
    level : {"displacement", "velocity", "acceleration", "torque"}
        Prescribed quantity of the joint, or the torque that the drive exerts.
    units : Units
        Units of the driven coordinate.
    duration : float, optional
        Length of the run, from t = 0 [s].
    """
    profiles = list(_profiles(function.tree))
    last = max((profile.end for profile in profiles), default=0.0)
    run = max(RUN, last) if duration is None else duration
    drive = _Drive(function, LEVELS.index(level), units, run, function.breaks(-run, run))
    with np.errstate(all="ignore"):
        return (
            *_bare_numbers(drive),
            *_exponents(function.text),
            *_havsin_order(function.tree),
            *_jumps(drive),
            *_corners(drive, profiles),
            *_short_run(profiles, run),
            *_spline_calls(drive),
        )


def lint_spline(function: Spline, level: Level, units: Units = ANGULAR) -> tuple[LintWarning, ...]:
    """Return warnings about a spline as a drive, in another unit or with unreliable derivatives."""
    order = LEVELS.index(level)
    return (
        *_warn_of_points(function, 0, order, units),
        *_warn_of_jumps(function.kind, order, None),
    )


def _warn_of_points(
    points: Spline, derivative: int, order: int, units: Units, call: Call | None = None
) -> Iterator[LintWarning]:
    """Warn of points in [rad] or [m] so large that they may be in degrees or millimetres."""
    turns = units is ANGULAR
    peak = float(np.abs(points.derivative(points.knots, derivative)).max())
    if peak >= (*(LARGE if turns else LONG), np.inf)[order]:
        code, meant = ("degrees", "degrees") if turns else ("millimetres", "mm")
        message = (
            f"the spline's points go up to {_amount(peak, units[order])}: are they in {meant}?"
        )
        yield LintWarning(code, message, None if call is None else call.position)


def _bare_numbers(drive: _Drive) -> Iterator[LintWarning]:
    """Warn of numbers in [rad] or [m] so large that they may be degrees or millimetres."""
    heights = list(_heights(drive.function.tree))
    numbers = [one for one in heights if isinstance(one, Number)]
    converted = any(not number.is_literal for number in numbers)
    peak = np.nanmax(np.abs(_samples(drive)[0]), initial=0.0)
    turns = drive.units is ANGULAR
    large = (*(LARGE if turns else LONG), np.inf)[drive.order]
    if converted or peak < large:
        return
    for one in heights:
        if isinstance(one, Call) and one.bound is not None and one.bound.curve is not None:
            yield from _warn_of_points(*one.bound.curve, drive.order, drive.units, one)
    for number in numbers:
        if number.value >= large and not number.in_degrees:
            amount = drive.amount(number.value, 0)
            if turns:
                yield LintWarning(
                    "missing-d", f"{amount}: is {number.text}d meant?", number.position
                )
            else:
                meant = f"is {_digits(number.value / 1000)} meant, {number.text} mm?"
                yield LintWarning("millimetres", f"{amount}: {meant}", number.position)


def _heights(node: Node) -> Iterator[Number | Call]:
    """Yield the numbers and splines measured in the unit of the expression's value."""
    if isinstance(node, Number) or (
        isinstance(node, Call) and node.bound is not None and node.bound.curve is not None
    ):
        yield node
    elif isinstance(node, Call) and not (node.name == "+" and _has_time(node.arguments)):
        for index, argument in enumerate(node.arguments):
            if node.function.is_height(index):
                yield from _heights(argument)


def _has_time(terms: tuple[Node, ...]) -> bool:
    return any(isinstance(term, Time) for term in terms)


def _exponents(text: str) -> Iterator[LintWarning]:
    """Warn of numbers in degrees that look like Fortran's double precision, 1.5d-3."""
    for match in re.finditer(
        r"(?<![\w.])((?:\d++\.?\d*+|\.\d++)d)([+-])(\d++)(?![\w.]|\s*[*/])", text, re.IGNORECASE
    ):
        degrees, sign, rest = match.groups()
        message = (
            f"{match[0]} is read as {degrees[:-1]}° {sign} {rest}; an exponent is written with e"
        )
        yield LintWarning("d-exponent", message, match.start())


def _havsin_order(tree: Node) -> Iterator[LintWarning]:
    """Warn of calls of HAVSIN with heights in place of times."""
    for node in walk(tree):
        if not isinstance(node, Call) or node.name != "HAVSIN":
            continue
        _, x0, h0, x1, h1 = node.arguments
        begin, end = constant(x0), constant(h0)
        ascending = begin is not None and end is not None and begin < end and end != 0.0
        if ascending and not _in_degrees(h0) and (_in_degrees(x1) or _in_degrees(h1)):
            message = f"{node.function.signature}: {node.function.trap}"
            yield LintWarning("havsin-order", message, node.position)


def _in_degrees(node: Node) -> bool:
    return any(isinstance(part, Number) and part.in_degrees for part in walk(node))


def _jumps(drive: _Drive) -> Iterator[LintWarning]:
    """Warn of jumps that require infinite acceleration, and of jumps of the acceleration."""
    times = drive.breaks[(drive.breaks > 0.0) & (drive.breaks < drive.run)]
    is_distinct = np.diff(times) > SUDDEN * drive.run
    times, ends = (
        times[np.append(True, is_distinct)[: times.size]],
        times[np.append(is_distinct, True)[: times.size]],
    )
    for order in range(max(1, 2 - drive.order)):
        jumps = _jump(drive, times, order, ends)
        first = np.flatnonzero(jumps)
        if first.size:
            what, effect = JUMPING[drive.order + order]
            more = f", and {first.size - 1} times more" if first.size > 1 else ""
            amount = drive.amount(jumps[first[0]], order)
            width = float(ends[first[0]] - times[first[0]])
            within = f" within {_digits(width)} s" if width else ""
            at = f"at t = {times[first[0]]:.6g} s{within}{more}"
            message = f"the {what} jumps by {amount} {at}: {effect}"
            yield LintWarning("discontinuous", message)
            return


def _corners(drive: _Drive, profiles: list[_Profile]) -> Iterator[LintWarning]:
    """Warn of profiles of a displacement whose acceleration jumps at their ends."""
    for profile in profiles if drive.order == 0 else ():
        if not (corner := profile.call.function.corner):
            continue
        ends = np.array([t for t in (profile.start, profile.end) if 0.0 <= t <= drive.run])
        jumps = _jump(drive, ends, 2)
        if np.any(jumps):
            name, largest = profile.call.name, jumps[np.argmax(np.abs(jumps))]
            message = (
                f"{name} at displacement level: the acceleration jumps by {corner}, "
                f"{drive.amount(abs(largest), 2)}; use STEP5, or {name} at velocity level"
            )
            yield LintWarning("acceleration-jump", message, profile.call.position)


def _short_run(profiles: list[_Profile], run: float) -> Iterator[LintWarning]:
    if profiles:
        last = max(profiles, key=lambda profile: profile.end)
        if last.end > run * (1.0 + 1e-9):
            message = f"the run ends at {run:g} s but the profile continues to {last.end:g} s"
            yield LintWarning("short-run", message, last.call.position)


def _spline_calls(drive: _Drive) -> Iterator[LintWarning]:
    for node in walk(drive.function.tree):
        if isinstance(node, Call) and node.bound is not None and node.bound.curve is not None:
            yield from _warn_of_jumps(node.bound.curve[0].kind, drive.order, node)


def _warn_of_jumps(kind: str, order: int, call: Call | None) -> Iterator[LintWarning]:
    """Warn of a drive whose acceleration is a derivative that jumps between points."""
    acceleration = 2 - order  # order of the drive's derivative that is the acceleration
    if acceleration < JUMPS.get(kind, 3):
        return
    what = "a velocity" if JUMPS[kind] < acceleration else "an acceleration"
    name = call.name if call is not None else f"a spline of kind {kind}"
    message = (
        f"{name} gives {what} that jumps at every point, and unreliable torques: use CUBSPL, "
        "whose first and second derivatives are continuous"
    )
    yield LintWarning("rough-spline", message, None if call is None else call.position)


def _profiles(tree: Node) -> Iterator[_Profile]:
    """Yield STEP-like calls with a change in value and known times."""
    for node in walk(tree):
        if not isinstance(node, Call) or node.name not in ("STEP", "STEP5", "HAVSIN"):
            continue
        x, x0, h0, x1, h1 = (evaluate(a, Jet.time(np.array([0.0, 1.0]))) for a in node.arguments)
        level = h0.is_constant and h1.is_constant and bool(np.all(h0.value == h1.value))
        if not level and x.is_affine and x.first != 0.0 and x0.is_constant and x1.is_constant:
            times = sorted(float(((end - x).value / x.first)[0]) for end in (x0, x1))
            yield _Profile(node, *times)


def _jump(drive: _Drive, times: Array, order: int, ends: Array | None = None) -> Array:
    """Return the jump of the derivative of this order at the times, 0 if it is rounding.

    With `ends` the change from each time to an end too close to see anything between.
    """
    before = np.concatenate([[-np.inf], drive.breaks])[np.searchsorted(drive.breaks, times)]
    back = np.minimum(SUDDEN * drive.run, 1e-3 * (times - before))
    left = drive.function.derivatives(times - back)
    right = drive.function.derivatives(times if ends is None else ends)
    taylor = (1.0, back, 0.5 * back * back)
    limit = sum(part * factor for part, factor in zip(left[order:], taylor, strict=False))
    jump = right[order] - limit
    size = np.nanmax(np.abs(_samples(drive)[order]), initial=0.0)
    return np.where(np.abs(jump) > 1e-5 * size, jump, 0.0)


def _amount(value: float, unit: str) -> str:
    """Return a value with its unit, angles also in degrees."""
    degrees = f" = {_digits(np.degrees(value))}°{unit[3:]}" if "rad" in unit else ""
    return f"{_digits(value)} {unit}{degrees}"


def _digits(value: float) -> str:
    return np.format_float_positional(value, precision=4, fractional=False, trim="-")


def _samples(drive: _Drive) -> tuple[Array, Array, Array]:
    return drive.function.derivatives(np.linspace(0.0, drive.run, 1001))
