"""A robot's URDF text as Pinocchio reads it: the oracle, one sample at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pinocchio as pin

from sim.dynamics import AppliedWrench
from sim.maths import Array
from sim.robots import Robot


class PinocchioModel:
    """Pinocchio's own reading of ``robot.text``, with the robot's mounting and a gravity.

    Vectors have one entry a tree joint, in the order of ``robot.tree_joints``; ``<mimic>`` is
    ignored by the reader. Time is the last axis.
    """

    def __init__(self, robot: Robot, gravity: tuple[float, float, float]) -> None:
        self.model = pin.buildModelFromXML(robot.text)
        assert self.model.nq == self.model.nv  # no joint with two coordinates
        mount = pin.SE3(np.array(robot.T_0b))
        for joint in range(1, self.model.njoints):
            if self.model.parents[joint] == 0:
                placement = self.model.jointPlacements[joint]
                self.model.jointPlacements[joint] = mount * placement
        for frame in self.model.frames:
            if frame.parentJoint == 0:
                frame.placement = mount * frame.placement
        self.model.gravity.linear = np.array(gravity)
        self.data = self.model.createData()
        self.joints = [self.model.getJointId(joint.name) for joint in robot.tree_joints]
        self.order = [self.model.joints[joint].idx_v for joint in self.joints]

    def torque(self, q: Array, qd: Array, qdd: Array) -> Array:
        return self._over_time(lambda *x: pin.rnea(*x)[self.order], q, qd, qdd)

    def mass_matrix(self, q: Array) -> Array:
        def full(model: pin.Model, data: pin.Data, q: Array) -> Array:
            upper = np.triu(pin.crba(model, data, q))
            return (upper + np.triu(upper, 1).T)[np.ix_(self.order, self.order)]

        return self._over_time(full, q)

    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        def own_order(*x: Array) -> Array:
            return pin.computeCoriolisMatrix(*x)[np.ix_(self.order, self.order)]

        return self._over_time(own_order, q, qd)

    def gravity_torque(self, q: Array) -> Array:
        return self._over_time(lambda *x: pin.computeGeneralizedGravity(*x)[self.order], q)

    def energies(self, q: Array, qd: Array) -> Array:
        """Kinetic and potential energy [J], shape (2, N)."""

        def both(model: pin.Model, data: pin.Data, q: Array, qd: Array) -> list[float]:
            kinetic = pin.computeKineticEnergy(model, data, q, qd)
            return [kinetic, pin.computePotentialEnergy(model, data, q)]

        return self._over_time(both, q, qd)

    def reactions(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Force and moment by the parent on the child in the joint frame, shape (n, 6, N)."""

        def wrenches(*x: Array) -> list[Array]:
            pin.rnea(*x)
            return [self.data.f[joint].vector.copy() for joint in self.joints]

        return self._over_time(wrenches, q, qd, qdd)

    def loaded(
        self, q: Array, qd: Array, qdd: Array, external: Iterable[AppliedWrench]
    ) -> tuple[Array, Array]:
        """Torques (n, N) and reactions (n, 6, N) under external wrenches."""
        samples = iter(range(q.shape[1]))

        def both(model: pin.Model, data: pin.Data, q: Array, qd: Array, qdd: Array) -> Array:
            forces = self._forces(q, external, next(samples))
            torque = pin.rnea(model, data, q, qd, qdd, forces)[self.order]
            reactions = [data.f[joint].vector for joint in self.joints]
            return np.concatenate([torque[:, None], reactions], axis=1)

        found = self._over_time(both, q, qd, qdd)
        return found[:, 0], found[:, 1:]

    def _forces(self, q: Array, external: Iterable[AppliedWrench], sample: int) -> pin.StdVec_Force:
        pin.forwardKinematics(self.model, self.data, q)
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for wrench in external:
            frame = self.model.frames[self.model.getFrameId(wrench.link, pin.FrameType.BODY)]
            R = self.data.oMi[frame.parentJoint].rotation
            force, torque = (
                R.T @ rows[:, sample % rows.shape[1]] for rows in (wrench.force, wrench.torque)
            )
            at = pin.SE3(np.eye(3), frame.placement.act(np.array(wrench.point)))
            forces[frame.parentJoint] += at.act(pin.Force(force, torque))
        vector = pin.StdVec_Force()
        vector.extend(forces)
        return vector

    def frame_acceleration(self, link: str, q: Array, qd: Array, qdd: Array) -> Array:
        """Acceleration of a link's origin and angular acceleration, world axes, shape (6, N)."""
        frame = self.model.getFrameId(link, pin.FrameType.BODY)

        def both(model: pin.Model, data: pin.Data, *state: Array) -> Array:
            pin.forwardKinematics(model, data, *state)
            axes = pin.LOCAL_WORLD_ALIGNED
            return pin.getFrameClassicalAcceleration(model, data, frame, axes).vector

        return self._over_time(both, q, qd, qdd)

    def frame_motion(self, link: str, q: Array, qd: Array) -> Array:
        """Rows of R (9, row by row), p, v, w of a link's frame in world axes, shape (18, N)."""
        frame = self.model.getFrameId(link, pin.FrameType.BODY)

        def motion(model: pin.Model, data: pin.Data, q: Array, qd: Array) -> Array:
            pin.forwardKinematics(model, data, q, qd)
            T = pin.updateFramePlacement(model, data, frame)
            twist = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            return np.concatenate([T.rotation.ravel(), T.translation, twist.linear, twist.angular])

        return self._over_time(motion, q, qd)

    def _over_time(self, function: Callable[..., object], *arrays: Array) -> Array:
        results = []
        for columns in zip(*(a.T for a in arrays), strict=True):
            placed = [np.zeros(self.model.nv) for _ in columns]
            for vector, column in zip(placed, columns, strict=True):
                vector[self.order] = column
            results.append(np.array(function(self.model, self.data, *placed)))
        return np.stack(results, axis=-1)
