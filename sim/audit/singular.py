"""Distance of the mass matrix from a singular one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics import lagrange
from sim.dynamics.light_motion import lightest_motion
from sim.maths.arrays import Array
from sim.robots.robot import Robot

NOTHING = 1e-12  # of the largest moment of a joint of its kind: rounding


def singular(robot: Robot, q: Array) -> Iterator[Finding]:
    """Joints that turn or slide nothing, and joints that move nearly the same, at states (n, N)."""
    if not robot.joint_names:
        return
    # As the engine has it: joints that follow others move by themselves, each with its own motor.
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
