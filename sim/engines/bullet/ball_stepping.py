"""Steps of PyBullet with balls, which have separate calls and cannot be held by motors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim.engines.bullet.stepping import UNLIMITED_EFFORT
from sim.engines.bullet.world import World
from sim.maths.arrays import Array, Mask


def step_with_balls(
    world: World,
    commands: Array,
    driven: Mask,
    torques: Callable[[int], Sequence[float]],
    before: Callable[[int], None],
) -> tuple[Array, Array]:
    """Step once for each command, from a state that `before` imposes.

    Parameters
    ----------
    commands : ndarray, shape (n_tree, N)
        Velocity of the driven joints at the end of each step [rad/s or m/s].
    driven : ndarray of bool, shape (n_tree,)
        Joints whose velocity a motor prescribes; never balls.
    torques : callable
        Step index -> torques on all rows besides the motors [N·m or N].
    before : callable
        Called with the step index before motors and torques are set.

    Returns
    -------
    velocity, effort : ndarray, shape (n_tree, N)
        Velocity after the step, and motor effort during it.
    """
    p, body, client = world.bullet, world.body, world.client
    single, joints, is_driven = world.single_rows, world.single_joints, driven.tolist()
    efforts = [UNLIMITED_EFFORT if is_driven[row] else 0.0 for row in single]
    read: list[tuple[list[float], list[float]]] = []
    for k, command in enumerate(commands.T.tolist()):
        before(k)
        given = torques(k)
        speeds, taken = [0.0] * len(command), [0.0] * len(command)
        if joints:
            p.setJointMotorControlArray(
                body,
                joints,
                p.VELOCITY_CONTROL,
                targetVelocities=[command[row] for row in single],
                forces=efforts,
                physicsClientId=client,
            )
            p.setJointMotorControlArray(
                body,
                joints,
                p.TORQUE_CONTROL,
                forces=[given[row] for row in single],
                physicsClientId=client,
            )
        for ball in world.balls:
            moment = np.array(given[ball.row : ball.row + 3])
            p.setJointMotorControlMultiDof(
                body,
                ball.joint,
                p.TORQUE_CONTROL,
                force=ball.inward(moment).tolist(),
                physicsClientId=client,
            )
        p.stepSimulation(client)
        if joints:
            states = p.getJointStates(body, joints, client)
            for row, (_, speed, _, effort) in zip(single, states, strict=True):
                speeds[row], taken[row] = speed, effort
        for ball in world.balls:
            turning = p.getJointStateMultiDof(body, ball.joint, client)[1]
            speeds[ball.row : ball.row + 3] = ball.outward(np.array(turning)).tolist()
        read.append((speeds, taken))
    velocity, motor = np.reshape(read, (-1, 2, len(driven))).transpose(1, 2, 0)
    return velocity, motor


def hold_balls(
    loose: Callable[[Array], Array], qdd: Array, held: Mask, effort: Array
) -> tuple[Array, Array]:
    """Compute accelerations and efforts with balls held, from those with every joint loose.

    Accelerations are linear in the efforts: the response to unit efforts at the held rows gives the
    efforts for the prescribed accelerations.

    Parameters
    ----------
    loose : callable
        Efforts (n_tree, N) -> accelerations (n_tree, N).
    qdd, effort : ndarray, shape (n_tree, N)
        Accelerations of the held rows, and efforts of the others.
    held : ndarray of bool, shape (n_tree,)

    Returns
    -------
    qdd, effort : ndarray, shape (n_tree, N)
    """
    effort = np.where(held[:, None], 0.0, effort)
    start = loose(effort)
    units = np.eye(held.size)[held]
    changes = np.stack([loose(effort + unit[:, None]) - start for unit in units], axis=-1)
    lacking = (qdd - start)[held].T[:, :, None]
    given = np.linalg.solve(np.moveaxis(changes[held], 1, 0), lacking)[:, :, 0].T
    effort[held] = given
    reached = start + np.einsum("ikh,hk->ik", changes, given)
    return reached, effort
