"""Speeds of joints from the speeds that a deck's parts start with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.decks.deck import Deck, Part
from sim.decks.deck_drives import DeckDrives
from sim.decks.spanning_tree import SpanningTree
from sim.decks.statements import Statement
from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.robot import Robot

EXACT = 1e-6  # of the largest speed that is typed, by which joints may miss one
NOTHING = 1e-12  # [m or 1] that rounding leaves of a speed by a unit speed of a joint
KEYS = ("VX", "VY", "VZ", "WX", "WY", "WZ")


def with_speeds(drives: DeckDrives, deck: Deck, tree: SpanningTree, robot: Robot) -> DeckDrives:
    """The drives with speeds of free joints that give each part the components that it types.

    VX VY VZ are those of the mass centre along the world's axes, or VM's; WX WY WZ along CM's axes,
    or WM's. Where several speeds do, the least are taken. Where none do, those nearest in the
    deck's units and radians are, with loops closed and joints at their own starts, and a note says
    so: ADAMS's analysis of initial velocities keeps constraints too, and not what is typed.

    Raises
    ------
    DeckError
        If the starts of joints open a loop.
    """
    typed = [part for part in deck.parts.values() if any(k in part.statement.values for k in KEYS)]
    if not typed:
        return drives
    path = drives.motion().on(robot, 1.0)
    q, driven, _ = path.motion(np.zeros(1))
    free = np.array([row.joint in drives.free for row in robot.coordinates])
    free |= passive_joints(robot)
    loose = [name for name, is_free in zip(robot.row_names, free, strict=True) if is_free]
    started = {name: speed for name, speed in drives.qd0.items() if name in loose}
    of_starts = np.array([[float(name == one) for name in robot.row_names] for one in started])
    J = np.concatenate([joint_equations(robot, q)[1][..., 0], of_starts.reshape(-1, free.size)])
    kept = np.concatenate([np.zeros(len(J) - len(started)), [*started.values()]])
    kept -= J[:, ~free] @ driven[~free, 0]
    found, Z = np.linalg.lstsq(J[:, free], kept, rcond=None)[0], _freedoms(J[:, free])
    slowest = EXACT * max(abs(kept).max(initial=0.0), 1e-9)
    if abs(J[:, free] @ found - kept).max(initial=0.0) > slowest:
        raise typed[0].statement.refusal("the joints' speeds at the start open a loop")
    parts, rows, wanted = _typed_speeds(typed, deck, tree, robot, q)
    rest = wanted - rows[:, ~free] @ driven[~free, 0]
    scale = np.array([1.0 if key[0] == "W" else 1 / deck.units.length for _, key in parts])
    reach = rows[:, free] @ Z
    reach = scale[:, None] * np.where(abs(reach) < NOTHING, 0.0, reach)
    short = scale * (rest - rows[:, free] @ found)
    found = found + Z @ np.linalg.lstsq(reach, short, rcond=EXACT**2)[0]
    missed = abs(rows[:, free] @ found - rest)
    notes = drives.notes
    if missed.max() > EXACT * max(abs(wanted).max(), 1e-9):
        one, key = parts[int(np.argmax(missed))]
        notes = (
            *notes,
            f"{one.label}: no speeds of the joints give all parts the speeds that are typed; the "
            f"nearest are taken, and {key} is off by {missed.max():.3g} "
            f"{'rad/s' if key[0] == 'W' else 'm/s'}",
        )
    speeds = dict(zip(loose, found.tolist(), strict=True))
    return replace(
        drives, qd0={**drives.qd0, **{k: v for k, v in speeds.items() if v}}, notes=notes
    )


def _freedoms(J: Array) -> Array:
    """Directions that J takes to zero, as columns."""
    from scipy.linalg import null_space

    return np.asarray(null_space(J, rcond=EXACT)) if len(J) else np.eye(J.shape[1])


def _typed_speeds(
    typed: list[Part], deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> tuple[list[tuple[Statement, str]], Array, Array]:
    """What is typed, its rows of the joints' speeds and its values [m/s], [rad/s]."""
    names, rows, wanted = list[tuple[Statement, str]](), list[Array](), list[float]()
    for part in typed:
        for key, row, value in _components(part, deck, tree, robot, q):
            names.append((part.statement, key))
            rows.append(row)
            wanted.append(value)
    return names, np.array(rows), np.array(wanted)


def _components(
    part: Part, deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> list[tuple[str, Array, float]]:
    """Name, row of the joints' speeds and value, of each component of a part [m/s], [rad/s]."""
    statement, link = part.statement, tree.link_of[part.statement.id]
    T_0l = frame_pose(robot, q, link.name)[..., 0]
    J = jacobian(robot, q, link.name)[..., 0]
    arm = T_0l[:3, :3] @ _com_in_link(part, link.T_0l)
    J_v = J[:3] + cross(J[3:], arm[:, None])
    along_v, along_w = np.eye(3), _axes(statement, "CM", deck, tree, robot, q)
    if "VM" in statement.values:
        along_v = _axes(statement, "VM", deck, tree, robot, q)
    if "WM" in statement.values:
        along_w = _axes(statement, "WM", deck, tree, robot, q)
    rows = np.concatenate([along_v.T @ J_v, along_w.T @ J[3:]])
    scales = [deck.units.speed] * 3 + [1 / deck.units.time] * 3
    return [
        (key, row, scale * statement.number(key))
        for key, row, scale in zip(KEYS, rows, scales, strict=True)
        if key in statement.values
    ]


def _com_in_link(part: Part, T_0l: Array) -> Array:
    """Mass centre from the link's origin along the link's axes [m]."""
    com = part.T_0p[:3, :3] @ part.com + part.T_0p[:3, 3]
    return np.asarray(T_0l[:3, :3].T @ (com - T_0l[:3, 3]))


def _axes(
    statement: Statement, key: str, deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> Array:
    """Axes of a marker in the world, shape (3, 3)."""
    id = deck.marker(statement, key)
    link = tree.link_of[deck.markers[id].part]
    R_lm = link.T_0l[:3, :3].T @ deck.T_0m(id)[:3, :3]
    return np.asarray(frame_pose(robot, q, link.name)[:3, :3, 0] @ R_lm)
