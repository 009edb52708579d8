"""Table of operations of the ADAMS function-expression language, one row per function or operator.

The rows are read by the parser, its messages, the linter and all evaluators: jets and numbers of
NumPy, machine code, expressions of curves, the page, units of requests, decks and exports. A new
function is a new row.

Source: MSC Adams Solver function reference.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

import numpy as np

from sim.functions import jet, profiles
from sim.functions.jet import Jet, choose, round_half_away, sign_after, truncate
from sim.functions.operation import Jets, Operation, UnitRule

CONSTANTS = {
    "PI": np.pi,
    "RTOD": 180.0 / np.pi,
    "DTOR": np.pi / 180.0,
    "MODE": 4.0,  # a dynamic simulation
}


_NONE = Jet.constant(0.0)
_ROUND_JS = "(a) => Math.trunc(a) + (Math.abs(a % 1) >= 0.5 ? Math.sign(a) : 0)"


def _abs(a: Jet) -> Jet:
    return choose(sign_after(a), -a, a, a)


def _sign(a: Jet, b: Jet) -> Jet:
    return choose(sign_after(b), -_abs(a), _abs(a), _abs(a))


def _truncate(a: Jet) -> Jet:
    return Jet.resting(truncate(a))


def _round(a: Jet) -> Jet:
    return Jet.resting(round_half_away(a))


def _args(*args: Jet) -> tuple[Jet, ...]:
    return args


def _ends(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> tuple[Jet, ...]:
    return x - x0, x - x1


def _unit_ends(a: Jet) -> tuple[Jet, ...]:
    return a - 1.0, a + 1.0


def _difference(a: Jet, b: Jet) -> tuple[Jet, ...]:
    return (a - b,)


def _root(a: Jet, b: Jet) -> tuple[Jet, ...]:
    """Return the base of a power, not smooth at zero unless the exponent is an integer."""
    # a constant may have one value per sample: 0*time
    whole = b.is_constant and bool(np.all((b.value == np.floor(b.value)) & (b.value >= 0.0)))
    return () if whole else (a,)


def _stop(x: Jet, xd: Jet, x1: Jet, *law: Jet) -> tuple[Jet, ...]:
    return x - x1, profiles.unclipped_impact(x, xd, x1, *law)


def _stops(x: Jet, xd: Jet, x1: Jet, x2: Jet, *law: Jet) -> tuple[Jet, ...]:
    lower = _stop(x, xd, x1, *law)
    return *lower, x - x2, profiles.unclipped_impact(-x, -xd, -x2, *law)


def _horner(count: int) -> str:
    """Return POLY as a0 + (x - x0) (a1 + (x - x0) (a2 + …))."""
    coefficients = [f"a{j}" for j in range(count - 2)]
    return reduce(lambda rest, a: f"{a} + (x - x0)*({rest})", reversed(coefficients))


def _series(wave: str) -> Callable[[int], str]:
    """Return FORCOS or FORSIN as a0 + Σ a_j wave(j w (x - x0)), by the number of arguments."""
    term = f" + a{{0}}*{wave}({{0}}*(w*(x - x0)))"
    return lambda count: "a0" + "".join(map(term.format, range(1, count - 3)))


def _series_js(wave: str) -> str:
    """Return the series in JavaScript."""
    return f"(x, x0, w, ...a) => a.reduce((s, a_j, j) => s + a_j * Math.{wave}(j * w * (x - x0)))"


def _chebyshev(degree: int) -> str:
    """Return a Chebyshev polynomial of x - x0, by 2 T_m T_n = T_(m+n) + T_(m-n), m - n = 0 or 1."""
    if degree < 2:
        return "(x - x0)" if degree else "1"
    less = degree // 2
    product = f"2*{_chebyshev(less)}*{_chebyshev(degree - less)}"
    return f"({product} - {_chebyshev(degree % 2)})"


def _chebyshev_sum(count: int) -> str:
    """Return CHEBY as a0 + Σ aⱼ Tⱼ(x - x0)."""
    return "a0" + "".join(f" + a{j}*{_chebyshev(j)}" for j in range(1, count - 2))


_SWEPT = "MIN(MAX(x - x0, 0), x1 - x0)"
_CYCLES = f"f0*x + (f1 - f0)/(x1 - x0)*{_SWEPT}*(x - x0 - 0.5*{_SWEPT})"
_SWEEP = f"a*SIN(2*PI*({_CYCLES}))*STEP5(x, x0, 0, x0 + dx, 1)"


def _of_component(numbers: Sequence[float]) -> str:
    """Return the unit of one force or joint, by its component."""
    return "N" if numbers[1] < 5 else "N·m"


def _profile(
    name: str, formula: Callable[..., Jet], js: str, *, text: str = "", corner: str = "",
    trap: str = ""
) -> Operation:  # fmt: skip
    """Return a function from h0 at x0 to h1 at x1; `js` is its shape over z from 0 to 1."""
    z = "Math.min(Math.max((x - x0) / (x1 - x0), 0), 1)"
    js = f"(x, x0, h0, x1, h1) => (x1 > x0 ? h0 + (h1 - h0) * ((z) => {js})({z}) : NaN)"
    return Operation(
        *(f"{name}(x, x0, h0, x1, h1)", formula), zeros=_ends, heights="h0 h1", alike="x x0 x1",
        increasing="x0 x1", text=text, corner=corner, trap=trap, js=js
    )  # fmt: skip


def _elementary(
    name: str, formula: Callable[..., Jet], unit: str = "1", *, zeros: Jets | None = None
) -> Operation:
    """Return a function of one number that JavaScript also has."""
    js = f"Math.{name.lower()}"
    return Operation(f"{name}(a)", formula, numbers="a", unit=unit, zeros=zeros, js=js)


def _by_name(*rows: Operation) -> dict[str, Operation]:
    return {row.name: row for row in rows}


# fmt: off
OPERATORS = _by_name(
    Operation("+(a, b)", lambda *terms: reduce(add, terms), heights="all", opcode="ADD"),
    Operation("-(a)", lambda a: -a, heights="all", opcode="NEGATE"),
    Operation("*(a, b)", lambda a, b: a * b, heights="all", opcode="TIMES"),
    Operation("/(a, b)", lambda a, b: a / b, heights="a", opcode="DIVIDE"),
    Operation("**(a, b)", jet.power, zeros=_root, opcode="POWER"),
)

FUNCTIONS = _by_name(
    _profile("STEP", profiles.step, "z * z * (3 - 2 * z)", corner="6Δh/Δt²"),
    _profile("STEP5", profiles.step5, "z * z * z * (10 + z * (6 * z - 15))"),
    _profile("HAVSIN", profiles.havsin, "(1 - Math.cos(Math.PI * z)) / 2", corner="π²Δh/(2Δt²)",
             text="h0 + (h1 - h0)*(0.5*(1 - COS(PI*MAX(MIN((x - x0)/(x1 - x0), 1), 0))))",
             trap="the order is (x, begin, initial, end, final), not (x, begin, end, initial, "
                  "final)"),
    Operation("SHF(x, x0, a, w, phi, b)", profiles.shf, heights="a b",
              text="a*SIN(w*(x - x0) - phi) + b"),
    Operation("POLY(x, x0, a0, ..., a30)", profiles.poly, heights="a", numbers="x x0", text=_horner,
              js="(x, x0, ...a) => a.reduceRight((sum, a_j) => sum * (x - x0) + a_j)"),
    Operation("CHEBY(x, x0, a0, ..., a30)", profiles.cheby, heights="a", numbers="x x0",
              text=_chebyshev_sum,
              js="(x, x0, ...a) => a.reduce(([sum, before, now], a_j, j) => [sum + a_j * now, now, "
                 "j ? 2 * (x - x0) * now - before : x - x0], [0, 0, 1])[0]"),
    Operation("FORCOS(x, x0, w, a0, ..., a30)", profiles.forcos, heights="a", numbers="x x0 w",
              text=_series("COS"), js=_series_js("cos")),
    Operation("FORSIN(x, x0, w, a0, ..., a30)", profiles.forsin, heights="a", numbers="x x0 w",
              text=_series("SIN"), js=_series_js("sin")),
    Operation("SWEEP(x, a, x0, f0, x1, f1, dx)", profiles.sweep, heights="a", increasing="x0 x1",
              zeros=lambda x, a, x0, f0, x1, f1, dx: (x - x0, x - x1, x - x0 - dx), text=_SWEEP),
    Operation("IF(e1: e2, e3, e4)", lambda e1, e2, e3, e4: choose(sign_after(e1), e2, e3, e4),
              zeros=lambda e1, e2, e3, e4: (e1,), heights="e2 e3 e4",
              js="(a, p, q, r) => (a < 0 ? p : a > 0 ? r : a === 0 ? q : NaN)"),
    # The parser replaces DELAY's dt by the age TIME - dt, and delays TIME within e and init.
    Operation("DELAY(e, dt, init[, logic])",
              lambda e, age, init, logic=None: choose(sign_after(age), init, e, e),
              zeros=lambda e, age, init, logic=None: (age,), heights="e init"),
    Operation("ABS(a)", _abs, zeros=_args, heights="all", js="Math.abs"),
    _elementary("ACOS", jet.acos, "rad", zeros=_unit_ends),
    Operation("AINT(a)", _truncate, steps=_args, heights="all", js="Math.trunc"),
    Operation("ANINT(a)", _round, steps=_args, whole=round_half_away, heights="all", js=_ROUND_JS),
    _elementary("ASIN", jet.asin, "rad", zeros=_unit_ends),
    _elementary("ATAN", jet.atan, "rad"),
    Operation("ATAN2(a, b)", jet.atan2, zeros=lambda a, b: (a,), alike="all", unit="rad",
              js="(a, b) => (a || b ? Math.atan2(a + 0, b) : NaN)"),
    _elementary("COS", jet.cos),
    _elementary("COSH", jet.cosh),
    Operation("DIM(a, b)", lambda a, b: choose(sign_after(a - b), _NONE, _NONE, a - b),
              zeros=_difference, heights="all", text="MAX(a - b, 0)",
              js="(a, b) => Math.max(a - b, 0)"),
    _elementary("EXP", jet.exp),
    Operation("INT(a)", _truncate, steps=_args, heights="all", opcode="AINT"),
    _elementary("LOG", jet.log),
    _elementary("LOG10", jet.log10),
    Operation("MAX(a, b)", lambda a, b: choose(sign_after(a - b), b, a, a), zeros=_difference,
              heights="all", js="Math.max"),
    Operation("MIN(a, b)", lambda a, b: choose(sign_after(a - b), a, a, b), zeros=_difference,
              heights="all", js="Math.min"),
    Operation("MOD(a, b)", lambda a, b: a - _truncate(a / b) * b, steps=lambda a, b: (a / b,),
              heights="all", text="a - AINT(a/b)*b", js="(a, b) => a - Math.trunc(a / b) * b"),
    Operation("NINT(a)", _round, steps=_args, whole=round_half_away, heights="all", js=_ROUND_JS,
              opcode="ANINT"),
    Operation("SIGN(a, b)", _sign, zeros=_args, heights="a", text="IF(b: -ABS(a), ABS(a), ABS(a))",
              js="(a, b) => (b < 0 ? -Math.abs(a) : b >= 0 ? Math.abs(a) : NaN)"),
    _elementary("SIN", jet.sin),
    _elementary("SINH", jet.sinh),
    Operation("SQRT(a)", jet.sqrt, zeros=_args, heights="a", power=0.5, js="Math.sqrt"),
    _elementary("TAN", jet.tan),
    _elementary("TANH", jet.tanh),
)
"""Functions of time, and of whatever else an expression may read."""

LAWS = _by_name(
    Operation("IMPACT(x, xd, x1, k, e, cmax, d)", profiles.impact, zeros=_stop,
              positive="e d", not_negative="k cmax"),
    Operation("BISTOP(x, xd, x1, x2, k, e, cmax, d)", profiles.bistop, zeros=_stops,
              increasing="x1 x2",
              positive="e d", not_negative="k cmax",
              text="IMPACT(x, xd, x1, k, e, cmax, d) - IMPACT(-x, -xd, -x2, k, e, cmax, d)"),
)
"""Laws of forces that only a string of the state has."""
# fmt: on


def _readings(*groups: tuple[str, str, str | UnitRule]) -> dict[str, Operation]:
    """Return functions of the state by name, from their names, arguments and unit."""
    return {
        name: Operation(f"{name}({arguments})", unit=unit)
        for names, arguments, unit in groups
        for name in names.split()
    }


READ = _readings(
    ("DM", "i[, j]", "m"),
    ("VR VM", "i[, j][, l]", "m/s"),
    ("WM", "i[, j]", "rad/s"),
    ("DX DY DZ", "i[, j][, k]", "m"),
    ("AX AY AZ", "i[, j]", "rad"),
    ("VX VY VZ", "i[, j][, k][, l]", "m/s"),
    ("WX WY WZ", "i[, j][, k]", "rad/s"),
    ("INCANG", "i, j, k", "rad"),
    ("VARVAL", "id", ""),
    ("DIF", "id", ""),
    ("SFORCE", "id, jflag, comp, rm", _of_component),
)
"""The functions that read the state, by name; a variable or a state has a unit of its own."""

REQUESTED = _readings(
    ("ACCM", "i[, j][, l]", "m/s²"),
    ("WDTM", "i[, j][, l]", "rad/s²"),
    ("FM", "i[, j]", "N"),
    ("TM", "i[, j]", "N·m"),
    ("ACCX ACCY ACCZ", "i[, j][, k][, l]", "m/s²"),
    ("WDTX WDTY WDTZ", "i[, j][, k][, l]", "rad/s²"),
    ("FX FY FZ", "i[, j][, k]", "N"),
    ("TX TY TZ", "i[, j][, k]", "N·m"),
    ("PSI THETA PHI YAW PITCH ROLL", "i[, j]", "rad"),
    ("JOINT MOTION", "id, jflag, comp, rm", _of_component),
    ("ORIENT", "system, component, i[, j]", lambda numbers: "rad" if numbers[0] <= 12 else "1"),
)
"""The functions that a request reads besides: of accelerations, reactions and orientations."""

NOT_OFFERED = frozenset(
    "DXYZ UV UVX UVY UVZ VXYZ WXYZ ACCXYZ WDTXYZ FXYZ TXYZ BEAM BUSH CONTACT CVCV FIELD FRICTION "
    "GFORCE JPRIM NFORCE PTCV SPDP VFORCE VTORQ ARYVAL DIF1 PINVAL POUVAL SENVAL FXFREQ "
    "FXMODE".split()
)
STATE_FUNCTIONS = frozenset({*READ, *REQUESTED, *LAWS, *NOT_OFFERED})
"""All functions of the state that ADAMS has."""

OPERATIONS = ChainMap(OPERATORS, FUNCTIONS, LAWS, READ, REQUESTED)
"""All of them by name."""
