"""Operation: properties of one function or operator of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from msgspec import Struct

from sim.functions.jet import Jet, truncate
from sim.functions.spline import Spline
from sim.maths.arrays import Array

Jets = Callable[..., tuple[Jet, ...]]
UnitRule = Callable[[Sequence[float]], str]


class Operation(Struct, frozen=True, eq=False, dict=True):
    """A function or an operator of the language.

    Parameters
    ----------
    signature : str
        Call as documented: ``[, name]`` is optional, ``a0, ..., a30`` is a series whose first
        member is required.
    formula : callable
        Jets of the arguments -> jet of the result; unused if only `text` is given.
    unit : str or callable
        SI unit of the result, a function of a reading's numbers; empty: that of `heights`.
    heights : str
        Arguments measured in the unit of the result; ``a`` also stands for a series.
    alike : str
        Arguments that share a unit.
    numbers : str
        Arguments without a unit.
    power : float
        Power of the unit of `heights` in the result.
    zeros : callable, optional
        Jets of the arguments -> jets at whose sign changes the function is not smooth.
    steps : callable, optional
        Jets of the arguments -> jets at whose integer changes the function jumps.
    whole : callable
        Function that rounds such a jet to an integer.
    points : ndarray, optional
        Sorted values of its single argument at which the function is not smooth.
    curve : (Spline, int), optional
        Spline that the function evaluates, and the order of the derivative.
    text : str or callable
        Function as an expression of its parameters; for a series by their number. It differs from
        `formula` by rounding.
    opcode : str
        Name of its instruction in `sim.functions.program`, if different from the function's.
    js : str
        Formula in JavaScript, for numbers. With `js` or `text` the function is also available for
        curves: with `js` its units follow from the fields here, else from `text`.
    increasing : str
        Two arguments, blank-separated, of which the first must be less than the second.
    positive, not_negative : str
        Arguments of such a sign, blank-separated; checked where they are numbers.
    trap : str
        Common mistake in its arguments.
    corner : str
        Jump of the second derivative at the ends of a profile.
    """

    signature: str
    formula: Callable[..., Jet] = Jet.constant
    unit: str | UnitRule = ""
    heights: str = ""
    alike: str = ""
    numbers: str = ""
    power: float = 1.0
    zeros: Jets | None = None
    steps: Jets | None = None
    whole: Callable[[Jet], Array] = truncate
    points: Array | None = None
    curve: tuple[Spline, int] | None = None
    text: str | Callable[[int], str] = ""
    opcode: str = ""
    js: str = ""
    increasing: str = ""
    positive: str = ""
    not_negative: str = ""
    trap: str = ""
    corner: str = ""

    @cached_property
    def name(self) -> str:
        """Name of the function, before the parenthesis."""
        return self.signature.partition("(")[0]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of all possible arguments."""
        series = ", ".join(f"a{j}" for j in range(1, 30))
        listed = self.signature.partition("(")[2].replace("...", series)
        return tuple(re.findall(r"\w+", listed))

    @cached_property
    def fewest_arguments(self) -> int:
        """Least number of arguments of a call."""
        series = 30 if "..." in self.signature else 0
        return len(self.parameters) - series - self.signature.count("[")

    @property
    def is_text(self) -> bool:
        """True if the function is only an expression of others."""
        return bool(self.text) and self.formula == Jet.constant

    def is_height(self, index: int) -> bool:
        """True if argument `index` is measured in the unit of the result."""
        is_listed = self.heights == "all" or index in self.indices(self.heights)
        return self.power == 1.0 and is_listed

    def indices(self, names: str) -> tuple[int, ...]:
        """Return indices of arguments named as in `heights`: ``all``, or some."""
        listed = names.split()
        return tuple(
            index
            for index, name in enumerate(self.parameters)
            if names == "all" or name in listed or re.sub(r"\d", "", name) in listed
        )

    def unit_of(self, numbers: Sequence[float] = ()) -> str:
        """Return the SI unit of a reading with these numbers; empty if it is that of its label."""
        return self.unit if isinstance(self.unit, str) else self.unit(numbers)

    def text_of(self, count: int) -> str:
        """Return the function of `count` arguments as an expression of its parameters."""
        return self.text if isinstance(self.text, str) else self.text(count)
