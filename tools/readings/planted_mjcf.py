"""A small MJCF for each feature of `reading_facts`: the rod of `planted`, and the feature."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INERTIAL = '<inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>'
SPHERE = '<geom name="ball" type="sphere" size="0.1"/>'
RANGE = 'limited="true" range="-1 1"'
TIP = f'<body name="tip" pos="0.4 0 0">{{}}{INERTIAL}</body>'
SECOND = '<joint name="second" type="hinge" axis="0 1 0"/>'

MESH = """o cube
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 0.1 -0.1
v -0.1 -0.1 0.1
v 0.1 -0.1 0.1
v 0.1 0.1 0.1
v -0.1 0.1 0.1
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 2 3 7
f 2 7 6
f 3 4 8
f 3 8 7
f 4 1 5
f 4 5 8
"""
FILES: Mapping[str, str] = MappingProxyType(
    {
        "cube.obj": MESH,
        "tip.xml": f"<mujocoinclude>{TIP.format(SECOND)}</mujocoinclude>",
    }
)
"""Files next to each planted one."""


def _arm(
    joint: str = "",
    limits: str = RANGE,
    body: str = INERTIAL + SPHERE,
    inside: str = "",
    head: str = "",
    more: str = "",
    rod: str = "",
    compiler: str = 'angle="radian"',
    name: str = ' model="arm"',
    extra: str = "",
    kind: str = 'type="hinge" axis="0 1 0"',
) -> str:
    """Return the rod with one change."""
    return (
        f"<mujoco{name}><compiler {compiler}/>{head}<worldbody>"
        f'<body name="rod"{rod}><joint name="hinge" {kind} {limits} {joint}/>{extra}'
        f"{body}{inside}</body></worldbody>{more}</mujoco>"
    )


def _default(text: str) -> str:
    return f"<default>{text}</default>"


_TREE = f'<body name="tip" pos="0 1 0">{SECOND}{INERTIAL}</body>'
_MOTOR = '<actuator><motor name="m" joint="hinge" {}/></actuator>'
_MASS = '<geom type="sphere" size="0.1" pos="0.2 0 0" mass="3"/>'

PLANTED: Mapping[str, str] = MappingProxyType(
    {
        "no-type": _arm(kind='axis="0 1 0"'),
        "no-name": _arm(name=""),
        "geom-mass": _arm(body=_MASS),
        "default-mass": _arm(
            body=_MASS.replace(' mass="3"', ""), head=_default('<geom mass="3"/>')
        ),
        "mesh-mass": _arm(
            body='<geom type="mesh" mesh="cube" pos="0.2 0 0" mass="3"/>',
            head='<asset><mesh name="cube" file="cube.obj"/></asset>',
        ),
        "total-mass": _arm(compiler='angle="radian" settotalmass="10"'),
        "armature": _arm(joint='armature="0.5"'),
        "armature-motor": _arm(joint='armature="0.5"', more=_MOTOR.format('gear="1"')),
        "damping": _arm(joint='damping="0.5"'),
        "damping-powers": _arm(joint='damping="0.5 0.25"'),
        "frictionloss": _arm(joint='frictionloss="0.25"'),
        "spring": _arm(joint='stiffness="10" springref="0.1"'),
        "gravcomp": _arm(rod=' gravcomp="1"'),
        "ref": _arm(joint='ref="0.5"'),
        "auto-limits": _arm(limits='range="-1 1"'),
        "two-joints": _arm(extra=SECOND.replace("0 1 0", "0 0 1")),
        "ball": _arm(limits="", kind='type="ball"'),
        "several-trees": _arm().replace("</worldbody>", f"{_TREE}</worldbody>"),
        "frame": _arm(inside=f'<frame pos="0 0 0.1">{TIP.format(SECOND)}</frame>'),
        "replicate": _arm(
            inside=f'<replicate count="1" offset="0 0 0.1">{TIP.format(SECOND)}</replicate>'
        ),
        "include": _arm(inside='<include file="tip.xml"/>'),
        "equality-joint": _arm(
            inside=TIP.format(SECOND),
            more='<equality><joint joint1="second" joint2="hinge" polycoef="0 2 0 0 0"/>'
            "</equality>",
        ),
        "connect": _arm(
            inside=TIP.format(SECOND),
            more='<equality><connect body1="tip" body2="rod" anchor="0.1 0 0"/></equality>',
        ),
        "gear": _arm(more=_MOTOR.format('gear="50" forcelimited="true" forcerange="-2 2"')),
        "servo": _arm(
            more='<actuator><position name="m" joint="hinge" kp="100" kv="10"/></actuator>'
        ),
    }
)
