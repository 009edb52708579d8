"""Drives as they were typed, and the function of time that a text denotes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sim.errors import SimError
from sim.functions.expression import Expression, expression
from sim.functions.spline import Spline
from sim.robots.names import Names

# The group of channels that a drive of each level gives; what follows are its derivatives.
CHANNELS: Mapping[str, str] = MappingProxyType(
    {"displacement": "q", "velocity": "qd", "acceleration": "qdd", "torque": "tau"}
)

# How far a typed drive may be from the run's curve, of the curve's peak: both are exact, and
# another machine rounds a sine or a power otherwise. Where a curve cancels, what is left of it.
SAME_CURVE = 1e-9
CANCELLED_CURVE = 1e-12  # [rad, m, N·m or N, and per second]


@dataclass(frozen=True)
class TypedDrive:
    """A drive as it was typed, with the linter's warnings.

    Parameters
    ----------
    joint, level, function : str
    warnings : tuple of str
    names : Names, optional
        What a torque of the state names.
    splines : mapping of str to Spline
        The points that a function of time reads by AKISPL, CUBSPL and INTERP.
    switched : tuple of float, optional
        Times at which it is switched off, on, off … in turn [s]; None if nothing may switch it.
    """

    joint: str
    level: str
    function: str
    warnings: tuple[str, ...] = ()
    names: Names | None = None
    splines: Mapping[str, Spline] = field(default_factory=dict)
    switched: tuple[float, ...] | None = None


def parse_typed_function(text: str) -> Expression | None:
    """The expression that was typed; None where the text is no whole one.

    A spline reads points that no description keeps, and of a function written in Python it has the
    name alone.
    """
    try:
        return expression(text)
    except SimError:
        return None
