"""Transmissions of a URDF: they are not used, and a run reports that."""

from __future__ import annotations

from collections.abc import Iterator

from sim.robots.robot import Robot
from sim.robots.xml_text import parse

MOST = 6  # joints that the remark names


def transmissions(robot: Robot) -> tuple[str, ...]:
    """A remark that the ``<transmission>`` elements of a robot's text are not used; or none."""
    if "<transmission" not in robot.text:
        return ()
    told = list(_ratios(robot))
    if not told:
        return ()
    shown = ", ".join(told[:MOST]) + (f" and {len(told) - MOST} more" if len(told) > MOST else "")
    return (
        f"<transmission> of {shown} is not used: torques, speeds and ratings are those of the "
        "joint, without a gear ratio or a rotor's inertia",
    )


def _ratios(robot: Robot) -> Iterator[str]:
    """Each joint of a transmission, with its gear ratio where there is one."""
    for element in parse(robot.text, robot.name).iter("transmission"):
        for joint in element.iter("joint"):
            ratio = (element.findtext(".//mechanicalReduction") or "").strip()[:20]
            yield joint.get("name", "?") + (f" (ratio {ratio})" if ratio else "")
