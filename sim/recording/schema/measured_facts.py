"""Facts about a real robot's log that a run is compared with.

A number that JSON does not have, NaN or infinite, is None when a description is read back.
"""

from __future__ import annotations

import msgspec

from sim.recording.schema.base import Facts


class MeasuredFacts(Facts, frozen=True, kw_only=True):
    """How measured torques are laid beside those of a run.

    Parameters
    ----------
    cutoff : float
        Of the one low-pass on both sides [Hz].
    bandwidth : float
        Of the log itself [Hz].
    middle : float
        Before this time friction is fitted, after it residuals are scored [s].
    torque_from : str
        Where the measured torques are from, in words.
    is_synthetic : bool
        No robot was measured.
    """

    cutoff: float
    bandwidth: float
    middle: float
    torque_from: str
    is_synthetic: bool = False


class MeasuredJoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A joint of a run beside its measured torque, both after the low-pass.

    Shares are residual RMS over measured RMS, after the middle of the log.

    Parameters
    ----------
    joint : str
    unit : str
        Of its effort.
    length : str
        Of its position.
    motion : float
        RMS of what the run's position differs by [rad or m].
    travel : float
        How far the joint moves in the log [rad or m].
    measured : float
        RMS of the measured torque.
    rigid : float
        Share that rigid bodies and forces on links leave.
    own : float or None
        Share that the run's torque leaves, with the friction that its robot has; None without any.
    fitted : float
        Share that rigid bodies leave with Coulomb, viscous and offset fitted before the middle.
    sliding : float
        The same without samples at rest.
    at_rest : float
        Share of the time in which the joint rests.
    coulomb, viscous, offset : float
        What was fitted; one that came out negative and cannot be is 0.
    slope, slope_within : float
        By which the rigid bodies' torque is to be multiplied to fit the whole log, friction fitted
        beside it, and half of its 95 % interval.
    """

    joint: str
    unit: str
    length: str
    motion: float | None
    travel: float
    measured: float | None
    rigid: float | None
    own: float | None
    fitted: float | None
    sliding: float | None
    at_rest: float | None
    coulomb: float
    viscous: float
    offset: float
    slope: float | None
    slope_within: float | None
