"""Facts about a real robot's log with which a run is compared.

A number that JSON does not have, NaN or infinite, is None when a description is read back.
"""

from __future__ import annotations

import msgspec

from sim.recording.schema.base import Facts


class MeasuredFacts(Facts, frozen=True, kw_only=True):
    """Parameters of the comparison of measured torques with those of a run.

    Parameters
    ----------
    cutoff : float
        Cut-off of the low-pass filter applied to both [Hz].
    bandwidth : float
        Bandwidth of the log itself [Hz].
    middle : float
        Friction is fitted before this time, residuals are evaluated after it [s].
    torque_from : str
        Source of the measured torques, as text.
    is_synthetic : bool
        No robot was measured.
    """

    cutoff: float
    bandwidth: float
    middle: float
    torque_from: str
    is_synthetic: bool = False


class MeasuredJoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A joint of a run compared with its measured torque, both low-pass filtered.

    Fractions are residual RMS over measured RMS, after the middle of the log.

    Parameters
    ----------
    joint : str
    unit : str
        Unit of its effort.
    length : str
        Unit of its position.
    motion : float
        RMS difference of the run's position from the log [rad or m].
    travel : float
        Travel of the joint in the log [rad or m].
    measured : float
        RMS of the measured torque.
    rigid : float
        Fraction unexplained by rigid bodies and forces on links.
    own : float or None
        Fraction unexplained by the run's torque, with the robot's friction; None without friction.
    fitted : float
        Fraction unexplained by rigid bodies with Coulomb, viscous, offset fitted before the middle.
    sliding : float
        `fitted` without samples at rest.
    at_rest : float
        Fraction of the time at rest.
    coulomb, viscous, offset : float
        Fitted values; negative results that must be positive are 0.
    slope, slope_within : float
        Factor on the rigid-body torque that fits the whole log, together with friction, and half of
        its 95 % interval.
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
