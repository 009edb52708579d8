"""The force at one contact point: normal force by its law, and Coulomb friction."""

from __future__ import annotations

import math

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.shape_kinds import HUNT_CROSSLEY
from sim.dynamics.kernels.vectors import ORIGIN, Vector, add, cross, dot, scale, subtract
from sim.maths.arrays import Array


@inner
def smooth_step(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """Return STEP of ADAMS."""
    z = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z))


@inner
def push_of(law: Array, depth: float, rate: float) -> float:
    """Return the normal force of a law at a depth above zero and its rate; never negative."""
    which, k, e, c, full = law
    if which == HUNT_CROSSLEY:
        return max(0.0, k * depth**e * (1.0 + c * rate))
    return max(0.0, k * depth**e + c * rate * smooth_step(depth, 0.0, 0.0, full, 1.0))


@inner
def friction_over_slip(law: Array, slip: float) -> float:
    """Return the coefficient of friction divided by the slip [s/m]; finite at zero slip."""
    mu_static, mu_dynamic, v_static, v_dynamic = law
    if slip <= v_static:
        share = slip / v_static
        return 0.5 * mu_static / v_static * (3.0 - share * share)
    return smooth_step(slip, v_static, mu_static, v_dynamic, mu_dynamic) / slip


@inner
def add_point(
    pairs: ContactPairs, c: int, at: Meeting, x: Vector, n: Vector, depth: float, share: float,
    total: Array
) -> None:  # fmt: skip
    """Add the force at a point x with a penetration depth; n points out of the first shape.

    `share` is the part of stiffness and damping that belongs to the point.
    """
    if depth <= 0.0:
        return
    va = add(at.va, cross(at.wa, subtract(x, at.a.p)))
    vb = add(at.vb, cross(at.wb, subtract(x, at.b.p)))
    v = subtract(va, vb)
    rate = dot(v, n)
    push = share * push_of(pairs.laws[c], depth, rate)
    slip = subtract(v, scale(rate, n))
    law = pairs.friction[c]
    rubbing = ORIGIN
    if pairs.patches[c, 0] > 0.0:
        arm = subtract(x, at.point)
        total[16] += push * dot(arm, arm)
    elif law[0] > 0.0 or law[1] > 0.0:
        size = math.sqrt(dot(slip, slip))
        rubbing = scale(-push * friction_over_slip(law, size), slip)
    force = scale(at.sign, subtract(rubbing, scale(push, n)))
    moment = cross(subtract(x, at.about), force)
    for k in range(3):
        total[k] += force[k]
        total[3 + k] += moment[k]
        total[7 + k] += rubbing[k]
        total[11 + k] += push * x[k]
    total[6] += push
