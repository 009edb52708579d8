"""How near the mass matrix is to a singular one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics import lagrange
from sim.maths.arrays import Array
from sim.robots.robot import Robot

NOTHING = 1e-12  # of the largest moment of a joint of its kind: rounding
NEAR = 1e8  # condition of M with ones on its diagonal; half of the digits are gone


def singular(robot: Robot, q: Array) -> Iterator[Finding]:
    """Joints that turn or slide nothing, and joints that move nearly the same, at states (n, N)."""
    if not robot.joint_names:
        return
    M = np.moveaxis(lagrange.terms(robot, q, np.zeros_like(q)).M, -1, 0)  # (N, n, n)
    own = np.diagonal(M, axis1=1, axis2=2).max(axis=0)
    empty = np.zeros(len(own), dtype=bool)
    slides = np.array([joint.is_prismatic for joint in robot.independent_joints])
    for kind in (slides, ~slides):
        if kind.any():
            empty[kind] = own[kind] <= NOTHING * max(own[kind].max(), NOTHING)
    for name in np.array(robot.joint_names)[empty]:
        text = "whatever it moves has no inertia about it: the mass matrix is singular"
        remedy = "give its link a tensor; torques are right, but free motion has no answer"
        yield Finding("warning", "singular-mass-matrix", str(name), None, text, remedy)
    if empty.any() or len(own) < 2:
        return
    scale = 1 / np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    scaled = M * scale[:, :, None] * scale[:, None, :]
    worst = float(np.linalg.cond(scaled).max())
    if worst > NEAR:
        text = f"the scaled mass matrix has a condition of {worst:.1e}: nearly singular"
        remedy = "look for light bodies beyond heavy ones; free motion loses that many digits"
        yield Finding("warning", "singular-mass-matrix", "robot", None, text, remedy)
