"""Symbolic M(q), C(q, qd) and g(q) of the first joints, from the energies of rigid bodies.

    T = ½ Σ m |v|² + ωᵀ J ω + 2 ωᵀ (h × v),      V = Σ g (m o_z + (R h)_z)

with origin o, rotation R, velocities v and ω of each body in its own axes, first moment h and
tensor J about its origin. C has Christoffel symbols. Three measures keep the result short without a
global search: rigidly connected links are one body (ten constants, not ten per link); joints with
parallel axes are rotated by one angle (`sim.symbolic.body_motion`); and M is a sum over bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.gravity import GRAVITY
from sim.robots.robot import Robot
from sim.symbolic.body_motion import BodyMotion, at_rest, joint_symbols, next_motion
from sim.symbolic.constants import Constant, ConstantTable
from sim.symbolic.rigid_bodies import RigidBody, rigid_bodies

if TYPE_CHECKING:
    import sympy as sp

READABLE = 2  # joints up to which M is simplified as a whole, and entries are written in full
SHORT = 60  # operations of an entry up to which a shorter form is searched


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
    what = f"of all links moved by {body.joint}"
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
