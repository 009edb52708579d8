"""Machine without couplings: rods as free bodies with a ball joint at each end.

Every rod of a robot's closed loops is removed from the tree and becomes a separate body; only
driven joints are moved, all other joints turn freely. The model contains neither the coupling
matrix nor the loop equations, so it can verify them. The engine closes the balls at velocity level
in every step. Its direct solver does this correctly only between different bodies, so that no loop
is closed within one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.engine_urdf import principal_urdf
from sim.engines.bullet.free_rods.balls import RodBall, ball_joints, rod_alone, without_links
from sim.engines.bullet.readback import link_frame_in_com
from sim.engines.bullet.stepping import UNLIMITED_EFFORT, step_through
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.engines.bullet.temporary_file import temporary_file
from sim.engines.samples import require_sound
from sim.engines.stepped import Prescribed
from sim.kinematics.forward import body_poses, frame_of
from sim.kinematics.loop_equations import idle_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import inverse_pose, quaternion_xyzw, rotations_of
from sim.maths.screws import log_rotation
from sim.robots.robot import Robot

# Steps before the first sample. A rod that moves on the arc of its pins deviates from it by half a
# centripetal step in each step, which the next one corrects; this alternation must be established.
RUN_UP = 3


@dataclass(frozen=True, eq=False)
class FreeRods:
    """Result of a run with free rods, at N times.

    Parameters
    ----------
    balls : tuple of RodBall
    tau : ndarray, shape (n, N)
        Motor torque of each independent joint during the step that starts at t_k; zero if passive
        [N·m or N].
    force : ndarray, shape (balls, 3, N)
        Force of the rod on the link during that step, world axes [N].
    gap : ndarray, shape (balls, N)
        Distance between the two halves of each ball at the end of that step [m].
    """

    balls: tuple[RodBall, ...]
    tau: Array
    force: Array
    gap: Array


def free_rods(robot: Robot, t: Array, prescribed: Prescribed, gravity: Gravity) -> FreeRods:
    """March through a prescribed motion; the drives are moved and the rods close the loops.

    Parameters
    ----------
    robot : Robot
        Robot with loops, each of which ends at a rod.
    t : ndarray, shape (N,)
        Uniform times, one step from each to the next [s].
    prescribed : callable
        Motion of all tree joints with closed loops. For undriven joints only the start is used; a
        joint that deviates by a thousandth (rad or m) from its path is an error.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ModelError
        If a loop has no removable rod, or a rod has no inertia or a mass centre off its axis.
    EngineError
        If a number is not finite, or a joint leaves its path; names joint and time.
    """
    balls = ball_joints(robot)
    h = float(t[-1] - t[0]) / (t.size - 1)
    places = _places(*prescribed(t), h)
    frame = without_links(robot, (ball.rod for ball in balls))
    names = [joint.name for joint in robot.tree_joints]
    kept = [names.index(joint.name) for joint in frame.tree_joints]
    driven = ~idle_joints(robot)[kept]
    with Bullet(frame, gravity) as engine:
        machine = _Machine(engine, robot, balls)
        machine.start(places[:, :2], kept, h)
        read, centres, force = machine.march(np.diff(places[kept, 1:]) / h, driven)
        gap = machine.gaps(centres)
    read, force, gap = read[..., RUN_UP:], force[..., RUN_UP:], gap[..., RUN_UP:]
    require_sound(frame, t + h, read, places[kept, RUN_UP + 2 :], np.ones(len(kept), dtype=bool))
    S, _ = robot.coupling
    return FreeRods(balls, S[kept].T @ (read[:, 1] * driven[:, None]), force, gap)


def _places(Q: Array, V: Array, A: Array, h: float) -> Array:
    """Return positions with a run-up before and one step after, (n_tree, RUN_UP + 1 + N + 1).

    Extrapolated by the Taylor series, since the drive may not be defined there.
    """
    early = h * np.arange(-RUN_UP - 1, 0)
    before = Q[:, :1] + V[:, :1] * early + 0.5 * A[:, :1] * early**2
    after = Q[:, -1:] + h * V[:, -1:] + 0.5 * h * h * A[:, -1:]
    return np.concatenate([before, Q, after], axis=1)


class _Machine:
    """Frame and rods of a robot in one world of the engine."""

    def __init__(self, engine: Bullet, robot: Robot, balls: tuple[RodBall, ...]) -> None:
        self.engine = engine
        self.robot = robot
        self.balls = balls
        self.rods = {name: self._load(name) for name in dict.fromkeys(b.rod for b in balls)}
        self.places = {name: (body, -1) for name, body in self.rods.items()}
        for ball in balls:
            self.places.setdefault(ball.link, (engine.body, engine.index_of(ball.link)))
        self.T_cl = {name: self._link_in_centre_frame(name) for name in self.places}
        self.constraints = [self._join(ball) for ball in balls]

    def start(self, q_tree: Array, kept: list[int], h: float) -> None:
        """Place all bodies at the second of two states, with the velocity from the first.

        Parameters
        ----------
        q_tree : ndarray, shape (n_tree, 2)
        kept : list of int
            Tree joints of the robot that the frame has, in its order.
        h : float
            Time between the two states, and step size [s].
        """
        p, client = self.engine.bullet, self.engine.client
        self.engine.set_step(h)
        # The gap of a step is closed completely in the next; otherwise it would grow.
        p.setPhysicsEngineParameter(erp=1.0, physicsClientId=client)
        q, qd = q_tree[kept, 1], np.diff(q_tree[kept])[:, 0] / h
        self.engine.reset(q.tolist(), qd.tolist())
        poses = body_poses(tree_of(self.robot), q_tree)
        for name, rod in self.rods.items():
            carrier, T = frame_of(self.robot, name)
            T = T @ inverse_pose(self.T_cl[name])
            R, x = poses.rotation(carrier, T[:3, :3]), poses.point(carrier, T[:3, 3])
            turn = log_rotation(R[..., 1] @ R[..., 0].T)
            p.resetBasePositionAndOrientation(
                rod, x[:, 1].tolist(), quaternion_xyzw(R[..., 1:])[:, 0].tolist(), client
            )
            v, w = np.diff(x)[:, 0] / h, turn / h
            p.resetBaseVelocity(rod, v.tolist(), w.tolist(), client)

    def march(self, commands: Array, driven: Mask) -> tuple[Array, Array, Array]:
        """Step once for each command, shape (n, N).

        Returns
        -------
        read : ndarray, shape (n, 2, N)
            Position of the frame's joints after each step, motor torque during it.
        centres : ndarray, shape (links, 7, N)
            Position and quaternion of the mass-centre frames after each step.
        force : ndarray, shape (balls, 3, N)
        """
        p, client = self.engine.bullet, self.engine.client
        N = commands.shape[1]
        centres = np.empty((len(self.places), 7, N))
        force = np.empty((len(self.balls), 3, N))

        def note(k: int) -> None:
            centres[:, :, k] = [self._centre(*place) for place in self.places.values()]
            force[:, :, k] = [p.getConstraintState(c, client) for c in self.constraints]

        commands = np.where(driven[:, None], commands, 0.0)
        read = step_through(self.engine, commands, driven, after=note)
        self.engine.count(N)
        return read[:, [0, 2]], centres, force

    def gaps(self, centres: Array) -> Array:
        """Return the distance between the two halves of each ball, shape (balls, N) [m]."""
        by_name = dict(zip(self.places, centres, strict=True))

        def point(link: str, p_l: Array) -> Array:
            x = by_name[link]
            return x[:3] + np.einsum("abN,b->aN", rotations_of(x[3:]), self._in_centre(link, p_l))

        separations = [point(b.rod, b.point_rod) - point(b.link, b.point_link) for b in self.balls]
        return np.sqrt(np.sum(np.square(separations), axis=1))

    def _load(self, rod: str) -> int:
        text = principal_urdf(rod_alone(self.robot, rod))
        p, client = self.engine.bullet, self.engine.client
        with temporary_file("rod.urdf", text) as path, suppress_c_output():
            body: int = p.loadURDF(path, flags=p.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client)
        p.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
        return body

    def _link_in_centre_frame(self, link: str) -> Array:
        info = self.engine.bullet.getDynamicsInfo(*self.places[link], self.engine.client)
        T_cb = link_frame_in_com(info[3], self.engine.bullet.getMatrixFromQuaternion(info[4]))
        # a rod is a separate body; another link may be part of a welded one
        return T_cb if link in self.rods else T_cb @ self.engine.welded.place(link)[1]

    def _in_centre(self, link: str, p_l: Array) -> Array:
        T_cl = self.T_cl[link]
        return T_cl[:3, :3] @ p_l + T_cl[:3, 3]

    def _join(self, ball: RodBall) -> int:
        p, client = self.engine.bullet, self.engine.client
        constraint: int = p.createConstraint(
            *self.places[ball.rod],
            *self.places[ball.link],
            p.JOINT_POINT2POINT,
            [0, 0, 0],
            self._in_centre(ball.rod, ball.point_rod).tolist(),
            self._in_centre(ball.link, ball.point_link).tolist(),
            physicsClientId=client,
        )
        p.changeConstraint(constraint, maxForce=UNLIMITED_EFFORT, physicsClientId=client)
        return constraint

    def _centre(self, body: int, link: int) -> tuple[float, ...]:
        """Return position and quaternion of a mass-centre frame."""
        p, client = self.engine.bullet, self.engine.client
        if link < 0:
            position, quaternion = p.getBasePositionAndOrientation(body, client)
        else:
            state = p.getLinkState(body, link, 0, 1, client)
            position, quaternion = state[0], state[1]
        return (*position, *quaternion)
