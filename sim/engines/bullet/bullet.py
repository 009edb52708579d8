"""Bullet: PyBullet as an engine, configured for reliable numbers.

Accelerations and motor efforts at a state come from one step of it: from (q, v) it satisfies
``M (v_new - v)/h + C v + g = effort + Jᵀ F`` with all terms at (q, v), for any step size, and
therefore has no discretisation error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import isfinite

import numpy as np
from msgspec.structs import replace

from sim.dynamics.gravity import Gravity
from sim.dynamics.solved_motion import EnergySamples
from sim.dynamics.wrench import Acting, AppliedWrench, world_point_on_tree
from sim.engines.bullet.ball import Ball, hold_balls
from sim.engines.bullet.energies import survey_energies
from sim.engines.bullet.readback import read_in_parts, read_model, read_twice
from sim.engines.bullet.stepping import UNLIMITED_EFFORT, step_through
from sim.engines.bullet.world import World
from sim.engines.contract import March, ModelReadback
from sim.engines.samples import require_sound
from sim.errors import EngineError
from sim.maths.arrays import Array, Mask
from sim.robots.inertia import Inertia
from sim.robots.robot import Robot

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


class Bullet(World):
    """PyBullet with a robot, an engine by `sim.engines.contract`; it can march.

    The arguments are those of `World`.

    Raises
    ------
    EngineError
        If PyBullet cannot load the robot, or reads it differently from the model.
    """

    def __init__(
        self,
        robot: Robot,
        gravity: Gravity,
        progress: Callable[[int], None] | None = None,
        keep_separate: Collection[str] = (),
        *,
        weld: bool | None = None,
    ) -> None:
        super().__init__(robot, gravity, progress, keep_separate, weld=weld)
        self._carried: dict[str, bool] = {}
        try:
            # PyBullet reads every link and joint as written, welded or not.
            self._parts = read_in_parts(robot) if self.welded.places else None
            self._in_composites = self._own_reading(self.welded.composites)
            read_twice(self)
            self._moments = {name: self.dynamics(name)[2] for name in self.link_index}
            self.disable_damping_and_limits()
        except BaseException:
            self.close()
            raise

    def _own_reading(self, links: Collection[str]) -> dict[str, Inertia]:
        """Return the inertias that the engine read for separate links."""
        if self._parts is None:
            return {}
        return {link: one for link, one in self._parts.inertias.items() if link in links}

    def set_payloads(self, carried: Mapping[str, bool]) -> None:
        """Set these payload links to their own mass and inertia, or nearly zero; see `Engine`."""
        if not carried:
            return
        if fixed := carried.keys() & self.welded.composites:
            raise EngineError(
                f"Link {min(fixed)!r} of robot {self.robot.name!r} is welded to others, so its "
                "mass cannot come and go; name it in `keep_separate` when the engine is opened"
            )
        for link, has_mass in carried.items():
            if self._carried.get(link, True) != has_mass:
                self.set_mass(link, self._moments[link] if has_mass else None)
                self._carried[link] = has_mass

    def readback(self) -> ModelReadback:
        """Return the model as read back from the engine; see `Engine`.

        For welded links and for the origins of joints it is the engine's separate reading of each.
        """
        holds = read_model(self)
        if self._parts is None:
            return holds
        welded = self.welded.composites
        alone = {link: one for link, one in holds.inertias.items() if link not in welded}
        inertias = {**self._parts.inertias, **alone}
        return replace(holds, inertias=inertias, origins=self._parts.origins, welded=welded)

    def energies(self, q: Array, qd: Array, links: tuple[str, ...]) -> EnergySamples:
        """Return energies of `links` and motion of the tool at states (n_tree, N); see `Engine`."""
        return survey_energies(self, q, qd, links, self._in_composites)

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts of all tree joints; see `Engine`.

        For a held joint it is the reached acceleration. The law of a step is in
        `sim.engines.bullet.bullet`.
        """
        states = [x.T.tolist() for x in (q, qd, qdd, effort)]
        if not isfinite(sum(sum(map(sum, rows)) for rows in states)):  # or their sum overflows
            finite = np.isfinite(np.array([q, qd, qdd, effort])).all(axis=(0, 1))
            if not finite.all():  # non-finite numbers would corrupt the engine's world
                answers = np.full((2, *q.shape), np.nan)
                q, qd, qdd, effort = (x[:, finite] for x in (q, qd, qdd, effort))
                wrenches = [wrench.during(finite) for wrench in wrenches]
                answers[..., finite] = self.hybrid_dynamics(q, qd, qdd, held, effort, wrenches)
                return answers[0], answers[1]
        push = self._pushes(q, wrenches, are_poses_known=True)
        if self.balls and held[self.ball_rows].any():
            # PyBullet's own mass matrix and inverse dynamics are wrong with a ball in the chain (an
            # error of M of 0.76 in 2 was observed), and are not used.
            nothing = np.zeros_like(held)

            def loose(effort: Array) -> Array:
                return self._step_states([*states[:3], effort.T.tolist()], nothing, push)[0]

            return hold_balls(loose, qdd, held, effort)
        return self._step_states(states, held, push)

    def _step_states(
        self, states: Sequence[list[Row]], held: Mask, push: Callable[[int], None] | None
    ) -> tuple[Array, Array]:
        """Return accelerations and efforts (n_tree, N) at rows (N, n_tree) of q, qd, qdd, effort.

        Ball joints are not held.
        """
        step = StateStep(self, held)
        self.set_step(step.h)
        self.restore_base()
        reached, taken = [], []
        for k, (q, qd, qdd, effort) in enumerate(zip(*states, strict=True)):
            row = step(q, qd, qdd, effort, None if push is None else partial(push, k))
            reached.append(row[0])
            taken.append(row[1])
        return np.array(reached).T, np.array(taken).T

    def march(self, march: March) -> Array:
        """Step through time; see `Marching`."""
        self.set_step(march.h)
        if march.start is not None:
            self.reset(*march.start.T.tolist())
        self.set_payloads(march.carried.get(0, {}))
        places = march.places if march.places_of_wrenches is None else march.places_of_wrenches
        push = self._pushes(places, march.wrenches, is_driven=bool(march.driven.all()))

        def prepare(k: int) -> None:
            self.set_payloads(march.carried.get(k, {}))
            if push is not None:
                push(k)

        before = prepare if march.carried else push

        def check(block: slice, read: Array) -> None:
            self.count(block.stop - block.start)
            require_sound(self.robot, march.t[block], read, march.places[:, block], march.driven)

        return step_through(
            self,
            march.commands,
            march.driven,
            torques=self._torques(march),
            before=before,
            chunk_read=check,
        )

    def _torques(self, march: March) -> Callable[[int], Sequence[float]] | None:
        """Return a function for the torques of step k at the preceding state."""
        law = march.torques
        return None if law is None else (lambda k: law(k, *self._state()))

    def _state(self) -> tuple[list[float], list[float]]:
        """Return positions and velocities of all tree joints."""
        states = self.bullet.getJointStates(self.body, self.joints, self.client)
        return [position for position, *_ in states], [velocity for _, velocity, *_ in states]

    def _pushes(
        self, q: Array, wrenches: Acting, *, are_poses_known: bool = False, is_driven: bool = False
    ) -> Callable[[int], None] | None:
        """Return a function that applies the wrenches of step k at q[:, k]; None without wrenches.

        PyBullet has the poses of an imposed state. After a step its poses are those before it,
        which would cause an error of the lever arm. If all joints are driven these are the poses at
        q[:, k - 1]: a point keeps its distance from the mass centre. Otherwise setting the base to
        rest updates them, in half the time of a pose query.
        """
        N, pushes = q.shape[1], []
        for wrench in wrenches:
            index = self.index_of(wrench.link)
            if index < 0:  # the root is fixed
                continue
            place = world_point_on_tree(self.robot, q, wrench)
            if is_driven:
                centre = self._mass_centre(wrench.link, q)
                place = place - np.diff(centre, prepend=centre[:, :1])
            force, point = _at_steps(wrench.force, N), _at_steps(place, N)
            torque = _at_steps(wrench.torque, N) if np.count_nonzero(wrench.torque) else None
            pushes.append((index, force, torque, point))
        if not pushes:
            return None
        p, body, client = self.bullet, self.body, self.client
        find_poses, apply_force, world = p.resetBaseVelocity, p.applyExternalForce, p.WORLD_FRAME
        rest = [0.0, 0.0, 0.0]

        def push(k: int) -> None:
            if not (are_poses_known or (is_driven and k > 0)):
                find_poses(body, rest, rest, client)
            for index, force, torque, point in pushes:
                apply_force(body, index, force[k], point[k], world, client)
                if torque is not None:
                    p.applyExternalTorque(body, index, torque[k], world, client)

        return push

    def _mass_centre(self, link: str, q: Array) -> Array:
        """Return the mass centre in the world of the body with a link, at q (n_tree, N) [m]."""
        carrier, nothing = self.welded.place(link)[0], np.zeros((3, 1))
        inertia = self.loaded_robot.link(carrier).inertia
        com = np.zeros(3) if inertia is None else inertia.com
        return world_point_on_tree(self.robot, q, AppliedWrench(carrier, com, nothing, nothing))


def _at_steps(rows: Array, N: int) -> list[list[float]]:
    """Return vectors (3, N), or one (3, 1) for all, in PyBullet's format for each step."""
    columns: list[list[float]] = rows.T.tolist()
    return columns if len(columns) == N else columns * N
