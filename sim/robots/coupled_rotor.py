"""Rotors that turn with several joints, as in wrists whose bevel gears couple two axes.

With the motor angles theta = A q the rotors add ``Aᵀ diag(J) A`` to the mass matrix, which is not
diagonal; motor torques tau_m give ``tau = Aᵀ tau_m`` at the joints. The rotors are mounted on the
root link: their motion with the links before the joints is neglected.

A DifferentialTransmission with reductions n of its two actuators and m of its joints has

    theta_1 = n_1 (m_1 q_1 + m_2 q_2),      theta_2 = n_2 (m_1 q_1 - m_2 q_2)

References
----------
ros_control, transmission_interface/differential_transmission.h.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.quantity import Checker
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

DIFFERENTIAL = "DifferentialTransmission"
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")


@checked
@dataclass(frozen=True)
class CoupledRotor:
    """A rotor whose angle is a linear combination of joints, ``theta = Σ ratios[j] q_j``.

    Parameters
    ----------
    inertia : float
        Inertia of everything that turns with the motor, about its shaft [kg·m²].
    ratios : mapping of str to float
        Ratio for each joint, signed; [rad/m] for a prismatic joint.
    viscous : float
        Viscous friction of the motor, at its shaft [N·m·s/rad].

    Raises
    ------
    ModelError
        If a number is not finite, the inertia not positive, the friction negative, or all ratios 0.
    """

    inertia: float
    ratios: Mapping[str, float] = field(default_factory=dict)
    viscous: float = 0.0

    def __post_init__(self) -> None:
        check = Checker("Coupled rotor")
        check.set_fields(self, check.positive, "kg·m²", "inertia")
        check.set_fields(self, check.not_negative, "N·m·s/rad", "viscous")
        ratios = {name: check.finite(f"ratio of {name}", x, "") for name, x in self.ratios.items()}
        if not any(ratios.values()):
            raise ModelError("Coupled rotor: no ratios given; give one per joint")
        object.__setattr__(self, "ratios", ratios)


def differentials_of(text: str, source: str) -> dict[str, dict[str, float]]:
    """Return the rows of A of each DifferentialTransmission of a URDF, by actuator and joint.

    Raises
    ------
    ModelError
        If one does not have two actuators and two joints, or a reduction is invalid; names it.
    """
    if DIFFERENTIAL not in text:
        return {}
    rows: dict[str, dict[str, float]] = {}
    for element in parse(text, source).iter("transmission"):
        kind = element.get("type") or element.findtext("type") or element.findtext("plugin") or ""
        # HalfDifferentialTransmission is another one
        if kind.strip().rpartition("/")[2] == DIFFERENTIAL:
            rows |= _rows(element, source)
    return rows


def _rows(element: _Element, source: str) -> dict[str, dict[str, float]]:
    actuators, joints = (dict(_reductions(element, tag, source)) for tag in ("actuator", "joint"))
    if len(actuators) != 2 or len(joints) != 2:
        raise ModelError(
            f"{source}: transmission {element.get('name')!r} is a {DIFFERENTIAL}, which has two "
            f"actuators and two joints; it has {len(actuators)} and {len(joints)}"
        )
    (first, m_1), (second, m_2) = joints.items()
    return {
        name: {first: n * m_1, second: sign * n * m_2}
        for (name, n), sign in zip(actuators.items(), (1.0, -1.0), strict=True)
    }


def _reductions(element: _Element, tag: str, source: str) -> Iterator[tuple[str, float]]:
    """Name and reduction of each actuator or joint, in the order of their roles."""
    parts = [one for one in element.iterchildren(tag) if one.get("name")]
    parts.sort(key=lambda one: one.get("role") or one.findtext("role") or "")
    for one in parts:
        words = (one.findtext(key) for key in REDUCTIONS)
        word = next((word.strip() for word in words if word and word.strip()), "1")
        try:
            ratio = float(word)
        except ValueError:
            ratio = math.nan
        if not math.isfinite(ratio) or ratio == 0.0:
            raise ModelError(
                f"{source}: transmission {element.get('name')!r}: {tag} {one.get('name')!r} has "
                f"the reduction {word[:20]!r}; it must be a finite number that is not 0"
            )
        yield str(one.get("name")), ratio
