"""Function expressions of ADAMS: parsed, evaluated, searched for breaks, integrated, linted.

The oracle of the derivatives is the finite difference, where those of two steps agree.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np

from sim.errors import ExpressionError, SimError
from sim.functions import Expression, antiderivative, expression, lint, spline
from sim.functions.lint import LEVELS
from sim.functions.operations import CONSTANTS, FUNCTIONS
from sim.functions.spline_functions import SIGNATURES, Data
from sim.maths.arrays import Array
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, WORDS, text_mutated
from tools.fuzz.target import BrokenError, refusal

SPLINES: dict[str, Data] = {
    "1": spline([0.0, 0.3, 0.5, 0.9, 1.0], [0.0, 1.0, -1.0, 0.5, 2.0]),
    "path": tuple(spline([0.0, 0.5, 1.0, 2.0], [0.0, k, -1.0, 0.5]) for k in (1.0, 2.0, 3.0)),
}
TIMES = np.concatenate([np.linspace(0.0137, 1.9871, 23), [0.0, 0.5, 1.0, 2.0]])
SAID = (
    *(f"{name}(" for name in (*FUNCTIONS, *SIGNATURES)),
    *(*CONSTANTS, "TIME", "time", "**", ",", ":", "(", ")", "&\n", "! no\n", "90d", "1e-3"),
    *("1.5d-3", "IF(time-1: 0, 1, 2)", "STEP(time,0,0,1,1)", "DELAY(time,0.1,0)", "DX(1,2)"),
)
PLAIN = (*"0 1 2 3 0.5 -1 10d 0.1 1e-3 -2.5 pi".split(), *("time",) * 3)
FD = 2e-2  # of the size of the derivative; wrong formulas are off by a factor


class ExpressionTarget:
    """A text as a function of time."""

    name = "expression"
    suffix = ".txt"

    def seeds(self) -> list[bytes]:
        """Return each function once, and some drives."""
        some = ("STEP(time, 0, 0, 0.5, 72d)", "10d * SIN(PI * time)**2", "-(time - 1)**3 / 2 ! x")
        chance = random.Random(0)
        each = [_call(name, chance, 1) for name in (*FUNCTIONS, *SIGNATURES)]
        return [text.encode() for text in (*some, *each)]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return a new one of the grammar, or changes of the text."""
        if chance.random() < 0.4:
            return grown(chance, chance.choice([2, 3, 3, 4])).encode()

        def said(text: str, chance: random.Random) -> str:
            place = chance.randrange(len(text) + 1)
            return text[:place] + chance.choice(SAID) + text[place:]

        return text_mutated(data, chance, [*TEXT_CHANGES, said, said, said], 3000)

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Do everything that is done with a drive."""
        text = data.decode("utf-8", "replace")
        try:
            function = expression(text, SPLINES)
        except SimError as error:
            return refusal(error)
        told = [_derivatives(function)]
        for level in LEVELS[:: 1 if whole else 3]:
            try:
                told += sorted({f.code for f in lint(function, level, duration=2.0)})
            except SimError as error:
                told.append(refusal(error))
        try:
            integral = antiderivative(function, 0.0, 2.0)
            if not np.all(np.isfinite(integral.value(TIMES))):
                raise BrokenError("an integral that is not finite, and nobody says so")
            told.append("integral")
        except ExpressionError as error:
            raise BrokenError(f"an expression that is read is refused later: {error}") from error
        except SimError as error:
            told.append(refusal(error))
        return " ".join(told)

    def parts(self, data: bytes) -> list[bytes]:
        """Return its characters."""
        return [data[k : k + 1] for k in range(len(data))]

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the text of some characters."""
        return b"".join(parts)


# At such a phase a wave has too few digits for finite differences.
LARGE = 1e6
_NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?")


def _derivatives(function: Expression) -> str:
    f, f1, f2 = function.derivatives(TIMES)
    if not all(part.shape == TIMES.shape for part in (f, f1, f2)):
        raise BrokenError("values of another shape than the times")
    if not np.array_equal(function.value(TIMES), f, equal_nan=True):
        raise BrokenError("value and derivatives give different values")
    try:
        breaks = function.breaks(-0.5, 2.5)
    except SimError as error:
        return refusal(error)
    if not (np.all(np.isfinite(breaks)) and np.all(np.diff(breaks) > 0)):
        raise BrokenError(f"breaks that do not ascend: {breaks[:5]}")
    if max(map(float, _NUMBER.findall(function.text)), default=0.0) < LARGE:
        _compare(function, TIMES, breaks, f1, order=0)
        _compare(function, TIMES, breaks, f2, order=1)
    return f"{'smooth' if not breaks.size else 'breaks'}, {int(np.isfinite(f).sum() > 0)}"


def _compare(function: Expression, t: Array, breaks: Array, told: Array, order: int) -> None:
    """Compare a derivative with differences of the previous one, at three steps that must agree."""
    with np.errstate(all="ignore"):
        near = np.min(np.abs(t[:, None] - breaks), axis=1) if breaks.size else np.full(t.size, 9.0)
        sizes = np.zeros(t.size)
        slopes = []
        for h in (4e-4, 2e-4, 1e-4):
            ahead, behind = (function.derivatives(t + s)[order] for s in (h, -h))
            slopes.append((ahead - behind) / (2 * h))
            sizes = np.maximum(sizes, np.maximum(np.abs(ahead), np.abs(behind)))
        a, b, c = slopes
        size = np.abs(c) + np.abs(told)
        rounding = 1e-10 * sizes / 1e-4
        steady = (np.abs(a - b) + np.abs(b - c)) <= 1e-3 * np.abs(c) + rounding
        ok = np.abs(told - c) <= FD * size + 10 * rounding + 1e-9
        judged = steady & (near > 1e-3) & np.isfinite(c) & np.isfinite(told) & (sizes < 1e100)
        judged &= c != 0  # otherwise rounding may make the values one number: COS(1e16 + time)
        wrong = np.flatnonzero(judged & ~ok)
    # a kink between samples affects few times; a wrong formula most
    if wrong.size > 0.3 * max(int(judged.sum()), 6):
        k = wrong[0]
        raise BrokenError(
            f"derivative {order + 1} is not that of the values: {told[k]:.9g} at t = {t[k]:.6g}, "
            f"by differences {c[k]:.9g}"
        )


def grown(chance: random.Random, depth: int) -> str:
    """Return a text of the grammar, or nearly."""
    if depth == 0 or chance.random() < 0.15:
        odd = chance.random() < 0.05
        return str(chance.choice(NUMBERS + WORDS if odd else PLAIN))
    how = chance.randrange(10)
    if how <= 2:
        operator = chance.choice(["+", "-", "*", "/", "**", " - "])
        return f"{grown(chance, depth - 1)}{operator}{grown(chance, depth - 1)}"
    if how == 3:
        return f"({grown(chance, depth - 1)})"
    if how == 4:
        return f"-{grown(chance, depth - 1)}"
    names: Sequence[str] = (*FUNCTIONS, *SIGNATURES)
    return _call(chance.choice(names), chance, depth)


def _call(name: str, chance: random.Random, depth: int) -> str:
    if name in SIGNATURES:
        first = grown(chance, depth - 1)
        order = chance.choice(["0", "1", "2"])
        if name == "CURVE":
            return f"CURVE({first}, {order}, {chance.choice('123')}, path)"
        return f"{name}({first}, {chance.choice('013')}, 1, {order})"
    function = FUNCTIONS[name]
    most = min(len(function.parameters), function.fewest_arguments + 3)
    count = chance.randint(function.fewest_arguments, most)
    words = [grown(chance, depth - 1) for _ in range(count)]
    for place, simple in (("x0", "0.2"), ("x1", "1.3")):  # most profiles ascend
        if place in function.parameters[:count] and chance.random() < 0.8:
            words[function.parameters.index(place)] = simple
    if name == "IF":
        return f"IF({words[0]}: {', '.join(words[1:])})"
    return f"{name}({', '.join(words)})"


TARGET = ExpressionTarget
