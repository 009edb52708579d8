"""Operation: what is known of one function or operator of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sim.functions.jet import Jet, truncate
from sim.functions.spline import Spline
from sim.maths.arrays import Array

Jets = Callable[..., tuple[Jet, ...]]
UnitRule = Callable[[Sequence[float]], str]


@dataclass(frozen=True, eq=False)
class Operation:
    """A function or an operator of the language.

    Parameters
    ----------
    signature : str
        Its call as documented: ``[, name]`` may be left out, ``a0, ..., a30`` is a series of which
        the first is required.
    formula : callable
        Jets of the arguments to the jet of the result; not used where there is a `text` alone.
    unit : str or callable
        SI unit of the result, of readings with numbers by these; empty: that of `heights`.
    heights : str
        The arguments that are measured in the unit of the result; ``a`` also stands for a series.
    alike : str
        Arguments of one unit, whichever it is.
    numbers : str
        Arguments without a unit.
    power : float
        Of the unit of `heights` that the result has.
    zeros : callable, optional
        Jets of the arguments to jets at whose changes of sign the function is not smooth.
    steps : callable, optional
        Jets of the arguments to jets whose whole numbers make the function jump as they change.
    whole : callable
        What the whole number of such a jet is.
    points : ndarray, optional
        Sorted values of its one argument at which the function is not smooth.
    curve : (Spline, int), optional
        The spline that it is, and which of its derivatives.
    text : str or callable
        The function as an expression of its parameters; of a series by their number. It differs
        from `formula` by rounding.
    opcode : str
        Name of its instruction in `sim.functions.program`, if that is not its own.
    js : str
        The formula in JavaScript, of numbers. With it or with `text` the function is one of curves
        too: with it units are those that the fields here say, otherwise those of `text`.
    increasing : bool
        Whether x0 must be less than x1.
    trap : str
        What is easily mistaken in its arguments.
    corner : str
        By how much the second derivative jumps at the ends of a profile.
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
    increasing: bool = False
    trap: str = ""
    corner: str = ""

    @cached_property
    def name(self) -> str:
        """Name of the function, before the parenthesis."""
        return self.signature.partition("(")[0]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of all arguments it can take."""
        series = ", ".join(f"a{j}" for j in range(1, 30))
        listed = self.signature.partition("(")[2].replace("...", series)
        return tuple(re.findall(r"\w+", listed))

    @cached_property
    def fewest_arguments(self) -> int:
        """Number of arguments that a call must have."""
        series = 30 if "..." in self.signature else 0
        return len(self.parameters) - series - self.signature.count("[")

    @property
    def is_text(self) -> bool:
        """True of a function that is nothing but an expression of others."""
        return bool(self.text) and self.formula == Jet.constant

    def is_height(self, index: int) -> bool:
        """True if argument `index` is measured in the unit of the result."""
        is_listed = self.heights == "all" or index in self.indices(self.heights)
        return self.power == 1.0 and is_listed

    def indices(self, names: str) -> tuple[int, ...]:
        """Places of arguments that are named as in `heights`: ``all``, or some."""
        listed = names.split()
        return tuple(
            index
            for index, name in enumerate(self.parameters)
            if names == "all" or name in listed or re.sub(r"\d", "", name) in listed
        )

    def unit_of(self, numbers: Sequence[float] = ()) -> str:
        """SI unit of a reading with such numbers; empty if it is that of what it names."""
        return self.unit if isinstance(self.unit, str) else self.unit(numbers)

    def text_of(self, count: int) -> str:
        """The function of `count` arguments as an expression of its parameters."""
        return self.text if isinstance(self.text, str) else self.text(count)
