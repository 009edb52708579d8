"""Stepping loop of PyBullet: set targets and loads, step, read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim.engines.bullet.world import World, array_of
from sim.maths.arrays import Array, Mask

# Motors are ideal: a velocity is reached with any effort.
UNLIMITED_EFFORT = 1e12  # [N·m]

CHUNK = 256  # steps between two conversions; bounds memory and detects divergence early


def step_through(
    world: World,
    commands: Array,
    driven: Mask,
    *,
    torques: Callable[[int], Sequence[float]] | None = None,
    before: Callable[[int], None] | None = None,
    after: Callable[[int], None] | None = None,
    chunk_read: Callable[[slice, Array], None] | None = None,
) -> Array:
    """Step once for each command.

    Parameters
    ----------
    commands : ndarray, shape (n_tree, N)
        Velocity of the driven joints at the end of each step [rad/s or m/s].
    driven : ndarray of bool, shape (n_tree,)
        Joints whose velocity a motor prescribes; the others move under their loads.
    torques : callable, optional
        Step index -> torques on all tree joints besides the motors [N·m or N].
    before, after : callable, optional
        Called with the step index right before motors and torques are set, and right after it.
    chunk_read : callable, optional
        Called after each chunk with the number of steps done and values, (n_tree, 3, count).

    Returns
    -------
    ndarray, shape (n_tree, 3, N)
        Position and velocity after the step, motor torque during it.
    """
    p, body, joints, client = world.bullet, world.body, world.joints, world.client
    forces = np.where(driven, UNLIMITED_EFFORT, 0.0).tolist()
    mode, torque_mode = p.VELOCITY_CONTROL, p.TORQUE_CONTROL
    set_motors, step, states = p.setJointMotorControlArray, p.stepSimulation, p.getJointStates
    N = commands.shape[1]
    read = np.empty((len(joints), 3, N))
    for first in range(0, N, CHUNK):
        block = slice(first, min(first + CHUNK, N))
        flat: list[float] = []  # one flat list of numbers takes half the time of tuples in a list
        for k, command in enumerate(commands[:, block].T.tolist(), start=first):
            if before is not None:
                before(k)
            set_motors(
                body, joints, mode, targetVelocities=command, forces=forces, physicsClientId=client
            )
            if torques is not None:
                set_motors(body, joints, torque_mode, forces=torques(k), physicsClientId=client)
            step(client)
            for position, velocity, _, torque in states(body, joints, client):
                flat += (position, velocity, torque)
            if after is not None:
                after(k)
        read[:, :, block] = array_of(flat).reshape(-1, len(joints), 3).transpose(1, 2, 0)
        if chunk_read is not None:
            chunk_read(block, read[:, :, block])
    return read
