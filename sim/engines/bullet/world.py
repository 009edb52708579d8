"""World: one PyBullet world with one robot, without PyBullet's own damping and limits."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Self

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.engines.bullet.ball import Ball
from sim.engines.bullet.engine_urdf import FRAME_MASS, flat_moments
from sim.engines.bullet.joint_count import require_few_joints
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.engines.bullet.temporary_file import temporary_file
from sim.engines.bullet.welding import fit_to_bullet
from sim.errors import EngineError
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import quaternion_of_vector, quaternions_of_vectors
from sim.maths.rotations import quaternion_xyzw, rotations_of
from sim.robots.robot import Robot

# PyBullet's limits on speed and range are disabled; checks compare the recording with the robot's
# own limits instead. Speeds are clipped within a step too, between forces and constraints: 1e6 m/s
# removed 100 N from 0.1 g in a step of 1 s. The motors' 1e12 N on a frame of 1e-15 kg give 1e27.
UNLIMITED_SPEED = 1e30  # [rad/s or m/s]
UNLIMITED_RANGE = 1e9  # [rad]
NOT_TURNED = 0.0, 0.0, 0.0, 1.0  # quaternion x y z w


def array_of(numbers: Sequence[float]) -> Array:
    """Return numbers as a read-only packed array (N,), in a third of NumPy's time."""
    return np.frombuffer(struct.pack(f"{len(numbers)}d", *numbers))


class World:
    """A PyBullet world for `robot` on a fixed base under `gravity`, empty until `load`.

    Use it as a context manager, which always closes the client. Joints are in the order of
    ``robot.tree_joints`` (mimics included).

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].
    progress : callable, optional
        Called from time to time with the number of steps taken.
    keep_separate : collection of str
        Links whose mass changes; they are never welded, nor is the tool frame.
    weld : bool, optional
        Whether fixed links are welded into the links that move them (default: if the robot has more
        joints than PyBullet supports).

    Raises
    ------
    EngineError
        If PyBullet cannot open a world.
    ModelError
        If the robot has more joints than PyBullet supports.
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
        tool = () if robot.tool is None else (robot.tool,)
        self.welded = fit_to_bullet(robot, {*keep_separate, *tool}, weld=weld)
        require_few_joints(self.welded.robot)
        with suppress_c_output():
            import pybullet
        self.bullet: Any = pybullet
        self.robot = robot
        gx, gy, gz = (float(g) for g in gravity)
        self.gravity = (gx, gy, gz)
        self.progress = progress
        self.steps = 0
        self.body = -1
        self.joints: list[int] = []
        self.joint_of_row: list[int] = []
        self.balls: tuple[Ball, ...] = ()
        self.ball_rows: list[int] = []
        self.single_rows: list[int] = []
        self.single_joints: list[int] = []
        self.link_index: dict[str, int] = {}
        self.client: int = -1
        self._base: tuple[Sequence[float], Sequence[float]] = (0.0, 0.0, 0.0), NOT_TURNED
        self._step: float | None = None  # None: PyBullet's own
        with suppress_c_output():
            self.client = pybullet.connect(pybullet.DIRECT)
        if self.client < 0:
            raise EngineError("PyBullet could not open a world")

    @property
    def loaded_robot(self) -> Robot:
        """The robot as loaded by PyBullet: unchanged, or with its fixed links welded."""
        return self.welded.robot

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the world; repeated calls are harmless."""
        if self.client >= 0:
            with suppress_c_output():
                self.bullet.disconnect(self.client)
            self.client = -1

    def load(self, text: str) -> None:
        """Load the robot from a URDF text, replacing the current one.

        Raises
        ------
        EngineError
            If PyBullet cannot load it, or finds other joints than the model.
        """
        self.body = self._load(text)
        self._base = self.bullet.getBasePositionAndOrientation(self.body, self.client)
        self._index_joints()
        for link, moments in flat_moments(self.loaded_robot).items():
            self.set_mass(link, moments)

    def reset(self, q: Sequence[float], qd: Sequence[float]) -> None:
        """Set all tree joints to positions `q` [rad or m] with velocities `qd`, (n_tree,) each."""
        self.restore_base()
        self.impose(*self.state(q, qd))

    def restore_base(self) -> None:
        """Set the base to the pose in which it was loaded, independently of all steps before.

        PyBullet normalises the quaternion of a fixed base in each step, so that its last digits may
        alternate, and all poses and velocities with them.
        """
        if self._base[1] != NOT_TURNED:
            self.bullet.resetBasePositionAndOrientation(self.body, *self._base, self.client)

    def impose(self, q: list[list[float]], qd: list[list[float]]) -> None:
        """Impose joint states in PyBullet's format, a list of numbers per joint."""
        self.bullet.resetJointStatesMultiDof(
            self.body, self.joints, q, targetVelocities=qd, physicsClientId=self.client
        )

    def states(self, q: Array, qd: Array) -> Iterator[tuple[list[list[float]], list[list[float]]]]:
        """Yield states (n_tree, N) for `impose`: a ball has a quaternion and three rates."""
        if not self.balls:
            return zip(*(x.T[:, :, None].tolist() for x in (q, qd)), strict=True)
        places, rates = [], []
        balls = {ball.row: ball for ball in self.balls}
        for row in self.robot.first_tree_rows:
            if row in balls:
                place, rate = (balls[row].axes.T @ x[row : row + 3] for x in (q, qd))
                places.append(quaternions_of_vectors(place).T.tolist())
                rates.append(rate.T.tolist())
            else:
                places.append(q[row, :, None].tolist())
                rates.append(qd[row, :, None].tolist())
        columns = (map(list, zip(*rows, strict=True)) for rows in (places, rates))
        return zip(*columns, strict=True)

    def state(
        self, q: Sequence[float], qd: Sequence[float]
    ) -> tuple[list[list[float]], list[list[float]]]:
        """Return the `states` of a single one, (n_tree,) each; faster than NumPy for one."""
        places, rates = [[x] for x in q], [[x] for x in qd]
        if not self.balls:
            return places, rates
        for ball in self.balls:
            place, rates[ball.row] = (ball.inward(x[ball.row : ball.row + 3]) for x in (q, qd))
            places[ball.row] = quaternion_of_vector(place)
        first = self.robot.first_tree_rows
        return [places[row] for row in first], [rates[row] for row in first]

    def count(self, steps: int) -> None:
        """Report that `steps` more have been taken."""
        self.steps += steps
        if self.progress is not None:
            self.progress(self.steps)

    def set_step(self, h: float) -> None:
        """Set the time step [s]; sub-steps are never used (they divide the recorded torque)."""
        if h != self._step:
            self.bullet.setTimeStep(h, physicsClientId=self.client)
            self._step = h

    def index_of(self, link: str) -> int:
        """Return PyBullet's number of the body with a link; -1, the base, for the root."""
        return self.link_index.get(self.welded.place(link)[0], -1)

    def dynamics(self, link: str) -> Any:
        """Return PyBullet's dynamics info of a link; its third entry is the principal moments."""
        return self.bullet.getDynamicsInfo(
            self.body, self.link_index[link], physicsClientId=self.client
        )

    def set_mass(self, link: str, moments: Sequence[float] | None) -> None:
        """Set a link to its own mass with these principal moments, or to nearly zero."""
        inertia = self.loaded_robot.link(link).inertia
        if inertia is None:
            return
        p, body, index, client = self.bullet, self.body, self.link_index[link], self.client
        mass = FRAME_MASS if moments is None else inertia.mass
        # moments in a separate call: setting the mass recomputes them from the shape
        p.changeDynamics(body, index, mass=mass, physicsClientId=client)
        p.changeDynamics(
            body, index, localInertiaDiagonal=moments or (0.0, 0.0, 0.0), physicsClientId=client
        )

    def disable_damping_and_limits(self) -> None:
        """Disable PyBullet's own damping, limits and default motors.

        Damping needs separate calls: together with other arguments it is silently ignored.
        """
        p, body, client = self.bullet, self.body, self.client
        p.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
        of_balls = [ball.joint for ball in self.balls]
        for joint in range(p.getNumJoints(body, physicsClientId=client)):
            p.changeDynamics(body, joint, linearDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, angularDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, jointDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, maxJointVelocity=UNLIMITED_SPEED, physicsClientId=client)
            if joint in of_balls:
                continue
            p.changeDynamics(
                body,
                joint,
                jointLowerLimit=-UNLIMITED_RANGE,
                jointUpperLimit=UNLIMITED_RANGE,
                physicsClientId=client,
            )
        single = [joint for joint in self.joints if joint not in of_balls]
        if single:
            p.setJointMotorControlArray(
                body, single, p.VELOCITY_CONTROL, forces=[0.0] * len(single), physicsClientId=client
            )
        for joint in of_balls:
            p.setJointMotorControlMultiDof(
                body,
                joint,
                p.POSITION_CONTROL,
                targetPosition=[0, 0, 0, 1],
                positionGain=0,
                velocityGain=0,
                force=[0, 0, 0],
                physicsClientId=client,
            )

    def _set_up(self) -> None:
        """Apply settings that every reset of the world reverts."""
        with suppress_c_output():  # the direct solver prints to stdout
            self.bullet.setPhysicsEngineParameter(
                enableFileCaching=0,
                constraintSolverType=self.bullet.CONSTRAINT_SOLVER_LCP_DANTZIG,
                solverResidualThreshold=0,
                physicsClientId=self.client,
            )
        self.bullet.setGravity(*self.gravity, physicsClientId=self.client)

    def _load(self, text: str) -> int:
        self.bullet.resetSimulation(physicsClientId=self.client)
        self._step = None
        self._set_up()
        T = self.robot.T_0b
        flags = (
            self.bullet.URDF_USE_INERTIA_FROM_FILE
            | self.bullet.URDF_IGNORE_VISUAL_SHAPES
            | self.bullet.URDF_IGNORE_COLLISION_SHAPES
        )
        with temporary_file("robot.urdf", text) as path:
            try:
                with suppress_c_output():
                    body: int = self.bullet.loadURDF(
                        path,
                        basePosition=T[:3, 3].tolist(),
                        baseOrientation=quaternion_xyzw(T[:3, :3, None])[:, 0].tolist(),
                        useFixedBase=True,
                        flags=flags,
                        physicsClientId=self.client,
                    )
            except self.bullet.error as error:
                message = f"PyBullet could not load robot {self.robot.name!r}: {error}"
                raise EngineError(message) from None
        return body

    def _index_joints(self) -> None:
        count = self.bullet.getNumJoints(self.body, physicsClientId=self.client)
        infos = [
            self.bullet.getJointInfo(self.body, i, physicsClientId=self.client)
            for i in range(count)
        ]
        by_joint = {info[1].decode(): info[0] for info in infos}
        self.link_index = {info[12].decode(): info[0] for info in infos}
        joints = self.loaded_robot.joints
        missing = [joint.name for joint in joints if joint.name not in by_joint]
        if missing or count != len(joints):
            raise EngineError(
                f"PyBullet read {count} joints of robot {self.robot.name!r}, the URDF has "
                f"{len(joints)}; missing: {', '.join(missing) or 'none'}"
            )
        self.joints = [by_joint[joint.name] for joint in self.robot.tree_joints]
        self.joint_of_row = [by_joint[joint.name] for joint in self.robot.tree_row_joints]
        rows = zip(self.robot.first_tree_rows, self.robot.tree_joints, self.joints, strict=True)
        self.balls = tuple(
            Ball(row, index, self._principal_axes(joint.child))
            for row, joint, index in rows
            if joint.is_ball
        )
        self.ball_rows = [ball.row + k for ball in self.balls for k in range(3)]
        every = range(len(self.joint_of_row))
        self.single_rows = [row for row in every if row not in self.ball_rows]
        self.single_joints = [self.joint_of_row[row] for row in self.single_rows]

    def _principal_axes(self, link: str) -> Array:
        quaternion = self.dynamics(link)[4]
        return rotations_of(np.array(quaternion)[:, None])[:, :, 0]
