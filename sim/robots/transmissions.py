"""Gear ratios in ``<transmission>`` elements of a URDF, of ROS 1 and of ROS 2's ros2_control.

    ROS 1    <transmission name=…> <type>…/SimpleTransmission</type> <joint name=…/>
               <actuator name=…> <mechanicalReduction>N</mechanicalReduction> </actuator>
    older    <transmission name=… type=…> <actuator/> <joint/> <mechanicalReduction>N</…>
    ROS 2    <ros2_control> <transmission name=…> <plugin>…/SimpleTransmission</plugin>
               <joint name=… role=…> <mechanical_reduction>N</mechanical_reduction> </joint>

If ROS 2 has a reduction under both joint and actuator, the joint's is divided by the actuator's.
The ratio is motor speed over joint speed, signed. Two thirds of public files have 1 in every
element, as a placeholder: it counts as unknown. A sixth have ratios below 1, which are most likely
reciprocals. No element has a rotor inertia.

References
----------
wiki.ros.org/urdf/XML/Transmission; ros2_control, transmission_interface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.errors import ModelError
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

SIMPLE = "SimpleTransmission"
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
LONGEST = 20  # characters of a quoted word in a message


class Transmission(Struct, frozen=True):
    """Data of a transmission element for one joint.

    Parameters
    ----------
    joint : str
    ratio : float or None
        None if missing, or 1.
    is_simple : bool
        One motor moves one joint; otherwise the element couples several and the ratio is not read.
    """

    joint: str
    ratio: float | None
    is_simple: bool


def transmissions_of(text: str, source: str) -> tuple[Transmission, ...]:
    """Return the transmissions of a URDF, per joint, in the order of the file.

    Raises
    ------
    ModelError
        If a reduction is not a finite number, or 0; names the transmission and the joint.
    """
    if "<transmission" not in text:
        return ()
    return tuple(
        transmission
        for element in parse(text, source).iter("transmission")
        for transmission in _of_element(element, source)
    )


def _of_element(element: _Element, source: str) -> Iterator[Transmission]:
    joints = [joint for joint in element.iterchildren("joint") if joint.get("name")]
    kind = element.get("type") or element.findtext("type") or element.findtext("plugin") or SIMPLE
    is_simple = len(joints) == 1 and kind.strip().endswith(SIMPLE)
    for joint in joints:
        ratio = _ratio(element, joint, source) if is_simple else None
        yield Transmission(str(joint.get("name")), None if ratio == 1.0 else ratio, is_simple)


def _ratio(element: _Element, joint: _Element, source: str) -> float | None:
    at_joint, at_element = (_reduction(place, joint, source) for place in (joint, element))
    actuator = element.find("actuator")
    at_motor = None if actuator is None else _reduction(actuator, joint, source)
    at_output = at_element if at_joint is None else at_joint
    if at_output is None or at_motor is None:
        return at_motor if at_output is None else at_output
    return at_output / at_motor


def _reduction(place: _Element, joint: _Element, source: str) -> float | None:
    """Return the reduction directly below an element; None if missing or empty."""
    words = (place.findtext(tag) for tag in REDUCTIONS)
    word = next((word.strip() for word in words if word is not None and word.strip()), None)
    if word is None:
        return None
    try:
        ratio = float(word)
    except ValueError:
        ratio = math.nan
    if not math.isfinite(ratio) or ratio == 0.0:
        owner = place.getparent() if place.tag in ("joint", "actuator") else place
        name = "?" if owner is None else owner.get("name", "?")
        raise ModelError(
            f"{source}: transmission {name!r} of joint {joint.get('name')!r} has the reduction "
            f"{word[:LONGEST]!r}; it must be a finite number that is not 0, motor speed over joint "
            "speed"
        )
    return ratio
