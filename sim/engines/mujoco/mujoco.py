"""Mujoco: MuJoCo as an engine, configured for reliable numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Self

import mujoco
import numpy as np

from sim.dynamics.gravity import Gravity
from sim.dynamics.solved_motion import EnergySamples
from sim.dynamics.wrench import Acting
from sim.engines.contract import March, ModelReadback, require_same
from sim.engines.mujoco.constraints import loops_of
from sim.engines.mujoco.forward_inverse import complete
from sim.engines.mujoco.marching import march_through
from sim.engines.mujoco.mujoco_model import JOINT, MujocoModel
from sim.engines.mujoco.warnings_as_errors import mujoco_warnings_as_errors
from sim.kinematics.loop_equations import LoopEquations
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import inverse_pose, pose, quaternion_xyzw
from sim.robots.coordinate import Limits
from sim.robots.inertia import Inertia
from sim.robots.robot import Robot

SAME = 1e-12  # of masses, centres and tensors: rounding of principal axes


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


class Mujoco:
    """MuJoCo with a robot, an engine by `sim.engines.contract`; it can march.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].
    progress : callable, optional
        Called from time to time with the number of steps or states done.
    keep_separate : collection of str
        Links whose mass changes. Every link is a separate body here, so any is allowed.

    Raises
    ------
    EngineError
        If MuJoCo cannot load the robot, or its reader reads it differently from the model.
    """

    def __init__(
        self,
        robot: Robot,
        gravity: Gravity,
        progress: Callable[[int], None] | None = None,
        keep_separate: Collection[str] = (),
    ) -> None:
        self.plant = MujocoModel(robot, gravity)
        self.progress = progress
        self.steps = 0
        self._carried: dict[str, bool] = {}
        with mujoco_warnings_as_errors(robot.name):
            require_same(robot, read_model(self.plant), "MuJoCo", SAME)

    @property
    def robot(self) -> Robot:
        """The robot, with every payload of the run."""
        return self.plant.robot

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
        return self.plant.gravity

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing: MuJoCo's memory belongs to its objects."""

    def readback(self) -> ModelReadback:
        """Return the model as read back from MuJoCo; see `Engine`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return read_model(self.plant)

    def set_payloads(self, carried: Mapping[str, bool]) -> None:
        """Set these payload links to their own mass and inertia, or to zero; see `Engine`."""
        changed = {
            link: has for link, has in carried.items() if self._carried.get(link, True) != has
        }
        if changed:
            self.plant.set_mass(changed)
            self._carried |= changed

    def energies(self, q: Array, qd: Array, links: tuple[str, ...]) -> EnergySamples:
        """Return energies of `links` and motion of the tool at states (n_tree, N); see `Engine`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return survey_of(self.plant, q, qd, links, self.count)

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts of all tree joints; see `Engine`.

        Efforts are those of ``mj_inverse``. Accelerations of loose joints are computed first, from
        MuJoCo's mass matrix and bias forces.
        """
        sound = np.isfinite(np.concatenate([q, qd, qdd, effort])).all(axis=0)
        answers = np.full((2, *q.shape), np.nan)
        q, qd, qdd, effort = (x[:, sound] for x in (q, qd, qdd, effort))
        here = [wrench.during(sound) for wrench in wrenches]
        with mujoco_warnings_as_errors(self.robot.name):
            answers[..., sound] = complete(self.plant, q, qd, qdd, effort, held, here)
        return answers[0], answers[1]

    def reactions(self, q: Array, qd: Array, qdd: Array, wrenches: Acting = ()) -> Array:
        """Return reactions of the tree's joints by ``mj_rnePostConstraint``; see `Reacting`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return reactions_of(self.plant, q, qd, qdd, wrenches)

    def set_rotor_inertia(self, inertia: Array) -> None:
        """Set the joints' own inertia, ``dof_armature``; see `Reflecting`."""
        self.plant.model.dof_armature[self.plant.dofs] = inertia

    def loops(self, q: Array) -> LoopEquations:
        """Return the loop equations, from MuJoCo's ``connect`` constraints; see `Reacting`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return loops_of(self.plant, q)

    def march(self, march: March) -> Array:
        """Step through time with ``mj_step``; see `Marching`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return march_through(self.plant, march, self.set_payloads, self.count)

    def count(self, steps: int) -> None:
        """Report that `steps` more steps or states are done."""
        self.steps += steps
        if self.progress is not None:
            self.progress(self.steps)


def reactions_of(
    plant: MujocoModel, q: Array, qd: Array, qdd: Array, wrenches: Acting = ()
) -> Array:
    """Return force and moment of the parent on the child of each joint; see `Reacting.reactions`.

    ``mj_rnePostConstraint`` returns them about the mass centre of the whole tree, along the world's
    axes; they are transformed to the joint frame, which is MuJoCo's frame of the child.
    """
    model, data, order = plant.model, plant.evaluation, plant.dofs
    ids = [plant.bodies[joint.child] for joint in plant.robot.tree_row_joints]
    acting = [(plant.bodies[wrench.link], wrench) for wrench in wrenches]
    changes = np.ascontiguousarray(qdd.T)

    def react(k: int) -> None:
        data.qacc[order] = changes[k]
        if acting:
            data.xfrc_applied[:] = 0.0
        for body, wrench in acting:
            column = k if wrench.force.shape[1] > 1 else 0
            force = wrench.force[:, column]
            at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ wrench.point
            column = k if wrench.torque.shape[1] > 1 else 0
            moment = wrench.torque[:, column] + np.cross(at - data.xipos[body], force)
            data.xfrc_applied[body] += np.concatenate([force, moment])
        mujoco.mj_rnePostConstraint(model, data)

    try:
        rows, about = _read_bodies(plant, q, qd, ids, ("cfrc_int", "xpos", "xmat"), react)
    finally:
        data.xfrc_applied[:] = 0.0
    force = rows["cfrc_int"][..., 3:]
    moment = rows["cfrc_int"][..., :3] + np.cross(about - rows["xpos"], force)
    R = rows["xmat"].reshape(-1, len(ids), 3, 3)
    along = np.einsum("Njba,kNjb->jkaN", R, np.stack([force, moment]))
    return np.ascontiguousarray(along).reshape(len(ids), 6, -1)


CHUNK = 512  # states between two reports of progress; bounds the memory of other bodies
CENTRE = "subtree_com"


def _read_bodies(
    plant: MujocoModel,
    q: Array,
    qd: Array,
    ids: Sequence[int],
    names: Sequence[str],
    then: Callable[[int], None] | None = None,
    count: Callable[[int], None] | None = None,
) -> tuple[dict[str, Array], Array]:
    """Impose states (n_tree, N) and read MuJoCo's data of some bodies.

    Parameters
    ----------
    ids : sequence of int
        MuJoCo's numbers of the bodies.
    names : sequence of str
        Fields of its data.
    then : callable, optional
        Called with the index of each state before it is read.
    count : callable, optional
        Called with the number of states done since the last call.

    Returns
    -------
    dict of str to ndarray
        Fields by name, (N, bodies, size) each.
    ndarray, shape (N, bodies, 3)
        Mass centres of the trees that the bodies belong to.
    """
    N, at = q.shape[1], np.array(ids, dtype=np.intp)
    fields = {name: getattr(plant.evaluation, name) for name in (*names, CENTRE)}
    read = {name: np.empty((N, len(at), field.shape[1])) for name, field in fields.items()}
    places, rates = np.ascontiguousarray(q.T), np.ascontiguousarray(qd.T)
    # Copying all bodies and selecting later takes half the time of selecting in each state.
    buffers = [np.empty((min(CHUNK, N), *field.shape)) for field in fields.values()]
    copies = [[*zip(rows, fields.values(), strict=True)] for rows in zip(*buffers, strict=True)]
    move = plant.mover()
    for first in range(0, N, CHUNK):
        block = slice(first, min(first + CHUNK, N))
        states = zip(range(block.start, block.stop), places[block], rates[block], strict=True)
        for (k, place, rate), copied in zip(states, copies, strict=False):
            move(place, rate)
            if then is not None:
                then(k)
            for row, field in copied:
                row[...] = field
        for rows, (name, found) in zip(buffers, read.items(), strict=True):
            bodies = plant.model.body_rootid[at] if name == CENTRE else at
            found[block] = rows[: block.stop - block.start, bodies]
        if count is not None:
            count(block.stop - block.start)
    return read, read[CENTRE]


def survey_of(
    plant: MujocoModel, q: Array, qd: Array, links: tuple[str, ...], count: Callable[[int], None]
) -> EnergySamples:
    """Impose each state and read the motion of the bodies from MuJoCo's data.

    The energies use MuJoCo's current masses and principal moments.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
    links : tuple of str
        Links whose energies are computed.
    count : callable
        Called with the number of states done.
    """
    tool, model = plant.robot.tool, plant.model
    moves = tool is not None and plant.moves(tool)
    ids = [plant.bodies[link] for link in (*links, *([tool] if moves and tool else []))]
    # of each body: mass centre, principal axes, velocity, its reference point, frame
    names = ("xipos", "ximat", "cvel", "xpos", "xmat")
    samples, about = _read_bodies(plant, q, qd, ids, names, count=count)
    w, of_links = samples["cvel"][..., :3], slice(len(links))

    def velocity(point: Array) -> Array:
        # MuJoCo's velocity of a body is that of the body-fixed point at `about`
        return np.asarray(samples["cvel"][..., 3:] + np.cross(w, point - about))

    v = velocity(samples["xipos"])[:, of_links]
    R = samples["ximat"].reshape(-1, len(ids), 3, 3)[:, of_links]
    along = np.einsum("Nlba,Nlb->Nla", R, w[:, of_links])
    mass, moments = model.body_mass[ids[of_links]], model.body_inertia[ids[of_links]]
    ke = 0.5 * mass * np.sum(v * v, axis=-1) + 0.5 * np.sum(moments * along * along, axis=-1)
    pe = -mass * (samples["xipos"][:, of_links] @ np.asarray(plant.gravity))
    motion = None
    if moves:
        R_0l = np.moveaxis(samples["xmat"][:, -1].reshape(-1, 3, 3), 0, -1)
        x, v = samples["xpos"], velocity(samples["xpos"])
        motion = np.concatenate(
            [x[:, -1].T, quaternion_xyzw(R_0l), v[:, -1].T, np.ascontiguousarray(w[:, -1].T)]
        )
    return EnergySamples(ke.T.copy(), pe.T.copy(), links, motion)
