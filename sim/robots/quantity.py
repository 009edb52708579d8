"""Checks of numbers that describe a part of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sim.errors import ModelError

Rule: TypeAlias = Callable[[str, float, str], float]


@dataclass(frozen=True)
class Checker:
    """Checks the numbers of one part; messages begin with its name.

    Every method takes name, value and unit of a quantity, returns the value as a float, and
    raises ModelError if it is not allowed.
    """

    part: str

    def finite(self, name: str, value: float, unit: str) -> float:
        """Require a finite number."""
        number = self._number(name, value, unit)
        if not math.isfinite(number):
            raise self._error(name, value, unit, "must be a finite number")
        return number

    def not_negative(self, name: str, value: float, unit: str) -> float:
        """Require a finite number of at least 0."""
        number = self.finite(name, value, unit)
        if number < 0:
            raise self._error(name, value, unit, "is negative; it must be at least 0")
        return number

    def positive(self, name: str, value: float, unit: str) -> float:
        """Require a finite number above 0."""
        number = self.finite(name, value, unit)
        if number <= 0:
            raise self._error(name, value, unit, "must be above 0")
        return number

    def at_least_one(self, name: str, value: float, unit: str) -> float:
        """Require a finite number of at least 1."""
        number = self.finite(name, value, unit)
        if number < 1:
            raise self._error(name, value, unit, "must be at least 1")
        return number

    def set_fields(self, owner: object, rule: Rule, unit: str, *names: str) -> None:
        """Apply one of the rules above to fields of a frozen value.

        A field whose default is None may remain None.
        """
        for name in names:
            value = getattr(owner, name)
            if value is not None or getattr(type(owner), name, 0.0) is not None:
                object.__setattr__(owner, name, rule(name, value, unit))

    def _number(self, name: str, value: float, unit: str) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self._error(name, value, unit, "must be a number") from None

    def _error(self, name: str, value: object, unit: str, fault: str) -> ModelError:
        return ModelError(f"{self.part}: {name} {value!r}{unit and f' {unit}'} {fault}")
