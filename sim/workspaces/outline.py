"""Lines of a picture of a workspace: its boundary, samples near it, and an arm."""

from __future__ import annotations

import numpy as np

from sim.kinematics.forward import body_poses, frame_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot
from sim.workspaces.workspace import Workspace

MOST_SAMPLES = 500
NEAR = 1.5  # steps from a boundary sample to the nearest point out of reach


def boundary(workspace: Workspace, inside: Mask) -> list[Array]:
    """Return closed lines around a part of the grid (rows, columns), (K, 2) each [m].

    They are halfway between a point inside and its neighbour outside.
    """
    from contourpy import contour_generator

    field = np.pad(inside.astype(np.float64), 1)
    u, v = (
        np.concatenate([[a[0] - workspace.step], a, [a[-1] + workspace.step]])
        for a in (workspace.u, workspace.v)
    )
    lines = contour_generator(u, v, field).lines(0.5)
    return [np.asarray(line) for line in lines]


def samples_at_boundary(workspace: Workspace) -> Array:
    """Return joint samples at the boundary of the reached region, inside and out, (2, M) [m]."""
    from scipy.spatial import KDTree

    row, column = np.nonzero(~np.pad(workspace.is_reached, 1))
    outside = np.stack(
        [
            workspace.u[0] + (column - 1) * workspace.step,
            workspace.v[0] + (row - 1) * workspace.step,
        ],
        axis=1,
    )
    near = KDTree(outside).query(workspace.samples.T)[0] < NEAR * workspace.step
    chosen = workspace.samples[:, near]
    return chosen[:, :: max(1, -(-chosen.shape[1] // MOST_SAMPLES))]


def arm_lines(robot: Robot, q: Array) -> list[Array]:
    """Return the arm at joint positions (n,) as lines from joint to joint, (2, 3) each [m].

    The lines lead from the root link's frame to the joints on it, from each joint to those that it
    carries, and to the tool.
    """
    tree = tree_of(robot)
    poses = body_poses(tree, robot.q_tree(q[:, None]))
    places = [poses.p[k][:, 0] for k in range(tree.n)]
    root = robot.T_0b[:3, 3]
    lines = [
        np.stack([root if parent < 0 else places[parent], places[k]])
        for k, parent in enumerate(tree.parent)
    ]
    body, T_bl = frame_of(robot)
    tip = poses.point(body, T_bl[:3, 3])[:, 0]
    return [*lines, np.stack([places[body] if body >= 0 else root, tip])]
