"""The ``<limit>`` of a joint: range and ratings, and replacements for invalid values."""

from __future__ import annotations

import math

from msgspec.structs import replace

from sim.robots.coordinate import Limits
from sim.robots.defects import Defects
from sim.robots.document import LARGEST_NUMBER, Node
from sim.robots.joint import JointKind

NO_RANGE = "lower and upper limit are both 0: it cannot move"
"""Of a joint whose exporter was given no limits."""

TINY = 1e-3
"""Below it a rating is no drive's [rad/s, m/s, N·m, N]: a turn in two hours, a tenth of a gram."""

_WITHOUT_ROOM = "no torque depends on a range, and this one leaves no room to move"
_WITHOUT_ENDS = (
    "no torque depends on a range; by the standard it is 0 to 0, as in Pinocchio, and without ends "
    "in MuJoCo, Drake and PyBullet"
)


def read_limits(node: Node, name: str, kind: JointKind, findings: Defects) -> Limits:
    """Return the limits of a joint from its ``<limit>``; infinite where absent. A ball has none.

    Raises
    ------
    ModelError
        If a value is not a number; in strict mode, if there is a defect.
    """
    limit, has_stops = node.only("limit"), kind in ("revolute", "prismatic")
    if kind in ("fixed", "spherical") or limit is None:
        if has_stops:
            says = f"a {kind} joint needs a <limit> with lower and upper"
            says += "; a rotary joint without stops is 'continuous'"
            _note_no_range(findings, node, name, says)
        return Limits()
    velocity = _rating(limit, name, "velocity", findings)
    effort = _rating(limit, name, "effort", findings)
    endless = Limits(velocity=velocity, effort=effort)
    if not has_stops:
        return endless
    return _range(limit, name, kind, endless, findings)


def _range(limit: Node, name: str, kind: JointKind, endless: Limits, findings: Defects) -> Limits:
    """Return the limits with their range; `endless`, with a defect noted, if the range is empty."""
    ends = [key for key in ("lower", "upper") if limit.element.get(key, "").strip()]
    if not ends:
        says = f"the <limit> of a {kind} joint has neither lower nor upper"
        _note_no_range(findings, limit, name, says, _WITHOUT_ENDS)
        return endless
    lower, upper = (limit.number(key) if key in ends else 0.0 for key in ("lower", "upper"))
    if lower > upper:
        says = f"its lower limit {lower:g} is above its upper limit {upper:g}"
        _note_no_range(findings, limit, name, says)
        return endless
    if len(ends) == 1:
        says = f"its <limit> has {ends[0]} but not {'upper' if ends == ['lower'] else 'lower'}"
        why = "so the URDF standard has it, Pinocchio and MuJoCo; no torque depends on it"
        findings.note("one end", limit, name, says, "0 for the other end", why)
    if lower <= -LARGEST_NUMBER and upper >= LARGEST_NUMBER:
        return endless
    return replace(endless, lower=lower, upper=upper)


def _rating(limit: Node, name: str, key: str, findings: Defects) -> float:
    """Return the largest speed or effort; infinite if zero, missing or negative."""
    is_there = bool(limit.element.get(key, "").strip())
    value = limit.number(key) if is_there else 0.0
    if value < 0 or not is_there:
        negative = f"its {key} {value:g} is negative; it must be at least 0"
        findings.note(
            "no rating",
            limit,
            name,
            says=negative if is_there else f"its <limit> needs {key}",
            reading=f"no limit of its {key}",
            why="no torque depends on it, but no check can judge by it",
        )
    return value if value > 0 else math.inf


def _note_no_range(
    findings: Defects, node: Node, name: str, says: str, why: str = _WITHOUT_ROOM
) -> None:
    findings.note("no range", node, name, says, "a range without ends", why)
