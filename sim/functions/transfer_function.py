"""Transfer functions as states with rates: ADAMS's TFSISO, in controllable canonical form.

    y(s) / u(s) = (b_m s^m + … + b_0) / (s^n + … + a_0),     m ≤ n

    x_1' = x_2, …, x_n' = u - a_0 x_1 - … - a_(n-1) x_n
    y = (b_0 - a_0 b_n) x_1 + … + (b_(n-1) - a_(n-1) b_n) x_n + b_n u

Source: Ogata, Modern Control Engineering, section 9.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.showing.one_line import one_line


@checked
@dataclass(frozen=True)
class TransferFunction:
    """A linear system with one input and one output, for `states` and `variables` of `sim.Names`.

    Parameters
    ----------
    name : str
        VARVAL(name) is its output, DIF(name.1) … are its states.
    input : str
        u, an expression such as ``"VARVAL(error)"``.
    numerator, denominator : sequence of float
        Coefficients, highest power of s first.

    Raises
    ------
    ScenarioError
        If a coefficient is not finite, the first of the denominator is 0, or the numerator's degree
        exceeds the denominator's.
    """

    name: str
    input: str
    numerator: Sequence[float]
    denominator: Sequence[float]

    def __post_init__(self) -> None:
        for side in ("numerator", "denominator"):
            try:
                coefficients = np.atleast_1d(np.asarray(getattr(self, side), dtype=np.float64))
            except (TypeError, ValueError):
                coefficients = np.array([np.nan])
            if (
                coefficients.ndim != 1
                or not coefficients.size
                or not np.isfinite(coefficients).all()
            ):
                raise ScenarioError(
                    f"Transfer function {self.name!r}: its {side} must be finite numbers, the "
                    f"highest power of s first; got {getattr(self, side)!r}"
                )
            object.__setattr__(self, side, tuple(coefficients.tolist()))
        if self.denominator[0] == 0.0:
            raise ScenarioError(
                f"Transfer function {self.name!r}: the denominator begins with 0; leave it out"
            )
        if len(self.numerator) > len(self.denominator):
            raise ScenarioError(
                f"Transfer function {self.name!r}: its numerator has the higher power of s, "
                f"{len(self.numerator) - 1} over {len(self.denominator) - 1}, and would "
                "differentiate its input; add a pole"
            )

    def __repr__(self) -> str:
        return one_line(f"TransferFunction {self.name}:", f"order {self.order}")

    @property
    def order(self) -> int:
        """Number of states."""
        return len(self.denominator) - 1

    @cached_property
    def _coefficients(self) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        """Coefficients a_0 …, and those of the output by states and input."""
        lead = self.denominator[0]
        a = [x / lead for x in reversed(self.denominator[1:])]
        b = [x / lead for x in reversed(self.numerator)]
        b += [0.0] * (self.order + 1 - len(b))
        through = b[-1]
        return tuple(a), tuple(y - through * x for x, y in zip(a, b, strict=False)), through

    @property
    def states(self) -> dict[str, str]:
        """Rate of each state, as an expression."""
        a, _, _ = self._coefficients
        rates = {f"{self.name}.{k}": f"DIF({self.name}.{k + 1})" for k in range(1, self.order)}
        if self.order:
            feedback = "".join(f" - ({x!r})*DIF({self.name}.{k})" for k, x in enumerate(a, 1) if x)
            rates[f"{self.name}.{self.order}"] = f"({self.input}){feedback}"
        return rates

    @property
    def variables(self) -> dict[str, str]:
        """Output of the system, as an expression."""
        _, c, through = self._coefficients
        terms = [f"({x!r})*DIF({self.name}.{k})" for k, x in enumerate(c, 1) if x]
        terms += [f"({through!r})*({self.input})"] if through else []
        return {self.name: " + ".join(terms) or "0"}
