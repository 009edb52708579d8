"""URDF text of a deck's tree."""

from __future__ import annotations

from html import escape
from itertools import chain, repeat

import numpy as np

from sim.decks.deck import ROUNDING, Part
from sim.decks.spanning_tree import SpanningTree, TreeJoint, TreeLink
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, rpy_from_rotation
from sim.robots.document import LARGEST_NUMBER
from sim.robots.urdf import PLUS_MIMIC
from sim.robots.urdf_elements import MOMENTS

TURNING = 1e-9  # [kg·m²] for PyBullet, of a link without load that MOTIONs rotate
SLEEVE = 1e-15  # [kg] between two freedoms of a joint: negligible in all digits
KINDS = {"hinge": "continuous", "slide": "prismatic", "fixed": "fixed", "ball": "spherical"}


def urdf_text(name: str, tree: SpanningTree, header: str) -> str:
    """Return the URDF of a tree; each link's frame is that of the joint which carries it."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<!-- {escape(header, quote=False).replace('--', '- -')} -->",
        f'<robot name="{escape(name)}">',
        *(line for link in tree.links for line in _link(link)),
        *(line for joint in tree.joints for line in _joint(joint)),
        "</robot>",
    ]
    return "\n".join(lines) + "\n"


def numbers(values: Array) -> str:
    """Return numbers as text with all digits."""
    return " ".join(repr(value) for value in without_rounding(values).tolist())


def without_rounding(values: Array) -> Array:
    """Return numbers with rounding errors of zero replaced by zero."""
    return np.where(abs(values) < ROUNDING, 0.0, values)


def pose_numbers(T: Array) -> tuple[Array, Array]:
    """Return position [m], and roll, pitch and yaw [rad], of a pose."""
    return T[:3, 3], rpy_from_rotation(T[:3, :3])


def _link(link: TreeLink) -> list[str]:
    if link.is_bare or (link.part is not None and link.part.is_ground):
        return [f'  <link name="{escape(link.name)}"/>']
    mass, com = SLEEVE, np.zeros(3)
    inertia = TURNING * np.eye(3) if link.is_turned else np.zeros((3, 3))
    if link.part is not None and link.part.mass > 0:
        mass, com, inertia = _inertial(link.part, inverse_pose(link.T_0l) @ link.part.T_0p)
    tensor = zip(MOMENTS, inertia[np.triu_indices(3)], strict=True)
    return [
        f'  <link name="{escape(link.name)}">',
        "    <inertial>",
        f'      <origin xyz="{numbers(com)}"/>',
        f'      <mass value="{float(mass)!r}"/>',
        "      <inertia " + " ".join(f'{key}="{float(v)!r}"' for key, v in tensor) + "/>",
        "    </inertial>",
        "  </link>",
    ]


def _inertial(part: Part, T_lp: Array) -> tuple[float, Array, Array]:
    """Return mass, mass centre and central tensor, in the link's frame."""
    R = T_lp[:3, :3]
    return part.mass, R @ part.com + T_lp[:3, 3], R @ part.inertia @ R.T


def _joint(joint: TreeJoint) -> list[str]:
    kind = KINDS[joint.move]
    xyz, rpy = pose_numbers(joint.T_pc)
    ends = f'lower="-{LARGEST_NUMBER:g}" upper="{LARGEST_NUMBER:g}"'  # a deck has none
    limit = f'    <limit {ends} effort="0" velocity="0"/>'
    return [
        f'  <joint name="{escape(joint.name)}" type="{kind}">',
        f'    <parent link="{escape(joint.parent)}"/>',
        f'    <child link="{escape(joint.child)}"/>',
        f'    <origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>',
        *([] if kind in ("fixed", "spherical") else [f'    <axis xyz="{numbers(joint.axis)}"/>']),
        *([limit] if kind == "prismatic" else []),
        *_mimic(joint),
        "  </joint>",
    ]


def _mimic(joint: TreeJoint) -> list[str]:
    tags = chain(("mimic",), repeat(PLUS_MIMIC))
    return [
        f'    <{tag} joint="{escape(one.joint)}" '
        f'multiplier="{one.multiplier!r}" offset="{one.offset!r}"/>'
        for tag, one in zip(tags, joint.mimic.each if joint.mimic else (), strict=False)
    ]
