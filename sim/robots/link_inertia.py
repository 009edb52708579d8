"""The ``<inertial>`` of a link: its body, and the repair of impossible values."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.defects import Defect, Defects
from sim.robots.document import Node
from sim.robots.inertia import (
    FARTHEST,
    LIGHTEST,
    SLIGHT,
    Inertia,
    beyond_triangle,
    fault_of,
    is_noise,
)
from sim.robots.repair import RepairKind
from sim.robots.urdf_elements import MOMENTS

# Reason of a repair to a point mass.
ROUNDING = "the moments are rounding errors relative to the mass"
_ORIGIN = (0.0, 0.0, 0.0)


def read_inertia(node: Node, link: str, findings: Defects) -> Inertia | None:
    """Return the body of a link from its ``<inertial>``; None for a frame without mass and inertia.

    Raises
    ------
    ModelError
        If something is missing or not a number; inadmissible defects raise later.
    """
    if not node.element.findall("mass") + node.element.findall("inertia"):
        why = "an <inertial> without mass is equivalent to none"
        findings.note(_no_body(node, link, "<inertial> needs a <mass>", why))
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
    mass = node.only("mass")
    if mass is not None:
        return mass.number("value")
    why = "a fixed base needs none"
    findings.note(_no_body(node, link, "<inertial> needs a <mass>", why, "moved"))
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
    findings.note(_point_mass(at, link, says, "no joint turns it", "turned"))
    return np.zeros((3, 3))


def _possible_tensor(node: Node, link: str, mass: float, I_c: Array, findings: Defects) -> Array:
    """Return the tensor to use; a deviation from the text is noted as a defect."""
    defect = fault_of(mass, I_c)
    if defect is None:
        return I_c
    fault, says = defect
    is_speck = fault == "size" and mass < LIGHTEST and not I_c.any()
    if fault == "no mass" or is_speck:
        why = "nothing without mass has inertia; some programs mark frames so"
        why = "so little mass moves nothing" if is_speck else why
        findings.note(_no_body(node, link, says, why))
        return I_c
    if fault == "size":
        raise node.error(says)
    if mass < 0:
        why = "mass must not be negative"
        findings.note(_no_body(node, link, says, why, "moved"))
        return I_c
    if is_noise(mass, I_c):
        findings.note(_point_mass(node, link, says, ROUNDING))
        return np.zeros((3, 3))
    beyond = beyond_triangle(I_c)
    if beyond is None or np.diag(I_c).min() < 0:  # a wrong sign is no rounding and no rotation
        findings.note(_point_mass(node, link, says, "no joint turns it", "turned"))
        return np.zeros((3, 3))
    why = "as few printed digits make it" if beyond <= SLIGHT else "no body has it: measure again"
    reading = "the tensor as it is written"
    findings.note(Defect("impossible body", node, link, says, reading, why, "rotary below"))
    return I_c


def _no_body(
    node: Node, link: str, says: str, why: str, refused_if: Literal["", "moved"] = ""
) -> Defect:
    reading = "a frame without mass and inertia"
    return Defect("no body", node, link, says, reading, why, "all below", refused_if)


def _point_mass(
    node: Node, link: str, says: str, why: str, refused_if: Literal["", "turned"] = ""
) -> Defect:
    kind: RepairKind = "no second moments"
    return Defect(kind, node, link, says, "a point mass", why, "rotary below", refused_if)


def origin_pose(node: Node) -> Array:
    """Return the pose of the ``<origin>`` of an element, shape (4, 4); the identity without one."""
    origin = node.only("origin")
    if origin is None:
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
