"""Causes that act in some steps only: contacts, limits, clamped speeds, single jumps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.dynamics.lagrange import mass_matrix
from sim.maths.arrays import Array, Mask
from sim.watching.cause import SET_BY_HAND, Cause
from sim.watching.differences import engine_torque
from sim.watching.evidence import Evidence

AT_END = 0.1  # of the joint's travel: distance from its end of a joint at a limit
FASTEST = 100.0  # of PyBullet's joints by default [rad/s or m/s]
NEAR_CLAMP = 0.8  # of a clamped speed: from which on it may be clamped within a step
FEW = 0.02  # share of steps up to which a residual is one jump


def sudden_causes(e: Evidence, rest: Array, wrong: Mask) -> Iterator[tuple[Cause, Mask]]:
    """Yield causes with the steps (N,) that they explain.

    Parameters
    ----------
    rest : ndarray, shape (n, N)
        Residual to be explained [N·m or N].
    wrong : ndarray of bool, shape (N,)
        Steps in which it exceeds rounding.
    """
    for pair, touching in e.contacts.items():
        if (touching & wrong).any():
            yield _contact(e, rest, pair, touching), touching
    for row in np.flatnonzero(~e.free_rows).tolist():
        if e.engine == "bullet":
            yield from _speed_clamp(e, rest, wrong, row)
        yield from _limits(e, rest, wrong, row)
    if e.engine == "bullet" and wrong.any():
        yield from _clamp_within_steps(e, rest, wrong)


def jump(e: Evidence, rest: Array, wrong: Mask) -> Iterator[tuple[Cause, Mask]]:
    """Yield a state that is set, or an impact, in a few steps."""
    steps = np.flatnonzero(wrong)
    if not steps.size or steps.size > max(2, FEW * e.count):
        return
    row = int(np.argmax(np.abs(rest[:, steps[0]])))
    dv, unit = np.abs(rest[row, steps[0]]) * e.dt, e.robot.tree_coordinates[row].units.effort
    cause = Cause(
        SET_BY_HAND,
        f"velocities jump in step {e.number(steps[0]) + 1}"
        + (f" and {steps.size - 1} more" if steps.size > 1 else "")
        + f" ({dv:.3g} {unit}·s at {e.robot.row_names[row]}), the other steps agree",
        "set states before the loop; resetJointState inside it replaces the dynamics",
        e.robot.row_names[row],
        _only(rest, wrong),
        alternatives=("a force of one step",),
    )
    yield cause, wrong


def _only(rest: Array, steps: Mask) -> Array:
    return np.where(steps, rest, 0.0)


def _contact(e: Evidence, rest: Array, pair: str, touching: Mask) -> Cause:
    steps = np.flatnonzero(touching)
    return Cause(
        "contact",
        f"contact of {pair} in {steps.size} of {e.count} steps, the first at "
        f"{e.number(steps[0]) * e.dt:.4g} s",
        "move it away, or disable its collision shapes (setCollisionFilterPair)",
        pair,
        _only(rest, touching),
    )


def _speed_clamp(e: Evidence, rest: Array, wrong: Mask, row: int) -> Iterator[tuple[Cause, Mask]]:
    speed = np.abs(e.qd_next[row])
    top = speed.max()
    if e.ties and abs(top - FASTEST) > 1e-9:  # a motor keeps its speed while a constraint pulls
        return
    at = speed >= top * (1 - 1e-12)
    if top > 0 and at.sum() > 3 and (wrong & at).any():
        # within a step speeds are also clamped before the motors act
        yield _clamp(e, rest, row, top, at), at | (wrong & (speed >= NEAR_CLAMP * top))


def _clamp_within_steps(e: Evidence, rest: Array, wrong: Mask) -> Iterator[tuple[Cause, Mask]]:
    """Yield joints whose speed PyBullet clamps within a step, before the motors act."""
    torque = engine_torque(e)[:, wrong]
    try:
        change = np.linalg.solve(
            mass_matrix(e.held.robot, e.q[:, wrong]).transpose(2, 0, 1), torque.T[..., None]
        )
    except np.linalg.LinAlgError:  # a joint without inertia
        return
    without_motors = e.qd_next[:, wrong] - e.step_lengths[wrong] * change[..., 0].T
    for row in np.flatnonzero(~e.free_rows).tolist():
        at = np.array(wrong)
        at[wrong] = np.abs(without_motors[row]) > FASTEST
        if at.any():
            yield _clamp(e, rest, row, FASTEST, at, " before the motors act"), at


def _clamp(e: Evidence, rest: Array, row: int, top: float, at: Mask, when: str = "") -> Cause:
    name, unit = e.robot.row_names[row], e.robot.tree_coordinates[row].units.velocity
    number = e.held.numbers.get(e.robot.tree_row_joints[row].child, row)
    return Cause(
        "velocity clamp",
        f"speed of {name} is limited to {top:.6g} {unit} in {int(at.sum())} steps{when}",
        f"p.changeDynamics(body, {number}, maxJointVelocity=1e4), in a call of its own; if the "
        "joint oscillates, smaller gains or a smaller time step",
        name,
        _only(rest, at),
    )


def _limits(e: Evidence, rest: Array, wrong: Mask, row: int) -> Iterator[tuple[Cause, Mask]]:
    """Yield a joint whose torque is wrong only near an end of its travel, from one angle on.

    The force that holds a joint at its end acts on this joint alone.
    """
    own = wrong & (np.abs(rest[row]) > 1e-6 * np.abs(rest[row]).max())
    q, name = e.q_next[row], e.robot.row_names[row]
    near = AT_END * float(np.ptp(q)) + float(np.abs(e.qd_next[row]).max()) * e.dt
    low, high = own & (q <= q.min() + near), own & (q >= q.max() - near)
    if own.sum() < 2 or (low | high).sum() < own.sum() or (low | high).all():
        return
    if (rest[row, low] > 0).any() or (rest[row, high] < 0).any():  # a limit only pushes back
        return
    for at, end in ((low, np.max), (high, np.min)):
        if at.any():
            yield _limit(e, rest, row, at, name, float(end(q[at]))), at


def held_at_end(
    e: Evidence, rest: Array, row: int, at: Mask, *, are_reached: bool = False
) -> Cause:
    """Return the cause of a joint held at limits in some steps (N,).

    They are those of the file, or of `with_reached_ends` if `are_reached`.
    """
    low = at & (e.at_ends[row] < 0)
    assert e.held.ends is not None  # the limits that hold it
    is_low = low.sum() > at.sum() / 2
    end = e.held.ends[row, 0 if is_low else 1]
    if are_reached:
        end = e.q_next[row, low].max() if is_low else e.q_next[row, at & ~low].min()
    return _limit(e, rest, row, at, e.robot.row_names[row], float(end))


def with_reached_ends(e: Evidence) -> Evidence:
    """Return the evidence with limits near the ends of the motion: a loop may have set its own."""
    low, high = e.q_next.min(axis=1), e.q_next.max(axis=1)
    near = AT_END * (high - low)
    ends = np.stack([low + near, high - near], axis=1)
    ends[e.free_rows | (low == high)] = -np.inf, np.inf
    return replace(e, held=replace(e.held, ends=ends))


def with_inner_ends(e: Evidence, rest: Array, wrong: Mask, right: Mask) -> Evidence:
    """Return the evidence with limits where a residual begins to push a joint back.

    A limit of little force (``jointLimitForce``) lets a joint pass, and go back unhindered: a
    joint is right before it, never right while it moves on beyond it, and leaves it.

    Parameters
    ----------
    rest : ndarray, shape (n, N)
        Residual [N·m or N].
    wrong, right : ndarray of bool, shape (n, N)
        Where it exceeds rounding, and where it does not.
    """
    ends = np.tile([-np.inf, np.inf], (len(rest), 1))
    for row in np.flatnonzero(~e.free_rows & wrong.any(axis=1)):
        for place, side in enumerate((-1.0, 1.0)):
            is_pushed = wrong[row] & (side * rest[row] > 0)
            q, v = side * e.q_next[row], side * e.qd_next[row]
            if not (is_pushed[:-1] & ~is_pushed[1:]).any():
                continue
            end = q[is_pushed].min()
            if not (right[row] & (q < end)).any():
                continue
            if not (right[row] & (q > end + 2 * e.dt * np.abs(v)) & (v > 0)).any():
                ends[row, place] = side * end
    return replace(e, held=replace(e.held, ends=ends))


def _limit(e: Evidence, rest: Array, row: int, at: Mask, name: str, end: float) -> Cause:
    units = e.robot.tree_coordinates[row].units
    number = e.held.numbers.get(e.robot.tree_row_joints[row].child, row)
    torque = np.zeros_like(rest)
    torque[row] = np.where(at, rest[row], 0.0)
    return Cause(
        "joint limit",
        f"{name} is held at a limit near {end:.4g} {units.position} in {int(at.sum())} of "
        f"{e.count} steps, with up to {np.abs(torque).max():.4g} {units.effort}",
        f"p.changeDynamics(body, {number}, jointLowerLimit=-1e9, jointUpperLimit=1e9)"
        if e.engine == "bullet"
        else "keep the path inside the range",
        name,
        torque,
    )
