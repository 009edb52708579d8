"""MuJoCo's model of a robot, read back from its data and its motion."""

from __future__ import annotations

import mujoco
import numpy as np

from sim.engines.contract import ModelReadback
from sim.engines.mujoco.mujoco_model import JOINT, MujocoModel
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.coordinate import Limits
from sim.robots.inertia import Inertia


def read_model(plant: MujocoModel) -> ModelReadback:
    """Return MuJoCo's inertias, origins, axes and limits.

    Mass centres, principal axes, origins and axes are not taken from MuJoCo's records but observed:
    the positions of bodies and links with all joints at zero, and their motion with one joint at
    unit speed.
    """
    robot, n = plant.robot, len(plant.dofs)
    nothing = np.zeros(n)
    plant.move(nothing, nothing)
    inertias = {
        link.name: _inertia(plant, plant.bodies[link.name])
        for link in robot.links[1:]
        if link.inertia is not None
    }
    poses = {name: _pose(plant, i) for name, i in plant.bodies.items()}
    axes = {}
    for k, (row, joint) in enumerate(
        zip(robot.tree_coordinates, robot.tree_row_joints, strict=True)
    ):
        plant.move(nothing, np.eye(n)[k])
        turning, sliding = _velocity(plant, plant.bodies[joint.child])
        axes[row.name] = sliding if joint.is_prismatic else turning
    return ModelReadback(
        inertias=inertias,
        origins={j.name: inverse_pose(poses[j.parent]) @ poses[j.child] for j in robot.joints},
        axes=axes,
        limits={joint.name: _limits(plant, joint.name) for joint in robot.tree_joints},
    )


def _pose(plant: MujocoModel, body: int) -> Array:
    return pose(plant.evaluation.xmat[body].reshape(3, 3), plant.evaluation.xpos[body])


def _velocity(plant: MujocoModel, body: int) -> tuple[Array, Array]:
    """Return the angular and linear velocity of a link's frame along its own axes."""
    velocity = np.empty(6)
    mujoco.mj_objectVelocity(
        plant.model, plant.evaluation, mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 1
    )
    return velocity[:3], velocity[3:]


def _limits(plant: MujocoModel, joint: str) -> Limits:
    model = plant.model
    i = model.joint(JOINT + joint).id
    (lower, upper), (velocity, effort) = model.jnt_range[i].tolist(), model.jnt_user[i].tolist()
    return Limits(lower, upper, velocity, effort)


def _inertia(plant: MujocoModel, body: int) -> Inertia:
    """Return MuJoCo's mass, mass centre and tensor, in the link frame."""
    model, data, T = plant.model, plant.evaluation, _pose(plant, body)
    R = T[:3, :3].T @ data.ximat[body].reshape(3, 3)
    com = T[:3, :3].T @ (data.xipos[body] - T[:3, 3])
    return Inertia(float(model.body_mass[body]), com, R @ np.diag(model.body_inertia[body]) @ R.T)
