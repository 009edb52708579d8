"""Comparison of a run with a real robot's log: one table of text for terminal and page."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct

from sim.recording.schema.description import Run
from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint

SHARP = 0.2  # largest half interval of a slope that is still an estimate


class MeasuredRow(Struct, frozen=True):
    """A joint compared with its log; `channel` is that of its torque."""

    joint: str
    channel: str
    measured: str
    rigid: str
    fitted: str
    sliding: str
    at_rest: str
    friction: tuple[str, str, str]
    slope: str


def measured_rows(joints: Iterable[MeasuredJoint]) -> list[MeasuredRow]:
    """Return one row per joint."""
    return [
        MeasuredRow(
            joint=one.joint,
            channel=f"tau.{one.joint}",
            measured="–" if one.measured is None else f"{one.measured:.3g} {one.unit}",
            rigid=share(one.rigid),
            fitted=share(one.fitted),
            sliding=share(one.sliding),
            at_rest=share(one.at_rest),
            friction=(f"{one.coulomb:.3g}", f"{one.viscous:.3g}", f"{one.offset:.2g}"),
            slope=slope_text(one),
        )
        for one in joints
    ]


def joints_of(run: Run) -> tuple[MeasuredJoint, ...]:
    """Return the joints of a run that follows a log; empty for other runs."""
    return run.measured or ()


def facts_of(run: Run) -> MeasuredFacts | None:
    """Return the comparison of a run with a log; None if there is none."""
    return None if run.reference is None else run.reference.measured


def share(value: float | None) -> str:
    """Return a share in per cent."""
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{0 if value >= 0.0995 else 1}f} %"


def slope_text(one: MeasuredJoint) -> str:
    """Return the slope with its interval, or a note that the log does not determine it."""
    if not is_sharp(one) or one.slope is None or one.slope_within is None:
        return "not identifiable"
    return f"{one.slope:.3f} ± {one.slope_within:.3f}"


def is_sharp(one: MeasuredJoint) -> bool:
    """Whether the log determines the factor of the rigid-body torque."""
    return one.slope is not None and one.slope_within is not None and one.slope_within < SHARP


def cutoff_sentence(how: MeasuredFacts) -> str:
    """Describe the low-pass filter applied to log and model."""
    return (
        f"{how.cutoff:.3g} Hz low-pass on log, model and friction; bandwidth of the log: "
        f"{how.bandwidth:.3g} Hz"
    )


def motion_sentence(joints: Iterable[MeasuredJoint]) -> str:
    """Return the position difference of the joint with the largest share of its travel."""
    far = max(joints, key=lambda one: (one.motion or 0.0) / max(one.travel, 1e-3))
    return (
        f"largest position difference {far.motion or 0.0:.2g} {far.length} RMS ({far.joint}, "
        f"travel {far.travel:.3g} {far.length})"
    )
