"""Joints at rest that push a contact: their own friction is at its limit, and the contact holds.

Which part of a load each of both holds at rest does not follow from the balance. Joints hold first,
and gears pass on what their losses leave: a joint slides in the sense of what it pushes, and sticks
again once the contact would push it that way.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import HoldingDynamics
from sim.dynamics.solver import DenseSolution
from sim.dynamics.wrench import joint_torque
from sim.maths.arrays import Array, Mask

# Factor of the dry limit above which a stuck joint is released, to be independent of rounding.
GRIP = 1e-9

# It also exceeds this fraction of the robot's weight, at a lever of 1 m for revolute joints: if a
# gear holds by its losses alone, without friction, all torques may be rounding.
ROUNDING = 1e-13

# Speed [rad/s or m/s] and acceleration, relative to the largest and to 1, of a joint that slides
# where a contact that sticks holds it: both are zero but for rounding.
STILL, PINNED = 1e-12, 1e-10


def pinned_joints(mechanism: Mechanism, modes: FrictionModes, y: Array) -> Mask:
    """Return which sliding joints a contact that sticks keeps at rest at states (size, N), (n,)."""
    free, are_pinned = mechanism.prescription.free, np.zeros(modes.slide.size, dtype=bool)
    if isinstance(mechanism.dynamics, HoldingDynamics) and mechanism.rough_loops is None:
        is_still = (np.abs(y[mechanism.layout.qd]) <= STILL).all(axis=1)
        are_pinned[free] = is_still & (modes.slide[free] != 0)
    return are_pinned


def contact_pushes(mechanism: Mechanism, modes: FrictionModes, t: Array, y: Array) -> Array:
    """Return what contacts that stick take against the sense of each joint, (n, N).

    It is a torque or force, or in closed loops, which pass it on, the acceleration that they
    prevent; negative where a contact pushes a joint along its sense, by more than rounding.
    """
    dynamics, balance = mechanism.dynamics, mechanism.at(t, y, modes)
    assert isinstance(dynamics, HoldingDynamics)
    t, held = np.minimum(t, mechanism.until), ~mechanism.prescription.free | modes.stuck
    motion = balance.q, balance.qd
    acting, wrenches = mechanism.loads_at(t, *motion, y[mechanism.layout.elements])
    effort = balance.tau + acting - balance.friction
    if mechanism.loops is not None:
        qdd, _ = mechanism.loops.hybrid_dynamics(
            *motion, balance.qdd, held, effort, tuple(wrenches)
        )
        return np.asarray(modes.slide[:, None] * qdd + PINNED)
    _, _, holding = dynamics.complete(*motion, balance.qdd, held, effort, tuple(wrenches))
    against = -modes.slide[:, None] * joint_torque(dynamics.robot, balance.q, holding)
    rounding = GRIP * balance.limit + ROUNDING * mechanism.weight
    return np.asarray(against + rounding)


def first_turns(
    mechanism: Mechanism, modes: FrictionModes, solution: DenseSolution, places: Array
) -> list[tuple[float, int]]:
    """Return when contacts begin to push pinned joints along their sense, with the joints."""
    from scipy.optimize import brentq

    joints = np.flatnonzero(pinned_joints(mechanism, modes, solution(places)))
    if not joints.size:
        return []
    values, turns = (
        contact_pushes(mechanism, modes, places, solution(places)),
        list[tuple[float, int]](),
    )

    def of_joint(time: float, joint: int) -> float:
        return float(
            contact_pushes(mechanism, modes, np.array([time]), solution(time)[:, None])[joint, 0]
        )

    for joint in joints.tolist():
        turned = np.flatnonzero((values[joint, :-1] > 0.0) & (values[joint, 1:] < 0.0))
        if turned.size:
            low, high = places[turned[0] : turned[0] + 2].tolist()
            turns.append((float(brentq(of_joint, low, high, args=(joint,), xtol=1e-15)), joint))
    return turns
