"""Steps of PyBullet with balls: they have calls of their own, and no motor can hold one."""

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
        Joints that a motor holds to their velocity; never balls.
    torques : callable
        Number of the step -> torques on all rows besides the motors [N·m or N].
    before : callable
        Called with the number of a step before what drives is set.

    Returns
    -------
    velocity, effort : ndarray, shape (n_tree, N)
        After the step, and of the motors during it.
    """
    p, body, client = world.bullet, world.body, world.client
    single = [row for row in range(len(driven)) if row not in world.ball_rows]
    joints = [world.joint_of_row[row] for row in single]
    forces = np.where(driven, UNLIMITED_EFFORT, 0.0)[single].tolist()
    velocity, effort = np.zeros((2, *commands.shape))
    for k in range(commands.shape[1]):
        before(k)
        given = torques(k)
        if joints:
            target = commands[single, k].tolist()
            p.setJointMotorControlArray(
                body,
                joints,
                p.VELOCITY_CONTROL,
                targetVelocities=target,
                forces=forces,
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
            moment = np.asarray(given[ball.row : ball.row + 3])
            p.setJointMotorControlMultiDof(
                body,
                ball.joint,
                p.TORQUE_CONTROL,
                force=ball.inward(moment).tolist(),
                physicsClientId=client,
            )
        p.stepSimulation(client)
        for row, joint in zip(single, joints, strict=True):
            _, velocity[row, k], _, effort[row, k] = p.getJointState(body, joint, client)
        for ball in world.balls:
            found = p.getJointStateMultiDof(body, ball.joint, client)
            velocity[ball.row : ball.row + 3, k] = ball.outward(np.array(found[1]))
    return velocity, effort


def hold_balls(
    loose: Callable[[Array], Array], qdd: Array, held: Mask, effort: Array
) -> tuple[Array, Array]:
    """Accelerations and efforts with balls held, from those with every joint loose.

    Accelerations are linear in the efforts: what unit efforts at the held rows change says which
    efforts bring these to theirs.

    Parameters
    ----------
    loose : callable
        Efforts (n_tree, N) -> accelerations (n_tree, N).
    qdd, effort : ndarray, shape (n_tree, N)
        Of the held rows, and of the others.
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
