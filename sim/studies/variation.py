"""Variation: values of one parameter of a scenario in a study."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from sim.errors import ScenarioError
from sim.scenario.script import Script

DIGITS = 12  # of a value in a range: 0.3, not 0.30000000000000004
MOST_CASES = 1_000_000

FORMS = "0:10:21 (21 values from 0 to 10), 0.5,1,1.5 (a list), or 0:10 (a range to sample)"


@dataclass(frozen=True)
class Variation:
    """A parameter with a list of values, or with the range of a sampled design.

    Parameters
    ----------
    name : str
        Name of the parameter.
    values : tuple
        Empty for a sampled design.
    ends : tuple of two floats, or None
        First and last value, if numeric; in ascending order without `values`.
    is_whole : bool
        Whether only integers are values.
    """

    name: str
    values: tuple[object, ...]
    ends: tuple[float, float] | None = None
    is_whole: bool = False

    def at(self, share: float) -> float | int:
        """Return the value at a fraction of the range, 0 to 1.

        For integers the range is divided into equal intervals, one for each.
        """
        low, high = self.range
        if self.is_whole:
            steps = round(abs(high - low))
            step = min(int((steps + 1) * share), steps)
            return round(low) + (step if low < high else -step)
        return float(f"{low + share * (high - low):.{DIGITS}g}")

    def share_of(self, value: float) -> float:
        """Return a value as a fraction of the range, 0 to 1."""
        low, high = self.range
        return (value - low) / (high - low)

    @property
    def range(self) -> tuple[float, float]:
        """First and last value.

        Raises
        ------
        ScenarioError
            If the values are not numbers.
        """
        if self.ends is None:
            raise ScenarioError(
                f"--vary {self.name}: this design samples between two numbers; remove --design to "
                "compute each listed value"
            )
        return self.ends

    @property
    def text(self) -> str:
        """Text such as ``load = 0 … 10 in 21``."""
        if not self.values:
            low, high = self.range
            return f"{self.name} = {low:g} … {high:g}"
        if self.ends is not None and len(self.values) > 3:
            return f"{self.name} = {self.ends[0]:g} … {self.ends[1]:g} in {len(self.values)}"
        return f"{self.name} = {', '.join(map(value_text, self.values))}"


def value_text(value: object) -> str:
    """Return a parameter value in six digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "/".join(map(value_text, value)) if isinstance(value, tuple | list) else str(value)
    return f"{value:.6g}"


def decimal_places(precision: float) -> int:
    """Return the number of decimal places of a precision; negative for hundreds."""
    return -math.floor(math.log10(precision) + 1e-9)


def parse_variation(script: Script, text: str, option: str = "--vary") -> Variation:
    """Parse a variation such as ``payload=0:10:21``.

    Raises
    ------
    ScenarioError
        If the scenario has no such parameter, or the values are missing, non-numeric where numbers
        are required, not finite, or too many.
    """
    name, equals, typed = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise ScenarioError(f"{option} requires NAME=VALUES, got {text!r}; VALUES are {FORMS}")
    kind = script.parameters.get(name)
    if not typed:
        script.value_of(name, "0") if name not in script.parameters else None
        raise ScenarioError(f"{option} {name}= has no values; give {FORMS}")
    if ":" in typed and not isinstance(kind, str):
        return _parse_range(script, name, typed, option)
    parts = typed.split(";" if isinstance(kind, tuple) or ";" in typed else ",")
    values = tuple(script.value_of(name, part.strip()) for part in parts if part.strip())
    twice = [value for value, times in Counter(values).items() if times > 1]
    if not values or twice:
        what = f"the value {value_text(twice[0])} twice" if twice else "no values"
        raise ScenarioError(f"{option} {name}={typed} has {what}; give each once")
    return _of_values(name, values)


def _of_values(name: str, values: tuple[object, ...]) -> Variation:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    ends = (float(min(numbers)), float(max(numbers))) if len(numbers) == len(values) else None
    return Variation(name, values, ends, all(isinstance(v, int) for v in values))


def _parse_range(script: Script, name: str, typed: str, option: str) -> Variation:
    """Parse ``0:10:21`` or ``0:10``."""
    first, last, *rest = (part.strip() for part in (*typed.split(":"), "")[: typed.count(":") + 1])
    low, high = (script.value_of(name, end) for end in (first, last))
    if not all(isinstance(e, int | float) and not isinstance(e, bool) for e in (low, high)):
        raise ScenarioError(
            f"{option} {name}={typed}: {name!r} is not a number and has no range; give a list"
        )
    ends = float(str(low)), float(str(high))
    is_whole = isinstance(low, int) and isinstance(high, int)
    if ends[0] == ends[1] or not all(map(math.isfinite, ends)):
        raise ScenarioError(
            f"{option} {name}={typed} is an empty range; give different ends or one value"
        )
    if not rest and ends[0] > ends[1]:
        listed = f"; {name}={typed}:3 lists three values in falling order"
        raise ScenarioError(
            f"{option} {name}={typed} begins with the upper end of its range; write "
            f"{name}={last}:{first}{listed if option == '--vary' else ''}"
        )
    if not rest:
        return Variation(name, (), ends, is_whole)
    count = _parse_count(name, typed, rest, option)
    spaced = (float(f"{x:.{DIGITS}g}") for x in np.linspace(*ends, count))
    values = tuple(round(x) if is_whole and x == round(x) else x for x in spaced)
    if is_whole and not all(isinstance(value, int) for value in values):
        raise ScenarioError(
            f"{option} {name}={typed}: {name!r} requires whole numbers, and {count} values from "
            f"{low} to {high} are not; {int(abs(ends[1] - ends[0])) + 1} values are"
        )
    return Variation(name, values, ends, is_whole)


def _parse_count(name: str, typed: str, rest: list[str], option: str) -> int:
    if len(rest) > 1 or not (rest[0].isascii() and rest[0].isdigit() and int(rest[0]) >= 2):
        raise ScenarioError(
            f"{option} {name}={typed}: a range is first:last:count with a count of 2 or more"
        )
    if int(rest[0]) > MOST_CASES:
        raise ScenarioError(
            f"{option} {name}={typed} has {int(rest[0]):,} cases; "
            f"at most {MOST_CASES:,} are allowed"
        )
    return int(rest[0])
