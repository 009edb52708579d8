"""The functions, constants and operators of the ADAMS function-expression language.

`FUNCTIONS` is the one place with a function's name, its arguments and its formula: the
parser, the error messages, the search for breaks and the linter all read it. To add a function is
to add its entry.

Source: MSC Adams Solver function reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np

from sim.functions import jet, profiles
from sim.functions.jet import Jet, choose, round_half_away, sign_after, truncate
from sim.functions.spline import Spline
from sim.maths.arrays import Array

CONSTANTS = {
    "PI": np.pi,
    "RTOD": 180.0 / np.pi,
    "DTOR": np.pi / 180.0,
    "MODE": 4.0,  # a dynamic simulation
}

_STATE = """
AX AY AZ DM DX DY DZ DXYZ INCANG ORIENT PHI PITCH PSI ROLL THETA YAW UV UVX UVY UVZ
VM VR VX VY VZ VXYZ WM WX WY WZ WXYZ ACCM ACCX ACCY ACCZ ACCXYZ WDTM WDTX WDTY WDTZ WDTXYZ
FM FX FY FZ FXYZ TM TX TY TZ TXYZ BEAM BUSH CONTACT CVCV FIELD FRICTION GFORCE JOINT JPRIM
MOTION NFORCE PTCV SFORCE SPDP VFORCE VTORQ ARYVAL DIF DIF1 PINVAL POUVAL SENVAL VARVAL
BISTOP IMPACT FXFREQ FXMODE
"""
STATE_FUNCTIONS = frozenset(_STATE.split())


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the language.

    Parameters
    ----------
    signature : str
        Its call as documented: ``[, name]`` may be left out, ``a0, ..., a30`` is a series of which
        the first is needed.
    formula : callable
        Jets of the arguments to the jet of the result.
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
    heights : str
        The arguments that are measured in the unit of the result; ``a`` also stands for a series.
    increasing : bool
        Whether x0 must be less than x1.
    trap : str
        What is easily mistaken in its arguments.
    """

    signature: str
    formula: Callable[..., Jet]
    zeros: Callable[..., tuple[Jet, ...]] | None = None
    steps: Callable[..., tuple[Jet, ...]] | None = None
    whole: Callable[[Jet], Array] = truncate
    points: Array | None = None
    curve: tuple[Spline, int] | None = None
    heights: str = ""
    increasing: bool = False
    trap: str = ""

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
    def required(self) -> int:
        """How many arguments it must have."""
        series = 30 if "..." in self.signature else 0
        return len(self.parameters) - series - self.signature.count("[")

    def is_height(self, index: int) -> bool:
        """True if argument `index` is measured in the unit of the result."""
        if self.heights == "all":
            return True
        name, heights = self.parameters[index], self.heights.split()
        return name in heights or re.sub(r"\d", "", name) in heights


def _abs(a: Jet) -> Jet:
    return choose(sign_after(a), -a, a, a)


def _sign(a: Jet, b: Jet) -> Jet:
    return choose(sign_after(b), -_abs(a), _abs(a), _abs(a))


def _truncate(a: Jet) -> Jet:
    return Jet.resting(truncate(a))


def _round(a: Jet) -> Jet:
    return Jet.resting(round_half_away(a))


def _own(*args: Jet) -> tuple[Jet, ...]:
    return args


def _ends(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> tuple[Jet, ...]:
    return x - x0, x - x1


def _unit_ends(a: Jet) -> tuple[Jet, ...]:
    return a - 1.0, a + 1.0


def _difference(a: Jet, b: Jet) -> tuple[Jet, ...]:
    return (a - b,)


def _root(a: Jet, b: Jet) -> tuple[Jet, ...]:
    """The base of a power, which is not smooth at zero unless the exponent is a whole number."""
    # a constant may have a value a sample: 0*time
    whole = b.is_constant and bool(np.all((b.value == np.floor(b.value)) & (b.value >= 0.0)))
    return () if whole else (a,)


OPERATORS = {
    "+": Function("+(a, b)", lambda *terms: reduce(add, terms), heights="all"),
    "-": Function("-(a)", lambda a: -a, heights="all"),
    "*": Function("*(a, b)", lambda a, b: a * b, heights="all"),
    "/": Function("/(a, b)", lambda a, b: a / b, heights="a"),
    "**": Function("**(a, b)", jet.power, zeros=_root),
}

_TABLE = (
    Function(
        "STEP(x, x0, h0, x1, h1)", profiles.step, zeros=_ends, heights="h0 h1", increasing=True
    ),
    Function(
        "STEP5(x, x0, h0, x1, h1)", profiles.step5, zeros=_ends, heights="h0 h1", increasing=True
    ),
    Function(
        "HAVSIN(x, x0, h0, x1, h1)",
        profiles.havsin,
        zeros=_ends,
        heights="h0 h1",
        increasing=True,
        trap="the order is (x, begin, initial, end, final), not (x, begin, end, initial, final)",
    ),
    Function("SHF(x, x0, a, w, phi, b)", profiles.shf, heights="a b"),
    Function("POLY(x, x0, a0, ..., a30)", profiles.poly, heights="a"),
    Function("CHEBY(x, x0, a0, ..., a30)", profiles.cheby, heights="a"),
    Function("FORCOS(x, x0, w, a0, ..., a30)", profiles.forcos, heights="a"),
    Function("FORSIN(x, x0, w, a0, ..., a30)", profiles.forsin, heights="a"),
    Function(
        "SWEEP(x, a, x0, f0, x1, f1, dx)",
        profiles.sweep,
        zeros=lambda x, a, x0, f0, x1, f1, dx: (x - x0, x - x1, x - x0 - dx),
        heights="a",
        increasing=True,
    ),
    Function(
        "IF(e1: e2, e3, e4)",
        lambda e1, e2, e3, e4: choose(sign_after(e1), e2, e3, e4),
        zeros=lambda e1, e2, e3, e4: (e1,),
        heights="e2 e3 e4",
    ),
    # The parser passes DELAY the age TIME - dt in place of dt, and delays TIME within e and init.
    Function(
        "DELAY(e, dt, init[, logic])",
        lambda e, age, init, logic=None: choose(sign_after(age), init, e, e),
        zeros=lambda e, age, init, logic=None: (age,),
        heights="e init",
    ),
    Function("ABS(a)", _abs, zeros=_own, heights="all"),
    Function("ACOS(a)", jet.acos, zeros=_unit_ends),
    Function("AINT(a)", _truncate, steps=_own, heights="all"),
    Function("ANINT(a)", _round, steps=_own, whole=round_half_away, heights="all"),
    Function("ASIN(a)", jet.asin, zeros=_unit_ends),
    Function("ATAN(a)", jet.atan),
    Function("ATAN2(a, b)", jet.atan2, zeros=lambda a, b: (a,)),
    Function("COS(a)", jet.cos),
    Function("COSH(a)", jet.cosh),
    Function(
        "DIM(a, b)",
        lambda a, b: choose(sign_after(a - b), Jet.constant(0.0), Jet.constant(0.0), a - b),
        zeros=_difference,
        heights="all",
    ),
    Function("EXP(a)", jet.exp),
    Function("INT(a)", _truncate, steps=_own, heights="all"),
    Function("LOG(a)", jet.log),
    Function("LOG10(a)", jet.log10),
    Function(
        "MAX(a, b)",
        lambda a, b: choose(sign_after(a - b), b, a, a),
        zeros=_difference,
        heights="all",
    ),
    Function(
        "MIN(a, b)",
        lambda a, b: choose(sign_after(a - b), a, a, b),
        zeros=_difference,
        heights="all",
    ),
    Function(
        "MOD(a, b)",
        lambda a, b: a - _truncate(a / b) * b,
        steps=lambda a, b: (a / b,),
        heights="all",
    ),
    Function("NINT(a)", _round, steps=_own, whole=round_half_away, heights="all"),
    Function("SIGN(a, b)", _sign, zeros=_own, heights="a"),
    Function("SIN(a)", jet.sin),
    Function("SINH(a)", jet.sinh),
    Function("SQRT(a)", jet.sqrt, zeros=_own),
    Function("TAN(a)", jet.tan),
    Function("TANH(a)", jet.tanh),
)

FUNCTIONS = {function.name: function for function in _TABLE}
