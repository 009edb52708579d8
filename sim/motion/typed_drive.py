"""A drive of a run's description as the function of time that its text denotes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sim.errors import SimError
from sim.functions.expression import Expression, expression
from sim.recording.facts import DriveFacts

# The group of channels that a drive of each level gives; what follows are its derivatives.
CHANNELS: Mapping[str, str] = MappingProxyType(
    {"displacement": "q", "velocity": "qd", "acceleration": "qdd", "torque": "tau"}
)

# How far a typed drive may be from the run's curve, of the curve's peak: both are exact, and
# another machine rounds a sine or a power otherwise. Where a curve cancels, what is left of it.
SAME_CURVE = 1e-9
CANCELLED_CURVE = 1e-12  # [rad, m, N·m or N, and per second]


def parse_typed_function(drive: DriveFacts) -> Expression | None:
    """The expression that was typed; None where the text is no whole one.

    A spline reads points that no description keeps, and of a function written in Python it has the
    name alone.
    """
    try:
        return expression(drive.function)
    except SimError:
        return None
