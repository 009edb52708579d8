"""Dry friction of joints whose motion is prescribed: laws of their loads, and losses of gears.

Velocity and acceleration of such a joint do not depend on its friction, which its motor overcomes.
A law goes through zero with the speed, as in `sim.dynamics.friction.friction_torque`.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.bodies import load_joint, subtract_applied
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.dry_friction import (
    coefficient_at,
    on_tree,
    passed_on,
    pressing_force,
)
from sim.dynamics.kernels.records import DrivenFriction, Joints, System
from sim.maths.arrays import Array


@inner
def coulomb_friction(joints: Joints, qd: Array, i: int) -> float:
    """Return the Coulomb friction of a driven joint and its followers."""
    S, coulomb, total = joints.S, joints.coulomb, 0.0
    for r in range(len(S)):
        if S[r, i] != 0.0 and coulomb[r] != 0.0:
            speed = 0.0
            for j in range(qd.size):
                speed += S[r, j] * qd[j]
            total += S[r, i] * coulomb[r] * np.sign(speed)
    return total


@inner
def add_driven_friction(system: System, qd: Array, qdd: Array, loss: Array) -> None:
    """Add Coulomb friction and the laws of driven joints to their `loss` (n,)."""
    joints, driven, qdd_tree = system.joints, system.driven, system.friction.work.qdd_tree
    for i in range(qd.size):
        if not joints.free[i]:
            loss[i] += coulomb_friction(joints, qd, i)
    if driven.rows.size == 0:
        return
    on_tree(joints.S, qdd, qdd_tree)
    for law in range(driven.rows.size):
        row = driven.rows[law]
        slip = driven.slips[law] * joints.work.qd_tree[row]
        load_joint(system.bodies, row, qdd_tree, True, driven.load)
        subtract_applied(system.bodies, system.applied, row, driven.load)
        pressing = pressing_force(driven.factors[law], driven.load, driven.slope)
        mu = coefficient_at(abs(slip), driven.mu_static[law], driven.mu_dynamic[law])
        dry = min(mu * pressing + driven.preload[law], driven.most[law])
        s = min(max(slip, -1.0), 1.0)
        for i in range(qd.size):
            if not joints.free[i]:
                loss[i] += joints.S[row, i] * (dry * s * (3.0 - s * s) / 2.0)


@inner
def gear_loss(driven: DrivenFriction, g: int, torque: float, speed: float) -> float:
    """Return what gear g loses besides viscous friction, for the torque through its mesh."""
    if speed == 0.0:
        return 0.0
    sense = np.sign(speed)
    E = passed_on(torque, sense, driven.efficiency[0, g], driven.efficiency[1, g])
    dry = driven.dry[0, g] if speed > 0.0 else -driven.dry[1, g]
    return (1.0 / E - 1.0) * torque + dry
