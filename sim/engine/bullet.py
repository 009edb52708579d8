"""Engine: one PyBullet world with one robot in it, set up so that its numbers can be trusted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from sim.engine.quiet import quiet
from sim.engine.urdf import FRAME_MASS, engine_urdf, principal_urdf
from sim.errors import EngineError
from sim.robots.model import Inertia, Robot
from sim.spatial import Array, pose, quaternion_xyzw

# Motors are ideal: PyBullet's limits on effort, speed and range stay out of the way, and the
# checks judge the recording against the robot's own limits instead.
UNLIMITED_EFFORT = 1e12  # [N·m]
UNLIMITED_SPEED = 1e6  # [rad/s]
UNLIMITED_RANGE = 1e9  # [rad]


class Engine:
    """A PyBullet world that holds `robot` on a fixed base under `gravity`.

    Use it as a context manager; the client is closed whatever happens. Joints are in the order
    of ``robot.tree_joints`` (mimics included).

    Parameters
    ----------
    robot : Robot
    gravity : sequence of float, length 3
        In the world [m/s²].
    progress : callable, optional
        Told now and then how many steps have been taken.

    Raises
    ------
    EngineError
        If PyBullet cannot load the robot or read it otherwise than the model did.
    """

    def __init__(
        self,
        robot: Robot,
        gravity: Sequence[float],
        progress: Callable[[int], None] | None = None,
    ) -> None:
        with quiet():
            import pybullet
        self.bullet: Any = pybullet
        self.robot = robot
        self.gravity = gravity
        self.progress = progress
        self.steps = 0
        self.client: int = -1
        with quiet():
            self.client = pybullet.connect(pybullet.DIRECT)
        if self.client < 0:
            raise EngineError("PyBullet could not open a world")
        try:
            # First as it is written, to see that PyBullet and the model read the same robot; then
            # along the principal axes, which PyBullet would find with an error of 1e-8.
            for text, tolerance in ((engine_urdf(robot), 1e-6), (principal_urdf(robot), 1e-12)):
                self.body: int = self._load(text)
                self._index_joints()
                self._compare_with_model(tolerance)
            self.moments = {name: self._dynamics(name)[2] for name in self.link_index}
            self._loosen()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the world; harmless when it is closed already."""
        if self.client >= 0:
            with quiet():
                self.bullet.disconnect(self.client)
            self.client = -1

    def reset(self, q: Sequence[float], qd: Sequence[float]) -> None:
        """Put all tree joints at positions `q` [rad or m] with velocities `qd`."""
        self.bullet.resetJointStatesMultiDof(
            self.body,
            self.joints,
            [[x] for x in q],
            targetVelocities=[[x] for x in qd],
            physicsClientId=self.client,
        )

    def count(self, steps: int) -> None:
        """Note that `steps` more have been taken."""
        self.steps += steps
        if self.progress is not None:
            self.progress(self.steps)

    def weigh(self, link: str, *, has_mass: bool) -> None:
        """Give a link its own mass and inertia, or next to none."""
        inertia = self.robot.link(link).inertia
        if inertia is None:
            return
        p, body, index, client = self.bullet, self.body, self.link_index[link], self.client
        mass = inertia.mass if has_mass else FRAME_MASS
        moments = self.moments[link] if has_mass else (0.0, 0.0, 0.0)
        # the moments in a call of their own: a new mass makes new moments of the shape
        p.changeDynamics(body, index, mass=mass, physicsClientId=client)
        p.changeDynamics(body, index, localInertiaDiagonal=moments, physicsClientId=client)

    def set_step(self, h: float) -> None:
        """Choose the time step [s]; sub-steps are never used (they divide the recorded torque)."""
        self.bullet.setTimeStep(h, physicsClientId=self.client)

    def _set_up(self) -> None:
        """Settings that every reset of the world takes back."""
        with quiet():  # the direct solver announces itself on stdout
            self.bullet.setPhysicsEngineParameter(
                enableFileCaching=0,
                constraintSolverType=self.bullet.CONSTRAINT_SOLVER_LCP_DANTZIG,
                solverResidualThreshold=0,
                physicsClientId=self.client,
            )
        self.bullet.setGravity(*(float(g) for g in self.gravity), physicsClientId=self.client)

    def _load(self, text: str) -> int:
        self.bullet.resetSimulation(physicsClientId=self.client)
        self._set_up()
        T = self.robot.T_0b
        flags = (
            self.bullet.URDF_USE_INERTIA_FROM_FILE
            | self.bullet.URDF_IGNORE_VISUAL_SHAPES
            | self.bullet.URDF_IGNORE_COLLISION_SHAPES
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(text, encoding="utf-8")
            try:
                with quiet():
                    body: int = self.bullet.loadURDF(
                        str(path),
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
        self.link_index: dict[str, int] = {info[12].decode(): info[0] for info in infos}
        missing = [joint.name for joint in self.robot.joints if joint.name not in by_joint]
        if missing or count != len(self.robot.joints):
            raise EngineError(
                f"PyBullet read {count} joints of robot {self.robot.name!r}, the URDF has "
                f"{len(self.robot.joints)}; missing: {', '.join(missing) or 'none'}"
            )
        self.joints: list[int] = [by_joint[joint.name] for joint in self.robot.tree_joints]

    def _loosen(self) -> None:
        """Take away PyBullet's own damping, limits and default motors.

        Damping needs calls of its own: together with other arguments it is dropped silently.
        """
        p, body, client = self.bullet, self.body, self.client
        p.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
        for joint in range(p.getNumJoints(body, physicsClientId=client)):
            p.changeDynamics(body, joint, linearDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, angularDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, jointDamping=0, physicsClientId=client)
            p.changeDynamics(body, joint, maxJointVelocity=UNLIMITED_SPEED, physicsClientId=client)
            p.changeDynamics(
                body,
                joint,
                jointLowerLimit=-UNLIMITED_RANGE,
                jointUpperLimit=UNLIMITED_RANGE,
                physicsClientId=client,
            )
        if self.joints:
            p.setJointMotorControlArray(
                body,
                self.joints,
                p.VELOCITY_CONTROL,
                forces=[0.0] * len(self.joints),
                physicsClientId=client,
            )

    def _compare_with_model(self, tolerance: float) -> None:
        """Two readers of one text must agree on every mass, mass centre and tensor.

        `tolerance` is relative to the mass [kg] and to the trace of the tensor [kg·m²], and
        absolute for the mass centre [m].
        """
        for link in self.robot.links[1:]:
            model = link.inertia
            if model is None or model.mass == 0:
                continue
            read = self.inertia(link.name)
            size = float(np.trace(model.tensor))
            compared = {
                "mass [kg]": (read.mass, model.mass, tolerance * model.mass),
                "mass centre [m]": (read.com, model.com, tolerance),
                "inertia [kg·m²]": (read.tensor, model.tensor, tolerance * size),
            }
            for what, (got, wanted, allowed) in compared.items():
                if not np.all(np.abs(np.asarray(got) - wanted) <= allowed):
                    raise EngineError(
                        f"PyBullet read link {link.name!r} with another {what}: "
                        f"{np.asarray(got).tolist()} instead of {np.asarray(wanted).tolist()}"
                    )

    def _dynamics(self, link: str) -> Any:
        """PyBullet's dynamics info of a link; its third entry are the principal moments."""
        return self.bullet.getDynamicsInfo(
            self.body, self.link_index[link], physicsClientId=self.client
        )

    def inertia(self, link: str) -> Inertia:
        """Mass, mass centre and tensor as the engine holds them, in the link frame."""
        info = self._dynamics(link)
        mass, principal, com, orientation = info[0], info[2], info[3], info[4]
        R = np.reshape(self.bullet.getMatrixFromQuaternion(orientation), (3, 3))
        return Inertia(mass, np.asarray(com), R @ np.diag(principal) @ R.T)


def link_frame_in_com(com: Sequence[float], matrix: Sequence[float]) -> Array:
    """Pose of the link frame in the engine's mass-centre frame, from the engine's own offsets."""
    R = np.reshape(matrix, (3, 3))
    return pose(R.T, -R.T @ np.asarray(com))
