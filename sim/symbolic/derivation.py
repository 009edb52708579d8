"""Symbolic M(q), C(q, qd) and g(q) of the first joints, from the energies of rigid bodies.

    T = ½ Σ m |v|² + ωᵀ J ω + 2 ωᵀ (h × v),      V = Σ g (m o_z + (R h)_z)

with origin o, rotation R, velocities v and ω of each body in its own axes, first moment h and
tensor J about its origin. C has Christoffel symbols. Three measures keep the result short without a
global search: rigidly connected links are one body (ten constants, not ten per link); joints with
parallel axes are rotated by one angle; and M is a sum over bodies.

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

from sim.dynamics.gravity import GRAVITY
from sim.robots.robot import Robot
from sim.symbolic.constants import Constant, ConstantTable
from sim.symbolic.rigid_bodies import RigidBody, rigid_bodies

if TYPE_CHECKING:
    import sympy as sp

READABLE = 2  # joints up to which M is simplified as a whole, and entries are written in full
SHORT = 60  # operations of an entry up to which a shorter form is searched


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


@dataclass(frozen=True, eq=False)
class SymbolicTerms:
    """Terms of M qdd + C qd + g = tau as symbols, of K joints.

    Parameters
    ----------
    joints : tuple of str
        The moving joints; all others are at zero.
    q, qd : tuple of sympy.Symbol
        Positions [rad or m] and velocities [rad/s or m/s].
    M, C : sympy.Matrix, shape (K, K)
    g : sympy.Matrix, shape (K, 1)
    constants : tuple of Constant
        Those that occur.
    """

    joints: tuple[str, ...]
    q: tuple[sp.Symbol, ...]
    qd: tuple[sp.Symbol, ...]
    M: sp.Matrix
    C: sp.Matrix
    g: sp.Matrix
    constants: tuple[Constant, ...]

    @property
    def entries(self) -> dict[str, sp.Expr]:
        """Every entry by name and row, column from 1: ``M 1 2``, ``C 1 2``, ``g 1``."""
        K = range(1, len(self.q) + 1)
        square = {"M": self.M, "C": self.C}
        entries = {
            f"{name} {i} {j}": matrix[i - 1, j - 1]
            for name, matrix in square.items()
            for i in K
            for j in K
        }
        return entries | {f"g {i}": self.g[i - 1] for i in K}


def derive(robot: Robot, count: int) -> SymbolicTerms:
    """Return the terms of the first `count` independent joints; gravity is down in the world."""
    import sympy as sp

    q = sp.symbols(f"q1:{count + 1}", real=True)
    qd = sp.symbols(f"qd1:{count + 1}", real=True)
    table, bodies = ConstantTable(), rigid_bodies(robot, count)
    G = table.number("g0", -GRAVITY[2], "m/s²", "gravity, downwards", 1.0)
    motions: list[BodyMotion] = []
    M, V = sp.zeros(count, count), sp.Integer(0)
    for b, body in enumerate(bodies):
        before = motions[body.parent] if body.parent >= 0 else at_rest(count)
        motion = next_motion(before, joint_symbols(table, bodies, b, q))
        motions.append(motion)
        v, w, up = motion.velocity, motion.turning, motion.vertical
        m, h, J = _inertia(table, b, body)
        H = sp.Matrix([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
        M += m * v.T * v + w.T * J * w + w.T * H * v + (w.T * H * v).T
        V += G * (m * motion.height + (up.T * h)[0])
    if count <= READABLE:
        M = M.applyfunc(_shorten)
    C = sp.Matrix(count, count, lambda i, j: _christoffel(M, q, qd, int(i), int(j)))
    g = sp.Matrix([V.diff(s) for s in q])
    symbols = set().union(*(matrix.free_symbols for matrix in (M, C, g)))
    constants = tuple(row for row in table if row.symbol in symbols)
    return SymbolicTerms(robot.row_names[:count], q, qd, M, C, g, constants)


def _shorten(entry: sp.Expr) -> sp.Expr:
    """Return a shorter form of a short expression; for a long one the search would not end."""
    import sympy as sp

    return sp.trigsimp(entry) if sp.count_ops(entry) <= SHORT else entry


def _christoffel(
    M: sp.Matrix, q: tuple[sp.Symbol, ...], qd: tuple[sp.Symbol, ...], i: int, j: int
) -> sp.Expr:
    """Return C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) qd_k."""
    import sympy as sp

    total = sp.Integer(0)
    for k, rate in enumerate(qd):
        slopes = M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])
        total += slopes * rate / 2
    return total


def _inertia(table: ConstantTable, b: int, body: RigidBody) -> tuple[sp.Expr, sp.Matrix, sp.Matrix]:
    """Return mass, first moment and tensor of a body."""
    import sympy as sp

    n, trace = b + 1, float(np.trace(body.second))
    what = f"of body {n}, moved by {body.joint} and no later joint"
    m = table.number(f"m{n}", body.mass, "kg", f"mass {what}", 0.0)
    moment = np.sqrt(body.mass * trace)  # an upper bound of the first moment
    h = sp.Matrix(
        [
            table.number(f"h{n}{'xyz'[k]}", x, "kg·m", f"∫{'xyz'[k]} dm {what}", moment)
            for k, x in enumerate(body.first.tolist())
        ]
    )
    J = sp.zeros(3, 3)
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        name = f"I{n}{'xyz'[i]}{'xyz'[j]}"
        J[i, j] = J[j, i] = table.number(
            name, body.second[i, j], "kg·m²", f"inertia {what}, about its origin", trace
        )
    return m, h, J
