"""What MuJoCo holds of a robot in a model that is not ours, read back from the compiled model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.errors import EngineError
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.inertia import Inertia, Link
from sim.robots.mjcf.compiled import link_offset
from sim.robots.robot import Robot
from sim.watching.bare_robot import bare_robot, with_links
from sim.watching.evidence import EngineRobot

LIGHTEST = 1e-15  # [kg] of a body that has a tensor and no mass
SINGLE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")


@dataclass(frozen=True, eq=False)
class Places:
    """Where the joints of a robot are in MuJoCo's arrays: numbers, positions, velocities."""

    joint: NDArray[np.intp]
    q: NDArray[np.intp]
    v: NDArray[np.intp]


def places_of(model: mujoco.MjModel, robot: Robot) -> Places:
    """Where the tree joints of a robot are.

    Raises
    ------
    EngineError
        If the model lacks a joint of the robot, or has it as another kind.
    """
    names = [model.joint(k).name for k in range(model.njnt)]
    numbers = []
    for joint in robot.tree_joints:
        if joint.name not in names:
            raise EngineError(
                f"The MuJoCo model has no joint {joint.name!r} of robot {robot.name!r}; it has "
                f"{', '.join(filter(None, names)) or 'no joints'}: give its joints the names of "
                "the file"
            )
        number = names.index(joint.name)
        if int(model.jnt_type[number]) not in SINGLE:
            raise EngineError(
                f"Joint {joint.name!r} of the MuJoCo model is a ball or free: sim.watch judges "
                "robots of hinges and slides"
            )
        numbers.append(number)
    joints = np.array(numbers, dtype=np.intp)
    return Places(
        joints, model.jnt_qposadr[joints].astype(int), model.jnt_dofadr[joints].astype(int)
    )


def read_back(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> EngineRobot:
    """The robot as MuJoCo holds it, with gravity, base and solver."""
    bodies = {model.body(k).name: k for k in range(1, model.nbody)}
    whole = with_links(bare_robot(robot), {*bodies, robot.links[0].name})
    links = tuple(Link(link.name, _inertia(model, bodies, link)) for link in whole.links)
    opt = model.opt
    is_off = opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    x, y, z = (0.0, 0.0, 0.0) if is_off else opt.gravity.tolist()
    settings: dict[str, float | str] = {
        "integrator": INTEGRATORS[opt.integrator] if opt.integrator < 5 else str(opt.integrator),
        "timestep": float(opt.timestep),
        "tolerance": float(opt.tolerance),
        "iterations": float(opt.iterations),
    }
    damping = np.array([joint.damping for joint in robot.tree_joints])
    held = replace(whole, links=links, T_0b=_base(model, data, bodies, robot))
    return EngineRobot(held, damping, (x, y, z), settings, bodies)


def _inertia(model: mujoco.MjModel, bodies: dict[str, int], link: Link) -> Inertia | None:
    """Mass, mass centre and tensor of a body in the frame of its link."""
    if link.name not in bodies:
        return link.inertia  # the root, which is fixed to the world
    k = bodies[link.name]
    if not (model.body_mass[k] or model.body_inertia[k].any()):
        return None
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[k])
    turn = R.reshape(3, 3)
    tensor = turn @ np.diag(model.body_inertia[k]) @ turn.T
    centre = model.body_ipos[k] - link_offset(model, k)
    return Inertia(float(model.body_mass[k]) or LIGHTEST, centre, tensor)


def _base(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: dict[str, int], robot: Robot
) -> Array:
    """Pose of the root link in the world, from that of the first link that moves."""
    scratch = mujoco.MjData(model)
    scratch.qpos[:] = data.qpos
    mujoco.mj_kinematics(model, scratch)
    places = places_of(model, robot)
    joint = robot.tree_joints[0]
    body = int(model.jnt_bodyid[places.joint[0]])
    R = scratch.xmat[body].reshape(3, 3)
    there = pose(R, scratch.xpos[body] + R @ link_offset(model, body))
    here = frame_pose(robot, scratch.qpos[places.q], joint.child)
    return np.asarray(there @ inverse_pose(inverse_pose(robot.T_0b) @ here))
