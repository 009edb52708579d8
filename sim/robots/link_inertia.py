"""The ``<inertial>`` of a link: its body, what of it is impossible, and what is taken then."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.document import Node
from sim.robots.findings import Finding, Findings
from sim.robots.inertia import Inertia, fault_of, is_noise

_ORIGIN = (0.0, 0.0, 0.0)
_SLIGHT = 0.01  # of the largest moment: what two or three printed digits lose


def read_inertia(node: Node, link: str, findings: Findings) -> Inertia | None:
    """The body of a link, from its ``<inertial>``; None for a frame without mass and inertia.

    Raises
    ------
    ModelError
        If something is missing, or no number; findings that cannot stand are raised later.
    """
    mass = node.required("mass").number("value")
    tensor = node.required("inertia")
    xx, xy, xz = (tensor.number(key) for key in ("ixx", "ixy", "ixz"))
    yy, yz, zz = (tensor.number(key) for key in ("iyy", "iyz", "izz"))
    I_c = _possible(
        node, link, mass, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), findings
    )
    T_lc = origin_pose(node)
    if mass <= 0:
        return None
    R_lc = T_lc[:3, :3]
    I_l = R_lc @ I_c @ R_lc.T
    return Inertia(mass, T_lc[:3, 3], (I_l + I_l.T) / 2)


def _possible(node: Node, link: str, mass: float, I_c: Array, findings: Findings) -> Array:
    """The tensor that is taken; why it is not the one of the text is a finding."""
    found = fault_of(mass, I_c)
    if found is None:
        return I_c
    fault, says = found
    if fault == "no mass":
        findings.note(
            Finding(
                "no body",
                node,
                link,
                says,
                taken="a frame without mass and inertia",
                why="nothing without mass has inertia; some programs mark frames so",
                reach="all below",
            )
        )
        return I_c
    if fault == "triangle":
        slight = _beyond(I_c) <= _SLIGHT
        findings.note(
            Finding(
                "impossible body",
                node,
                link,
                says,
                taken="the tensor as it is written",
                why="as few printed digits make it" if slight else "no body has it: measure again",
                reach="rotary below",
            )
        )
        return I_c
    noise = is_noise(mass, I_c)
    findings.note(
        Finding(
            "no second moments" if mass > 0 else "no body",
            node,
            link,
            says,
            taken="a point mass" if mass > 0 else "a frame without mass and inertia",
            why="the moments are rounding beside the mass" if noise else "",
            reach="rotary below" if noise else "all below",
            only_welded=not noise,
        )
    )
    return np.zeros((3, 3))


def _beyond(tensor: Array) -> float:
    smallest, middle, largest = np.linalg.eigvalsh(tensor)
    return float((largest - smallest - middle) / largest)


def origin_pose(node: Node) -> Array:
    """Pose that the ``<origin>`` of an element gives, shape (4, 4); the identity without one."""
    origin = node.only("origin")
    if origin is None:
        return pose()
    rotation = rotation_from_rpy(origin.vector("rpy", _ORIGIN))
    return pose(rotation, origin.vector("xyz", _ORIGIN))
