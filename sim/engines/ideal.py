"""Method `solve_ideal`: impose the prescribed state at each sample and read the engine's effort."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.engines.contract import Engine
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.engines.samples import Samples, require_sound
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array

CHUNK = 1024  # samples between two reports of progress


def solve_ideal(
    engine: Engine, t: Array, q: Array, qd: Array, qdd: Array, loads: PrescribedLoads = NO_LOADS
) -> Samples:
    """Compute the motor torques of the prescribed accelerations at the prescribed states.

    These are the engine's efforts, ``M qdd + C qd + g - Jᵀ F`` with all terms at (q, qd), minus the
    torques that act in the joints; there is no discretisation error.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q, qd, qdd : ndarray, shape (n_tree, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    loads : PrescribedLoads
        Other loads on the robot: friction, force elements, payloads.

    Raises
    ------
    EngineError
        If the engine returns a number that is not finite.
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
    return Samples(t, q.copy(), qd.copy(), reached, tau, np.zeros_like(tau))
