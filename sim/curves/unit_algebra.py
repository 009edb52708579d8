"""Units as products of powers: multiplication, comparison and formatting.

A unit keeps its original symbols, so that a moment remains N·m and does not become J. The radian is
one of them, and counts as 1 when two units are compared: N·m·rad/s is W.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

Powers = Mapping[str, Fraction]

_BASE: Mapping[str, Mapping[str, int]] = {
    "rad": {},
    "1": {},
    "Hz": {"s": -1},
    "N": {"m": 1, "kg": 1, "s": -2},
    "J": {"m": 2, "kg": 1, "s": -2},
    "W": {"m": 2, "kg": 1, "s": -3},
}

# Products with a name of their own; all others are written by their factors.
_NAMED = {
    "N·m·rad/s": "W",
    "N·m/s": "W",
    "N·m·rad": "J",
    "W·s": "J",
    "J/s": "W",
    "J/rad": "N·m",
    "W·s/rad": "N·m",
    "J/m": "N",
    "W·s/m": "N",
    "N·s²/m": "kg",
    "kg·m/s²": "N",
    "N·m·s²/rad": "kg·m²",
    "kg·m²·rad/s²": "N·m",
    "kg·m²·rad²/s²": "J",
    "kg·m²/s²": "J",
}

_SUPERSCRIPTS = {"²": 2, "³": 3}
_FACTOR = re.compile(r"([^\d²³^]+|1)(?:([²³])|\^(-?[0-9.]+))?")


@dataclass(frozen=True)
class Unit:
    """Product of powers of symbols, such as N·m/s².

    Parameters
    ----------
    powers : tuple of (str, Fraction)
        In the order of writing; none is zero.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    @cached_property
    def dimension(self) -> Powers:
        """Powers of the base units; a radian is 1."""
        powers: dict[str, Fraction] = {}
        for symbol, power in self.powers:
            for base, times in _BASE.get(symbol, {symbol: 1}).items():
                powers[base] = powers.get(base, Fraction()) + power * times
        return {base: power for base, power in powers.items() if power}

    def __mul__(self, other: Unit) -> Unit:
        return self.times(other, Fraction(1))

    def __truediv__(self, other: Unit) -> Unit:
        return self.times(other, Fraction(-1))

    def __pow__(self, power: Fraction) -> Unit:
        return ONE.times(self, power)

    def times(self, other: Unit, power: Fraction) -> Unit:
        """Return the product with a power of another unit."""
        powers = dict(self.powers)
        for symbol, exponent in other.powers:
            powers[symbol] = powers.get(symbol, Fraction()) + power * exponent
        return Unit(tuple((symbol, p) for symbol, p in powers.items() if p)).as_derived_unit

    @property
    def as_derived_unit(self) -> Unit:
        """Return the unit by its own name, if it has one."""
        for product, name in _NAMED.items():
            if dict(unit_of_text(product).powers) == dict(self.powers):
                return unit_of_text(name)
        return self

    def __str__(self) -> str:
        above = [_power(symbol, p) for symbol, p in self.powers if p > 0]
        below = [f"/{_power(symbol, -p)}" for symbol, p in self.powers if p < 0]
        return ("·".join(above) or "1") + "".join(below)


ONE = Unit()


@lru_cache(maxsize=1000)
def unit_of_text(text: str) -> Unit:
    """Return the unit in a text such as ``rad/s²``, ``N·m`` or ``(N·m)²/Hz``.

    An unknown symbol is a unit of its own.
    """
    powers: dict[str, Fraction] = {}
    for k, part in enumerate(text.replace("(", "").replace(")²", "²").split("/")):
        for factor in part.split("·"):
            match = _FACTOR.fullmatch(factor)
            symbol, power = (factor, Fraction(1)) if match is None else _read(match)
            if symbol != "1":
                powers[symbol] = powers.get(symbol, Fraction()) + (-power if k else power)
    return Unit(tuple((symbol, power) for symbol, power in powers.items() if power))


def _read(match: re.Match[str]) -> tuple[str, Fraction]:
    symbol, sign, number = match.groups()
    return symbol, Fraction(_SUPERSCRIPTS.get(sign, number or 1))


def _power(symbol: str, power: Fraction) -> str:
    sign = {1: "", 2: "²", 3: "³"}.get(int(power) if power.denominator == 1 else 0)
    return f"{symbol}{sign}" if sign is not None else f"{symbol}^{float(power):g}"
