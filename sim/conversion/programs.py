"""Joint torques M qdd + C qd + g of a robot file by other programs with their own readers."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from sim.audit.other_programs import at_mujoco_states, at_pinocchio_states
from sim.conversion.original import Format
from sim.conversion.question import MovingPart, TorqueQuestion
from sim.dynamics.gravity import GRAVITY
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import rpy_from_rotation
from sim.robots.mjcf.mujoco_warnings import collect_mujoco_warnings
from sim.robots.xml_text import parse, remove_elements, text_of


def drake_torque(question: TorqueQuestion) -> Array:
    """Return torques (n, N); a floating base is welded at its pose in the file."""
    plants = importlib.import_module("pydrake.multibody.plant")
    plant = plants.MultibodyPlant(0.0)
    _parse(plant, question)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    _weld(plant)
    plant.Finalize()
    return _torque(plant, question)


def _parse(plant: Any, question: TorqueQuestion) -> None:
    parser = importlib.import_module("pydrake.multibody.parsing").Parser(plant)
    if not question.cut:
        parser.AddModels(str(question.path))
        return
    root = parse(question.path.read_text(encoding="utf-8"), str(question.path))
    for joint in list(root.iter("joint")):
        if (model := joint.getparent()) is not None and joint.get("name") in question.cut:
            model.remove(joint)
    parser.AddModelsFromString(text_of(root), "sdf")


def _weld(plant: Any) -> None:
    """Weld one body of each tree without a joint to the world."""
    bodies = importlib.import_module("pydrake.multibody.tree").BodyIndex
    joints = [plant.get_joint(j) for j in plant.GetJointIndices()]
    pairs = [(int(j.parent_body().index()), int(j.child_body().index())) for j in joints]
    carried = {child for _, child in pairs}
    order = [k for k in range(plant.num_bodies()) if k not in carried] + sorted(carried)
    tied = _connected_bodies({0}, pairs)
    while (free := next((k for k in order if k not in tied), None)) is not None:
        body = plant.get_body(bodies(free))
        pose = getattr(plant, "GetDefaultFloatingBaseBodyPose", None)
        X = (pose or plant.GetDefaultFreeBodyPose)(body)
        plant.WeldFrames(plant.world_frame(), body.body_frame(), X)
        tied = _connected_bodies({*tied, free}, pairs)


def _connected_bodies(bodies: set[int], pairs: list[tuple[int, int]]) -> set[int]:
    """Return bodies that joints connect with given bodies."""
    while more := {k for pair in pairs if bodies & {*pair} for k in pair} - bodies:
        bodies = bodies | more
    return bodies


def _torque(plant: Any, question: TorqueQuestion) -> Array:
    tree = importlib.import_module("pydrake.multibody.tree")
    context, forces = plant.CreateDefaultContext(), tree.MultibodyForces(plant)
    joints = [_joint(plant, motion, question.model) for motion in question.motions]
    tau = np.zeros_like(question.q)
    for k in range(tau.shape[1]):
        positions, rates = plant.GetPositions(context), np.zeros(plant.num_velocities())
        accelerations, turns = np.zeros(plant.num_velocities()), []
        for motion, (joint, place, dof) in zip(question.motions, joints, strict=True):
            q, qd, qdd = (of[motion.rows, k] for of in (question.q, question.qd, question.qdd))
            R = np.eye(len(q))
            if motion.is_ball:  # Drake uses angles about fixed axes, and rates along these
                R_bm = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
                R_fm = R_bm.T @ rotations_of_vectors(q[:, None])[..., 0] @ R_bm
                R, q = R_fm @ R_bm.T, np.array(rpy_from_rotation(R_fm))
            turns.append(R)
            positions[place : place + len(q)] = q
            rates[dof : dof + len(q)], accelerations[dof : dof + len(q)] = R @ qd, R @ qdd
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, rates)
        every = plant.CalcInverseDynamics(context, accelerations, forces)
        every = every - plant.CalcGravityGeneralizedForces(context)
        for motion, (_, _, dof), R in zip(question.motions, joints, turns, strict=True):
            tau[motion.rows, k] = R.T @ every[dof : dof + len(R)]
    return tau


def _joint(plant: Any, motion: MovingPart, model: str) -> tuple[Any, int, int]:
    """Return a joint with the indices of its positions and velocities; names may be shared."""
    every = [plant.get_joint(j) for j in plant.GetJointIndices()]
    names = [f"{plant.GetModelInstanceName(j.model_instance())}::{j.name()}" for j in every]
    ends = [k for k, name in enumerate(names) if name.endswith(f"::{motion.joint}")]
    exact = [k for k in ends if names[k] == f"{model}::{motion.joint}"]
    if len(chosen := exact or ends) != 1:
        raise LookupError(f"it has {len(chosen) or 'no'} joints {motion.joint!r}")
    joint, number = every[chosen[0]], motion.number
    return joint, joint.position_start() + number, joint.velocity_start() + number


@dataclass(frozen=True)
class RobotProgram:
    """A program that reads robot files.

    Parameters
    ----------
    name, package, module : str
        Its name, its package on PyPI and its module.
    torque : mapping of str to callable
        By format: torques of a `TorqueQuestion`, shape (n, N).
    with_rotors : frozenset of str
        Formats in which it reads rotors in joints.
    """

    name: str
    package: str
    module: str
    torque: Mapping[Format, Callable[[TorqueQuestion], Array]]
    with_rotors: frozenset[Format]

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed; it is not imported."""
        return importlib.util.find_spec(self.module) is not None


def _pinocchio(question: TorqueQuestion) -> Array:
    pin = importlib.import_module("pinocchio")
    build = pin.buildModelFromMJCF if question.format == "MJCF" else pin.buildModelFromUrdf
    with suppress_c_output():
        model = build(str(question.path))
    model.gravity.linear = np.array(GRAVITY)
    return at_pinocchio_states(model, question.motions, question.states)


def _mujoco(question: TorqueQuestion) -> Array:
    mujoco = importlib.import_module("mujoco")
    with collect_mujoco_warnings():
        with suppress_c_output():
            model, names = _mujoco_model(mujoco, question)
        return _mujoco_torque(mujoco, model, names, question)


def _mujoco_model(mujoco: ModuleType, question: TorqueQuestion) -> tuple[Any, list[str]]:
    """Return the model and the names of its joints, generated for unnamed ones."""
    if question.format == "MJCF":
        from sim.robots.mjcf.compiled import compile_file

        compiled = compile_file(question.path)
        compiled.model.tendon_armature[:] = 0.0  # a robot has no tendons
        return compiled.model, list(compiled.joints)
    root = _without_shapes(question.path)
    options = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
    root.insert(0, parse(options, "options"))
    model = mujoco.MjModel.from_xml_string(text_of(root))
    return model, [model.joint(j).name for j in range(model.njnt)]


def _mujoco_torque(
    mujoco: ModuleType, model: Any, names: list[str], question: TorqueQuestion
) -> Array:
    model.opt.gravity[:] = GRAVITY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    inertial = np.empty(model.nv)

    def torque(model: Any, data: Any) -> Array:
        mujoco.mj_mulM(model, data, inertial, data.qacc)
        return np.asarray(inertial + data.qfrc_bias)

    return at_mujoco_states(model, names, question.motions, question.states, torque)


def _bullet(question: TorqueQuestion) -> Array:
    pybullet = importlib.import_module("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        with suppress_c_output():
            return _bullet_torque(pybullet, client, question)
    finally:
        pybullet.disconnect(client)


def _bullet_torque(pybullet: ModuleType, client: int, question: TorqueQuestion) -> Array:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(text_of(_without_shapes(question.path)), encoding="utf-8")
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE
        body = pybullet.loadURDF(str(path), useFixedBase=True, flags=flags, physicsClientId=client)
    pybullet.setGravity(*GRAVITY, physicsClientId=client)
    if any(motion.is_ball for motion in question.motions):
        raise LookupError("its inverse dynamics has no balls")
    count = pybullet.getNumJoints(body, physicsClientId=client)
    infos = [pybullet.getJointInfo(body, j, physicsClientId=client) for j in range(count)]
    moving = [info[1].decode() for info in infos if info[2] != pybullet.JOINT_FIXED]
    tau, rows = np.zeros_like(question.q), []
    for name in moving:
        rows.append(next(m.rows.start for m in question.motions if m.joint == name))
    for k in range(tau.shape[1]):
        states = [list(of[rows, k]) for of in (question.q, question.qd, question.qdd)]
        tau[rows, k] = pybullet.calculateInverseDynamics(body, *states, physicsClientId=client)
    return tau


def _without_shapes(path: Path) -> Any:
    """Return a URDF without couplings and without elements that do not affect torques."""
    root = parse(path.read_text(encoding="utf-8"), str(path))
    remove_elements(root, "visual", "collision", "mimic", "dynamics", "transmission", "gazebo")
    return root


PROGRAMS: Mapping[str, RobotProgram] = MappingProxyType(
    {
        one.name.lower(): one
        for one in (
            RobotProgram(
                "MuJoCo",
                "mujoco-core",
                "mujoco",
                {"MJCF": _mujoco, "URDF": _mujoco},
                frozenset({"MJCF"}),
            ),
            RobotProgram(
                "Pinocchio",
                "pin",
                "pinocchio",
                {"URDF": _pinocchio, "MJCF": _pinocchio},
                frozenset({"MJCF"}),
            ),
            RobotProgram(
                "Drake",
                "drake",
                "pydrake",
                {"SDF": drake_torque, "URDF": drake_torque, "MJCF": drake_torque},
                frozenset({"SDF", "MJCF"}),
            ),
            RobotProgram("PyBullet", "pybullet", "pybullet", {"URDF": _bullet}, frozenset()),
        )
    }
)
OWN_PROGRAM: Mapping[Format, str] = MappingProxyType(
    {"URDF": "pinocchio", "MJCF": "mujoco", "SDF": "drake"}
)
"""The program of each format, which judges a file unless another is named."""
