"""Passive joints of closed loops, solved for the motion of the driven joints.

Positions follow from Newton's method, continued along the path so that the mechanism keeps its
initial assembly; velocities and accelerations from the derivatives of the loop equations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.kinematics.loop_equations import (
    LoopEquations,
    joint_equations,
    loop_bias,
    loop_equations,
    loop_error,
    passive_joints,
    position_equations,
)
from sim.maths.arrays import Array, Mask, columns
from sim.maths.newton import newton, pseudo_inverse
from sim.robots.loop import Loop
from sim.robots.robot import Robot

LARGEST_GAP = 1e-6  # [m, or rad of a direction]; below the tolerance of any machine
LARGEST_SLIP = 1e-6  # relative to the largest velocity or acceleration between two points of a loop
LONGEST_BLOCK = 256  # samples solved at once
FINEST_SPLIT = 1024  # pieces of one sample step


def close_motion(
    robot: Robot, t: Array, q: Array, qd: Array, qdd: Array
) -> tuple[Array, Array, Array]:
    """Close all loops of a motion: solve for the rows of passive joints, keep the others.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Times of the samples, for messages [s].
    q, qd, qdd : ndarray, shape (n, N)
        For a passive joint only the first position is used, as a guess that selects the assembly.

    Returns
    -------
    q, qd, qdd : ndarray, shape (n, N)

    Raises
    ------
    ScenarioError
        If a loop cannot be closed at the start (the message gives the gap), or the drives lead it
        to an unreachable position or a dead point.
    """
    q, qd, qdd = (x.copy() for x in columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd))
    mechanism = _Mechanism(robot, passive_joints(robot))
    if not mechanism.passive.any() or q.shape[1] == 0:
        require_closed(robot, t, q)
        return q, qd, qdd
    q[:, :1] = mechanism.assemble(q[:, :1])
    require_closed(robot, t[:1], q[:, :1])
    mechanism = _Mechanism.at(robot, q[:, :1])
    _follow(mechanism, t, q)
    mechanism.solve_all_rates(t, q, qd, qdd)
    return q, qd, qdd


def close_start(robot: Robot, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return positions and velocities (n, 1) of a start with closed loops; see `close_motion`.

    Accelerations need not satisfy the loops there: those of free joints follow from the loads.
    """
    q, qd = (x.copy() for x in columns(len(robot.coordinates), q=q, qd=qd))
    mechanism = _Mechanism(robot, passive_joints(robot))
    if mechanism.passive.any():
        q = mechanism.assemble(q)
    require_closed(robot, t, q)
    if mechanism.passive.any():
        J = joint_equations(robot, q)[1]
        _Mechanism.at(robot, q).solve_rates(t, J, np.zeros((J.shape[0], 1)), qd)
    return q, qd


def close_separately(
    robot: Robot, t: Array, q: Array, qd: Array, qdd: Array, guess: Array
) -> tuple[Array, Array, Array]:
    """Close the loops at times of any order, each solved from nearby positions.

    Parameters
    ----------
    t, q, qd, qdd
        As in `close_motion`.
    guess : ndarray, shape (n, N)
        Positions with closed loops, close to the solutions.

    Raises
    ------
    ScenarioError
        If a loop cannot be closed from its guess, or has a dead point.
    """
    q, qd, qdd = (x.copy() for x in columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd))
    mechanism = _Mechanism.at(robot, guess[:, :1])
    closed = mechanism.close(q, guess[mechanism.passive])
    if closed is None:
        raise ScenarioError(
            f"The loops of robot {robot.name!r} cannot follow the drives near t = {t[0]:g} s"
        )
    mechanism.solve_all_rates(t, closed, qd, qdd)
    return closed, qd, qdd


def free_part(robot: Robot, q: Array, speeds: Array) -> Array:
    """Return the part of passive speeds (p,) that opens no loop at positions `q` (n, 1).

    For example, a rod between two balls may spin independently of the other joints.
    """
    J = joint_equations(robot, q)[1][:, passive_joints(robot), 0]
    return np.asarray(speeds - pseudo_inverse(J[..., None])[..., 0] @ (J @ speeds))


def require_closed(robot: Robot, t: Array, q: Array) -> None:
    """Check that all loops are closed; raise at the first sample where one is open.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].

    Raises
    ------
    ScenarioError
        If a loop is open by more than a micrometre, or a microradian; names the loop, the time and
        the gap, and the opening of every loop.
    """
    gap = loop_error(robot, robot.q_tree(q))
    open_at = ~(gap <= LARGEST_GAP).all(axis=0)
    if open_at.any():
        k = int(np.argmax(open_at))
        worst = int(np.argmax(gap[:, k]))
        equations = loop_equations(robot, robot.q_tree(q[:, k : k + 1]))
        size, unit = _opening(equations, worst)
        raise ScenarioError(
            f"Loop {robot.loops[worst].name!r} of robot {robot.name!r} is open by "
            f"{size:.6g} {unit} at t = {t[k]:g} s, where {_posture(robot, q[:, k])}; "
            f"at most {LARGEST_GAP:g} {unit} are allowed; {_open_rows(robot, equations)}"
        )


def _opening(equations: LoopEquations, loop: int) -> tuple[float, str]:
    """Return a loop's opening and unit; that of its angles only if its points coincide."""
    of_loop = np.array(equations.loop) == loop
    lengths, turns = (
        float(np.sqrt(np.sum(equations.e[of_loop & (equations.are_turns == kind), 0] ** 2)))
        for kind in (False, True)
    )
    return (turns, "rad") if lengths <= LARGEST_GAP else (lengths, "m")


def _open_rows(robot: Robot, equations: LoopEquations) -> str:
    """Describe the open loops at one state."""
    parts = []
    for index, loop in enumerate(robot.loops):
        rows = np.array(equations.loop) == index
        lengths, turns = rows & ~equations.are_turns, rows & equations.are_turns
        e, D = equations.e[:, 0], equations.D[..., 0]
        if not np.abs(e[lengths]).max(initial=0.0) <= LARGEST_GAP:
            gap = D[lengths].T @ e[lengths]
            parts.append(f"point_b of {loop.name!r} is {_lengths(loop, gap, float(e[lengths][0]))}")
        parts += [
            f"in {loop.name!r} {TURNS[pair]} by {off:.4g} rad"
            for pair, off in zip(loop.closure.turns, e[turns], strict=True)
            if not abs(off) <= LARGEST_GAP
        ]
    return " and ".join(parts)


TURNS = {
    "xz": "axis_b leans on axis_a about y of frame a",
    "yz": "axis_b leans on axis_a about x of frame a",
    "yx": "across_b is turned about axis_a",
    "zz": "axis_b is off square to axis_a",
    "twist": "frame b is twisted about the axes",
}


def _lengths(loop: Loop, gap: Array, off: float) -> str:
    if loop.function is not None and not loop.closure.along:
        return f"such that {loop.function} = {off:.6g}"
    if loop.length is not None:
        return f"{loop.length + off:.6g} m from point_a, its length {loop.length:.6g} m"
    place = ", ".join(f"{x:.6g}" for x in np.round(gap, 7) + 0.0)
    return f"({place}) m from point_a along x, y, z of the world"


class _Mechanism(Struct, frozen=True, eq=False):
    robot: Robot
    passive: Mask  # (n,)
    most_left: float = 0.0  # residual that the passive joints cannot remove [m or rad]

    @classmethod
    def at(cls, robot: Robot, closed: Array) -> _Mechanism:
        """Return the mechanism at positions (n, 1) with loops closed as well as its bodies fit."""
        gap = float(np.abs(position_equations(robot, closed)[0]).max(initial=0.0))
        return cls(robot, passive_joints(robot), 2 * min(gap, LARGEST_GAP))

    def with_passive(self, q: Array, y: Array) -> Array:
        """Return `q` with the passive joints at `y`, shape (n, N)."""
        full = q.copy()
        full[self.passive] = y
        return full

    def equations(self, q: Array) -> Callable[[Array], tuple[Array, Array]]:
        """Return a function of passive positions y (p, N) that gives e and ∂e/∂y, others as `q`."""

        def at(y: Array) -> tuple[Array, Array]:
            e, J = position_equations(self.robot, self.with_passive(q, y))
            return e, J[:, self.passive]

        return at

    def close(self, q: Array, guess: Array) -> Array | None:
        """Return `q` with passive joints that close the loops near a guess (p, N), or None."""
        y = newton(self.equations(q), guess, self.most_left)
        return None if y is None else self.with_passive(q, y)

    def assemble(self, q: Array) -> Array:
        """Return `q` (n, 1) with nearby passive joints that close the loops as well as possible.

        The guess may be far away: the search is limited to a trust region, as Newton's steps may
        diverge.
        """
        start, equations = q[self.passive, 0], self.equations(q)

        def gap(y: Array) -> Array:
            return equations(y[:, None])[0][:, 0]

        def gradient(y: Array) -> Array:
            return equations(y[:, None])[1][..., 0]

        if not np.isfinite(open_by := gap(start)).all():
            raise ScenarioError(
                f"A loop of robot {self.robot.name!r} has no equation at its start, where "
                f"{_posture(self.robot, q[:, 0])}: a function is not defined there; start elsewhere"
            )
        if not open_by.any():
            return q
        from scipy.optimize import least_squares  # takes 0.3 s

        nearest = least_squares(gap, start, jac=gradient, xtol=1e-15, gtol=1e-15, ftol=1e-15)
        return self.with_passive(q, nearest.x[:, None])

    def continue_from(self, q: Array, target: Array) -> Array | None:
        """Return `target` (n, N) with its loops closed, from the tangent at `q` (n, 1).

        None if part of it is too far away.
        """
        _, J = position_equations(self.robot, q)
        driven, inverse = ~self.passive, pseudo_inverse(J[:, self.passive])
        drive = J[:, driven, 0] @ (target - q)[driven]
        return self.close(target, q[self.passive] - inverse[..., 0] @ drive)

    def solve_all_rates(self, t: Array, q: Array, qd: Array, qdd: Array) -> None:
        """Fill in the passive rows of the velocities and of the accelerations."""
        _, J = joint_equations(self.robot, q)
        self.solve_rates(t, J, np.zeros((J.shape[0], q.shape[1])), qd)
        self.solve_rates(t, J, loop_bias(self.robot, *self.robot.on_tree(q, qd)), qdd)

    def solve_rates(self, t: Array, J: Array, bias: Array, rates: Array) -> None:
        """Fill in the passive rows of ``J rates + bias = 0``."""
        rates[self.passive] = 0.0
        required = bias + np.einsum("rnN,nN->rN", J, rates)
        rates[self.passive] = -np.einsum("prN,rN->pN", pseudo_inverse(J[:, self.passive]), required)
        residual = np.abs(bias + np.einsum("rnN,nN->rN", J, rates)).max(axis=0)
        dead = ~(residual <= LARGEST_SLIP * (1 + np.abs(required).max(axis=0)))
        if dead.any():
            raise ScenarioError(
                f"The loops of robot {self.robot.name!r} have a dead point at "
                f"t = {t[np.argmax(dead)]:g} s: no motion of the passive joints "
                f"{self.passive_names} follows the drives there"
            )

    @property
    def passive_names(self) -> str:
        """Names of the passive joints, for messages."""
        names = zip(self.robot.row_names, self.passive, strict=True)
        return ", ".join(name for name, is_passive in names if is_passive)


def _follow(mechanism: _Mechanism, t: Array, q: Array) -> None:
    """Fill in the passive rows of `q`, whose first sample is closed already."""
    done, block, N = 0, 1, q.shape[1]
    while done < N - 1:
        here = slice(done + 1, min(done + 1 + block, N))
        closed = mechanism.continue_from(q[:, done : done + 1], q[:, here])
        if closed is None and block > 1:
            block = max(block // 4, 1)
            continue
        if closed is None:
            closed = _in_pieces(mechanism, t[done + 1], q[:, done : done + 2])
        q[:, here] = closed
        done, block = here.stop - 1, min(2 * block, LONGEST_BLOCK)


def _in_pieces(mechanism: _Mechanism, time: float, ends: Array) -> Array:
    """Return the end of one step of the path, in ever smaller pieces, shape (n, 1)."""
    start, step = ends[:, :1], ends[:, 1:] - ends[:, :1]
    pieces = 2
    while pieces <= FINEST_SPLIT:
        q: Array | None = start
        for s in np.arange(1, pieces + 1) / pieces:
            q = None if q is None else mechanism.continue_from(q, start + s * step)
        if q is not None:
            return q
        pieces *= 2
    robot = mechanism.robot
    raise ScenarioError(
        f"The loops of robot {robot.name!r} cannot follow the drives to t = {time:g} s: no smooth "
        f"motion of the passive joints {mechanism.passive_names} leads from "
        f"{_posture(robot, start[:, 0])} to there; the position is out of reach, or a dead "
        "point lies in between"
    )


def _posture(robot: Robot, q: Array) -> str:
    rows = zip(robot.coordinates, q, strict=True)
    return ", ".join(f"{row.name} = {x:.6g} {row.units.position}" for row, x in rows)
