"""Limits of a run against another program's curves: by pattern of channels, or relative.

The rounding of their print is subtracted from the difference before it is compared with a limit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeVar

import numpy as np
from msgspec import Struct

from sim.errors import ForeignError, RecordingError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.recording.schema.channels import scale_of
from sim.recording.schema.facts import ReferenceFacts

Value = TypeVar("Value")

# Integrators of other programs are set to about 1e-3 (the ERROR of ADAMS's GSTIFF), and plots are
# read no more accurately. For a file known to be better, --rtol is smaller.
FOREIGN_RTOL = 1e-3  # relative to the largest magnitude of their curve
# A curve far below others of its kind (the torque of an unloaded wrist) is noise.
NOISE = 1e-6  # relative to the largest magnitude among their curves of that kind
FLOOR = 1e-9  # in the channel's unit; for kinds that remain zero


@checked
@dataclass(frozen=True)
class Growth:
    """Growth of a tolerance with the magnitude of the curves.

    Parameters
    ----------
    size : float
        Peak up to which the tolerance does not grow, in the channel's unit.
    share : float
        Share of a larger peak's excess that is added; less than 1.

    Raises
    ------
    RecordingError
        If one is not a positive number, or the share is not less than 1.
    """

    size: float
    share: float

    def __post_init__(self) -> None:
        require_positive("a size up to which a tolerance holds", self.size)
        require_positive("the share by which a tolerance grows", self.share)
        if self.share >= 1:
            raise RecordingError(
                f"The share by which a tolerance grows must be less than 1, got {self.share:g}"
            )


@checked
@dataclass(frozen=True)
class SourceError:
    """Known error of the source of a reference.

    Parameters
    ----------
    errors : mapping of str to float
        By pattern of channels, in their unit.
    reason : str
        Evidence for the error.

    Raises
    ------
    RecordingError
        If an error is not a positive number, or there is none, or no reason.
    """

    errors: Mapping[str, float]
    reason: str

    def __post_init__(self) -> None:
        if not self.errors or not self.reason.strip():
            raise RecordingError(
                "The error of a source needs the channels it is in and the reason why it is known"
            )
        for pattern, error in self.errors.items():
            require_positive(f"the source's own error in {pattern!r}", error)

    def in_words(self) -> str:
        """Return the error as a sentence."""
        errors = ", ".join(f"{error:g} in {pattern}" for pattern, error in self.errors.items())
        return f"error of the source up to {errors} ({self.reason})"


def tolerance_of(channel: str, tolerances: Mapping[str, float]) -> float:
    """Return the tolerance of the first pattern that a channel matches.

    Raises
    ------
    RecordingError
        If it matches none.
    """
    if (tolerance := _first_match(channel, tolerances)) is None:
        raise RecordingError(
            f"The reference has no tolerance for channel {channel!r}; there are some for "
            f"{', '.join(tolerances) or 'none'}"
        )
    return float(tolerance)


class Allowed(Struct, frozen=True):
    """Allowed error of one channel, in its unit.

    Parameters
    ----------
    tolerance : float
        Constant part.
    grown : float
        Part proportional to the curve.
    own : float
        Error of the source itself.
    """

    tolerance: float
    grown: float
    own: float

    @property
    def limit(self) -> float:
        """Sum of all parts."""
        return self.tolerance + self.grown + self.own

    def in_words(self, unit: str, reason: str) -> str:
        """Return the composition of the limit; empty if it is the tolerance alone."""
        parts = [f"{self.tolerance:.3g} {unit}"]
        if self.grown:
            parts.append(f"{self.grown:.3g} {unit} proportional to the curve")
        if self.own:
            parts.append(f"{self.own:.3g} {unit} error of the source ({reason})")
        return ", ".join(parts) if len(parts) > 1 else ""


def allowed_error(channel: str, printed: Array, facts: ReferenceFacts) -> Allowed:
    """Return the allowed largest difference of a channel, in addition to its print rounding.

    Parameters
    ----------
    printed : ndarray, shape (N,)
        The curve as printed.

    Raises
    ------
    RecordingError
        If it has no tolerance.
    """
    own_error = None if facts.own is None else _first_match(channel, facts.own.errors)
    return Allowed(
        tolerance=tolerance_of(channel, facts.tolerances),
        grown=_growth_of(channel, printed, facts),
        own=own_error or 0.0,
    )


def allowed_rms(channel: str, printed: Array, facts: ReferenceFacts) -> Allowed:
    """Return the allowed root mean square of a channel's difference.

    The peer's tolerance is for the same table, and includes the error of the source.

    Raises
    ------
    RecordingError
        If it has no tolerance.
    """
    tolerance = tolerance_of(channel, facts.peer_tolerances)
    return Allowed(tolerance, grown=_growth_of(channel, printed, facts), own=0.0)


def _growth_of(channel: str, printed: Array, facts: ReferenceFacts) -> float:
    if (growth := _first_match(channel, facts.growth)) is None:
        return 0.0
    return growth.share * max(peak(printed) - growth.size, 0.0)


def allowed_shares(curves: Mapping[str, Array], rtol: float) -> dict[str, float]:
    """Return the allowed error of each curve, in its channel's unit.

    Parameters
    ----------
    curves : mapping of str to ndarray, shape (N,)
        Their values, by channel.
    rtol : float
        Relative to the largest magnitude of each curve.

    Raises
    ------
    ForeignError
        If `rtol` is not positive.
    """
    if not (np.isfinite(rtol) and rtol > 0):
        raise ForeignError(f"the relative tolerance must be a positive number, got {rtol!r}")
    peaks: dict[str, float] = {}
    for channel, values in curves.items():
        kind = scale_of(channel)
        peaks[kind] = max(peaks.get(kind, 0.0), peak(values))
    return {
        channel: max(rtol * peak(values), NOISE * peaks[scale_of(channel)] + FLOOR)
        for channel, values in curves.items()
    }


def shared_by_rotations(
    limits: Mapping[str, float], rotations: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Return limits in which all three channels of a rotation have the largest of theirs."""
    shared = dict(limits)
    for three in rotations:
        if all(channel in limits for channel in three):
            shared |= dict.fromkeys(three, max(limits[channel] for channel in three))
    return shared


def peak(values: Array) -> float:
    """Return the largest magnitude."""
    return float(np.max(np.abs(values)))


def _first_match(channel: str, values: Mapping[str, Value]) -> Value | None:
    """Return the value of the first pattern that a channel matches."""
    return next((v for pattern, v in values.items() if fnmatchcase(channel, pattern)), None)


def require_positive(what: str, value: object) -> None:
    """Check that a value is a positive finite number.

    Raises
    ------
    RecordingError
        Names the value.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise RecordingError(
            f"{what[0].upper()}{what[1:]} must be a positive finite number, got {value!r}"
        )
