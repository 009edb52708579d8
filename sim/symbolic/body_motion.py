"""Symbolic motion of rigid bodies in their own axes, without a search for shorter forms.

Bodies with parallel axes form a group. Its axes G are those of its first body before that body
turns; body b is rotated by ``Rz(θ_b)`` with respect to them, θ_b being a sum of joint angles. With
W and V, angular velocity and velocity in G of the carrier of the group, a body has

    ω_b = Rz(-θ_b) W + θ̇_b z
    v_b = Rz(-θ_b) V + Σ_p (Rz(-θ_b) W + θ̇_p z) × Rz(θ_p - θ_b) a_p

with the arms a_p, fixed in the bodies p before it. The product is evaluated in parts along z and
across it, each of which is rotated by one angle: so cos(q2 + q3) never becomes a sum of products,
and no sin² + cos² has to be recombined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sim.symbolic.constants import ConstantTable
from sim.symbolic.rigid_bodies import RigidBody

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True, eq=False)
class JointSymbols:
    """Joint of a body: rotation A and arm `a` before it, and its own motion with ∂/∂q (1, K)."""

    A: sp.Matrix
    a: sp.Matrix
    shift: sp.Expr
    rate: sp.Matrix
    slides: bool


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm `a` rotated with a body by Rz(angle) in the group's axes; `rate` is ∂angle/∂q."""

    angle: sp.Expr
    rate: sp.Matrix
    a: sp.Matrix


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of a body in the axes of its group; Jacobians by q are (3, K).

    Parameters
    ----------
    W, V : sympy.Matrix, shape (3, K)
        Angular velocity of the carrier of the group, and its velocity at the group's origin.
    arms : tuple of Arm
        From the group's origin to the body's.
    angle : sympy.Expr
    rate : sympy.Matrix, shape (1, K)
        ∂angle/∂q.
    up : sympy.Matrix, shape (3, 1)
        Upward direction in the group's axes.
    height : sympy.Expr
        Height of the body's origin.
    """

    W: sp.Matrix
    V: sp.Matrix
    arms: tuple[Arm, ...]
    angle: sp.Expr
    rate: sp.Matrix
    up: sp.Matrix
    height: sp.Expr

    @cached_property
    def turning(self) -> sp.Matrix:
        """ω_b in the body's axes, as Jacobian (3, K)."""
        return _about_z(-self.angle) * self.W + _Z() * self.rate

    @cached_property
    def velocity(self) -> sp.Matrix:
        """v_b of the body's origin in its axes, as Jacobian (3, K)."""
        import sympy as sp

        back, Z = _about_z(-self.angle), _Z()
        v, level = back * self.V, sp.diag(1, 1, 0) * self.W
        for arm in self.arms:
            flat, tall = sp.diag(1, 1, 0) * arm.a, Z * arm.a[2]
            about_z = _cross(Z * (self.W[2, :] + arm.rate), flat)
            v += _about_z(arm.angle - self.angle) * about_z
            v += Z * _cross(level, _about_z(arm.angle) * flat)[2, :]  # along z, which is invariant
            v += back * _cross(level, tall)
        return v

    @cached_property
    def vertical(self) -> sp.Matrix:
        """Upward direction in the body's axes, (3, 1)."""
        return _about_z(-self.angle) * self.up


def at_rest(count: int) -> BodyMotion:
    """Return the motion of the world, for `count` joints."""
    import sympy as sp

    none, zero = sp.zeros(3, count), sp.Integer(0)
    return BodyMotion(none, none, (), zero, sp.zeros(1, count), sp.Matrix([0, 0, 1]), zero)


def next_motion(before: BodyMotion, joint: JointSymbols) -> BodyMotion:
    """Return the motion of a body from that of its predecessor."""
    import sympy as sp

    A, flip = joint.A, sp.diag(1, -1, -1)
    height = before.height + (before.vertical.T * joint.a)[0]
    if A in (sp.eye(3), flip):
        arms = (*before.arms, Arm(before.angle, before.rate, joint.a))
        group = replace(before, arms=arms, height=height)
        group = group if sp.eye(3) == A else _turned_over(group, flip)
    else:
        velocity = before.velocity + _cross(before.turning, joint.a)
        none = sp.zeros(*joint.rate.shape)
        up = A.T * before.vertical
        group = BodyMotion(
            A.T * before.turning, A.T * velocity, (), sp.Integer(0), none, up, height
        )
    if not joint.slides:
        return replace(group, angle=group.angle + joint.shift, rate=group.rate + joint.rate)
    V = group.V + _cross(group.W, _Z() * joint.shift) + _Z() * joint.rate
    return replace(group, V=V, height=height + group.up[2] * joint.shift)


def _turned_over(group: BodyMotion, flip: sp.Matrix) -> BodyMotion:
    """Return the motion in axes turned about x by 180 degrees: Rz(θ) F = F Rz(-θ)."""
    arms = tuple(Arm(-arm.angle, -arm.rate, flip * arm.a) for arm in group.arms)
    return BodyMotion(
        flip * group.W,
        flip * group.V,
        arms,
        -group.angle,
        -group.rate,
        flip * group.up,
        group.height,
    )


def joint_symbols(
    table: ConstantTable, bodies: tuple[RigidBody, ...], b: int, q: tuple[sp.Symbol, ...]
) -> JointSymbols:
    """Return the joint of body `b` with its numbers named."""
    import sympy as sp

    body, n = bodies[b], b + 1
    T, of_origin = body.T_pb, f"origin of body {n} in the one before"
    A = sp.Matrix(
        3,
        3,
        lambda i, j: table.cosine(
            f"r{n}{int(i) + 1}{int(j) + 1}", float(T[i, j]), f"rotation before body {n}"
        ),
    )
    size = max(float(np.abs(one.T_pb[:3, 3]).max()) for one in bodies)
    a = sp.Matrix(
        [table.number(f"a{n}{'xyz'[k]}", T[k, 3], "m", of_origin, size) for k in range(3)]
    )
    follows = f"how {body.joint} follows joint"
    weights = [
        table.factor(f"s{n}_{k}", weight, "1", f"{follows} {k}")
        for k, weight in enumerate(body.weights.tolist(), start=1)
    ]
    rate, unit = sp.Matrix(1, len(q), weights), "m" if body.slides else "rad"
    offset = table.factor(f"o{n}", body.offset, unit, f"offset of {body.joint}")
    return JointSymbols(A, a, (rate * sp.Matrix(q))[0] + offset, rate, body.slides)


def _about_z(angle: sp.Expr) -> sp.Matrix:
    import sympy as sp

    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _Z() -> sp.Matrix:
    import sympy as sp

    return sp.Matrix([0, 0, 1])


def _cross(w: sp.Matrix, a: sp.Matrix) -> sp.Matrix:
    """Return columns of w (3, K) × a (3, 1)."""
    import sympy as sp

    return sp.Matrix.hstack(*(w[:, k].cross(a) for k in range(w.cols)))
