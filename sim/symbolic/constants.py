"""Named constants: every number of a robot except zero, and one in directions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy as sp

# Rounding of the multiplied frames, relative to the size of its kind.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Constant:
    """A named number in the equations.

    Parameters
    ----------
    symbol : sympy.Symbol
    value : float
    unit : str
    meaning : str
    """

    symbol: sp.Symbol
    value: float
    unit: str
    meaning: str

    @property
    def name(self) -> str:
        """Name of the symbol."""
        return str(self.symbol.name)


class ConstantTable:
    """Constants in the order of their names."""

    def __init__(self) -> None:
        self._rows: dict[str, Constant] = {}

    def __iter__(self) -> Iterator[Constant]:
        return iter(self._rows.values())

    def number(self, name: str, value: float, unit: str, meaning: str, size: float) -> sp.Expr:
        """Return zero if the value is rounding relative to `size`, else its symbol."""
        import sympy as sp

        if abs(value) <= ROUNDING * size:
            return sp.Integer(0)
        return self._symbol(name, value, unit, meaning)

    def cosine(self, name: str, value: float, meaning: str) -> sp.Expr:
        """Return an entry of a rotation: 0, 1 and -1 exactly, else its symbol."""
        import sympy as sp

        if abs(value - round(value)) <= ROUNDING:
            return sp.Integer(round(value))
        return self._symbol(name, value, "1", meaning)

    def factor(self, name: str, value: float, unit: str, meaning: str) -> sp.Expr:
        """Return an integer as it is, any other number as a symbol."""
        import sympy as sp

        if value == round(value):
            return sp.Integer(round(value))
        return self._symbol(name, value, unit, meaning)

    def _symbol(self, name: str, value: float, unit: str, meaning: str) -> sp.Symbol:
        import sympy as sp

        row = Constant(sp.Symbol(name, real=True), float(value), unit, meaning)
        return self._rows.setdefault(name, row).symbol
