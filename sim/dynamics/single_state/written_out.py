"""Functions of ADAMS as sums, products and what else the machine of forces has.

They are trees of the same syntax, and differ from the functions themselves by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from sim.functions.syntax import Call, Node, Number


def _call(name: str, *parts: Node) -> Call:
    return Call(name, parts, 0)


def _poly(x: Node, x0: Node, *powers: Node) -> Node:
    """a0 + d (a1 + d (a2 + …)) with d = x - x0."""
    d, (*lower, total) = _call("+", x, _call("-", x0)), powers
    for power in reversed(lower):
        total = _call("+", power, _call("*", d, total))
    return total


def _series(wave: str) -> Callable[..., Node]:
    """FORCOS or FORSIN: a0 + Σ a_j wave(j w (x - x0))."""

    def total(x: Node, x0: Node, w: Node, a0: Node, *amplitudes: Node) -> Node:
        turned = _call("*", w, _call("+", x, _call("-", x0)))
        angles = (_call("*", _number(j), turned) for j in range(1, len(amplitudes) + 1))
        waves = (_call(wave, angle) for angle in angles)
        return _call("+", a0, *(_call("*", *each) for each in zip(amplitudes, waves, strict=True)))

    return total


def _haversine(x: Node, x0: Node, h0: Node, x1: Node, h1: Node) -> Node:
    """h0 + (h1 - h0) (1 - cos π z)/2 with z = (x - x0)/(x1 - x0) from 0 to 1."""
    way = (_call("+", one, _call("-", x0)) for one in (x, x1))
    z = _call("MAX", _call("MIN", _call("/", *way), _number(1)), _number(0))
    wave = _call("COS", _call("*", _number(np.pi), z))
    share = _call("*", _number(0.5), _call("+", _number(1), _call("-", wave)))
    return _call("+", h0, _call("*", _call("+", h1, _call("-", h0)), share))


def _number(value: float) -> Number:
    return Number(repr(value), float(value), 0)


def _impact(x: Node, xd: Node, x1: Node, k: Node, e: Node, cmax: Node, d: Node) -> Node:
    """max(0, k p^e - cmax xd STEP(p, 0, 0, d, 1)) with p = max(x1 - x, 0)."""
    zero, one = _number(0), _number(1)
    p = _call("MAX", _call("+", x1, _call("-", x)), zero)
    spring = _call("*", k, _call("**", p, e))
    damping = _call("*", _call("*", cmax, xd), _call("STEP", p, zero, zero, d, one))
    return _call("MAX", _call("+", spring, _call("-", damping)), zero)


def _bistop(x: Node, xd: Node, x1: Node, x2: Node, *law: Node) -> Node:
    """IMPACT at x1 less that at x2 seen from the other side."""
    mirrored = (_call("-", part) for part in (x, xd, x2))
    lower, upper = _call("IMPACT", x, xd, x1, *law), _call("IMPACT", *mirrored, *law)
    return _call("+", lower, _call("-", upper))


WRITTEN_OUT: Mapping[str, Callable[..., Node]] = MappingProxyType({
    "POLY": _poly, "FORCOS": _series("COS"), "FORSIN": _series("SIN"), "HAVSIN": _haversine,
    "IMPACT": _impact, "BISTOP": _bistop,
})  # fmt: skip
"""Functions as sums, products and waves."""
