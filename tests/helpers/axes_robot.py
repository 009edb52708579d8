"""URDF text of an arm that is given by its axes: what a user's own robot may look like."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from sim.kinematics.poe import Screws
from sim.maths import exp_pose, pose, rpy_from_rotation

PALLETIZER = """
<robot name="palletizer">
  <link name="base"/>
  <link name="swing"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <link name="lower_arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <link name="link_plate"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"
    iyz="0" izz="1"/></inertial></link>
  <link name="upper_arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <link name="tilthouse"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <link name="flange"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial></link>
  <joint name="axis_1" type="revolute"><parent link="base"/><child link="swing"/>
    <axis xyz="0 0 1"/><limit lower="-2.88" upper="2.88"/></joint>
  <joint name="axis_2" type="revolute"><parent link="swing"/><child link="lower_arm"/>
    <origin xyz="0 0.26 0.7425"/><axis xyz="1 0 0"/><limit lower="-1.4835" upper="0.6981"/></joint>
  <joint name="plate_level" type="revolute"><parent link="lower_arm"/><child link="link_plate"/>
    <origin xyz="0 0 0.945"/><axis xyz="1 0 0"/><limit lower="-3.2" upper="3.2"/>
    <mimic joint="axis_2" multiplier="-1"/></joint>
  <joint name="axis_3" type="revolute"><parent link="link_plate"/><child link="upper_arm"/>
    <axis xyz="1 0 0"/><limit lower="-2.0944" upper="0.3491"/></joint>
  <joint name="wrist_level" type="revolute"><parent link="upper_arm"/><child link="tilthouse"/>
    <origin xyz="0 1.025 0"/><axis xyz="1 0 0"/><limit lower="-3.2" upper="3.2"/>
    <mimic joint="axis_3" multiplier="-1"/></joint>
  <joint name="axis_4" type="revolute"><parent link="tilthouse"/><child link="flange"/>
    <origin xyz="0 0.22 -0.2175"/><axis xyz="0 0 1"/><limit lower="-5.236" upper="5.236"/></joint>
</robot>
"""  # the IRB 460 of the paper: absolute angles, lengths in metres


def palletizer_pose(q: np.ndarray) -> np.ndarray:
    """Pose of its tool from the lengths alone, (4, 4, N): links with absolute angles."""
    t1, t2, t3, t4 = q
    r = 0.260 - 0.945 * np.sin(t2) + 1.025 * np.cos(t3) + 0.220
    z = 0.7425 + 0.945 * np.cos(t2) + 1.025 * np.sin(t3) - 0.2175
    T = np.zeros((4, 4, q.shape[1]))
    c, s = np.cos(t1 + t4), np.sin(t1 + t4)
    T[0, 0], T[0, 1], T[1, 0], T[1, 1], T[2, 2], T[3, 3] = c, -s, s, c, 1, 1
    T[:3, 3] = -r * np.sin(t1), r * np.cos(t1), z
    return T


def urdf_of_axes(
    axes: np.ndarray, points: np.ndarray, T_0e: np.ndarray, kinds: str | None = None
) -> str:
    """A chain whose link frames are all parallel to the base at q = 0.

    Parameters
    ----------
    axes, points : ndarray, shape (k, 3)
        Unit directions and points [m] of the joint axes in the base frame.
    T_0e : ndarray, shape (4, 4)
        Pose of the tool frame ``tool`` at q = 0.
    kinds : str, optional
        One letter a joint, r or p; all r without it.
    """
    parts = ['<robot name="axes">', '<link name="base"/>']
    last = np.zeros(3)
    for i, (axis, point) in enumerate(zip(axes, points, strict=True)):
        kind = "prismatic" if kinds and kinds[i] == "p" else "revolute"
        parts.append(
            f'<link name="link_{i + 1}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" '
            'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
            f'<joint name="joint_{i + 1}" type="{kind}"><parent link="{_name(i)}"/>'
            f'<child link="{_name(i + 1)}"/><origin xyz="{_words(point - last)}"/>'
            f'<axis xyz="{_words(axis)}"/><limit lower="-6.2832" upper="6.2832"/></joint>'
        )
        last = point
    shift, rpy = T_0e[:3, 3] - last, rpy_from_rotation(T_0e[:3, :3])
    parts.append(
        '<link name="tool"/><joint name="tool_joint" type="fixed">'
        f'<parent link="{_name(len(axes))}"/><child link="tool"/>'
        f'<origin xyz="{_words(shift)}" rpy="{_words(rpy)}"/></joint></robot>'
    )
    return "\n".join(parts)


def disguised(screws: Screws, rng: Generator, *, tool: bool = True) -> str:
    """The same arm as a stranger would describe it.

    Another base frame, another zero position, axes turned over at random, points slid along their
    axes, and another tool frame.
    """
    k = screws.xi.shape[1]
    theta = rng.uniform(-np.pi, np.pi, k)
    w, c, T = screws.xi[3:].T.copy(), np.cross(screws.xi[3:].T, screws.xi[:3].T), screws.T_0e
    G = np.eye(4)
    for i in range(k):
        w_i, c_i = w[i].copy(), c[i].copy()
        w[i], c[i] = G[:3, :3] @ w_i, G[:3, :3] @ c_i + G[:3, 3]
        G = G @ exp_pose(screws.xi[:, i] * theta[i])
    T = G @ T
    if tool:
        T = T @ random_pose(rng)
    base = random_pose(rng)
    w, c = w @ base[:3, :3].T, c @ base[:3, :3].T + base[:3, 3]
    c = c + rng.uniform(-0.5, 0.5, (k, 1)) * w
    w = w * rng.choice([-1.0, 1.0], (k, 1))
    return urdf_of_axes(w, c, base @ T)


def random_pose(rng: Generator) -> np.ndarray:
    """A pose with any rotation and a position within 0.5 m."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return pose(R * np.sign(np.linalg.det(R)), rng.uniform(-0.5, 0.5, 3))


def _name(i: int) -> str:
    return f"link_{i}" if i else "base"


def _words(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
