"""Read-back of a robot from a user's compiled MuJoCo model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from sim.dynamics.gravity import Gravity
from sim.errors import EngineError
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.chains import FLOATING
from sim.robots.inertia import Inertia, Link
from sim.robots.mjcf.compiled import BALL, FREE, HINGE, SLIDE, compiled_of, link_offset
from sim.robots.robot import Robot
from sim.watching.bare_robot import bare_robot, with_links
from sim.watching.evidence import LIGHTEST, EngineRobot

_KINDS = {True: (BALL,), False: (SLIDE, HINGE)}  # by whether a joint is a ball
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of a robot's rows in MuJoCo's arrays.

    Parameters
    ----------
    joint, q, v : ndarray of int, shape (n,)
        Indices of the joints, and of positions and velocities; ``q`` of a ball is not used.
    balls : tuple of tuple of int
        First row of each ball, and the index of its quaternion.
    """

    joint: NDArray[np.intp]
    q: NDArray[np.intp]
    v: NDArray[np.intp]
    balls: tuple[tuple[int, int], ...] = ()

    def positions(self, qpos: Array) -> Array:
        """Convert MuJoCo's positions (N, nq) to rows (n, N), quaternions to rotation vectors."""
        q = np.array(qpos[:, self.q].T)
        for row, first in self.balls:
            turn = Rotation.from_quat(qpos[:, first : first + 4], scalar_first=True)
            q[row : row + 3] = turn.as_rotvec().T
        return q

    def row_of(self, joint: int) -> int | None:
        """Return the row of a joint; None for joints without a row, and those of other robots."""
        rows = np.flatnonzero(self.joint == joint)
        return int(rows[0]) if rows.size == 1 else None


def places_of(model: mujoco.MjModel, robot: Robot) -> Places:
    """Return the positions of a robot's rows in MuJoCo's arrays.

    Raises
    ------
    EngineError
        If the model lacks a joint of the robot, or has it as another type.
    """
    names = compiled_of(model).joints
    rows: list[tuple[int, int, int]] = []
    balls: list[tuple[int, int]] = []
    for joint in robot.tree_joints:
        base, _, motion = joint.name.rpartition(".")
        number = names.index(joint.name) if joint.name in names else -1
        is_free = number < 0 and base in names and motion in FLOATING
        number = names.index(base) if is_free else number
        if number < 0:
            raise EngineError(
                f"The MuJoCo model has no joint {joint.name!r} of robot {robot.name!r}; it has "
                f"{', '.join(filter(None, names)) or 'no joints'}: give its joints the names of "
                "the file"
            )
        if int(model.jnt_type[number]) not in ((FREE,) if is_free else _KINDS[joint.is_ball]):
            raise EngineError(
                f"Joint {joint.name!r} of robot {robot.name!r} is of another kind in the MuJoCo "
                "model: pass the file that it was made from"
            )
        part = FLOATING.index(motion) if is_free else 0
        q, v = int(model.jnt_qposadr[number]) + part, int(model.jnt_dofadr[number]) + part
        if joint.is_ball:
            balls.append((len(rows), q))
        rows += [(number, q, v + k) for k in range(3 if joint.is_ball else 1)]
    joints, q_places, v_places = np.array(rows, dtype=np.intp).reshape(-1, 3).T
    return Places(joints, q_places, v_places, tuple(balls))


def read_back(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> EngineRobot:
    """Return the robot as in MuJoCo, with gravity, base and solver."""
    bodies = {name: k for k, name in enumerate(compiled_of(model).bodies) if k}
    whole = with_links(bare_robot(robot), {*bodies, robot.links[0].name})
    links = tuple(Link(link.name, _inertia(model, bodies, link)) for link in whole.links)
    opt = model.opt
    settings: dict[str, float | str] = {
        "integrator": INTEGRATORS[opt.integrator] if opt.integrator < 5 else str(opt.integrator),
        "timestep": float(opt.timestep),
        "tolerance": float(opt.tolerance),
        "iterations": float(opt.iterations),
    }
    damping = np.array([joint.damping for joint in robot.tree_row_joints])
    held = replace(whole, links=links, T_0b=_base(model, data, bodies, robot))
    friction = np.array(model.dof_frictionloss[places_of(model, robot).v])
    return EngineRobot(held, damping, gravity_of(model), settings, bodies, friction)


def gravity_of(model: mujoco.MjModel) -> Gravity:
    """Return the gravity of a model, which a flag may disable [m/s²]."""
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY):
        return 0.0, 0.0, 0.0
    x, y, z = model.opt.gravity.tolist()
    return x, y, z


def _inertia(model: mujoco.MjModel, bodies: dict[str, int], link: Link) -> Inertia | None:
    """Return mass, mass centre and tensor of a body in the frame of its link."""
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
    """Return the pose of the root link in the world, from that of the first moving link."""
    scratch = mujoco.MjData(model)
    scratch.qpos[:] = data.qpos
    mujoco.mj_kinematics(model, scratch)
    places = places_of(model, robot)
    if model.jnt_type[places.joint[0]] == FREE:  # its positions are those in the world
        return robot.T_0b
    body = int(model.jnt_bodyid[places.joint[0]])
    joint = next(one for one in robot.tree_joints if bodies.get(one.child) == body)
    R = scratch.xmat[body].reshape(3, 3)
    there = pose(R, scratch.xpos[body] + R @ link_offset(model, body))
    here = frame_pose(robot, places.positions(scratch.qpos[None])[:, 0], joint.child)
    return np.asarray(there @ inverse_pose(inverse_pose(robot.T_0b) @ here))
