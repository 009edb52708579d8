"""Drives as typed by the user, and parsing of such a text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec import Struct

from sim.errors import SimError
from sim.functions.expression import Expression, expression
from sim.functions.spline import Spline
from sim.robots.names import Names

# Group of channels of a drive by level, followed by those of its derivatives.
CHANNELS: Mapping[str, str] = MappingProxyType(
    {"displacement": "q", "velocity": "qd", "acceleration": "qdd", "torque": "tau"}
)

# Allowed deviation of a typed drive from the run's curve, relative to the peak: both are exact, but
# another machine rounds a sine or a power differently. For curves that cancel, an absolute value.
SAME_CURVE = 1e-9
CANCELLED_CURVE = 1e-12  # [rad, m, N·m or N, and per second]


class TypedDrive(Struct, frozen=True):
    """A drive as typed, with the linter's warnings.

    Parameters
    ----------
    joint, level, function : str
    warnings : tuple of str
    names : Names, optional
        Names in a torque of the state.
    splines : mapping of str to Spline
        Points of AKISPL, CUBSPL and INTERP in a function of time.
    switched : tuple of float, optional
        Times at which it is switched off, on, off … [s]; None if nothing can switch it.
    """

    joint: str
    level: str
    function: str
    warnings: tuple[str, ...] = ()
    names: Names | None = None
    splines: Mapping[str, Spline] = msgspec.field(default_factory=dict)
    switched: tuple[float, ...] | None = None


def parse_typed_function(text: str) -> Expression | None:
    """Parse an expression as typed; None if the text is not a complete expression.

    The points of a spline are not in a description, and for a Python function only its name is.
    """
    try:
        return expression(text)
    except SimError:
        return None
