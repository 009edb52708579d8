"""Cause: one reason for a difference between the torques of a loop and the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sim.maths.arrays import Array
from sim.recording.schema.watched_facts import CauseFacts
from sim.robots.coordinate import Coordinate
from sim.robots.joint import Joint

GEOMETRY = "geometry"  # kinds of causes that rule out any other judgement
MOVING_BASE = "moving base"
CHANGED = "changed in the loop"
SET_BY_HAND = "state set by hand"
EPISODE = "new episode"
UNREAD = "unread force"  # steps whose forces are not known; they are not judged
SERVO_WITHIN = "servo within a step"  # of MuJoCo's integrator
SHARED_FRICTION = "dry friction"  # present in model and engine, each with its own law
NAMED = 2  # further places that are named for one cause


@dataclass(frozen=True, eq=False)
class Cause:
    """A named cause.

    Parameters
    ----------
    kind, where, text, remedy, is_error, alternatives
        As in `CauseFacts`.
    torque : ndarray, shape (n, N), or None
        Its contribution to the torque, in addition to the model [N·m or N].
    """

    kind: str
    text: str
    remedy: str = ""
    where: str = ""
    torque: Array | None = None
    is_error: bool = True
    alternatives: tuple[str, ...] = ()

    def share(self, peaks: Array) -> float:
        """Return the largest torque, relative to the peak of its joint; `peaks` (n,)."""
        if self.torque is None or not self.torque.size:
            return 0.0
        return float(np.max(np.abs(self.torque) / peaks[:, None]))

    def facts(self, peaks: Array) -> CauseFacts:
        """Return the entry of the cause in a description."""
        return CauseFacts(
            kind=self.kind,
            where=self.where,
            text=self.text,
            remedy=self.remedy,
            share=self.share(peaks),
            is_error=self.is_error,
            alternatives=self.alternatives,
        )


def misplaced_link(joint: Joint, there: Array, here: Array) -> Cause:
    """Return the cause of a link at pose `there` in the engine and `here` in the file, (4, 4)."""
    off = float(np.linalg.norm(there[:3, 3] - here[:3, 3]))
    cosine = (np.sum(there[:3, :3] * here[:3, :3]) - 1) / 2
    turned = float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    text = f"link {joint.child} stands {1e3 * off:.4g} mm and {turned:.4g}° from where"
    return Cause(
        GEOMETRY,
        f"{text} the file has it, at the same joint positions: nothing else is judged",
        f"compare the frame and axis of {joint.name} with the file",
        joint.child,
    )


def join_causes(causes: Iterable[Cause], peaks: Array) -> list[Cause]:
    """Return the causes, merged by kind: the largest, and its other places."""
    kinds: dict[tuple[str, bool], list[Cause]] = {}
    for cause in causes:
        kinds.setdefault((cause.kind, cause.is_error), []).append(cause)
    merged = []
    for same in kinds.values():
        same.sort(key=lambda cause: -cause.share(peaks))
        first = same[0]
        others = list(dict.fromkeys(one.where for one in same if one.where != first.where))
        if len(same) > 1:
            torques = [cause.torque for cause in same if cause.torque is not None]
            first = replace(first, torque=np.sum(torques, axis=0) if torques else None)
        if others:
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            text = f"{first.text}; likewise {', '.join(others[:NAMED])}{more}"
            first = replace(first, text=text)
        merged.append(first)
    return sorted(merged, key=lambda cause: -cause.share(peaks))


Law = Literal["torque", "spring", "damping", "quadratic damping", "inertia"]


def unit_of(row: Coordinate, law: Law) -> str:
    """Unit of the number of a law in a joint: N·m·s/rad of the damping of a hinge."""
    angle, speed, _, effort, inertia = row.units
    per_speed = f"{effort}·s/{angle}"
    units: dict[Law, str] = {"torque": effort, "spring": f"{effort}/{angle}", "damping": per_speed}
    return {**units, "quadratic damping": f"{effort}/({speed})²", "inertia": inertia}[law]


def number(value: float, within: float = 0.0) -> str:
    """Return a number with its uncertainty, as short as that allows."""
    if within > 0 and np.isfinite(within) and abs(value) < 1e15:
        digits = int(np.clip(np.ceil(np.log10(max(abs(value), within) / within)) + 1, 3, 6))
        return f"{value:.{digits}g} ± {within:.1g}"
    return f"{value:.6g}"
