"""The engine's energies of every link and its tool motion at given joint states."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from types import MappingProxyType

import numpy as np

from sim.dynamics.solved_motion import EnergySamples
from sim.engines.bullet.readback import link_frame_in_com
from sim.engines.bullet.world import World
from sim.maths.arrays import Array
from sim.maths.rotations import quaternion_xyzw, rotations_of
from sim.robots.inertia import Inertia

CHUNK = 64  # samples converted at a time; bounds the memory of Python objects
NONE: Mapping[str, Inertia] = MappingProxyType({})


def survey_energies(
    engine: World, q: Array, qd: Array, links: tuple[str, ...], welded: Mapping[str, Inertia] = NONE
) -> EnergySamples:
    """Impose each state and read the motion of the engine's mass centres.

    The energies use the engine's own masses and principal inertias, so that an error in either
    reading of the URDF shows.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
    links : tuple of str
        Links whose energies are computed.
    welded : mapping of str to Inertia
        The engine's reading of each link that is part of a welded body. Such a link has the motion
        of the body.
    """
    tool = engine.robot.tool
    names = [*links] if tool is None or tool not in engine.link_index else [*links, tool]
    engine.restore_base()
    bodies = {name: engine.welded.place(name)[0] for name in names}
    states = _states(engine, q, qd, [*dict.fromkeys(bodies.values())])
    ke, pe = np.empty((len(links), q.shape[1])), np.empty((len(links), q.shape[1]))
    for row, name in enumerate(links):
        state = states[bodies[name]]
        if name in welded:
            ke[row], pe[row] = _energies_of_part(engine, name, welded[name], state)
        else:
            ke[row], pe[row] = _energies(engine, name, state)
    has_tool = len(names) > len(links)
    motion = _tool_motion(engine, names[-1], states[names[-1]]) if has_tool else None
    return EnergySamples(ke, pe, links, motion)


def _states(engine: World, q: Array, qd: Array, bodies: list[str]) -> dict[str, Array]:
    """Return x y z, qx qy qz qw, vx vy vz, wx wy wz of mass-centre frames, (13, N) per body."""
    p, body, client = engine.bullet, engine.body, engine.client
    indices, pack = [engine.link_index[name] for name in bodies], Struct("13d").pack
    N = q.shape[1]
    states = np.empty((len(bodies), 13, N))
    for first in range(0, N, CHUNK):
        packed: list[bytes] = []  # numbers that live on as objects take a seventh longer
        last = min(first + CHUNK, N)
        for q_k, qd_k in engine.states(q[:, first:last], qd[:, first:last]):
            engine.impose(q_k, qd_k)
            packed += [
                pack(*place, *rotation, *velocity, *turning)
                for place, rotation, _, _, _, _, velocity, turning in p.getLinkStates(
                    body, indices, 1, 1, physicsClientId=client
                )
            ]
        rows = np.frombuffer(b"".join(packed)).reshape(-1, len(bodies), 13)
        states[:, :, first:last] = rows.transpose(1, 2, 0)
        engine.count(last - first)
    return dict(zip(bodies, states, strict=True))


def _energies(engine: World, link: str, state: Array) -> tuple[Array, Array]:
    """Return kinetic and potential energy of the engine's body for a link."""
    info = engine.dynamics(link)
    mass, principal = info[0], np.asarray(info[2])
    x, quaternion, v, w = np.split(state, [3, 7, 10])
    w_c = np.einsum("baN,bN->aN", rotations_of(quaternion), w)  # along the principal axes
    ke = 0.5 * mass * np.sum(v * v, axis=0) + 0.5 * (principal @ (w_c * w_c))
    return ke, -mass * (np.asarray(engine.gravity) @ x)


def _energies_of_part(
    engine: World, link: str, inertia: Inertia, state: Array
) -> tuple[Array, Array]:
    """Return the energies of a part of a welded body, from the motion of that body."""
    carrier, T_bl = engine.welded.place(link)
    T_cl = _link_frame_in_com(engine, carrier) @ T_bl
    R_cl = T_cl[:3, :3]
    x, quaternion, v, w = np.split(state, [3, 7, 10])
    R_0c = rotations_of(quaternion)
    arm = np.einsum("abN,b->aN", R_0c, R_cl @ inertia.com + T_cl[:3, 3])
    v = v + np.cross(w, arm, axis=0)
    w_l = np.einsum("baN,bN->aN", np.einsum("abN,bc->acN", R_0c, R_cl), w)
    ke = 0.5 * inertia.mass * np.sum(v * v, axis=0) + 0.5 * np.sum(w_l * (inertia.tensor @ w_l), 0)
    return ke, -inertia.mass * (np.asarray(engine.gravity) @ (x + arm))


def _tool_motion(engine: World, tool: str, state: Array) -> Array:
    """Compute the motion of a link's frame from that of its mass centre.

    PyBullet's link frame is accurate to 1e-7 m only, its mass-centre frame to rounding.
    """
    T_cl = _link_frame_in_com(engine, tool)
    x, quaternion, v, w = np.split(state, [3, 7, 10])
    R_0c = rotations_of(quaternion)
    arm = np.einsum("abN,b->aN", R_0c, T_cl[:3, 3])
    R_0l = np.einsum("abN,bc->acN", R_0c, T_cl[:3, :3])
    return np.concatenate([x + arm, quaternion_xyzw(R_0l), v + np.cross(w, arm, axis=0), w])


def _link_frame_in_com(engine: World, link: str) -> Array:
    info = engine.dynamics(link)
    return link_frame_in_com(info[3], engine.bullet.getMatrixFromQuaternion(info[4]))
