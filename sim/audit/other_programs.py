"""Joint torques by Pinocchio and by MuJoCo, each with its own reading of the URDF."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.audit.states import StateSamples
from sim.dynamics.gravity import GRAVITY
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import quaternions_of_vectors
from sim.robots.chains import write_chains
from sim.robots.document import Node
from sim.robots.guarded_file import read_regular_file
from sim.robots.mjcf.compiled import Compiled, compile_file
from sim.robots.mjcf.mujoco_warnings import collect_mujoco_warnings
from sim.robots.robot import Robot
from sim.robots.xml_text import parse, remove_elements, text_of
from sim.shapes.mesh_files import mesh_path
from sim.shapes.surface import LARGEST_FILE

if TYPE_CHECKING:
    from lxml.etree import _Element

_OF_FREE = {"slide_x": 0, "slide_y": 1, "slide_z": 2, "ball": 3}
_SHAPES = ("visual", "collision")

_OPTIONS = (
    '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
)


def is_package_installed(module: str) -> bool:
    """Whether a package is installed; it is not imported."""
    return importlib.util.find_spec(module) is not None


@dataclass(frozen=True)
class JointRows:
    """A joint of another program's model.

    Parameters
    ----------
    joint : str
    rows : slice
        Its rows in (n, N) arrays; three of a ball.
    """

    joint: str
    rows: slice

    @property
    def is_ball(self) -> bool:
        """Whether it has three rows."""
        return self.rows.stop - self.rows.start == 3


def pinocchio_torque(robot: Robot, states: StateSamples) -> Array:
    """Return torques M qdd + C qd + g of the independent joints by Pinocchio's ``rnea``, (n, N)."""
    pin = importlib.import_module("pinocchio")
    with suppress_c_output():
        model = pin.buildModelFromXML(_bare(robot.text))
    model.gravity.linear = gravity_in_base(robot)
    return robot.coupling[0].T @ at_pinocchio_states(model, _rows(robot), _on_tree(robot, states))


def at_pinocchio_states(
    model: Any, joints: Sequence[JointRows], states: tuple[Array, ...]
) -> Array:
    """Return M qdd + C qd + g of joints of a model of Pinocchio at q, qd, qdd (n, N), (n, N).

    Raises
    ------
    LookupError
        If the model has no joint of a name.
    """
    pin = importlib.import_module("pinocchio")
    data, model_joints = model.createData(), []
    for one in joints:
        if not model.existJointName(one.joint):
            raise LookupError(f"it has no joint {one.joint!r}")
        model_joints.append(model.joints[model.getJointId(one.joint)])
    tau = np.zeros_like(states[0])
    for k in range(tau.shape[1]):
        q, qd, qdd = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for one, joint in zip(joints, model_joints, strict=True):
            values, rates, accelerations = (of[one.rows, k] for of in states)
            if one.is_ball:
                values = quaternions_of_vectors(values[:, None])[:, 0]
            elif joint.nq == 2:
                values = np.array([np.cos(values[0]), np.sin(values[0])])
            q[joint.idx_q : joint.idx_q + joint.nq] = values
            dofs = slice(joint.idx_v, joint.idx_v + joint.nv)
            qd[dofs], qdd[dofs] = rates, accelerations
        every = pin.rnea(model, data, q, qd, qdd)
        for one, joint in zip(joints, model_joints, strict=True):
            tau[one.rows, k] = every[joint.idx_v : joint.idx_v + joint.nv]
    return tau


def mujoco_torque(robot: Robot, states: StateSamples) -> Array:
    """Return torques M qdd + C qd + g of the independent joints by ``mj_inverse``, shape (n, N)."""
    mujoco = importlib.import_module("mujoco")
    with collect_mujoco_warnings():
        with suppress_c_output():
            model = mujoco.MjModel.from_xml_string(*_for_mujoco(robot))
        return _mujoco_torque(mujoco, model, robot, states)


def _mujoco_torque(mujoco: ModuleType, model: Any, robot: Robot, states: StateSamples) -> Array:
    model.opt.gravity[:] = gravity_in_base(robot)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = 0.0
    names = [joint.name for joint in robot.tree_joints]
    return robot.coupling[0].T @ by_mj_inverse(model, names, _on_tree(robot, states))


def by_mj_inverse(model: Any, joints: Sequence[str], states: tuple[Array, ...]) -> Array:
    """Return torques of hinges and slides of a model by ``mj_inverse`` at q, qd, qdd (n, N)."""
    mujoco = importlib.import_module("mujoco")
    data = mujoco.MjData(model)
    order = [model.joint(joint).dofadr[0] for joint in joints]
    tau = np.empty_like(states[0])
    for k in range(tau.shape[1]):
        data.qpos[order], data.qvel[order], data.qacc[order] = (rows[:, k] for rows in states)
        mujoco.mj_inverse(model, data)
        tau[:, k] = data.qfrc_inverse[order]
    return tau


def mjcf_torque(file: Path, robot: Robot, states: StateSamples) -> Array:
    """Return the same torques for an MJCF file itself, compiled by MuJoCo; without rotors.

    Balls have rotation vectors here and quaternions there, with the same velocities.
    """
    mujoco = importlib.import_module("mujoco")
    compiled = compile_file(file)
    model = compiled.model
    model.opt.gravity[:] = gravity_in_base(robot)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)

    def torque(model: Any, data: Any) -> Array:
        rigid = np.empty(model.nv)
        mujoco.mj_rne(model, data, 1, rigid)  # M qdd + C qd + g of the bodies, no armature
        return rigid

    return of_robot_at_states(compiled, robot, states, torque)


def of_robot_at_states(
    compiled: Compiled, robot: Robot, states: StateSamples, torque: Callable[[Any, Any], Array]
) -> Array:
    """Return `at_mujoco_states` of a robot's file as that of the independent joints, (n, N)."""
    model, names = compiled.model, compiled.joints
    on_tree = at_mujoco_states(model, names, _rows(robot), _on_tree(robot, states), torque)
    return robot.coupling[0].T @ on_tree


def at_mujoco_states(
    model: Any,
    names: Sequence[str],
    joints: Sequence[JointRows],
    states: tuple[Array, ...],
    torque: Callable[[Any, Any], Array],
) -> Array:
    """Return a torque of MuJoCo's degrees of freedom, from model and data, of joints, (n, N).

    Parameters
    ----------
    names : sequence of str
        Names of the model's joints; those of a free joint are its own with a suffix.
    states : tuple of ndarray, shape (n, N)
        q, qd and qdd.

    Raises
    ------
    LookupError
        If the model has no joint of a name.
    """
    mujoco = importlib.import_module("mujoco")
    data, (q, qd, qdd) = mujoco.MjData(model), states
    tau, rows = np.zeros_like(q), list[int]()
    places, dofs, whole = list[int](), list[int](), list[Array]()
    for one in joints:
        place, dof = _in_model(model, names, one.joint)
        values = q[one.rows]
        if one.is_ball:
            values = np.roll(quaternions_of_vectors(values), 1, axis=0)
        joint_rows = range(one.rows.start, one.rows.stop)
        places += range(place, place + len(values))
        dofs += range(dof, dof + len(joint_rows))
        rows += joint_rows
        whole.append(values)
    positions, qd, qdd = np.concatenate(whole), qd[rows], qdd[rows]
    for k in range(tau.shape[1]):
        data.qpos[places], data.qvel[dofs], data.qacc[dofs] = positions[:, k], qd[:, k], qdd[:, k]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        tau[rows, k] = torque(model, data)[dofs]
    return tau


def _in_model(model: Any, names: Sequence[str], name: str) -> tuple[int, int]:
    """Return the start of a joint's coordinates and velocities; of a free joint by chain joint."""
    whole, _, motion = name.rpartition(".")
    joint, part = (name, 0) if name in names else (whole, _OF_FREE.get(motion, 0))
    if joint not in names:
        raise LookupError(f"it has no joint {name!r}")
    number = names.index(joint)
    return int(model.jnt_qposadr[number]) + part, int(model.jnt_dofadr[number]) + part


def _rows(robot: Robot) -> list[JointRows]:
    ends = np.cumsum([len(joint.coordinates) for joint in robot.tree_joints]).tolist()
    each = zip(robot.tree_joints, [0, *ends], ends, strict=False)
    return [JointRows(joint.name, slice(first, end)) for joint, first, end in each]


def _on_tree(robot: Robot, states: StateSamples) -> tuple[Array, ...]:
    return robot.on_tree(states.q, states.qd, states.qdd)


def gravity_in_base(robot: Robot) -> Array:
    """Return gravity along the axes of the root link, which other programs fix to the world."""
    return np.asarray(robot.T_0b[:3, :3].T @ np.array(GRAVITY))


def _for_mujoco(robot: Robot) -> tuple[str, dict[str, bytes]]:
    """Return the URDF as MuJoCo reads it, and the mesh files that it needs, by name.

    Options in the URDF's own ``<mujoco>`` apply; they may take masses from shapes or scale them.
    """
    from lxml import etree

    root = parse(robot.text, "URDF")
    if not root.findall("mujoco"):
        root.insert(0, etree.fromstring(_OPTIONS))
        return text_of(_without_elements(root, *_SHAPES)), {}
    if all(one.get("inertiafromgeom") != "true" for one in root.iterfind("mujoco/compiler")):
        return text_of(_without_elements(root, *_SHAPES)), {}
    meshes = {}
    for mesh in root.iter("mesh"):
        path = mesh_path(mesh.get("filename", ""), robot.folder, report=False)
        meshes[path.name] = read_regular_file(path, LARGEST_FILE)
    return text_of(_without_elements(root, "material")), meshes


def _bare(text: str) -> str:
    """Return the URDF without shapes."""
    return text_of(_without_elements(parse(text, "URDF"), *_SHAPES))


def _without_elements(root: _Element, *tags: str) -> _Element:
    """Return the URDF without these elements, mimics and friction, which M qdd + C qd + g lacks."""
    write_chains(Node(root, "URDF", "robot"))  # programs that support these types have other rows
    remove_elements(root, *tags, "mimic", "dynamics", "transmission", "gazebo")
    return root
