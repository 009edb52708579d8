"""MuJoCo's solution at given states: accelerations of loose joints, efforts of all joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from sim.dynamics.wrench import Acting
from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.errors import EngineError
from sim.maths.arrays import Array, Mask

# Mass matrix and velocities are unchanged: only accelerations are new.
FROM_VELOCITIES = int(mujoco.mjtStage.mjSTAGE_VEL)

# State index and MuJoCo state with poses -> joint torques (nv,) equivalent to the wrenches.
Push = Callable[[int, Any], Array]


def complete(
    plant: MujocoModel,
    q: Array,
    qd: Array,
    qdd: Array,
    effort: Array,
    held: Mask,
    wrenches: Acting = (),
) -> tuple[Array, Array]:
    """Return accelerations and efforts of all tree joints by MuJoCo's equations, (n_tree, N).

    The arguments are those of `Engine.hybrid_dynamics`, all finite.

    Raises
    ------
    EngineError
        If the loose joints have no inertia.
    """
    data, push = plant.evaluation, pushes(plant, q, wrenches)
    order = plant.dofs
    accelerations = np.where(held[:, None], qdd, 0.0)
    efforts = np.empty_like(q)
    for k in range(q.shape[1]):
        plant.set_positions(data, q[:, k])
        data.qvel[order] = qd[:, k]
        pushed = None
        if push is not None:
            mujoco.mj_kinematics(plant.model, data)
            mujoco.mj_comPos(plant.model, data)
            pushed = push(k, data)[order]
        accelerations[:, k], efforts[:, k] = forward_inverse(
            plant, data, accelerations[:, k], effort[:, k], held, pushed, is_new=True
        )
    return accelerations, np.where(held[:, None], efforts, effort)


def forward_inverse(
    plant: MujocoModel,
    data: Any,
    qdd: Array,
    effort: Array,
    held: Mask,
    pushed: Array | None,
    *,
    is_new: bool,
) -> tuple[Array, Array]:
    """Return accelerations and efforts (n_tree,) of the state in `data`.

    Parameters
    ----------
    qdd, effort : ndarray, shape (n_tree,)
        Accelerations of the held joints, and efforts of the loose ones.
    pushed : ndarray, shape (n_tree,), or None
        Joint torques equivalent to the wrenches.
    is_new : bool
        Whether MuJoCo has not evaluated the state yet.
    """
    model, order = plant.model, plant.dofs
    if is_new and held.all():
        data.qacc[order] = qdd
        mujoco.mj_inverse(model, data)
    else:
        if is_new:
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
        if not held.all():
            qdd = _loose(plant, data, qdd, effort, held, pushed)
        data.qacc[order] = qdd
        mujoco.mj_inverseSkip(model, data, FROM_VELOCITIES, 1)
    efforts = data.qfrc_inverse[order]
    return qdd, efforts if pushed is None else efforts - pushed


def _loose(
    plant: MujocoModel, data: Any, qdd: Array, effort: Array, held: Mask, pushed: Array | None
) -> Array:
    """Return all accelerations, of loose joints by MuJoCo's mass matrix and bias forces."""
    order, model = plant.dofs, plant.model
    lacking = effort - data.qfrc_bias[order]
    if pushed is not None:
        lacking += pushed
    if not held.any():  # by MuJoCo's own factorisation
        right_side, answer = np.zeros((1, model.nv)), np.empty((1, model.nv))
        right_side[0, order] = lacking
        mujoco.mj_solveM(model, data, answer, right_side)
        return np.asarray(answer[0, order])
    M = _mass_matrix(plant, data)
    loose = ~held
    lacking = (lacking - M[:, held] @ qdd[held])[loose]
    try:
        solution = np.linalg.solve(M[np.ix_(loose, loose)], lacking)
    except np.linalg.LinAlgError:
        rows = zip(plant.robot.tree_row_names, loose, strict=True)
        names = [name for name, is_loose in rows if is_loose]
        raise EngineError(
            f"Joints {', '.join(names)} of robot {plant.robot.name!r} are loose and have no "
            "inertia together, so that no torque determines their motion; give their links "
            "inertia, or drive them"
        ) from None
    qdd = qdd.copy()
    qdd[loose] = solution
    return qdd


def _mass_matrix(plant: MujocoModel, data: Any) -> Array:
    """Return MuJoCo's mass matrix of the tree joints, shape (n_tree, n_tree)."""
    nv = plant.model.nv
    columns, units = np.empty((nv, nv)), np.eye(nv)
    for column, unit in zip(columns, units, strict=True):
        mujoco.mj_mulM(plant.model, data, column, unit)
    return columns[np.ix_(plant.dofs, plant.dofs)]


def pushes(plant: MujocoModel, q: Array, wrenches: Acting) -> Push | None:
    """Return a function for the joint torques equivalent to the wrenches; None for none.

    The force of a wrench acts at its point at joint positions q[:, k], which MuJoCo evaluates.
    """
    acting = [
        (
            plant.bodies[wrench.link],
            wrench.point,
            np.broadcast_to(wrench.force, (3, q.shape[1])),
            np.broadcast_to(wrench.torque, (3, q.shape[1])),
        )
        for wrench in wrenches
        if plant.moves(wrench.link)
    ]
    if not acting:
        return None

    def push(k: int, data: Any) -> Array:
        plant.pose(q[:, k])
        total = np.zeros(plant.model.nv)
        for body, point, force, torque in acting:
            at = plant.evaluation.xpos[body] + plant.evaluation.xmat[body].reshape(3, 3) @ point
            mujoco.mj_applyFT(
                plant.model, data, force[:, k].copy(), torque[:, k].copy(), at, body, total
            )
        return total

    return push
