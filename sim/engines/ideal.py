"""Method `solve_ideal`: impose the prescribed state at each sample; the engine gives the effort."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.engines.contract import Engine
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.engines.samples import Samples, require_sound
from sim.maths.arrays import Array
from sim.motion.joint_path import Trajectory

CHUNK = 1024  # samples between two reports of progress


def solve_ideal(
    engine: Engine,
    t: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    loads: PrescribedLoads = NO_LOADS,
) -> Samples:
    """Motor torques that hold the prescribed accelerations at the prescribed states.

    They are the engine's efforts, ``M qdd + C qd + g - Jᵀ F`` with all terms at (q, qd), less the
    torques that act in the joints: there is no discretisation error.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q, qd, qdd : ndarray, shape (n_tree, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    loads : PrescribedLoads
        What else acts on the robot: friction, force elements, payloads.

    Raises
    ------
    EngineError
        If a number the engine returns is not finite.
    """
    everything = np.ones(len(q), dtype=bool)
    motion = Trajectory(t, q, qd, qdd)
    wrenches = loads.wrenches(motion)
    changes = loads.changes(t)
    edges = np.unique([*range(0, t.size, CHUNK), *changes, t.size]).tolist()
    reached, tau = np.empty_like(qdd), np.zeros_like(qdd)
    for begin, end in pairwise(edges):
        part = slice(begin, end)
        engine.set_payloads(changes.get(begin, {}))
        here = [wrench.during(part) for wrench in wrenches]
        reached[:, part], tau[:, part] = engine.hybrid_dynamics(
            q[:, part], qd[:, part], qdd[:, part], everything, tau[:, part], here
        )
        engine.count(end - begin)
    torques = loads.torques(motion)
    if torques is not None:
        tau -= torques
    require_sound(engine.robot, t, np.stack([q, reached, tau], axis=1), q, everything)
    return Samples(q.copy(), qd.copy(), reached, tau, np.zeros_like(tau))
