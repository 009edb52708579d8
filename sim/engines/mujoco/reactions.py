"""What joints carry, by MuJoCo's own sweep over the tree."""

from __future__ import annotations

import mujoco
import numpy as np

from sim.dynamics.wrench import Acting
from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.maths.arrays import Array


def reactions_of(
    plant: MujocoModel, q: Array, qd: Array, qdd: Array, wrenches: Acting = ()
) -> Array:
    """Force and moment by the parent on the child of each tree joint; see `Reacting.reactions`.

    ``mj_rnePostConstraint`` gives them about the mass centre of the whole tree, along the world's
    axes; here they are brought to the joint frame, which is MuJoCo's frame of the child.
    """
    model, data, order = plant.model, plant.evaluation, plant.dofs
    ids = [plant.bodies[joint.child] for joint in plant.robot.tree_joints]
    roots, N = model.body_rootid[ids], q.shape[1]
    rows = {"cfrc_int": np.empty((N, len(ids), 6)), "xpos": np.empty((N, len(ids), 3))}
    rows["xmat"], about = np.empty((N, len(ids), 9)), np.empty((N, len(ids), 3))
    acting = [(plant.bodies[wrench.link], wrench) for wrench in wrenches]
    try:
        for k in range(N):
            data.qacc[order] = qdd[:, k]
            plant.move(q[:, k], qd[:, k])
            data.xfrc_applied[:] = 0.0
            for body, wrench in acting:
                column = k if wrench.force.shape[1] > 1 else 0
                force = wrench.force[:, column]
                at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ wrench.point
                column = k if wrench.torque.shape[1] > 1 else 0
                moment = wrench.torque[:, column] + np.cross(at - data.xipos[body], force)
                data.xfrc_applied[body] += np.concatenate([force, moment])
            mujoco.mj_rnePostConstraint(model, data)
            for name, found in rows.items():
                found[k] = getattr(data, name)[ids]
            about[k] = data.subtree_com[roots]
    finally:
        data.xfrc_applied[:] = 0.0
    force = rows["cfrc_int"][..., 3:]
    moment = rows["cfrc_int"][..., :3] + np.cross(about - rows["xpos"], force)
    R = rows["xmat"].reshape(N, len(ids), 3, 3)
    along = np.einsum("Njba,kNjb->jkaN", R, np.stack([force, moment]))
    return np.ascontiguousarray(along).reshape(len(ids), 6, N)
