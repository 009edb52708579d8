"""Dry friction of joints with given accelerations: laws of their loads, and losses of gears.

The motor of a driven joint overcomes its friction, and a law goes through zero with the speed, as
in `sim.dynamics.friction.friction_torque`. Friction holds a stuck joint up to a limit, as in
`sim.dynamics.friction_in_trains.with_trains`.
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
from sim.dynamics.kernels.records import HeldFriction, Joints, System
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
def dry_by_load(system: System, held: HeldFriction, law: int, slip: float, qdd: Array) -> float:
    """Return the friction of a law under its load, for accelerations of the tree's joints."""
    load_joint(system.bodies, held.rows[law], qdd, True, held.load)
    subtract_applied(system.bodies, system.applied, held.rows[law], held.load)
    pressing = pressing_force(held.factors[law], held.load, held.slope)
    mu = coefficient_at(abs(slip), held.mu_static[law], held.mu_dynamic[law])
    return min(mu * pressing + held.preload[law], held.most[law])


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
        dry = dry_by_load(system, driven, law, slip, qdd_tree)
        s = min(max(slip, -1.0), 1.0)
        for i in range(qd.size):
            if not joints.free[i]:
                loss[i] += joints.S[row, i] * (dry * s * (3.0 - s * s) / 2.0)


@inner
def gear_loss(held: HeldFriction, g: int, torque: float, speed: float) -> float:
    """Return what gear g loses besides viscous friction, for the torque through its mesh."""
    if speed == 0.0:
        return 0.0
    sense = np.sign(speed)
    E = passed_on(torque, sense, held.efficiency[0, g], held.efficiency[1, g])
    dry = held.dry[0, g] if speed > 0.0 else -held.dry[1, g]
    return (1.0 / E - 1.0) * torque + dry


@inner
def compute_spare_friction(
    system: System, qdd: Array, motor: Array, acting: Array, holding: Array
) -> None:
    """Compute what is left of the dry friction that holds each stuck joint.

    `holding` (n,) is that friction, `motor` and `acting` (n,) are the efforts of motors and
    elements, `qdd` (n,) accelerations.
    """
    joints, stuck, qdd_tree = system.joints, system.stuck, system.friction.work.qdd_tree
    S, spare = joints.S, joints.work.spare
    for i in joints.stuck:
        spare[i] = 0.0
        for r in range(len(S)):
            spare[i] += abs(S[r, i]) * joints.coulomb[r]
    if stuck.rows.size:
        on_tree(S, qdd, qdd_tree)
    for law in range(stuck.rows.size):
        row = stuck.rows[law]
        slip = stuck.slips[law] * joints.work.qd_tree[row]
        dry = dry_by_load(system, stuck, law, slip, qdd_tree)
        for i in joints.stuck:
            spare[i] += abs(S[row, i]) * dry
    for g in range(stuck.gears.size):
        i = stuck.gears[g]
        passed = -acting[i] if stuck.is_elastic[g] else motor[i] - holding[i]
        sense = -1.0 if holding[i] < 0.0 else 1.0
        torque = passed + sense * spare[i]
        spare[i] = sense * (torque + gear_loss(stuck, g, torque, sense) - passed)
    for i in joints.stuck:
        spare[i] = (1.0 + system.slack[0]) * spare[i] + system.slack[1] - abs(holding[i])
