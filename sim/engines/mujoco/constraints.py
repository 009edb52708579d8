"""Equations of closed loops, from MuJoCo's equality constraints.

Every loop of the robot is a ``connect`` of two sites in MuJoCo's model, which is disabled in
evaluations and steps: MuJoCo closes loops like a stiff spring, not to rounding. The gradient of
each constraint is exact, and is all that the drive torques require. For loops that also keep
directions, MuJoCo's Jacobian of the rotation of both bodies is used.
"""

from __future__ import annotations

import mujoco
import numpy as np

from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.kinematics.loop_equations import LoopEquations
from sim.kinematics.loop_rows import rows_of
from sim.kinematics.seen_frames import Seen
from sim.maths.arrays import Array
from sim.robots.loop import Loop


def loops_of(plant: MujocoModel, q: Array) -> LoopEquations:
    """Return the loop equations at states q (n_tree, N); see `Reacting.loops`."""
    states = [_equations_at(plant, q[:, k]) for k in range(q.shape[1])]
    e, J, D, M = (np.stack(parts, axis=-1) for parts in zip(*states, strict=True))
    groups = [(k, rows) for k, loop in enumerate(plant.robot.loops) for rows in rows_of(loop)]
    each = [(k, rows.are_turns) for k, rows in groups for _ in range(rows.count)]
    of_loop, are_turns = zip(*each, strict=True)
    return LoopEquations(e, J, D, M, of_loop, np.array(are_turns, dtype=bool))


def _equations_at(plant: MujocoModel, q: Array) -> tuple[Array, Array, Array, Array]:
    """Return e (rows,), J (rows, n_tree), D and M (rows, 3) at one state."""
    e, J, D, M = [], [], [], []
    separations, gradients = _constraints(plant, q)
    for k, loop in enumerate(plant.robot.loops):
        R_a, R_b = (
            plant.spare.xmat[plant.bodies[link]].reshape(3, 3) @ frame
            for link, frame in ((loop.link_a, loop.frame_a), (loop.link_b, loop.frame_b))
        )
        seen = Seen((R_a.T @ separations[k])[:, None], R_a[..., None], R_b[..., None])
        for rows in rows_of(loop):
            force, moment = (part[..., 0] @ R_a.T for part in rows.gradient(seen))
            e.append(rows.error(seen)[:, 0])
            J.append(force @ gradients[k])
            if moment.any():
                J[-1] = J[-1] + moment @ _turning(plant, loop)
            D.append(force)
            M.append(moment)
    return np.concatenate(e), np.concatenate(J), np.concatenate(D), np.concatenate(M)


def _turning(plant: MujocoModel, loop: Loop) -> Array:
    """Return the gradient of the rotation of link b minus that of link a, (3, n_tree)."""
    model, turning = plant.model, np.zeros((2, 3, plant.model.nv))
    for part, link in zip(turning, (loop.link_a, loop.link_b), strict=True):
        mujoco.mj_jacBody(model, plant.spare, None, part, plant.bodies[link])
    return np.asarray((turning[1] - turning[0])[:, plant.dofs])


def _constraints(plant: MujocoModel, q: Array) -> tuple[list[Array], list[Array]]:
    """Return the vector of each loop from point a to point b [m], and its gradient (3, n_tree)."""
    model, data = plant.model, plant.spare
    plant.set_positions(data, q)
    mujoco.mj_kinematics(model, data)
    separations = []
    for k in range(len(plant.robot.loops)):
        a, b = plant.sites(k)
        separations.append(data.site_xpos[b] - data.site_xpos[a])
        # The points may differ, as along a normal; both links are evaluated at point b.
        body = model.site_bodyid[a]
        from_a = data.site_xpos[b] - data.xpos[body]
        model.site_pos[a] = data.xmat[body].reshape(3, 3).T @ from_a
    off = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.disableflags &= ~off
    try:
        mujoco.mj_fwdPosition(model, data)
        gradients = [_gradient(plant, k) for k in range(len(separations))]
    finally:
        model.opt.disableflags |= off
        for k, loop in enumerate(plant.robot.loops):
            model.site_pos[plant.sites(k)[0]] = loop.point_a
    return separations, gradients


def _gradient(plant: MujocoModel, loop: int) -> Array:
    """Return the gradient of the displacement from point a to point b of a loop, (3, n_tree)."""
    data, width = plant.spare, plant.model.nv
    # with space for the rows that MuJoCo omits
    of_all = data.efc_J[: data.nefc * width].reshape(data.nefc, width)[:, plant.dofs]
    data_rows = of_all[data.efc_id[: data.nefc] == loop]
    if not data_rows.size:  # MuJoCo omits immovable ones
        return np.zeros((3, len(plant.dofs)))
    return -data_rows  # MuJoCo's are from b to a
