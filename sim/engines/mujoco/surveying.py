"""What MuJoCo says of given joint states: energies of every link and the tool's motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.engines.contract import Survey
from sim.engines.mujoco.plant import Plant
from sim.maths.arrays import Array
from sim.maths.rotations import quaternion_xyzw

CHUNK = 1024  # states between two reports of progress


def survey_of(
    plant: Plant, q: Array, qd: Array, links: tuple[str, ...], count: Callable[[int], None]
) -> Survey:
    """Impose each state and take the motion of bodies and mass centres from MuJoCo's own data.

    The energies use the masses and principal moments that MuJoCo holds at the time.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
    links : tuple of str
        Links whose energies are wanted.
    count : callable
        Told how many states are done.
    """
    tool = plant.robot.tool
    moving = tool is not None and plant.model.body_weldid[plant.bodies[tool]] != 0
    ids = [plant.bodies[link] for link in links]
    N, model, data = q.shape[1], plant.model, plant.asked
    centres, axes = np.empty((N, len(ids), 3)), np.empty((N, len(ids), 9))
    spins, at = np.empty((N, len(ids), 6)), np.empty((N, len(ids), 3))
    roots = model.body_rootid[ids]
    told = _Tool(N, plant.bodies[tool], model) if moving and tool is not None else None
    for k in range(N):
        plant.move(q[:, k], qd[:, k])
        centres[k], axes[k] = data.xipos[ids], data.ximat[ids]
        spins[k], at[k] = data.cvel[ids], data.subtree_com[roots]
        if told is not None:
            told.take(k, data)
        if (k + 1) % CHUNK == 0 or k + 1 == N:
            count(k % CHUNK + 1)
    w = spins[..., :3]
    v = _velocity_at(spins, at, centres)
    R = axes.reshape(N, len(ids), 3, 3)
    along = np.einsum("Nlba,Nlb->Nla", R, w)  # along the principal axes
    mass, moments = model.body_mass[ids], model.body_inertia[ids]
    ke = 0.5 * mass * np.sum(v * v, axis=-1) + 0.5 * np.sum(moments * along * along, axis=-1)
    pe = -mass * (centres @ np.asarray(plant.gravity))
    return Survey(ke.T, pe.T, links, None if told is None else told.motion())


def _velocity_at(spin: Array, about: Array, point: Array) -> Array:
    """Velocity of points from MuJoCo's velocity of their body: turning, and of the point `about`."""
    return np.asarray(spin[..., 3:] + np.cross(spin[..., :3], point - about))


class _Tool:
    """The motion of one body's frame, gathered state by state."""

    def __init__(self, N: int, body: int, model: object) -> None:
        self.body, self.root = body, int(model.body_rootid[body])  # type: ignore[attr-defined]
        self.x, self.R = np.empty((N, 3)), np.empty((N, 9))
        self.spin, self.at = np.empty((N, 6)), np.empty((N, 3))

    def take(self, k: int, data: object) -> None:
        self.x[k], self.R[k] = data.xpos[self.body], data.xmat[self.body]  # type: ignore[attr-defined]
        self.spin[k], self.at[k] = data.cvel[self.body], data.subtree_com[self.root]  # type: ignore[attr-defined]

    def motion(self) -> Array:
        R = np.moveaxis(self.R.reshape(-1, 3, 3), 0, -1)
        v = _velocity_at(self.spin, self.at, self.x)
        return np.concatenate([self.x.T, quaternion_xyzw(R), v.T, self.spin[:, :3].T])
