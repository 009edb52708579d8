"""MujocoModel: a robot's MuJoCo model, without MuJoCo's own damping, limits and contacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.engines.mujoco.urdf_reader import BALLS, SLIDES, Hinge, UrdfReading, read_for_mujoco
from sim.engines.mujoco.warnings_as_errors import mujoco_warnings_as_errors
from sim.errors import EngineError
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# Prefixes, since a link may be called "world" like MuJoCo's own body.
LINK, JOINT = "link ", "joint "

AWAY = (1.0, 2.0, 3.0)  # [m]


class MujocoModel:
    """MuJoCo's model of `robot` on a fixed base under `gravity`, and several states of it.

    Every link is a separate body, welded to its parent if its joint is fixed: nothing is fused.
    Limits and closed loops are in the model but inactive; damping and contacts are off.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].

    Attributes
    ----------
    model : mujoco.MjModel
    evaluation, marching, spare : mujoco.MjData
        States for evaluations; for a march, independent of the former; and for calls that corrupt a
        state.
    dofs : ndarray of int, shape (n_tree,)
        MuJoCo's velocity index of each row of q_tree.
    bodies : dict of str to int
        MuJoCo's number of each link.

    Raises
    ------
    EngineError
        If MuJoCo refuses the robot.
    """

    def __init__(self, robot: Robot, gravity: Gravity) -> None:
        self.robot = robot
        gx, gy, gz = (float(g) for g in gravity)
        self.gravity = (gx, gy, gz)
        with mujoco_warnings_as_errors(robot.name):
            self._read = read_for_mujoco(robot)
            self.model: Any = _compile(robot, self._read)
            self.model.opt.gravity[:] = self.gravity
            self.evaluation: Any = mujoco.MjData(self.model)
            self.marching: Any = mujoco.MjData(self.model)
            self.spare: Any = mujoco.MjData(self.model)
        names = range(self.model.nbody)
        self.bodies = {self.model.body(i).name.removeprefix(LINK): i for i in names if i > 0}
        numbers = [self.model.joint(JOINT + joint.name) for joint in robot.tree_joints]
        sizes = [len(joint.coordinates) for joint in robot.tree_joints]
        starts = [joint.dofadr[0] for joint in numbers]
        dofs = [start + k for start, size in zip(starts, sizes, strict=True) for k in range(size)]
        self.dofs = np.array(dofs, dtype=np.intp)
        at = zip(robot.first_tree_rows, robot.tree_joints, numbers, strict=True)
        places = [(row, joint.is_ball, int(number.qposadr[0])) for row, joint, number in at]
        self._balls = [(row, place) for row, is_ball, place in places if is_ball]
        single = [(row, place) for row, is_ball, place in places if not is_ball]
        rows, places_of_rows = np.array(single, dtype=np.intp).reshape(-1, 2).T
        self._single, self._places = _as_slice(rows), _as_slice(places_of_rows)
        self._velocities = _as_slice(self.dofs)
        self.set_mass({name: True for name in self.bodies})

    def set_mass(self, links: Mapping[str, bool]) -> None:
        """Set links to their own mass and moments (True), or to zero; keep the marching state.

        The compiled model is modified, since MuJoCo's compiler refuses moving frames, bodies with
        impossible moments, and rods, all of which its equations support.
        """
        for link, has_mass in links.items():
            body, i = self._read.bodies[link], self.bodies[link]
            self.model.body_mass[i] = body.mass if has_mass else 0.0
            self.model.body_inertia[i] = body.moments if has_mass else 0.0
        with mujoco_warnings_as_errors(self.robot.name):
            mujoco.mj_setConst(self.model, self.spare)  # update MuJoCo's derived values
        # This also detects mass centres closer than 1e-6 m to their links, and would omit the
        # remaining distance.
        self.model.body_sameframe[:] = self.model.site_sameframe[:] = 0

    def moves(self, link: str) -> bool:
        """Whether joints move a link; otherwise it is fixed to the root."""
        return bool(self.model.body_weldid[self.bodies[link]] != 0)

    def sites(self, loop: int) -> tuple[int, int]:
        """Return MuJoCo's numbers of the two sites that a loop of the robot connects."""
        a, b = (int(self.model.site(f"loop {loop} {end}").id) for end in "ab")
        return a, b

    def set_positions(self, data: Any, q: Array) -> None:
        """Set the joints of a state to positions (n_tree,); a ball has a quaternion."""
        data.qpos[self._places] = q[self._single]
        for row, place in self._balls:
            vector = q[row : row + 3]
            angle, quat = float(np.sqrt(vector @ vector)), np.empty(4)
            mujoco.mju_axisAngle2Quat(quat, vector / (angle or 1.0), angle)
            data.qpos[place : place + 4] = quat

    def pose(self, q: Array) -> None:
        """Set the evaluation state to joint positions (n_tree,), and compute its poses."""
        self.set_positions(self.evaluation, q)
        mujoco.mj_kinematics(self.model, self.evaluation)
        mujoco.mj_comPos(self.model, self.evaluation)

    def move(self, q: Array, qd: Array) -> None:
        """Set joint positions as `pose` does, with velocities of joints and bodies."""
        self.mover()(q, qd)

    def mover(self) -> Callable[[Array, Array], None]:
        """Return `move` for many states: what it takes from MuJoCo is looked up once."""
        model, data, velocities = self.model, self.evaluation, self._velocities
        places, rows = data.qpos, self._single
        rates, at = data.qvel, self._places
        find_poses, find_centres, find_velocities = (
            mujoco.mj_kinematics,
            mujoco.mj_comPos,
            mujoco.mj_comVel,
        )

        def move(q: Array, qd: Array) -> None:
            rates[velocities] = qd
            if self._balls:
                self.set_positions(data, q)
            else:
                places[at] = q[rows]
            find_poses(model, data)
            find_centres(model, data)
            find_velocities(model, data)

        return move


def _as_slice(index: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Return a slice for consecutive indices, which is faster; otherwise the indices."""
    first = int(index[0]) if index.size else 0
    follows = np.array_equal(index, np.arange(first, first + index.size))
    return slice(first, first + index.size) if follows else index


def _compile(robot: Robot, read: UrdfReading) -> Any:
    """Compile the robot in MuJoCo, for now with placeholder masses."""
    spec = mujoco.MjSpec()
    spec.modelname = "robot"
    spec.compiler.degree = False
    spec.compiler.fusestatic = False
    spec.compiler.balanceinertia = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.nuser_jnt = 2  # largest velocity and effort: MuJoCo has no field for the former
    off = mujoco.mjtDisableBit
    # A plain reset would continue from another state.
    for bit in (off.mjDSBL_CONSTRAINT, off.mjDSBL_LIMIT, off.mjDSBL_CONTACT, off.mjDSBL_AUTORESET):
        spec.option.disableflags |= int(bit)
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    root = spec.worldbody.add_body(name=LINK + robot.links[0].name)
    R, quat = robot.T_0b[:3, :3], np.empty(4)
    mujoco.mju_mat2Quat(quat, R.flatten())
    root.pos, root.quat = robot.T_0b[:3, 3], quat
    _fill(root)
    bodies = {robot.links[0].name: root}
    for joint in read.joints:
        if joint.parent not in bodies:
            raise EngineError(
                f"Link {joint.parent!r}, the parent of joint {joint.name!r} of robot "
                f"{robot.name!r}, does not precede it in MuJoCo's model"
            )
        body = bodies[joint.parent].add_body(
            name=LINK + joint.child, pos=joint.frame.xyz, quat=joint.frame.quat
        )
        _fill(body)
        _join(body, joint)
        bodies[joint.child] = body
    for k, loop in enumerate(robot.loops):
        for end, link in (("a", loop.link_a), ("b", loop.link_b)):
            bodies[link].add_site(name=f"loop {k} {end}", pos=AWAY)
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=f"loop {k} a",
            name2=f"loop {k} b",
        )
    try:
        model = spec.compile()
    except ValueError as error:
        raise EngineError(f"MuJoCo could not load robot {robot.name!r}: {error}") from None
    _place(model, robot, read)
    return model


def _fill(body: Any) -> None:
    """Set a body to 1 kg with a mass centre far from the origin of its link."""
    body.explicitinertial = True
    body.mass, body.inertia, body.ipos = 1.0, np.ones(3), AWAY


def _place(model: Any, robot: Robot, read: UrdfReading) -> None:
    """Set mass centres, principal axes, ranges and loop ends of the compiled model.

    This follows compilation, since the compiler simplifies what is closer than 1e-6 m to its link's
    origin, and refuses ranges of zero width.
    """
    for link, body in read.bodies.items():
        i = model.body(LINK + link).id
        model.body_ipos[i], model.body_iquat[i] = body.frame.xyz, body.frame.quat
    for joint in read.joints:
        if joint.kind != "fixed":
            model.jnt_range[model.joint(JOINT + joint.name).id] = joint.range
    for k, loop in enumerate(robot.loops):
        for end, point in (("a", loop.point_a), ("b", loop.point_b)):
            model.site_pos[model.site(f"loop {k} {end}").id] = point


def _join(body: Any, joint: Hinge) -> None:
    if joint.kind == "fixed":
        return
    kinds = mujoco.mjtJoint
    slide_or_hinge = kinds.mjJNT_SLIDE if joint.kind in SLIDES else kinds.mjJNT_HINGE
    body.add_joint(
        name=JOINT + joint.name,
        type=kinds.mjJNT_BALL if joint.kind in BALLS else slide_or_hinge,
        axis=joint.axis,
        userdata=list(joint.ratings),
    )
