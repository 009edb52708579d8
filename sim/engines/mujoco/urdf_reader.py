"""Reader of a robot's URDF text for MuJoCo, independent of our own: bodies, joints, ratings.

MuJoCo's own URDF importer is not used, since it fuses links connected by fixed joints, and has
neither our repairs nor ratings. Therefore this file parses the text again. Angles are converted by
MuJoCo's own functions, which also normalise the axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array
from sim.robots.chains import PART_OF
from sim.robots.document import LARGEST_NUMBER
from sim.robots.inertia import Inertia
from sim.robots.mending import mend
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from lxml.etree import _Element

# For a moving frame without load [kg, kg·m²]: a joint cannot be stepped without inertia, and MuJoCo
# refuses less than 1e-15. Its weight is the error of the torques.
FRAME_MASS = FRAME_MOMENT = 2e-15

HINGES, SLIDES, BALLS = ("revolute", "continuous"), ("prismatic",), ("spherical",)


class MujocoFrame(Struct, frozen=True, eq=False):
    """Pose of a frame: `xyz` [m], and the quaternion w x y z of its rotation."""

    xyz: Array
    quat: Array

    @property
    def rotation(self) -> Array:
        """Rotation matrix, by MuJoCo."""
        flat = np.empty(9)
        mujoco.mju_quat2Mat(flat, self.quat)
        return flat.reshape(3, 3)


class Body(Struct, frozen=True, eq=False):
    """Mass [kg], principal moments [kg·m²] and their frame in the link; zeros for a frame."""

    mass: float
    moments: Array
    frame: MujocoFrame


@dataclass(frozen=True, eq=False)
class Hinge:
    """A joint as in the text; `kind` is the URDF type.

    Parameters
    ----------
    range : tuple of float
        Lower and upper end, infinite if absent [rad or m].
    ratings : tuple of float
        Largest velocity and effort, infinite if absent.
    """

    name: str
    kind: str
    parent: str
    child: str
    frame: MujocoFrame
    axis: Array
    range: tuple[float, float]
    ratings: tuple[float, float]


class UrdfReading(Struct, frozen=True, eq=False):
    """All bodies by the name of their link, and joints, parents before their children."""

    bodies: dict[str, Body]
    joints: tuple[Hinge, ...]


def read_for_mujoco(robot: Robot) -> UrdfReading:
    """Parse the content of a robot's text, with its original numbers.

    Only for noted repairs (`Robot.repairs`) the replacement comes from the robot.
    """
    root = mend(robot.text, f"robot {robot.name!r}")
    links = {element.get("name", ""): element for element in root.findall("link")}
    elements = {element.get("name", ""): element for element in root.findall("joint")}
    repaired = {repair.part for repair in robot.repairs}
    bodies = {}
    for link in robot.links:
        body = _body(links.get(link.name))
        if f"link {link.name!r}" in repaired:
            body = _as_taken(link.inertia)
        if body.mass == 0 and link.name in robot.lone_frames:
            body = Body(FRAME_MASS, np.full(3, FRAME_MOMENT), _HERE)
        bodies[link.name] = body
    joints = []
    for joint in robot.joints:
        joint_content = _joint(elements[joint.name])
        if f"joint {joint.name!r}" in repaired or PART_OF in elements[joint.name].attrib:
            of = joint.limits
            ends, ratings = (of.lower, of.upper), (of.velocity, of.effort)
            joint_content = replace(joint_content, range=ends, ratings=ratings)
        joints.append(joint_content)
    return UrdfReading(bodies, tuple(joints))


def principal(tensor: Array) -> tuple[Array, Array]:
    """Return principal moments [kg·m²], and the quaternion w x y z of their axes.

    MuJoCo's own iteration ends at 1e-12 kg·m², which is not negligible for the moments of a wrist.
    """
    if not (tensor - np.diag(np.diag(tensor))).any():
        return np.diag(tensor).copy(), np.array([1.0, 0.0, 0.0, 0.0])
    moments, axes = np.linalg.eigh(tensor)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])  # right-handed
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, axes.flatten())
    return moments, quat


_HERE = MujocoFrame(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def _body(link: _Element | None) -> Body:
    inertial = None if link is None else link.find("inertial")
    mass = None if inertial is None else inertial.find("mass")
    weight = 0.0 if mass is None else float(mass.get("value", "0"))
    if inertial is None or weight == 0:
        return Body(0.0, np.zeros(3), _HERE)
    frame, element = _frame(inertial), inertial.find("inertia")
    tensor = np.zeros((3, 3))
    if element is not None:
        for i, j in zip(*np.triu_indices(3), strict=True):
            key = f"i{'xyz'[i]}{'xyz'[j]}"
            tensor[i, j] = tensor[j, i] = float(element.get(key, "0"))
    moments, turn = principal(tensor)
    quat = np.empty(4)
    mujoco.mju_mulQuat(quat, frame.quat, turn)
    return Body(weight, moments, MujocoFrame(frame.xyz, quat))


def _as_taken(inertia: Inertia | None) -> Body:
    """Return the body that the model uses in place of an impossible one."""
    if inertia is None:
        return Body(0.0, np.zeros(3), _HERE)
    moments, quat = principal(np.asarray(inertia.tensor))
    return Body(inertia.mass, moments, MujocoFrame(np.asarray(inertia.com), quat))


def _joint(element: _Element) -> Hinge:
    kind, limit = element.get("type", ""), element.find("limit")
    axis = element.find("axis")
    ends, ratings = (-math.inf, math.inf), (math.inf, math.inf)
    if limit is not None and kind in (*HINGES, *SLIDES):
        lower, upper, velocity, effort = (
            float(limit.get(key, "").strip() or "0")
            for key in ("lower", "upper", "velocity", "effort")
        )
        ratings = velocity or math.inf, effort or math.inf
        if kind != "continuous" and not (lower <= -LARGEST_NUMBER and upper >= LARGEST_NUMBER):
            ends = lower, upper
    return Hinge(
        name=element.get("name", ""),
        kind=kind,
        parent=_link_of(element, "parent"),
        child=_link_of(element, "child"),
        frame=_frame(element),
        axis=np.array([1.0, 0.0, 0.0]) if axis is None else _numbers(axis, "xyz"),
        range=ends,
        ratings=ratings,
    )


def _link_of(joint: _Element, which: str) -> str:
    element = joint.find(which)
    return "" if element is None else element.get("link", "").strip()


def _frame(element: _Element) -> MujocoFrame:
    origin, quat = element.find("origin"), np.empty(4)
    if origin is None:
        return _HERE
    # about the fixed x, then y, then z: capital letters in MuJoCo
    mujoco.mju_euler2Quat(quat, _numbers(origin, "rpy"), "XYZ")
    return MujocoFrame(_numbers(origin, "xyz"), quat)


def _numbers(element: _Element, key: str) -> Array:
    words = (element.get(key) or "0 0 0").split()
    return np.array([float(word) for word in words])
