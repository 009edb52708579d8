"""How near the mass matrix is to a singular one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics import lagrange
from sim.maths.arrays import Array
from sim.robots.robot import Robot

NOTHING = 1e-12  # of the largest moment of a joint of its kind: rounding
HALF = 0.25  # of a motion of length 1: joints that belong to it
NEAR = 1e8  # condition of M with ones on its diagonal; half of the digits are gone


def singular(robot: Robot, q: Array) -> Iterator[Finding]:
    """Joints that turn or slide nothing, and joints that move nearly the same, at states (n, N)."""
    if not robot.joint_names:
        return
    # As the engine has it: joints that follow others move by themselves, each with its own motor.
    q = robot.q_tree(q)
    robot = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    M = np.moveaxis(lagrange.mass_matrix(robot, q), -1, 0)  # (N, n_tree, n_tree)
    own = np.diagonal(M, axis1=1, axis2=2).max(axis=0)
    empty = np.zeros(len(own), dtype=bool)
    turns = np.array([row.is_angle for row in robot.coordinates])
    for kind in (~turns, turns):
        if kind.any():
            empty[kind] = own[kind] <= NOTHING * max(own[kind].max(), NOTHING)
    for name, is_angle in zip(np.array(robot.row_names)[empty], turns[empty], strict=True):
        lacks, gives = ("inertia about it", "tensor") if is_angle else ("mass", "mass")
        text = f"whatever it moves has no {lacks}: the mass matrix is singular"
        remedy = f"give its link a {gives}: PyBullet cannot hold such a joint, nor is it ever free"
        yield Finding("warning", "singular-mass-matrix", str(name), None, text, remedy)
    if empty.any() or len(own) < 2:
        return
    scale = 1 / np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    scaled = M * scale[:, :, None] * scale[:, None, :]
    least = np.linalg.eigh(scaled)  # ascending
    sample = int(np.argmin(least.eigenvalues[:, 0]))
    smallest, largest = least.eigenvalues[sample, [0, -1]]
    if smallest * NEAR < largest:
        share = np.abs(least.eigenvectors[sample, :, 0])
        joints = [name for name, s in zip(robot.row_names, share, strict=True) if s > HALF]
        text = f"moved together, {', '.join(joints)} have next to no inertia"
        remedy = "give the last of them a larger tensor: PyBullet's torques cannot be trusted here"
        yield Finding("warning", "singular-mass-matrix", joints[-1], None, text, remedy)
