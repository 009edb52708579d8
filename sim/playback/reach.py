"""Extent of a run in a picture, and the floor and pedestal below it."""

from __future__ import annotations

import numpy as np

from sim.engines.bullet.view.scene import Mesh
from sim.kinematics.forward import BodyPoses, body_poses
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.playback.backdrop import CELLS
from sim.playback.shown_run import ShownRun
from sim.shapes.ground import Ground, ground_of, samples_of
from sim.shapes.surface import surface

SIDES = 48  # of the pedestal
LINES = 5  # of the window's floor, on each side of the middle one
STRIP = 1 / 600  # half the width of such a line, relative to the robot's length


def ground_below(shown: ShownRun) -> Ground:
    """Return the ground below a run and its ghost, and the extent of both."""
    outlines: dict[str, list[Array]] = {}
    for shape in shown.look.shapes:
        corners = surface(shape).vertices @ shape.T_lv[:3, :3].T + shape.T_lv[:3, 3]
        outlines.setdefault(shape.link, []).append(corners)
    tree = tree_of(shown.robot)
    tracks = [shown.track]
    if shown.ghost is not None and shown.ghost.is_visible:
        tracks.append(shown.ghost.track)
    motions = []
    for track in tracks:
        q_tree = track.q_tree[:, samples_of(track.t.size)]
        poses = body_poses(tree, q_tree)
        motions.append(
            {link: _pose(poses, *tree.frames[link], q_tree.shape[1]) for link in outlines}
        )
    moving = {link for link, (body, _) in tree.frames.items() if body >= 0}
    points = {link: np.concatenate(parts) for link, parts in outlines.items()}
    return ground_of(points, moving, motions, shown.path.T, shown.robot.T_0b)


def pedestal(ground: Ground) -> Mesh | None:
    """Return the pedestal of a robot, a drum; None if there is none."""
    if not ground.pedestal:
        return None
    x, y, top = ground.base
    turn = 2 * np.pi * np.arange(SIDES) / SIDES
    out = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    low, high = (np.array([x, y, z]) + ground.pedestal * out for z in (ground.floor, top))
    up = np.repeat([[0.0, 0.0, 1.0]], SIDES, axis=0)
    k = np.arange(SIDES)
    after = (k + 1) % SIDES
    sides = [np.stack([k, after, after + SIDES], 1), np.stack([k, after + SIDES, k + SIDES], 1)]
    lid = 2 * SIDES + np.stack([0 * k[1:-1], k[1:-1], k[2:]], 1)
    vertices = np.concatenate([low, high, high])
    return Mesh(vertices, np.concatenate([out, out, up]), np.concatenate([*sides, lid]))


def grid(ground: Ground, size: float) -> Mesh:
    """Return floor lines as thin two-sided strips; `size` is the robot's length [m]."""
    cell = next((edge for edge in CELLS if edge > size / 4), CELLS[-1])
    middle = np.array([*ground.base[:2], ground.floor])
    at = cell * np.arange(-LINES, LINES + 1)
    corners = []
    for across in at:
        for side in (-STRIP * size, STRIP * size):
            corners += [(across + side, at[0], 0.0), (across + side, at[-1], 0.0)]
    along = np.array(corners)
    vertices = middle + np.concatenate([along, along[:, [1, 0, 2]]])
    first = 4 * np.arange(len(vertices) // 4)[:, None]
    front = np.concatenate([first + np.array(corner) for corner in ((0, 2, 3), (0, 3, 1))])
    normals = np.repeat([[0.0, 0.0, 1.0]], len(vertices), axis=0)
    return Mesh(vertices, normals, np.concatenate([front, front[:, ::-1]]))


def _pose(poses: BodyPoses, body: int, T_bl: Array, count: int) -> Array:
    T = np.zeros((4, 4, count))
    T[3, 3] = 1.0
    T[:3, :3], T[:3, 3] = poses.rotation(body, T_bl[:3, :3]), poses.point(body, T_bl[:3, 3])
    return T
