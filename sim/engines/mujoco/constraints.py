"""The equations of closed loops, from MuJoCo's own equality constraints.

Every loop of the robot is a ``connect`` of two sites in MuJoCo's model, which no evaluation and
no step feels: MuJoCo keeps a loop closed like a stiff spring, and not to rounding. What it has
exactly is the gradient of each constraint, and that is all that the torques of the drives need.
"""

from __future__ import annotations

import mujoco
import numpy as np

from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.kinematics.loop_equations import LoopEquations
from sim.maths.arrays import Array
from sim.robots.loop import Loop


def loops_of(plant: MujocoModel, q: Array) -> LoopEquations:
    """The loop equations at states q (n_tree, N); see `Reacting.loops`."""
    parts = [_rows(plant, loop) for loop in plant.robot.loops]
    counts = [len(across) for across in parts]
    N, n = q.shape[1], len(plant.dofs)
    e, J = np.empty((sum(counts), N)), np.empty((sum(counts), n, N))
    D = np.empty((sum(counts), 3, N))
    for k in range(N):
        row = 0
        apart, gradients = _constraints(plant, q[:, k])
        for loop, across, gap, gradient in zip(
            plant.robot.loops, parts, apart, gradients, strict=True
        ):
            rows = slice(row, row := row + len(across))
            R = plant.spare.xmat[plant.bodies[loop.link_a]].reshape(3, 3)
            D[rows, :, k] = across @ R.T
            e[rows, k] = D[rows, :, k] @ gap
            J[rows, :, k] = D[rows, :, k] @ gradient
    of_loop = tuple(i for i, count in enumerate(counts) for _ in range(count))
    return LoopEquations(e, J, D, of_loop)


def _rows(plant: MujocoModel, loop: Loop) -> Array:
    """Directions in link a in which the points coincide: all, or the two across the normal."""
    if loop.normal is None:
        return np.eye(3)
    # the rows of a matrix whose null space is the normal
    return np.asarray(np.linalg.svd(np.asarray(loop.normal)[None])[2][1:])


def _constraints(plant: MujocoModel, q: Array) -> tuple[list[Array], list[Array]]:
    """Of each loop: from its point a to its point b [m], and the gradient of that (3, n_tree)."""
    model, data = plant.model, plant.spare
    plant.set_positions(data, q)
    mujoco.mj_kinematics(model, data)
    apart = []
    for k, loop in enumerate(plant.robot.loops):
        a, b = plant.sites(k)
        apart.append(data.site_xpos[b] - data.site_xpos[a])
        if loop.normal is not None:
            # The points may lie apart along the normal; both links are evaluated at the point of b.
            body = model.site_bodyid[a]
            from_a = data.site_xpos[b] - data.xpos[body]
            model.site_pos[a] = data.xmat[body].reshape(3, 3).T @ from_a
    off = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.disableflags &= ~off
    try:
        mujoco.mj_fwdPosition(model, data)
        gradients = [_gradient(plant, k) for k in range(len(apart))]
    finally:
        model.opt.disableflags |= off
        for k, loop in enumerate(plant.robot.loops):
            model.site_pos[plant.sites(k)[0]] = loop.point_a
    return apart, gradients


def _gradient(plant: MujocoModel, loop: int) -> Array:
    """Gradient of the way from point a to point b of a loop, (3, n_tree)."""
    data = plant.spare
    of_all = data.efc_J.reshape(data.nefc, plant.model.nv)[:, plant.dofs]
    data_rows = of_all[data.efc_id[: data.nefc] == loop]
    if not data_rows.size:  # MuJoCo leaves out what no joint moves
        return np.zeros((3, len(plant.dofs)))
    return -data_rows  # MuJoCo's are from b to a
