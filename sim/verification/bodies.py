"""Robots of a few bodies, for cases of the manual."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from sim.maths.arrays import Array
from sim.robots.loading import read_urdf
from sim.robots.robot import Robot

Vector = Sequence[float] | Array
ORIGIN = (0.0, 0.0, 0.0)


def body(
    name: str, mass: float, com: Vector = ORIGIN, moments: Vector = ORIGIN, rpy: Vector = ORIGIN
) -> str:
    """Return a link's URDF, with principal `moments` [kg·m²] about its mass centre `com` [m]."""
    xx, yy, zz = map(_number, moments)
    return (
        f'<link name="{name}"><inertial><origin xyz="{_text(com)}" rpy="{_text(rpy)}"/>'
        f'<mass value="{_number(mass)}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def frame(name: str) -> str:
    """Return the URDF of a link without mass."""
    return f'<link name="{name}"/>'


def hinge(
    name: str,
    parent: str,
    child: str,
    axis: Vector,
    at: Vector = ORIGIN,
    rpy: Vector = ORIGIN,
    more: str = "",
) -> str:
    """Return the URDF of a joint that turns without limits; `more` may contain ``<dynamics>``."""
    return (
        f'<joint name="{name}" type="continuous">{_ends(parent, child, at, rpy)}'
        f'<axis xyz="{_text(axis)}"/>{more}</joint>'
    )


def slide(
    name: str,
    parent: str,
    child: str,
    axis: Vector,
    at: Vector = ORIGIN,
    rpy: Vector = ORIGIN,
    more: str = "",
) -> str:
    """Return the URDF of a prismatic joint, limited to a kilometre."""
    limit = '<limit lower="-1000" upper="1000" effort="1e6" velocity="1e6"/>'
    return (
        f'<joint name="{name}" type="prismatic">{_ends(parent, child, at, rpy)}'
        f'<axis xyz="{_text(axis)}"/>{limit}{more}</joint>'
    )


def ball(name: str, parent: str, child: str, at: Vector = ORIGIN) -> str:
    """Return the URDF of a ball joint."""
    return f'<joint name="{name}" type="spherical">{_ends(parent, child, at, ORIGIN)}</joint>'


def rubbing(friction: float = 0.0, damping: float = 0.0) -> str:
    """Return dry friction [N·m or N] and viscous damping [N·m·s/rad or N·s/m] of a joint."""
    return f'<dynamics friction="{_number(friction)}" damping="{_number(damping)}"/>'


def robot(*parts: str) -> Robot:
    """Return the robot of a root frame ``ground`` and the given bodies and joints."""
    return read_urdf(robot_text(*parts))


def robot_text(*parts: str) -> str:
    """Return the URDF of a root frame ``ground`` and the given bodies and joints."""
    return "\n".join(['<robot name="case">', '<link name="ground"/>', *parts, "</robot>"])


def _ends(parent: str, child: str, at: Vector, rpy: Vector) -> str:
    return (
        f'<parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_text(at)}" rpy="{_text(rpy)}"/>'
    )


def _text(numbers: Vector) -> str:
    return " ".join(map(_number, numbers))


def _number(value: float) -> str:
    return repr(float(value))


def double_pendulum(m1: float, m2: float, l1: float, l2: float) -> Robot:
    """Return two point masses on rods hanging down at q = 0; the second angle is relative."""
    return robot(
        body("upper", m1, (0, 0, -l1)),
        body("lower", m2, (0, 0, -l2)),
        hinge("shoulder", "ground", "upper", (0, 1, 0)),
        hinge("elbow", "upper", "lower", (0, 1, 0), (0, 0, -l1)),
    )


def random_tree(rng: Generator, count: int) -> str:
    """Return the URDF of a tree of hinges and slides ``joint_0`` …, each on any earlier link.

    Masses are 0.5 to 2 kg, mass centres and origins within 0.3 m, axes skew, tensors rotated.
    """
    names = ["ground", *(f"link_{k}" for k in range(count))]
    parts = []
    for k in range(count):
        mass, (com, rpy, at, turn) = rng.uniform(0.5, 2), rng.uniform(-0.3, 0.3, (4, 3))
        a, b, c = mass * rng.uniform(0.05, 0.2, 3) ** 2
        axis = rng.normal(size=3)
        make = slide if rng.random() < 1 / 3 else hinge
        ends = names[int(rng.integers(k + 1))], names[k + 1]
        parts += [
            body(names[k + 1], mass, com, (b + c, c + a, a + b), 10 * rpy),
            make(f"joint_{k}", *ends, axis / np.linalg.norm(axis), at, 10 * turn),
        ]
    text = robot_text(*parts)
    # some programs give an unlimited hinge two coordinates: limits out of reach
    wide = '<limit lower="-1000" upper="1000" effort="1e6" velocity="1e6"/>'
    return text.replace('type="continuous">', f'type="revolute">{wide}')
