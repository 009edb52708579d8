"""Equations in LaTeX, with amsmath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.symbolic.steps import Steps

if TYPE_CHECKING:
    import sympy as sp

WIDE = 110  # characters of LaTeX per line of a long sum, some 15 cm on paper


def latex(steps: Steps, notes: Sequence[str]) -> str:
    r"""Return all entries in ``align*``, long sums in several lines, and the constants.

    Symbols are ``q_i`` and ``\dot q_i``; notes are comments at the head.
    """
    names = _names(steps)
    rows = [*steps.auxiliary, *((_entry(key), one) for key, one in steps.entries.items())]
    lines = [f"% {note}" for note in notes]
    lines += [r"\begin{align*}"]
    lines += [" \\\\\n".join(_equation(left, right, names) for left, right in rows)]
    lines += [r"\end{align*}", r"\begin{align*}"]
    lines += [" \\\\\n".join(_constants(steps, names)), r"\end{align*}"]
    return "\n".join(lines) + "\n"


def _names(steps: Steps) -> dict[sp.Symbol, str]:
    terms = steps.terms
    names = {one: f"q_{{{k}}}" for k, one in enumerate(terms.q, start=1)}
    names |= {one: rf"\dot q_{{{k}}}" for k, one in enumerate(terms.qd, start=1)}
    for row in terms.constants:
        letter, rest = row.name[0], row.name[1:]
        names[row.symbol] = f"{letter}_{{{rest.replace('_', ',')}}}"
    return names | {one: f"x_{{{one.name[1:]}}}" for one, _ in steps.auxiliary}


def _entry(key: str) -> str:
    matrix, *place = key.split()
    return (
        f"{matrix}_{{{''.join(place)}}}" if len(place) == 1 else f"{matrix}_{{{','.join(place)}}}"
    )


def _equation(left: sp.Symbol | str, right: sp.Expr, names: dict[sp.Symbol, str]) -> str:
    head = left if isinstance(left, str) else names[left]
    lines: list[str] = []
    for text in _summands(right, names):
        if lines and len(lines[-1]) + len(text) <= WIDE:
            lines[-1] += text
        else:
            lines.append(text)
    return f"{head} &= " + " \\\\\n&\\quad ".join(lines)


def _summands(expression: sp.Expr, names: dict[sp.Symbol, str]) -> Iterator[str]:
    """Yield the summands in sympy's order, each but the first with its sign."""
    import sympy as sp

    for k, one in enumerate(expression.as_ordered_terms()):
        text = str(sp.latex(one, symbol_names=names, fold_short_frac=True))
        yield text if k == 0 or text.startswith("-") else f" + {text}"


def _constants(steps: Steps, names: dict[sp.Symbol, str]) -> Iterator[str]:
    for row in steps.terms.constants:
        mantissa, _, power = f"{row.value!r}".partition("e")
        value = rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa
        unit = "" if row.unit == "1" else rf"\ \mathrm{{{_unit(row.unit)}}}"
        yield f"{names[row.symbol]} &= {value}{unit}"


def _unit(unit: str) -> str:
    return re.sub("·", r"\\,", unit).replace("²", "^2")
