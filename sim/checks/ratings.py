"""The motion against the ranges and ratings of the joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement, finite
from sim.checks.limits import RANGE_ROUNDING, RATING_ROUNDING
from sim.checks.run_view import RunView
from sim.recording.facts import JointFacts
from sim.recording.verdicts import Check


def ratings(view: RunView) -> Iterator[Judgement]:
    """Both ends of each range, the rated speed, and of a joint that follows no other the effort."""
    for joint in view.joints:
        for name, sign, end in (
            ("lower end of range", -1.0, joint.lower),
            ("upper end of range", 1.0, joint.upper),
        ):
            if end is not None:
                yield _range(view, joint, name, sign, end)
        if joint.velocity is not None:
            yield _rated(view, "rated speed", f"qd.{joint.name}", joint.velocity)
        if joint.effort is not None and joint.mimic is None:
            yield _rated(view, "rated torque", f"tau.{joint.name}", joint.effort)


def _rated(view: RunView, name: str, channel: str, rating: float) -> Judgement:
    size = np.abs(view.recorded(channel))
    size[(size > rating) & (size <= rating * (1 + RATING_ROUNDING))] = rating
    return view.judged(name, channel, size, rating, bounds="magnitude")


def _range(view: RunView, joint: JointFacts, name: str, sign: float, end: float) -> Judgement:
    """How far a joint goes towards an end of its range, and beyond."""
    channel = f"q.{joint.name}"
    q = view.recorded(channel)
    k = int(np.argmax(sign * q))
    beyond, worst = sign * (q - end), float(q[k])
    ok = bool(beyond[k] <= RANGE_ROUNDING)
    used = _used(worst, end, joint, sign, ok=ok)
    check = Check(
        name, channel, worst, end, view.unit(channel), float(view.t[k]), ok, used, channel
    )
    return Judgement(check, beyond, "end", RANGE_ROUNDING)


def _used(worst: float, end: float, joint: JointFacts, sign: float, *, ok: bool) -> float | None:
    """How far a joint goes from the middle of its range to an end; 0 inside a range of one end.

    Of a range without width, how far it goes beyond its end, of what rounding may make.
    """
    if joint.lower is None or joint.upper is None:
        return 0.0 if ok else None
    middle = (joint.lower + joint.upper) / 2
    half = end - middle
    if half == 0:
        beyond = worst - end if sign > 0 else end - worst
        return finite(max(beyond, 0.0) / RANGE_ROUNDING)
    return finite((worst - middle) / half)
