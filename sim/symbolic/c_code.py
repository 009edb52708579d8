"""Equations as a C function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sim.symbolic.steps import Steps


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
