"""Torque changes by a feature of a URDF in an installed program, in N·m.

All other features are rewritten so that every program reads them alike, and the program's torques
are compared with this package's at the states of the audit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from sim.audit.other_programs import by_mj_inverse, gravity_in_base, is_package_installed
from sim.audit.pybullet_reading import pybullet_torques
from sim.audit.states import StateSamples
from sim.dynamics import newton_euler
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.guarded_file import read_regular_file
from sim.robots.robot import Robot
from sim.robots.xml_text import parse, text_of
from sim.shapes.mesh_files import mesh_path
from sim.shapes.surface import LARGEST_FILE

if TYPE_CHECKING:
    from lxml.etree import _Element

# Features that change the torques of inverse dynamics, by program.
ASKED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "PyBullet": ("tensor", "shape-only", "bare-frame", "bare-link", "mimic"),
        "MuJoCo": ("shape-only", "mujoco-masses", "damping", "friction", "mimic"),
        "Pinocchio": ("mimic",),
    }
)
_WITHOUT_MASS = ("shape-only", "bare-frame", "bare-link")
_ZERO = (
    '<inertial><mass value="0"/>'
    '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
)


class TorqueDifference(Struct, frozen=True):
    """Largest difference of a torque from this package's, and its joint.

    Parameters
    ----------
    size : float
        [N·m or N]
    unit, joint : str
    """

    size: float
    unit: str
    joint: str


def differences(
    robot: Robot, states: StateSamples, features: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], TorqueDifference]:
    """Return differences by feature and program, for programs that read the file.

    Parameters
    ----------
    robot : Robot
    states : StateSamples
    features : mapping of str to sequence of str
        Names of the links and joints that have each feature, by its key.
    """
    if robot.ball_names or not robot.joint_names:
        return {}
    tree = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    q, qd, qdd = robot.on_tree(states.q, states.qd, states.qdd)
    right = newton_euler.inverse_dynamics(tree, q, qd, qdd)
    keys_of = {
        program: [key for key in keys if key in features]
        for program, keys in ASKED.items()
        if is_package_installed(program.lower())
    }
    question = _Question(tree, (q, qd, qdd), features)
    out: dict[tuple[str, str], TorqueDifference] = {}
    for program, keys in keys_of.items():
        for key, tau in _PROGRAMS[program](question, keys):
            off = _off_by_leaders(robot, tau) if key == "mimic" else tau - right
            out[key, program] = _largest_difference(tree, off)
    return out


class _Question(Struct, frozen=True, eq=False):
    """A robot with independent joints, its states (n, N), and its features."""

    robot: Robot
    states: tuple[Array, ...]
    features: Mapping[str, Sequence[str]]

    def text(self, feature: str, shapes: Sequence[str]) -> _Element:
        """Return the URDF with one feature unchanged, and the collision shapes of some links."""
        from lxml import etree

        root = deepcopy(parse(self.robot.text, "URDF"))
        dropped = {"mimic", "dynamics", "transmission", "gazebo", "mujoco", "visual"}
        dropped -= {feature} if feature == "mimic" else set()
        dropped -= {"dynamics"} if feature in ("damping", "friction") else set()
        dropped -= {"mujoco"} if feature == "mujoco-masses" else set()
        for element in [one for one in root.iter(*dropped) if one.getparent() is not None]:
            element.getparent().remove(element)  # type: ignore[union-attr]
        for one in root.iter("dynamics"):
            one.set({"damping": "friction", "friction": "damping"}[feature], "0")
        for link in root.iterchildren("link"):
            if link.get("name") not in shapes:
                for shape in link.findall("collision"):
                    link.remove(shape)
        for key in _WITHOUT_MASS:
            for link in root.iterchildren("link") if key != feature else ():
                if link.get("name") in self.features.get(key, ()):
                    link.append(etree.fromstring(_ZERO))
        return root


Torques = Iterator[tuple[str, Array]]


def _pybullet(question: _Question, keys: Sequence[str]) -> Torques:
    texts = []
    for key in keys:
        every = [link.name for link in question.robot.links]
        root = question.text(key, every if key == "tensor" else ())
        for mesh in list(root.iter("mesh")):
            _name_whole(mesh, question.robot.folder)
        texts.append((text_of(root), key != "tensor"))
    names = [joint.name for joint in question.robot.tree_joints]
    gravity = gravity_in_base(question.robot)
    answers = pybullet_torques(texts, names, question.states, gravity) if texts else []
    for key, tau in zip(keys, answers, strict=True):
        if tau is not None and np.isfinite(tau).all():
            yield key, tau


def _name_whole(mesh: _Element, folder: Path | None) -> None:
    """Write the absolute path of a mesh; a shape whose mesh is missing is removed."""
    try:
        path = mesh_path(mesh.get("filename", ""), folder, report=False)
    except ModelError:
        shape = next(mesh.iterancestors("collision"), None)
        if shape is not None and (link := shape.getparent()) is not None:
            link.remove(shape)
    else:
        mesh.set("filename", str(path.resolve()))


def _mujoco(question: _Question, keys: Sequence[str]) -> Torques:
    mujoco = importlib.import_module("mujoco")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        for key in keys:
            shapes = question.features[key] if key == "shape-only" else ()
            if key == "mujoco-masses":
                shapes = [link.name for link in question.robot.links]
            root = question.text(key, shapes)
            try:
                meshes = _mesh_files(root, question.robot.folder)
                yield key, _by_mujoco(mujoco, root, meshes, question)
            except (ModelError, ValueError, KeyError):
                continue
    finally:
        mujoco.set_mju_user_warning(before)


def _mesh_files(root: _Element, folder: Path | None) -> dict[str, bytes]:
    paths = (
        mesh_path(mesh.get("filename", ""), folder, report=False) for mesh in root.iter("mesh")
    )
    return {path.name: read_regular_file(path, LARGEST_FILE) for path in paths}


def _by_mujoco(mujoco: Any, root: _Element, meshes: dict[str, bytes], question: _Question) -> Array:
    with suppress_c_output():
        model = mujoco.MjModel.from_xml_string(text_of(root), meshes)
    model.opt.gravity[:] = gravity_in_base(question.robot)
    model.jnt_limited[:] = False
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    joints = [joint.name for joint in question.robot.tree_joints]
    return by_mj_inverse(model, joints, question.states)


def _pinocchio(question: _Question, keys: Sequence[str]) -> Torques:
    from sim.audit.other_programs import pinocchio_torque

    for key in keys:
        yield key, pinocchio_torque(question.robot, StateSamples(*question.states))


_PROGRAMS: Mapping[str, Callable[[_Question, Sequence[str]], Torques]] = MappingProxyType(
    {"PyBullet": _pybullet, "MuJoCo": _mujoco, "Pinocchio": _pinocchio}
)


def _off_by_leaders(robot: Robot, tau: Array) -> Array:
    """Return the torque missing at leaders if followers are treated as independent joints."""
    leaders = np.array([joint.mimic is None for joint in robot.tree_joints])
    off = np.zeros_like(tau)
    off[leaders] = tau[leaders] - robot.coupling[0].T @ tau
    return off


def _largest_difference(robot: Robot, off: Array) -> TorqueDifference:
    worst = np.abs(off).max(axis=1, initial=0.0)
    row = int(np.argmax(worst))
    return TorqueDifference(
        float(worst[row]), robot.coordinates[row].units.effort, robot.row_names[row]
    )
