"""Distance of the mass matrix from a singular one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics import lagrange
from sim.dynamics.light_motion import lightest_motion
from sim.maths.arrays import Array
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from lxml.etree import _Element

SIMULATORS = ("gazebo", "mujoco")  # tools whose elements mark a file for dynamics
NOTHING = 1e-12  # of the largest moment of a joint of its kind: rounding


def singular_findings(robot: Robot, q: Array) -> Iterator[Finding]:
    """Yield joints that move no inertia, and joints with nearly equal motions, at states (n, N)."""
    if not robot.joint_names:
        return
    # As in an engine: followers move independently, each with its own motor.
    q = robot.q_tree(q)
    robot = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    M = np.moveaxis(lagrange.mass_matrix(robot, q), -1, 0)  # (N, n_tree, n_tree)
    inertia = np.diagonal(M, axis1=1, axis2=2).max(axis=0)
    empty = np.zeros(len(inertia), dtype=bool)
    turns = np.array([row.is_angle for row in robot.coordinates])
    for kind in (~turns, turns):
        if kind.any():
            empty[kind] = inertia[kind] <= NOTHING * max(inertia[kind].max(), NOTHING)
    for name, is_angle in zip(np.array(robot.row_names)[empty], turns[empty], strict=True):
        lacks, gives = ("inertia about it", "tensor") if is_angle else ("mass", "mass")
        text = f"the body it moves has no {lacks}: the mass matrix is singular"
        remedy = f"give its link a {gives}: PyBullet cannot hold such a joint, nor is it ever free"
        yield Finding("warning", "singular-mass-matrix", str(name), None, text, remedy)
    if empty.any() or len(inertia) < 2:
        return
    lightest = lightest_motion(np.moveaxis(M, 0, -1))
    if lightest.is_near_singular:
        joints = [robot.row_names[row] for row in lightest.rows]
        text = f"moved together, {', '.join(joints)} have almost no inertia"
        remedy = f"give the link of {joints[-1]} a larger tensor; engines lose digits here"
        yield Finding("warning", "singular-mass-matrix", joints[-1], None, text, remedy)


def massless_finding(robot: Robot, root: _Element) -> Finding:
    """Return an error if only fixed bodies have mass; a note on a purely kinematic file.

    A warning if no link has mass and the file is for a simulator: Gazebo omits such links.
    """
    text = (
        "no moving link has mass: every torque is 0, and runs refuse the robot; positions are right"
    )
    remedy = f"give its links an <inertial>, first {robot.tree_joints[0].child!r}"
    if any(link.inertia is not None and link.inertia.mass > 0 for link in robot.links):
        return Finding("error", "massless", "robot", None, text, remedy)
    text = text.replace("link that moves has mass", "link has mass, as in a file for kinematics")
    if any(root.find(tag) is not None for tag in SIMULATORS):
        return Finding("warning", "massless", "robot", None, text, remedy)
    return Finding("note", "massless", "robot", None, text, f"for dynamics {remedy}")
