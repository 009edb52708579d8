"""Joint torques by Pinocchio and by MuJoCo, each with its own reading of the URDF."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
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

_OF_FREE = ("slide_x", "slide_y", "slide_z", "ball")
_SHAPES = ("visual", "collision")

_OPTIONS = (
    '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
)


def is_package_installed(module: str) -> bool:
    """Whether a package is installed; it is not imported."""
    return importlib.util.find_spec(module) is not None


def pinocchio_torque(robot: Robot, states: StateSamples) -> Array:
    """Return torques M qdd + C qd + g of the independent joints by Pinocchio's ``rnea``, (n, N)."""
    pin = importlib.import_module("pinocchio")
    with suppress_c_output():
        model = pin.buildModelFromXML(_bare(robot.text))
    model.gravity.linear = gravity_in_base(robot)
    data = model.createData()
    joints = [model.joints[model.getJointId(joint.name)] for joint in robot.tree_joints]
    tree = _on_tree(robot, states)
    tau = np.empty_like(tree[0])
    for k in range(tau.shape[1]):
        q, qd, qdd = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for i, joint in enumerate(joints):
            angle = tree[0][i, k]
            whole = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else (angle,)
            q[joint.idx_q : joint.idx_q + joint.nq] = whole
            qd[joint.idx_v], qdd[joint.idx_v] = tree[1][i, k], tree[2][i, k]
        tau[:, k] = pin.rnea(model, data, q, qd, qdd)[[joint.idx_v for joint in joints]]
    return robot.coupling[0].T @ tau


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
    data = mujoco.MjData(model)
    order = [model.joint(joint.name).dofadr[0] for joint in robot.tree_joints]
    tree = _on_tree(robot, states)
    tau = np.empty_like(tree[0])
    for k in range(tau.shape[1]):
        data.qpos[order], data.qvel[order], data.qacc[order] = (rows[:, k] for rows in tree)
        mujoco.mj_inverse(model, data)
        tau[:, k] = data.qfrc_inverse[order]
    return robot.coupling[0].T @ tau


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

    return at_mjcf_states(compiled, robot, states, torque)


def at_mjcf_states(
    compiled: Compiled, robot: Robot, states: StateSamples, torque: Callable[[Any, Any], Array]
) -> Array:
    """Return a torque of MuJoCo's degrees of freedom, from model and data, as the robot's.

    Returns
    -------
    ndarray, shape (n, N)
        Of the independent joints.
    """
    mujoco = importlib.import_module("mujoco")
    model = compiled.model
    data = mujoco.MjData(model)
    q, qd, qdd = _on_tree(robot, states)
    tau, row = np.empty_like(q), 0
    places, dofs, whole = list[int](), list[int](), list[Array]()
    for joint in robot.tree_joints:
        place, dof = _in_mjcf(compiled, joint.name)
        rows = slice(row, row + len(joint.coordinates))
        values = np.roll(quaternions_of_vectors(q[rows]), 1, axis=0) if joint.is_ball else q[rows]
        places += range(place, place + len(values))
        dofs += range(dof, dof + rows.stop - rows.start)
        whole.append(values)
        row = rows.stop
    positions = np.concatenate(whole)
    for k in range(tau.shape[1]):
        data.qpos[places], data.qvel[dofs], data.qacc[dofs] = positions[:, k], qd[:, k], qdd[:, k]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        tau[:, k] = torque(model, data)[dofs]
    return robot.coupling[0].T @ tau


def _in_mjcf(compiled: Compiled, name: str) -> tuple[int, int]:
    """Return the start of a joint's coordinates and velocities; of a free joint by chain joint."""
    model, part = compiled.model, 0
    if name not in compiled.joints:
        name, _, motion = name.rpartition(".")
        part = _OF_FREE.index(motion)
    joint = compiled.joints.index(name)
    return int(model.jnt_qposadr[joint]) + part, int(model.jnt_dofadr[joint]) + part


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
    options = root.findall("mujoco")
    if not options:
        root.insert(0, etree.fromstring(_OPTIONS))
        return text_of(_without(root, *_SHAPES)), {}
    if all(one.get("inertiafromgeom") != "true" for one in root.iterfind("mujoco/compiler")):
        return text_of(_without(root, *_SHAPES)), {}
    meshes = {}
    for mesh in root.iter("mesh"):
        path = mesh_path(mesh.get("filename", ""), robot.folder, report=False)
        meshes[path.name] = read_regular_file(path, LARGEST_FILE)
    return text_of(_without(root, "material")), meshes


def _bare(text: str) -> str:
    """Return the URDF without shapes."""
    return text_of(_without(parse(text, "URDF"), *_SHAPES))


def _without(root: _Element, *tags: str) -> _Element:
    """Return the URDF without these elements, mimics and friction, which M qdd + C qd + g lacks."""
    write_chains(Node(root, "URDF", "robot"))  # programs that support these types have other rows
    remove_elements(root, *tags, "mimic", "dynamics", "transmission", "gazebo")
    return root
