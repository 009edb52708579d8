"""A small URDF for each feature of `sim.audit.reading_facts`: a rod on a hinge, and the feature."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# 1 kg, 0.2 m from a hinge about Y: 0.03 + 0.04 kg·m² about it, and -1.962 N·m hold it at rest.
INERTIAL = (
    '<inertial><origin xyz="0.2 0 0"/><mass value="1"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>'
)
ZERO = (
    '<inertial><mass value="0"/>'
    '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
)
SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
LIMIT = '<limit lower="-1" upper="1" effort="50" velocity="3"/>'
_NO_ENDS = '<limit effort="50" velocity="3"/>'
_DRIVEN = (
    '<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
    '<joint name="hinge"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>'
    '<actuator name="m">{}</actuator></transmission>'
)


def _arm(
    body: str = INERTIAL,
    kind: str = "revolute",
    axis: str = "0 1 0",
    limit: str = LIMIT,
    inside: str = "",
    more: str = "",
    head: str = "",
) -> str:
    """Return the rod with one change; `inside` is in the hinge, `more` after it."""
    return (
        f'<robot name="arm" xmlns:drake="http://drake.mit.edu">{head}<link name="base"/>'
        f'<link name="rod">{body}{SPHERE}</link><joint name="hinge" type="{kind}">'
        f'<parent link="base"/><child link="rod"/><axis xyz="{axis}"/>{limit}{inside}</joint>'
        f"{more}</robot>"
    )


def _link(content: str, kind: str = "fixed", inside: str = "") -> str:
    """Return a second link on the rod, 0.4 m from the hinge."""
    return (
        f'<link name="tip">{content}</link><joint name="second" type="{kind}">'
        f'<origin xyz="0.4 0 0"/><parent link="rod"/><child link="tip"/>{inside}</joint>'
    )


_TREE = (
    '<link name="other"/><link name="tip">' + INERTIAL + '</link><joint name="second" '
    'type="revolute"><parent link="other"/><child link="tip"/><axis xyz="0 1 0"/>' + LIMIT
) + "</joint>"
_FOLLOWER = f'<axis xyz="0 1 0"/>{LIMIT}<mimic joint="hinge" multiplier="2"/>'

PLANTED: Mapping[str, str] = MappingProxyType(
    {
        "root": _arm(),
        "tensor": _arm(body=INERTIAL.replace("/><mass", ' rpy="0.5 0 0"/><mass')),
        "impossible-tensor": _arm(body=INERTIAL.replace("0.02", "0.001").replace("0.04", "0.1")),
        "shape-only": _arm(more=_link(SPHERE)),
        "bare-frame": _arm(more=_link("")),
        "bare-link": _arm(more=_link("", "revolute", f'<axis xyz="0 1 0"/>{LIMIT}')),
        "zero-mass": _arm(body=ZERO),
        "fixed": _arm(more=_link(INERTIAL)),
        "long-axis": _arm(axis="0 2 0"),
        "reversed-axis": _arm(axis="0 -1 0"),
        "oblique-axis": _arm(axis="0 0.6 0.8"),
        "no-limit": _arm(limit=""),
        "no-ends": _arm(limit=_NO_ENDS),
        "zero-range": _arm(limit=LIMIT.replace("-1", "0").replace('"1"', '"0"')),
        "endless-limits": _arm(kind="continuous"),
        "endless-joint": _arm(kind="continuous", limit=_NO_ENDS),
        "zero-effort": _arm(limit=LIMIT.replace("50", "0"), more=_DRIVEN.format("")),
        "damping": _arm(inside='<dynamics damping="0.5" friction="0"/>'),
        "friction": _arm(inside='<dynamics damping="0" friction="0.25"/>'),
        "empty-dynamics": _arm(inside="<dynamics/>"),
        "dynamics-extras": _arm(
            inside='<dynamics damping="0" friction="0" armature="0.5" spring_stiffness="10" '
            'spring_reference="0.1"/>'
        ),
        "mimic": _arm(more=_link(INERTIAL, "revolute", _FOLLOWER)),
        "transmission": _arm(more=_DRIVEN.format("<mechanicalReduction>100</mechanicalReduction>")),
        "rotor": _arm(
            more=_DRIVEN.format(
                '<drake:rotor_inertia value="1e-4"/><drake:gear_ratio value="100"/>'
            )
        ),
        "mujoco-masses": _arm(head='<mujoco><compiler settotalmass="10"/></mujoco>'),
        "planar": _arm(kind="planar", limit=""),
        "floating": _arm(kind="floating", limit=""),
        "floating-inside": _arm(more=_link(INERTIAL, "floating")),
        "ball": _arm(kind="spherical", limit=""),
        "several-trees": _arm(more=_TREE),
    }
)
