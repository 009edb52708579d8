"""Initial joint speeds of a deck, from the typed speeds of its parts and its motions.

Of all speeds that satisfy constraints and motions, ADAMS's analysis of initial velocities keeps
those that parts type, and takes the others so that

    Σ |v_i|² + |ω_i|²

is least over all parts i, with v of the mass centre in the deck's units and ω in radians per unit
of time. Typed speeds that cannot all be kept are off by the least such sum. ADAMS results of two
decks in metres, which type no speeds, agree with this sum; decks in other units of length have not
been compared.

Source: MSC Adams Solver, statement POINT_MASS (speeds are "Inexact 0" by default); Adams View,
part modify rigid_body initial_velocity (unset is not zero, but computed from the constraints).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.deck import Deck, Part
from sim.decks.deck_drives import DeckDrives
from sim.decks.spanning_tree import SpanningTree
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.expression import expression
from sim.kinematics.closure import close_motion
from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import cross
from sim.motion.starts import start
from sim.robots.robot import Robot

EXACT = 1e-6  # allowed deviation of joint speeds, relative to the largest speed
NOTHING = 1e-12  # [m or 1] rounding of a speed per unit speed of a joint
SLOWEST = 1e-9  # [m/s], [rad/s] smaller speeds count as rest
KEYS = ("VX", "VY", "VZ", "WX", "WY", "WZ")
SHOWN = 6  # joints in a note


class _Speeds(Struct, frozen=True, eq=False):
    """Speed components of all parts: names, rows over the joint speeds, and desired values.

    `scale` is the weight of each, one over the deck's unit of length for components in m/s.
    """

    names: list[tuple[Statement, str]]
    rows: Array
    targets: Array
    are_typed: Mask
    scale: Array

    def reach(self, Z: Array, free: Mask, those: Mask) -> Array:
        """Return weighted components for columns of Z, speeds of free joints; zero but for some."""
        reach = self.rows[:, free] @ Z
        is_own = (abs(reach) >= NOTHING) & those[:, None]
        return np.asarray(self.scale[:, None] * np.where(is_own, reach, 0.0))

    def short(self, qd: Array) -> Array:
        """Return the weighted residual of each component for given joint speeds."""
        return np.asarray(self.scale * (self.targets - self.rows @ qd))


def with_speeds(drives: DeckDrives, deck: Deck, tree: SpanningTree, robot: Robot) -> DeckDrives:
    """Return the drives with the initial speeds of free joints by the least sum of squares.

    VX VY VZ are those of the mass centre along the axes of the world, or of VM; WX WY WZ along the
    axes of CM, or of WM. Loops are closed, and the typed speed of a JOINT is kept. Notes name the
    speeds determined by the sum, and typed speeds that are impossible.

    Raises
    ------
    DeckError
        If the initial positions of joints open a loop.
    """
    typed = [part for part in deck.parts.values() if any(k in part.statement.values for k in KEYS)]
    free = np.array([row.joint in drives.free for row in robot.coordinates])
    free |= passive_joints(robot)
    loose = [name for name, is_free in zip(robot.row_names, free, strict=True) if is_free]
    q, driven = _driven_start(drives, robot)
    is_moving = driven.any() or any(drives.qd0.values())
    is_finite = np.isfinite(driven).all()  # otherwise the run reports it
    if not (is_finite and (typed or (loose and is_moving))):
        return drives
    if robot.loops:
        try:
            q = close_motion(robot, np.zeros(1), q, driven, 0 * driven)[0]
        except SimError:
            return drives  # the run cannot close its loops either
    parts = _speeds(deck, tree, robot, q)
    if not loose:
        return _with_conflict_note(drives, parts, driven[:, 0])
    started = {name: speed for name, speed in drives.qd0.items() if name in loose}
    of_starts = np.array([[float(name == one) for name in robot.row_names] for one in started])
    J = np.concatenate([joint_equations(robot, q)[1][..., 0], of_starts.reshape(-1, free.size)])
    prescribed = np.concatenate([np.zeros(len(J) - len(started)), [*started.values()]])
    prescribed -= J[:, ~free] @ driven[~free, 0]
    solution, Z = np.linalg.lstsq(J[:, free], prescribed, rcond=None)[0], _freedoms(J[:, free])
    slowest = EXACT * max(abs(prescribed).max(initial=0.0), SLOWEST)
    if abs(J[:, free] @ solution - prescribed).max(initial=0.0) > slowest:
        if typed:
            raise typed[0].statement.refusal("the joints' speeds at the start open a loop")
        return drives  # the run reports the loops that do not close
    qd = driven[:, 0].copy()
    qd[free] = solution
    reach = parts.reach(Z, free, parts.are_typed)  # before the zeros of what is not typed
    qd[free] += Z @ np.linalg.lstsq(reach, parts.short(qd), rcond=EXACT**2)[0]
    freedoms = Z @ _freedoms(reach)
    reach = parts.reach(freedoms, free, ~parts.are_typed)
    qd[free] += freedoms @ np.linalg.lstsq(reach, parts.short(qd), rcond=EXACT**2)[0]
    if Z.shape[1] == 0 and not typed:
        return drives  # motions and loops determine all speeds
    of_joints = zip(loose, qd[free].tolist(), strict=True)
    speeds = {name: speed for name, speed in of_joints if speed or driven.any()}
    drives = replace(_with_conflict_note(drives, parts, qd), qd0={**drives.qd0, **speeds})
    return _with_rule(drives, parts, qd, reach, robot, deck.units.length)


def _driven_start(drives: DeckDrives, robot: Robot) -> tuple[Array, Array]:
    """Return positions at t = 0, and speeds of the joints driven by MOTIONs, shape (n, 1).

    The speeds are NaN if a start is not finite.
    """
    if not np.isfinite([*drives.q0.values(), *drives.qd0.values()]).all():
        return np.zeros((len(robot.row_names), 1)), np.full((len(robot.row_names), 1), np.nan)
    q, typed = (start(values, robot, "").copy() for values in (drives.q0, drives.qd0))
    qd = np.zeros(len(q))
    each = ((level, *one) for level, texts in drives.drives.items() for one in texts.items())
    for level, name, text in each:
        row, function = robot.row_names.index(name), expression(text, drives.splines)
        if level == "displacement":
            q[row], qd[row], _ = (float(x[0]) for x in function.derivatives(np.zeros(1)))
        else:
            at_zero = float(function.value(np.zeros(1))[0])
            qd[row] = at_zero if level == "velocity" else typed[row]
    return q[:, None], qd[:, None]


def _with_rule(
    drives: DeckDrives, parts: _Speeds, qd: Array, reach: Array, robot: Robot, length: float
) -> DeckDrives:
    """Return the drives with a note if speeds are those of the least sum instead of typed ones."""
    residual, speeds = parts.short(qd), drives.qd0
    largest = EXACT * max(abs(parts.scale * (parts.rows @ qd)).max(initial=0.0), SLOWEST)
    is_met = abs(residual[abs(reach).max(axis=1, initial=0.0) > 0]).max(initial=0.0) <= largest
    moving = [row for row in robot.coordinates if abs(speeds.get(row.name, 0.0)) > NOTHING]
    if not moving or (parts.are_typed.any() and is_met):
        return drives
    shown = (f"{row.name} {speeds[row.name]:.6g} {row.units.velocity}" for row in moving[:SHOWN])
    more = f" and {len(moving) - SHOWN} more" if len(moving) > SHOWN else ""
    note = (
        f"free joints start at {', '.join(shown)}{more}: what is typed is kept, and of the other "
        "components of v(CM) and ω of all parts, in the deck's units, the sum of squares is least"
    )
    turns = np.array([key[0] == "W" for _, key in parts.names])
    is_weighed = abs(reach[turns].T @ residual[turns]).max(initial=0.0) > largest
    if is_weighed and length != 1.0:
        note += "; so it is in ADAMS's results of decks in metres, in other units it is assumed"
    return replace(drives, notes=(*drives.notes, note))


def _with_conflict_note(drives: DeckDrives, parts: _Speeds, qd: Array) -> DeckDrives:
    """Return the drives with a note if the joints cannot give the typed speeds."""
    missed = np.where(parts.are_typed, abs(parts.rows @ qd - parts.targets), 0.0)
    if missed.max() <= EXACT * max(abs(parts.targets).max(), SLOWEST):
        return drives
    one, key = parts.names[int(np.argmax(missed))]
    note = (
        f"{one.label}: no speeds of the joints give all parts the speeds that are given; the "
        f"nearest are used, and {key} is off by {missed.max():.3g} "
        f"{'rad/s' if key[0] == 'W' else 'm/s'}"
    )
    return replace(drives, notes=(*drives.notes, note))


def _freedoms(J: Array) -> Array:
    """Return the null space of J, as columns."""
    from scipy.linalg import null_space

    return np.asarray(null_space(J, rcond=EXACT)) if J.size else np.eye(J.shape[1])


def _speeds(deck: Deck, tree: SpanningTree, robot: Robot, q: Array) -> _Speeds:
    """Return the components of all parts except the ground, three for a point mass."""
    names, rows, targets, typed = (
        list[tuple[Statement, str]](),
        list[Array](),
        list[float](),
        list[bool](),
    )
    for part in deck.parts.values():
        if part.is_ground:
            continue
        for key, row, value in _components(part, deck, tree, robot, q):
            names.append((part.statement, key))
            rows.append(row)
            targets.append(value)
            typed.append(key in part.statement.values)
    scale = np.array([1.0 if key[0] == "W" else 1 / deck.units.length for _, key in names])
    return _Speeds(names, np.array(rows), np.array(targets), np.array(typed), scale)


def _components(
    part: Part, deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> list[tuple[str, Array, float]]:
    """Return name, row of joint speeds and value of each component of a part [m/s], [rad/s]."""
    statement, link = part.statement, tree.link_of[part.statement.id]
    T_0l = frame_pose(robot, q, link.name)[..., 0]
    J = jacobian(robot, q, link.name)[..., 0]
    arm = T_0l[:3, :3] @ _com_in_link(part, link.T_0l)
    J_v = J[:3] + cross(J[3:], arm[:, None])
    along_v, along_w = np.eye(3), T_0l[:3, :3] @ link.T_0l[:3, :3].T @ part.T_0p[:3, :3]
    if "CM" in statement.values:
        along_w = _axes(statement, "CM", deck, tree, robot, q)
    if "VM" in statement.values:
        along_v = _axes(statement, "VM", deck, tree, robot, q)
    if "WM" in statement.values:
        along_w = _axes(statement, "WM", deck, tree, robot, q)
    rows = np.concatenate([along_v.T @ J_v, along_w.T @ J[3:]])
    scales = [deck.units.speed] * 3 + [1 / deck.units.time] * 3
    keys = KEYS[:3] if part.is_point else KEYS
    each = zip(keys, rows, scales, strict=False)
    return [(key, row, scale * statement.number(key)) for key, row, scale in each]


def _com_in_link(part: Part, T_0l: Array) -> Array:
    """Return the mass centre relative to the link's origin, in the link's axes [m]."""
    com = part.T_0p[:3, :3] @ part.com + part.T_0p[:3, 3]
    return np.asarray(T_0l[:3, :3].T @ (com - T_0l[:3, 3]))


def _axes(
    statement: Statement, key: str, deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> Array:
    """Return the axes of a marker in the world, shape (3, 3)."""
    id = deck.marker(statement, key)
    link = tree.link_of[deck.markers[id].part]
    R_lm = link.T_0l[:3, :3].T @ deck.T_0m(id)[:3, :3]
    return np.asarray(frame_pose(robot, q, link.name)[:3, :3, 0] @ R_lm)
