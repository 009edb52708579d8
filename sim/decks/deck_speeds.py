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
KEYS = ("VX", "VY", "VZ", "WX", "WY", "WZ")


def with_speeds(drives: DeckDrives, deck: Deck, tree: SpanningTree, robot: Robot) -> DeckDrives:
    """The drives with speeds of free joints that give each part the components that it types.

    VX VY VZ are those of the mass centre along the world's axes, or VM's; WX WY WZ along CM's axes,
    or WM's. Where several speeds do, the least are taken; where motions and joints leave nothing
    free, theirs count, with a note.

    Raises
    ------
    DeckError
        If no speeds of the free joints give a part what it types.
    """
    typed = [part for part in deck.parts.values() if any(k in part.statement.values for k in KEYS)]
    if not typed:
        return drives
    names = robot.row_names
    path = drives.motion().on(robot, 1.0)
    q, driven, _ = path.motion(np.zeros(1))
    rows, wanted, owners = list[Array](), list[float](), list[Statement]()
    for part in typed:
        for row, value in _components(part, deck, tree, robot, q):
            rows.append(row)
            wanted.append(value)
            owners.append(part.statement)
    _, J = joint_equations(robot, q)
    for row in J[..., 0]:
        rows.append(row)
        wanted.append(0.0)
        owners.append(typed[0].statement)
    free = np.array([row.joint in drives.free for row in robot.coordinates])
    free |= passive_joints(robot)
    loose = [name for name, is_free in zip(names, free, strict=True) if is_free]
    for name, speed in drives.qd0.items():  # a start of a joint itself
        if name in loose:
            rows.append(np.array([float(other == name) for other in names]))
            wanted.append(speed)
            owners.append(deck.ground.statement)
    A, b = np.array(rows), np.array(wanted)
    rest = b - A[:, ~free] @ driven[~free, 0]
    found = np.linalg.lstsq(A[:, free], rest, rcond=None)[0]
    missed = abs(A[:, free] @ found - rest)
    if missed.max() > EXACT * max(abs(b).max(), 1e-9):
        if np.linalg.matrix_rank(J[:, free, 0]) == np.count_nonzero(free):
            told = "the speeds that parts are typed with are not those that MOTIONs and joints give"
            return replace(drives, notes=(*drives.notes, f"{told}; these count, as in ADAMS"))
        raise owners[int(np.argmax(missed))].refusal(
            f"no speeds of the free joints give the speeds that it starts with; one is missed by "
            f"{missed.max():.3g} m/s or rad/s"
        )
    speeds = dict(zip(loose, found.tolist(), strict=True))
    return replace(drives, qd0={**drives.qd0, **{k: v for k, v in speeds.items() if v}})


def _components(
    part: Part, deck: Deck, tree: SpanningTree, robot: Robot, q: Array
) -> list[tuple[Array, float]]:
    """Row of the joints' speeds and value, of each component that a part types [m/s], [rad/s]."""
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
        (row, scale * statement.number(key))
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
