"""Equations as text for a terminal of 80 columns, in LaTeX with amsmath, and as a C function."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.symbolic.steps import Steps

if TYPE_CHECKING:
    import sympy as sp


WIDTH = 79  # [characters]
WIDE = 110  # characters of LaTeX per line of a long sum, some 15 cm on paper


def plain_text(steps: Steps, notes: Sequence[str]) -> str:
    """Return notes, an equation per paragraph, and the constants with values and units."""
    lines = [line for note in notes for line in _wrap(note)]
    lines += [""]
    for symbol, step in steps.auxiliary:
        lines += _wrap(f"{symbol.name} = {step}")
    for key, entry in steps.entries.items():
        lines += _wrap(f"{key.replace(' ', '')} = {entry}")
    lines += [""]
    wide = max((len(row.name) for row in steps.terms.constants), default=0)
    for row in steps.terms.constants:
        unit = "" if row.unit == "1" else f" {row.unit}"
        lines += _wrap(f"{row.name:{wide}} = {row.value!r}{unit}  {row.meaning}")
    return "\n".join(lines) + "\n"


def _wrap(text: str) -> list[str]:
    """Return lines broken between words; those after the first are indented by four blanks."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


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


def c_code(name: str, steps: Steps, notes: Sequence[str]) -> str:
    """Return a C99 function ``<name>_terms(q, qd, M, C, g)`` with constants, and leading notes.

    Parameters
    ----------
    name : str
        Name of the robot; characters invalid in C become underscores.
    steps : Steps
    notes : sequence of str
    """
    K = len(steps.terms.q)
    lines = ["/*", *(f" * {note}" for note in map(_no_end, notes)), " */", "#include <math.h>", ""]
    function = re.sub(r"\W", "_", name, flags=re.ASCII)
    function = function if re.match(r"[A-Za-z]", function) else f"robot_{function}"
    lines += [
        f"void {function}_terms(const double q[{K}], const double qd[{K}],",
        f"    double M[{K}][{K}], double C[{K}][{K}], double g[{K}])",
        "{",
        *(f"    {line}" for line in _body(steps)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _no_end(note: str) -> str:
    """Return a note without the end of a comment."""
    return note.replace("*/", "* /")


def _body(steps: Steps) -> Iterator[str]:
    import sympy as sp

    terms = steps.terms
    expressions = [*(step for _, step in steps.auxiliary), *steps.entries.values()]
    symbols_used = set().union(*(one.free_symbols for one in expressions))
    for row in terms.constants:
        comment = f"{_no_end(row.meaning)} [{row.unit}]"
        yield f"const double {row.name} = {row.value!r};  /* {comment} */"
    for array, symbols in (("q", terms.q), ("qd", terms.qd)):
        if symbols_used.isdisjoint(symbols):
            yield f"(void){array};"
        for k, symbol in enumerate(symbols):
            if symbol in symbols_used:
                yield f"const double {symbol.name} = {array}[{k}];"
    for symbol, step in steps.auxiliary:
        yield f"const double {symbol.name} = {sp.ccode(step)};"
    for key, entry in steps.entries.items():
        matrix, *place = key.split()
        indices = "".join(f"[{int(one) - 1}]" for one in place)
        yield f"{matrix}{indices} = {sp.ccode(entry)};"
