"""A step of PyBullet from an imposed state, for accelerations and motor efforts at that state.

One step from (q, v) satisfies ``M (v_new - v)/h + C v + g = effort + Jᵀ F`` with all terms at
(q, v), for any step size. It therefore has no discretisation error.
"""

from __future__ import annotations

from collections.abc import Callable

from sim.engines.bullet.ball import Ball
from sim.engines.bullet.stepping import UNLIMITED_EFFORT
from sim.engines.bullet.world import World
from sim.maths.arrays import Mask

# Step size [s]. It affects the result by rounding only: the error of an acceleration is that of a
# velocity divided by the step, which is therefore long where joints are loose. Where all are held
# it is of the order of a time step, and so are the solver's numbers.
LOOSE_STEP, HELD_STEP = 1.0, 1e-3

Row = list[float]  # numbers of all tree joints


class StateStep:
    """Steps from one state after another, with the same joints held by motors; balls are loose.

    Numbers are in lists, since NumPy takes longer than PyBullet for a single state.

    Parameters
    ----------
    world : World
    held : ndarray of bool, shape (n_tree,)
        Joints whose acceleration a motor prescribes; never balls.
    """

    def __init__(self, world: World, held: Mask) -> None:
        self.world, self.rows, self.joints = world, world.single_rows, world.single_joints
        self.held = held.tolist()
        self.motors = [UNLIMITED_EFFORT if self.held[row] else 0.0 for row in self.rows]
        self.has_torques = not all(self.held)
        self.h = LOOSE_STEP if self.has_torques else HELD_STEP

    def __call__(
        self, q: Row, qd: Row, qdd: Row, effort: Row, push: Callable[[], None] | None
    ) -> tuple[Row, Row]:
        """Return accelerations reached by all joints, and efforts; all (n_tree,).

        Parameters
        ----------
        q, qd : list of float
        qdd, effort : list of float
            Accelerations of held joints, and efforts of the others.
        push : callable or None
            Applies the other loads to the imposed state.
        """
        world, h, held, rows, joints = self.world, self.h, self.held, self.rows, self.joints
        p, body, client = world.bullet, world.body, world.client
        world.impose(*world.state(q, qd))
        if push is not None:
            push()
        if joints:
            wanted = [qd[row] + h * qdd[row] if held[row] else 0.0 for row in rows]
            p.setJointMotorControlArray(
                body,
                joints,
                p.VELOCITY_CONTROL,
                targetVelocities=wanted,
                forces=self.motors,
                physicsClientId=client,
            )
            if self.has_torques:
                torques = [0.0 if held[row] else effort[row] for row in rows]
                p.setJointMotorControlArray(
                    body, joints, p.TORQUE_CONTROL, forces=torques, physicsClientId=client
                )
        for ball in world.balls:
            self._turn(ball, effort)
        p.stepSimulation(client)
        speeds, taken = list(qd), list(effort)
        if joints:
            states = p.getJointStates(body, joints, client)
            for row, (_, speed, _, torque) in zip(rows, states, strict=True):
                speeds[row] = speed
                if held[row]:
                    taken[row] = torque
        for ball in world.balls:
            turning = p.getJointStateMultiDof(body, ball.joint, client)[1]
            speeds[ball.row : ball.row + 3] = ball.outward(turning)
        return [(speed - before) / h for speed, before in zip(speeds, qd, strict=True)], taken

    def _turn(self, ball: Ball, effort: Row) -> None:
        """Apply the moment on a ball for one step."""
        world = self.world
        world.bullet.setJointMotorControlMultiDof(
            world.body,
            ball.joint,
            world.bullet.TORQUE_CONTROL,
            force=ball.inward(effort[ball.row : ball.row + 3]),
            physicsClientId=world.client,
        )
