"""Method `ideal`: impose the prescribed state at each sample; the engine gives the effort."""

from __future__ import annotations

import numpy as np

from sim.engine.bullet import UNLIMITED_EFFORT, Engine
from sim.engine.samples import Samples, require_sound
from sim.engine.surroundings import ALONE, Surroundings
from sim.spatial import Array

PROBE_STEP = 1e-3  # [s]; the effort does not depend on it (the reset makes the step exact)
CHUNK = 1024  # samples between two reports of progress


def ideal(
    engine: Engine,
    t: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    surroundings: Surroundings = ALONE,
) -> Samples:
    """Motor torques that hold the prescribed accelerations at the prescribed states.

    One step from (q, qd) to the velocity qd + h qdd under a velocity-level constraint obeys
    ``tau = M qdd + C qd + g`` with all terms at (q, qd): there is no discretisation error.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q, qd, qdd : ndarray, shape (n_tree, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    surroundings : Surroundings
        What else acts on the robot: friction, stops, forces.

    Raises
    ------
    EngineError
        If a number the engine returns is not finite.
    """
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    h = PROBE_STEP
    engine.set_step(h)
    forces = [UNLIMITED_EFFORT] * len(joints)
    commands = (qd + h * qdd).T.tolist()
    efforts = surroundings.efforts(t)
    torques = None if efforts is None else efforts.T.tolist()
    before = surroundings.before(engine, t)
    read = np.empty((len(joints), 2, t.size))
    for k, (q_k, qd_k) in enumerate(zip(q.T.tolist(), qd.T.tolist(), strict=True)):
        engine.reset(q_k, qd_k)
        p.setJointMotorControlArray(
            body,
            joints,
            p.VELOCITY_CONTROL,
            targetVelocities=commands[k],
            forces=forces,
            physicsClientId=client,
        )
        if torques is not None:
            p.setJointMotorControlArray(
                body, joints, p.TORQUE_CONTROL, forces=torques[k], physicsClientId=client
            )
        if before is not None:
            before(k)
        p.stepSimulation(client)
        read[:, :, k] = [(s[1], s[3]) for s in p.getJointStates(body, joints, client)]
        if (k + 1) % CHUNK == 0 or k + 1 == t.size:
            engine.count(k % CHUNK + 1)
    reached, tau = read[:, 0], read[:, 1]
    require_sound(
        engine.robot, t, np.stack([q, reached, tau], axis=1), q, np.ones(len(joints), dtype=bool)
    )
    return Samples(q.copy(), qd.copy(), (reached - qd) / h, tau, np.zeros_like(tau))
