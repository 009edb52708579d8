"""Swings: one period of each mode as positions of all joints, with exaggerated amplitude.

    q(p) = q_0 + a Re(φ e^(2 π i p)),      0 <= p <= 1

with loops brought back onto their equations. What only decays or grows goes by e^(∓3 p).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.closed_positions import close_positions, loop_rank
from sim.dynamics.small_motions import displace
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array
from sim.reports.page.glb_scene import GlbScene
from sim.vibration.modes import Mode, Modes

if TYPE_CHECKING:
    import pandas as pd

PHASES = np.linspace(0.0, 1.0, 49)
SEEN = 0.12  # of the robot's size, how far the point that moves most goes
LARGEST = 0.5  # rad, at most
SMALL = 1e-4  # of a shape, for what moves most
CLOSED = 1e-9  # m
FADES = 3.0  # powers of e in what is shown of a mode that decays or grows


def swings_of(modes: Modes, scene: GlbScene) -> pd.DataFrame:
    """Positions of all tree joints over t: mode k from 2 k to 2 k + 1, with pauses between."""
    t = np.concatenate([2.0 * k + PHASES for k in range(len(modes.modes))])
    parts = [_swing(modes, mode, scene) for mode in modes.modes]
    return _table(modes, t, np.concatenate(parts, axis=1))


def at_rest_of(modes: Modes) -> pd.DataFrame:
    """The pose alone, as a table of one sample."""
    return _table(modes, np.zeros(1), modes.q[:, None])


def _table(modes: Modes, t: Array, q: Array) -> pd.DataFrame:
    import pandas as pd

    robot = modes.drives.robot
    names = [f"q.{row.name}" for row in robot.tree_coordinates]
    return pd.DataFrame(robot.q_tree(q).T, columns=names, index=pd.Index(t, name="t"))


def _swing(modes: Modes, mode: Mode, scene: GlbScene) -> Array:
    """Positions over the phases, (n, phases); smaller until the loops close throughout."""
    shape = _shape(modes, mode)
    if mode.oscillates:
        weights = np.exp(2j * np.pi * PHASES)
    else:
        weights = np.exp(FADES * (PHASES - 1.0 if mode.runs_away else -PHASES))
    waves = np.real(shape[:, None] * weights)
    size, pose = _size(modes, shape, scene), np.repeat(modes.q[:, None], PHASES.size, axis=1)
    for _ in range(8):
        q = _close(modes, displace(modes.drives.robot, pose, size * waves))
        if q is not None:
            return q
        size *= 0.5
    return pose


def _shape(modes: Modes, mode: Mode) -> Array:
    """φ of all joints, (n,), complex."""
    names = modes.drives.robot.row_names
    return np.array([mode.shape.get(name, 0.0) for name in names], dtype=np.complex128)


def _size(modes: Modes, shape: Array, scene: GlbScene) -> float:
    """Display scale of a shape."""
    pose = modes.q[:, None]
    small = np.stack([0 * shape.real, SMALL * shape.real, SMALL * shape.imag], axis=1)
    poses = displace(modes.drives.robot, np.repeat(pose, 3, axis=1), small)
    table = _table(modes, np.arange(3.0), poses)
    seen = scene.poses(table, [0, 1, 2])
    points = {link: corners for link, (corners, _, _) in scene.shapes().items()}
    places = [
        np.einsum("abN,kb->kaN", seen[link][:3, :3], corners) + seen[link][:3, 3]
        for link, corners in points.items()
    ]
    every = np.concatenate([*places, np.zeros((1, 3, 3))])
    moved = float(np.linalg.norm(every[..., 1:] - every[..., :1], axis=1).max()) / SMALL
    extent = float(np.linalg.norm(np.ptp(every[..., 0], axis=0)))
    turns = [abs(x) for x, row in zip(shape, modes.drives.robot.coordinates, strict=True)
             if row.is_angle]  # fmt: skip
    most = LARGEST / max(turns, default=0.0) if any(turns) else np.inf
    return float(min(SEEN * extent / moved if moved else most, most, 1e6))


def _close(modes: Modes, q: Array) -> Array | None:
    """Positions with closed loops; None where they do not close."""
    robot = modes.drives.robot
    if not passive_joints(robot).any():
        return q
    held = ~modes.drives.loose
    rank = loop_rank(robot, modes.q, held)
    closed = np.stack([close_positions(robot, one, held, rank).q for one in q.T], axis=1)
    gap = np.abs(joint_equations(robot, closed)[0]).max(initial=0.0)
    return closed if gap <= CLOSED else None
