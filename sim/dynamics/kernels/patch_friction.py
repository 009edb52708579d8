"""Friction of a pair with stiction: one force and one moment where all its points press together.

The patch slides with the velocity v of its centre of pressure along the surface and the rate w of
turning about the normal. With the radius R at which the pushes act, in root mean square, its slip
is s = (v, R w), and its friction -mu(|s|) N s/|s|: at most mu N along any slip, and mu N R where it
turns on the spot. A single point has R = 0.
"""

from __future__ import annotations

import math

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.shape_kinds import AT_REST, CAPSULE, FADED, PLANE, SPHERE, START
from sim.dynamics.kernels.touch import smooth_step
from sim.dynamics.kernels.vectors import Vector, add, cross, dot, scale, subtract
from sim.maths.arrays import Array

FLAT = 1e-10  # of the square of the distance of its points, below which a patch is one point


@inner
def is_of_one_point(kind_a: int, kind_b: int) -> bool:
    """Whether shapes of these kinds touch in one point at most, whatever their poses."""
    return SPHERE in (kind_a, kind_b) or (kind_a == CAPSULE and kind_b == CAPSULE)


@inner
def rub_patch(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Add the friction of a patch to the pushes of its points; `normal` is from the first out.

    The last numbers of `total` become R, the centre, the normal from a to b, the slip of a on b
    along the surface, and R times the rate at which a turns on b about the normal.
    """
    push, spread = total[6], total[16]
    total[16] = 0.0
    if push <= 0.0:
        return
    centre = scale(1.0 / push, (total[11], total[12], total[13]))
    radius = 0.0
    if not is_of_one_point(at.a.kind, at.b.kind):
        aside = subtract(centre, at.point)
        square = spread / push - dot(aside, aside)
        if square > FLAT * spread / push:
            radius = math.sqrt(square)
        surface = at.a.p if at.a.kind == PLANE else at.point
        centre = add(centre, scale(dot(normal, subtract(surface, centre)), normal))
    va = add(at.va, cross(at.wa, subtract(centre, at.a.p)))
    vb = add(at.vb, cross(at.wb, subtract(centre, at.b.p)))
    v = subtract(va, vb)
    v = subtract(v, scale(dot(v, normal), normal))
    turning = radius * dot(subtract(at.wa, at.wb), normal)
    total[16], total[26] = radius, turning
    for k in range(3):
        total[17 + k], total[20 + k] = centre[k], at.sign * normal[k]
        total[23 + k] = at.sign * v[k]
    one = pairs.patches[c]
    ahead, around = (one[1], one[2], one[3]), (one[4], one[5], one[6])
    size, law = math.sqrt(dot(v, v) + turning * turning), pairs.friction[c]
    mu, is_starting = smooth_step(size, law[2], law[0], law[3], law[1]), one[0] > 1.0
    if is_starting and size < FADED:
        shift = at.sign * START * (1.0 - size / FADED) ** 3
        v = add(v, scale(shift, ahead))
        turning += shift * dot(around, normal)
        size = math.sqrt(dot(v, v) + turning * turning)
    if size == 0.0 or (size <= AT_REST and not is_starting):
        return
    rubbing = scale(-push * mu / size, v)
    twisting = scale(-push * mu / size * radius * turning, normal)
    force = scale(at.sign, rubbing)
    moment = add(cross(subtract(centre, at.about), force), scale(at.sign, twisting))
    for k in range(3):
        total[k] += force[k]
        total[3 + k] += moment[k]
        total[7 + k] += rubbing[k]
