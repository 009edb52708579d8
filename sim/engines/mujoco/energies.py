"""MuJoCo's energies of every link and tool motion at given joint states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.engines.contract import EnergySamples
from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.maths.arrays import Array
from sim.maths.rotations import quaternion_xyzw

CHUNK = 1024  # states between two reports of progress


def survey_of(
    plant: MujocoModel, q: Array, qd: Array, links: tuple[str, ...], count: Callable[[int], None]
) -> EnergySamples:
    """Impose each state and take the motion of the bodies from MuJoCo's own data.

    The energies use the masses and principal moments that MuJoCo holds at the time.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
    links : tuple of str
        Links whose energies are wanted.
    count : callable
        Called with the number of states done.
    """
    tool, model, data = plant.robot.tool, plant.model, plant.evaluation
    moves = tool is not None and plant.moves(tool)
    ids = [plant.bodies[link] for link in (*links, *([tool] if moves and tool else []))]
    # of each body: mass centre, principal axes, velocity, where that is meant, frame
    sizes = {"xipos": 3, "ximat": 9, "cvel": 6, "xpos": 3, "xmat": 9}
    found = {name: np.empty((q.shape[1], len(ids), size)) for name, size in sizes.items()}
    about, roots = np.empty((q.shape[1], len(ids), 3)), model.body_rootid[ids]
    for k in range(q.shape[1]):
        plant.move(q[:, k], qd[:, k])
        for name, rows in found.items():
            rows[k] = getattr(data, name)[ids]
        about[k] = data.subtree_com[roots]
        if (k + 1) % CHUNK == 0 or k + 1 == q.shape[1]:
            count(k % CHUNK + 1)
    w, own = found["cvel"][..., :3], slice(len(links))

    def velocity(point: Array) -> Array:
        # MuJoCo's velocity of a body is that of the point `about`, thought fixed to it
        return np.asarray(found["cvel"][..., 3:] + np.cross(w, point - about))

    v = velocity(found["xipos"])[:, own]
    R = found["ximat"].reshape(-1, len(ids), 3, 3)[:, own]
    along = np.einsum("Nlba,Nlb->Nla", R, w[:, own])
    mass, moments = model.body_mass[ids[own]], model.body_inertia[ids[own]]
    ke = 0.5 * mass * np.sum(v * v, axis=-1) + 0.5 * np.sum(moments * along * along, axis=-1)
    pe = -mass * (found["xipos"][:, own] @ np.asarray(plant.gravity))
    motion = None
    if moves:
        R_0l = np.moveaxis(found["xmat"][:, -1].reshape(-1, 3, 3), 0, -1)
        x, v = found["xpos"], velocity(found["xpos"])
        motion = np.concatenate(
            [x[:, -1].T, quaternion_xyzw(R_0l), v[:, -1].T, np.ascontiguousarray(w[:, -1].T)]
        )
    return EnergySamples(ke.T.copy(), pe.T.copy(), links, motion)
