"""Robots of boxes whose distances are known in closed form."""

import numpy as np

from sim.clearance.sampled_motion import SampledMotion
from sim.kinematics import tree_of
from sim.robots import load_robot

INERTIA = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name, *shapes):
    """A link with boxes, each (size, centre)."""
    seen = "".join(
        f'<visual><origin xyz="{_row(at)}"/>'
        f'<geometry><box size="{_row(size)}"/></geometry></visual>'
        for size, at in shapes
    )
    return f'<link name="{name}">{INERTIA}{seen}</link>'


def joint(name, kind, parent, child, axis=(0, 0, 1), at=(0, 0, 0)):
    limit = (
        ""
        if kind in ("fixed", "continuous")
        else '<limit lower="-9" upper="9" effort="0" velocity="0"/>'
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_row(at)}"/><axis xyz="{_row(axis)}"/>{limit}</joint>'
    )


def _row(values):
    return " ".join(map(repr, map(float, values)))


def robot_of(tmp_path, *parts):
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(parts)}</robot>')
    return load_robot(path)


def motion(robot, t, q, qd):
    """A motion by samples of q and qd, (n_tree, N) each."""
    return SampledMotion(tree_of(robot), t, np.atleast_2d(q), np.atleast_2d(qd))


def parabola(t, least, at, bend=1.0):
    """q and qd of least + bend (t - at)²: the cubic between samples is the parabola itself."""
    return least + bend * (t - at) ** 2, 2 * bend * (t - at)
