"""Data with which the page of a workspace answers a click: values, postures, links."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.kinematics.forward import frame_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.reports.page.page import pack_bytes
from sim.workspaces.maps import Map
from sim.workspaces.workspace import Workspace

STEPS = 32_000  # of a joint's range either way, so that a step fits into 16 bits


def page_data(workspace: Workspace) -> dict[str, Any]:
    """Grid, joints, chain and maps for the script of the page."""
    scales = [_scale(one) for one in workspace.maps]
    return {
        "u": [float(workspace.u[0]), workspace.step, workspace.u.size],
        "v": [float(workspace.v[0]), workspace.step, workspace.v.size],
        "across": list(workspace.section.across),
        "held": workspace.section.held,
        "at": workspace.section.at,
        "joints": [[row.heading, row.is_angle] for row in workspace.robot.coordinates],
        "maps": [
            {"name": one.name, "scale": scale.tolist(), "has_joint": one.joint is not None}
            for one, scale in zip(workspace.maps, scales, strict=True)
        ],
        "chain": _chain(workspace),
    }


def blocks(workspace: Workspace) -> list[str]:
    """For each map its numbers as gzip in base64.

    Values as 32-bit floats, NaN where there is none; then for each joint its positions as steps of
    the map's scale, 16-bit differences from the point before; then, where a map has it, the row of
    the joint that is nearest to its rating, a byte each.
    """
    packed = []
    for one in workspace.maps:
        block = one.values.astype("<f4").tobytes()
        steps = np.rint(_fill_gaps(one.q) / _scale(one)[:, None]).astype(np.int64)
        changes = np.diff(steps, axis=1, prepend=0) & 0xFFFF
        block += changes.astype("<u2").tobytes()
        if one.joint is not None:
            block += one.joint.astype(np.uint8).tobytes()
        packed.append(pack_bytes(block))
    return packed


def _scale(one: Map) -> Array:
    """Size of a step of each joint, (n,) [rad or m]."""
    if not one.is_reached.any():
        return np.ones(len(one.q))
    return np.maximum(np.nanmax(np.abs(one.q), axis=1), 1e-3) / STEPS


def _fill_gaps(q: Array) -> Array:
    """Positions (n, N) in which points that are not reached have those of the point before."""
    known = ~np.isnan(q[0])
    last = np.maximum.accumulate(np.where(known, np.arange(known.size), 0))
    return np.nan_to_num(q[:, last])


def _chain(workspace: Workspace) -> dict[str, Any]:
    """The robot as a tree of bodies, each moving about or along its z axis."""
    robot, tree = workspace.robot, tree_of(workspace.robot)
    S, q_0 = robot.coupling
    body, T_bl = frame_of(robot)
    return {
        "parent": list(tree.parent),
        "slides": [not row.is_angle for row in robot.tree_coordinates],
        "T": tree.T_pi.reshape(-1, 16).tolist(),
        "S": S.tolist(),
        "q0": q_0.tolist(),
        "tool": [body, T_bl.reshape(16).tolist()],
        "root": robot.T_0b[:3, 3].tolist(),
    }
