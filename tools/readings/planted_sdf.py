"""A small SDF for each feature of `reading_facts`: the rod of `planted`, and the feature."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LIMIT = "<limit><lower>-1</lower><upper>1</upper><effort>50</effort><velocity>3</velocity></limit>"
INERTIA = (
    "<inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz>"
    "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
)
SPHERE = (
    '<collision name="ball"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
)


def _inertial(rpy: str = "0 0 0") -> str:
    return f"<inertial><pose>0.2 0 0 {rpy}</pose><mass>1</mass>{INERTIA}</inertial>"


BODY = _inertial()
_AXIS = f"<axis><xyz>0 1 0</xyz>{LIMIT}{{}}</axis>"


def _arm(
    body: str = BODY,
    axis: str = _AXIS.format(""),
    kind: str = "revolute",
    more: str = "",
    base: str = '<link name="base"/>',
    parent: str = "base",
    inside: str = "",
    pose: str = "",
) -> str:
    """Return the rod with one change."""
    return (
        f'<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><model name="arm">{base}'
        f'<link name="rod">{pose}{body}{SPHERE}</link>'
        f'<joint name="hinge" type="{kind}"><parent>{parent}</parent><child>rod</child>'
        f"{axis}{inside}</joint>{more}</model></sdf>"
    )


def _second(kind: str, axis: str = _AXIS.format(""), pose: str = "", inside: str = "") -> str:
    """Return a second link on the rod."""
    return (
        f'<link name="tip"><pose relative_to="rod">0.4 0 0 0 0 0</pose>{BODY}</link>'
        f'<joint name="second" type="{kind}">{pose}<parent>rod</parent><child>tip</child>'
        f"{axis}{inside}</joint>"
    )


_NESTED = (
    f'<model name="inner"><pose>0.4 0 0 0 0 0</pose><link name="tip">{BODY}</link></model>'
    '<joint name="second" type="fixed"><parent>rod</parent><child>inner::tip</child></joint>'
)
_TWO = f"<axis><xyz>0 1 0</xyz>{LIMIT}</axis><axis2><xyz>0 0 1</xyz>{LIMIT}</axis2>"

PLANTED: Mapping[str, str] = MappingProxyType(
    {
        "tensor": _arm(body=_inertial("0.5 0 0")),
        "to-world": _arm(parent="world", base=""),
        "no-limit": _arm(axis="<axis><xyz>0 1 0</xyz></axis>"),
        "no-inertial": _arm(more=_second("revolute").replace(BODY, "")),
        "auto-inertia": _arm(body='<inertial auto="true"><density>1000</density></inertial>'),
        "relative-to": _arm(pose="<pose>0.1 0 0 0 0 0</pose>", more=_second("revolute")),
        "expressed-in": _arm(
            pose="<pose>0 0 0 0 0 1.57079632679</pose>",
            axis=_AXIS.format("").replace("<xyz>", '<xyz expressed_in="__model__">'),
        ),
        "joint-pose": _arm(inside="<pose>-0.1 0 0 0 0 0</pose>"),
        "damping": _arm(axis=_AXIS.format("<dynamics><damping>0.5</damping></dynamics>")),
        "friction": _arm(axis=_AXIS.format("<dynamics><friction>0.25</friction></dynamics>")),
        "spring": _arm(
            axis=_AXIS.format(
                "<dynamics><damping>0</damping><spring_stiffness>10</spring_stiffness>"
                "<spring_reference>0.1</spring_reference></dynamics>"
            )
        ),
        "zero-effort": _arm(axis=_AXIS.format("").replace(">50<", ">0<")),
        "no-effort": _arm(axis=_AXIS.format("").replace("<effort>50</effort>", "")),
        "mimic": _arm(
            more=_second(
                "revolute",
                _AXIS.format("").replace(
                    LIMIT,
                    '<mimic joint="hinge"><multiplier>2</multiplier><offset>0</offset>'
                    f"<reference>0</reference></mimic>{LIMIT}",
                ),
            )
        ).replace('"1.9"', '"1.11"'),
        "ball": _arm(axis="", kind="ball"),
        "universal": _arm(axis=_TWO, kind="universal"),
        "screw": _arm(
            kind="screw",
            inside="<screw_thread_pitch>0.02</screw_thread_pitch>",
        ),
        "gearbox": _arm(
            more=_second(
                "gearbox",
                _TWO,
                inside="<gearbox_ratio>2</gearbox_ratio>"
                "<gearbox_reference_body>base</gearbox_reference_body>",
            )
        ),
        "rotor": _arm(
            inside="<drake:rotor_inertia>1e-4</drake:rotor_inertia>"
            "<drake:gear_ratio>100</drake:gear_ratio>"
        ),
        "empty-dynamics": _arm(axis=_AXIS.format("<dynamics/>")),
        "nested-model": _arm(more=_NESTED),
    }
)
