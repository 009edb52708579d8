"""Masses and inertia tensors of real bodies, in the ``<inertial>`` of a link; repair of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array, frozen
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.defects import Defects
from sim.robots.document import Node
from sim.robots.urdf_elements import MOMENTS
from sim.showing.one_line import one_line, vector

Fault = Literal["no mass", "size", "negative", "triangle"]

TOLERANCE = 1e-6  # relative to the largest principal moment: rounding of printed digits
SLIGHT = 0.01  # relative to the largest moment: excess that two or three printed digits cause

# Relative to the mass, as a squared length [m²]: moments of a body smaller than a micrometre.
NOISE = 1e-12

# Bounds for a machine. The heaviest that move on land have 1.4e7 kg, the largest ships 6e8 kg; a
# cubic micrometre of water has 1e-15 kg; no arm is close to a thousand kilometres long.
HEAVIEST, LIGHTEST = 1e9, 1e-15  # [kg]
FARTHEST = 1e6  # [m]
FARTHEST_PLACE = 1e5  # of a joint from its parent, of a mass centre from its link, in a run [m]

# Reason of a repair to a point mass.
ROUNDING = "the moments are rounding errors relative to the mass"
_ORIGIN = (0.0, 0.0, 0.0)


def why_impossible(mass: float, tensor: Array) -> str | None:
    """Reason why no body has this mass [kg] and central tensor [kg·m²]; None if one can.

    The tensor is about the mass centre. The second moments of a mass distribution, ``(I_1 + I_2 +
    I_3)/2 - I_k``, cannot be negative; this is the triangle inequality of the principal moments
    I_k, and implies that none of them is negative. A zero tensor is a point mass.
    """
    fault = fault_of(mass, tensor)
    return None if fault is None else fault[1]


def fault_of(mass: float, tensor: Array) -> tuple[Fault, str] | None:
    """Return kind and text of the fault of a mass and tensor; None for a possible body."""
    if not (np.isfinite(mass) and np.isfinite(tensor).all()):
        return "negative", f"mass {mass} kg and its inertia must be finite numbers"
    if mass < 0:
        return "negative", f"mass {mass:g} kg is negative; it must be at least 0"
    if mass == 0 and tensor.any():
        return "no mass", "there is an inertia but the mass is 0 kg"
    if mass and not LIGHTEST <= mass <= HEAVIEST:
        between = f"at least {LIGHTEST:g} and at most {HEAVIEST:g} kg are allowed, or 0"
        return "size", f"mass {mass:.10g} kg is unrealistic; {between}"
    largest = float(np.abs(tensor).max())
    if largest > mass * FARTHEST**2:
        return "size", (
            f"moments of {largest:g} kg·m² with {mass:g} kg need a body of "
            f"{np.sqrt(largest / mass):.1g} m; at most {FARTHEST:g} m are allowed"
        )
    return _fault_of_tensor(tensor)


def is_noise(mass: float, tensor: Array) -> bool:
    """Whether a tensor [kg·m²] is negligible for its mass [kg]: a point mass with rounding."""
    return mass > 0 and float(np.abs(tensor).max()) <= NOISE * mass


def beyond_triangle(tensor: Array) -> float | None:
    """Return the excess of the largest moment over the sum of the others, relative to itself.

    None if no moment is positive.
    """
    smallest, middle, largest = np.linalg.eigvalsh(tensor)
    return None if largest <= 0 else float((largest - smallest - middle) / largest)


def least_moment(tensor: Array) -> float:
    """Return the smallest principal moment relative to the largest; negative if one is negative."""
    smallest, _, largest = np.linalg.eigvalsh(tensor)
    return float(smallest / abs(largest)) if largest else float(np.sign(smallest))


def _fault_of_tensor(tensor: Array) -> tuple[Fault, str] | None:
    if np.abs(tensor - tensor.T).max() > TOLERANCE * np.abs(tensor).max():
        return "negative", "the inertia tensor is not symmetric"
    smallest, middle, largest = np.linalg.eigvalsh(tensor)
    printed = f"({smallest:.6g}, {middle:.6g}, {largest:.6g}) kg·m²"
    slack = TOLERANCE * max(abs(smallest), abs(largest))
    if smallest < -slack:
        return "negative", (
            f"the principal moments of inertia {printed} must not be negative "
            "(the tensor must be positive semidefinite)"
        )
    if smallest + middle < largest - slack:
        beyond = 100 * (largest - smallest - middle) / largest
        return "triangle", (
            f"the principal moments of inertia {printed} violate the triangle inequality: "
            f"no moment can exceed the sum of the other two, the largest does by {beyond:.3g} % "
            "of itself"
        )
    return None


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, mass centre and inertia tensor of a rigid body.

    Parameters
    ----------
    mass : float
        [kg]
    com : ndarray, shape (3,)
        Mass centre in the link frame [m].
    tensor : ndarray, shape (3, 3)
        About the mass centre, along the axes of the link frame [kg·m²].
    """

    mass: float
    com: Array
    tensor: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", frozen(self.com, (3,)))
        object.__setattr__(self, "tensor", frozen(self.tensor, (3, 3)))

    def __repr__(self) -> str:
        return one_line("Inertia:", f"{self.mass:g} kg at {vector(self.com)} m")


class Link(Struct, frozen=True):
    """A named rigid body; `inertia` is None for a pure frame such as ``tool0``."""

    name: str
    inertia: Inertia | None = None


def read_inertia(node: Node, link: str, findings: Defects) -> Inertia | None:
    """Return the body of a link from its ``<inertial>``; None for a frame without mass and inertia.

    Raises
    ------
    ModelError
        If something is missing or not a number; inadmissible defects raise later.
    """
    if not node.element.findall("mass") + node.element.findall("inertia"):
        why = "an <inertial> without mass is equivalent to none"
        _note_no_body(findings, node, link, "<inertial> needs a <mass>", why)
        return None
    mass = _mass(node, link, findings)
    tensor = _tensor(node, link, findings)
    T_lc = origin_pose(node)
    if mass is None:
        return None
    I_c = _possible_tensor(node, link, mass, tensor, findings)
    if mass < LIGHTEST:
        return None
    R_lc = T_lc[:3, :3]
    I_l = R_lc @ I_c @ R_lc.T
    return Inertia(mass, T_lc[:3, 3], (I_l + I_l.T) / 2)


def _mass(node: Node, link: str, findings: Defects) -> float | None:
    """Return the mass [kg]; None if it is missing, which is valid in links that no joint moves."""
    if (mass := node.only("mass")) is not None:
        return mass.number("value")
    why = "a fixed base needs none"
    _note_no_body(findings, node, link, "<inertial> needs a <mass>", why, "moved")
    return None


def _tensor(node: Node, link: str, findings: Defects) -> Array:
    """Return the tensor as written; zeros if missing (valid in links that no hinge turns)."""
    tensor = node.only("inertia")
    if tensor is not None and all(key in tensor.element.attrib for key in MOMENTS):
        xx, xy, xz, yy, yz, zz = (tensor.number(key) for key in MOMENTS)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    says, at = "<inertial> needs a <inertia>", node
    if tensor is not None:
        key = next(key for key in MOMENTS if key not in tensor.element.attrib)
        says, at = f"<inertia> needs the attribute {key!r}", tensor
    _note_point_mass(findings, at, link, says, "no joint turns it", "turned")
    return np.zeros((3, 3))


def _possible_tensor(node: Node, link: str, mass: float, I_c: Array, findings: Defects) -> Array:
    """Return the tensor to use; a deviation from the text is noted as a defect."""
    if (defect := fault_of(mass, I_c)) is None:
        return I_c
    fault, says = defect
    is_speck = fault == "size" and mass < LIGHTEST and not I_c.any()
    if fault == "no mass" or is_speck:
        why = "nothing without mass has inertia; some programs mark frames so"
        why = "so little mass moves nothing" if is_speck else why
        _note_no_body(findings, node, link, says, why)
        return I_c
    if fault == "size":
        raise node.error(says)
    if mass < 0:
        why = "mass must not be negative"
        _note_no_body(findings, node, link, says, why, "moved")
        return I_c
    if is_noise(mass, I_c):
        _note_point_mass(findings, node, link, says, ROUNDING)
        return np.zeros((3, 3))
    beyond = beyond_triangle(I_c)
    if beyond is None or np.diag(I_c).min() < 0:  # a wrong sign is no rounding and no rotation
        _note_point_mass(findings, node, link, says, "no joint turns it", "turned")
        return np.zeros((3, 3))
    why = "as few printed digits make it" if beyond <= SLIGHT else "no body has it: measure again"
    reading = "the tensor as it is written"
    findings.note("impossible body", node, link, says, reading, why, "rotary below")
    return I_c


def _note_no_body(
    findings: Defects, node: Node, link: str, says: str, why: str,
    refused_if: Literal["", "moved"] = "",
) -> None:  # fmt: skip
    reading = "a frame without mass and inertia"
    findings.note("no body", node, link, says, reading, why, "all below", refused_if)


def _note_point_mass(
    findings: Defects, node: Node, link: str, says: str, why: str,
    refused_if: Literal["", "turned"] = "",
) -> None:  # fmt: skip
    findings.note(
        "no second moments", node, link, says, "a point mass", why, "rotary below", refused_if
    )


def origin_pose(node: Node) -> Array:
    """Return the pose of the ``<origin>`` of an element, shape (4, 4); the identity without one."""
    if (origin := node.only("origin")) is None:
        return pose()
    if "quat_xyzw" in origin.element.attrib:
        raise origin.error("its orientation is a quaternion, quat_xyzw; write rpy, and rpy alone")
    rotation, place = (
        rotation_from_rpy(origin.vector("rpy", _ORIGIN)),
        origin.vector("xyz", _ORIGIN),
    )
    if np.abs(place).max() > FARTHEST:
        far = f"{np.abs(place).max():g} m away; at most {FARTHEST:g} m are allowed"
        raise origin.error(f"its <origin> is {far}, in metres")
    return pose(rotation, place)
