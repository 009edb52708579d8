"""What the engine says of given joint states: energies of every link and the tool's motion."""

from __future__ import annotations

import numpy as np

from sim.engines.bullet.holding import link_frame_in_com
from sim.engines.bullet.world import World
from sim.engines.contract import Survey
from sim.maths.arrays import Array
from sim.maths.rotations import quaternion_xyzw, rotations_of

CHUNK = 1024  # samples converted at a time; bounds the memory of Python tuples


def survey(engine: World, q: Array, qd: Array, links: tuple[str, ...]) -> Survey:
    """Impose each state and ask the engine for the motion of its mass centres.

    The energies use the engine's own masses and principal inertias, so that a slip in either
    reading of the URDF shows.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
    links : tuple of str
        Links whose energies are wanted.
    """
    p, body, client = engine.bullet, engine.body, engine.client
    tool = engine.robot.tool
    asked = [*links] if tool is None or tool not in engine.link_index else [*links, tool]
    indices = [engine.link_index[name] for name in asked]
    N = q.shape[1]
    # x y z, qx qy qz qw, vx vy vz, wx wy wz of every mass-centre frame
    states = np.empty((len(asked), 13, N))
    for first in range(0, N, CHUNK):
        rows = []
        last = min(first + CHUNK, N)
        for q_k, qd_k in zip(q.T[first:last].tolist(), qd.T[first:last].tolist(), strict=True):
            engine.reset(q_k, qd_k)
            states_k = p.getLinkStates(body, indices, 1, 1, physicsClientId=client)
            rows.append([s[0] + s[1] + s[6] + s[7] for s in states_k])
        states[:, :, first:last] = np.transpose(rows, (1, 2, 0))
        engine.count(last - first)
    ke, pe = np.empty((len(links), N)), np.empty((len(links), N))
    for row, name in enumerate(links):
        info = p.getDynamicsInfo(body, engine.link_index[name], physicsClientId=client)
        mass, principal = info[0], np.asarray(info[2])
        x, quaternion, v, w = np.split(states[row], [3, 7, 10])
        w_c = np.einsum("baN,bN->aN", rotations_of(quaternion), w)  # along the principal axes
        ke[row] = 0.5 * mass * np.sum(v * v, axis=0) + 0.5 * (principal @ (w_c * w_c))
        pe[row] = -mass * (np.asarray(engine.gravity) @ x)
    motion = None if len(asked) == len(links) else _tool_motion(engine, asked[-1], states[-1])
    return Survey(ke, pe, links, motion)


def _tool_motion(engine: World, tool: str, state: Array) -> Array:
    """Motion of a link's frame from that of its mass centre.

    PyBullet's own link frame is good to 1e-7 m only, the mass-centre frame to rounding.
    """
    info = engine.bullet.getDynamicsInfo(
        engine.body, engine.link_index[tool], physicsClientId=engine.client
    )
    T_cl = link_frame_in_com(info[3], engine.bullet.getMatrixFromQuaternion(info[4]))
    x, quaternion, v, w = np.split(state, [3, 7, 10])
    R_0c = rotations_of(quaternion)
    arm = np.einsum("abN,b->aN", R_0c, T_cl[:3, 3])
    R_0l = np.einsum("abN,bc->acN", R_0c, T_cl[:3, :3])
    return np.concatenate([x + arm, quaternion_xyzw(R_0l), v + np.cross(w, arm, axis=0), w])
