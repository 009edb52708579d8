"""A robot as SDF, for Drake and Gazebo.

Each joint is expressed in its parent link, and the child link in the joint. Links without mass that
are fixed to their link are frames; two joints with such a link between them become a universal
joint or a screw if possible.
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from sim.conversion.sdf_pairs import is_universal, pitch_of, title
from sim.conversion.written import (
    Written,
    carriers,
    relative,
    rotor_of,
    shapes_of,
    spring_of,
    unsaid_laws,
)
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, rpy_from_rotation
from sim.recording.files.named_file import MARK
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from sim.robots.urdf_elements import MOMENTS, number_text
from sim.shapes.visuals import Visual

WORLD = "world"
DRAKE = "http://drake.mit.edu"
KINDS = {"spherical": "ball"}
LOOPS = {"point": "ball", "hinge": "revolute", "slider": "prismatic", "fixed": "fixed"}
CLOSED = 1e-9  # m, rad: tolerance of a loop at zero


def sdf_text(robot: Robot, out: Path) -> Written:
    """Return the SDF of a robot; `out` is its file, for paths of meshes."""
    return _Writer(robot, out).write()


class _Writer:
    def __init__(self, robot: Robot, out: Path) -> None:
        self.robot, self.out = robot, out
        self.omissions: list[str] = []
        self.shapes = shapes_of(robot, self.omissions)
        self.carrying = carriers(robot)
        self.links = {link.name: link for link in robot.links}
        self.used_names: set[str] = {WORLD}
        self.names: dict[tuple[str, str], str] = {}
        self.places: dict[str, tuple[str, int]] = {}
        self.absorbed: dict[str, tuple[str, float]] = {}
        self.cut: list[str] = []
        self.root = Element("sdf", {"version": "1.11", "xmlns:drake": DRAKE})
        self.model = SubElement(self.root, "model", name=_plain(robot.name))

    def write(self) -> Written:
        robot = self.robot
        base = robot.links[0].name
        pairs, seconds = dict[str, Joint](), set[str]()
        for joint in robot.joints:
            if joint.name not in seconds and (second := self._second(joint)) is not None:
                pairs[joint.name] = second
                seconds.add(second.name)
        primary = [joint for joint in robot.joints if joint.name not in seconds]
        for joint in primary:  # joints keep their names, by which they are driven; links may not
            if not self._is_frame(joint.child):
                self._name("joint", title(joint, pairs.get(joint.name)))
        for link in robot.links[int(base == WORLD) :]:
            self._name("link", link.name)
        if base != WORLD:
            self._add_link(base, None)
            weld = SubElement(self.model, "joint", name=self._name("joint", "fixed_to_world"))
            weld.set("type", "fixed")
            _text(weld, "parent", WORLD)
            _text(weld, "child", self._name("link", base))
        else:
            self.names["link", base] = WORLD
            if self.links[base].inertia is not None or base in self.shapes:
                self.omissions.append(f"link {WORLD!r}: mass and shapes, which never move")
        for joint in primary:
            if (second := pairs.get(joint.name)) is None:
                self._add_joint(joint)
            else:
                self._add_pair(joint, second)
        for loop in robot.loops:
            self._add_loop(loop)
        laws = unsaid_laws(robot, springs=True, rotors=True, speeds=True)
        ElementTree.indent(self.root)
        text = ElementTree.tostring(self.root, encoding="unicode")
        head = f'<?xml version="1.0"?>\n<!-- {MARK.decode()} -->\n'
        omissions = (*self.omissions, *laws)
        return Written(f"{head}{text}\n", self.places, self.absorbed, tuple(self.cut), omissions)

    def _name(self, kind: str, name: str) -> str:
        """Return a unique name in the file, without ``::``, for a link, joint or frame."""
        key = (kind, name)
        if key not in self.names:
            unique = stem = _plain(name)
            count = 2
            while unique in self.used_names:
                unique = f"{stem}_{kind}" if count == 2 else f"{stem}_{kind}_{count}"
                count += 1
            self.used_names.add(unique)
            self.names[key] = unique
            if unique != name:
                self.omissions.append(f"{kind} {name!r}: it is called {unique!r}")
        return self.names[key]

    def _second(self, joint: Joint) -> Joint | None:
        """Return the joint that forms one SDF joint with another, through a massless link."""
        link = self.links[joint.child]
        behind = [one for one in self.robot.joints if one.parent == joint.child]
        if link.inertia is not None or link.name in self.shapes or len(behind) != 1:
            return None
        (second,) = behind
        is_at_one_place = np.allclose(second.T_pc, np.eye(4), rtol=0, atol=1e-12)
        if not (is_at_one_place and joint.is_movable and second.is_movable):
            return None
        return second if is_universal(joint, second) or pitch_of(joint, second) else None

    def _is_frame(self, link: str) -> bool:
        """Whether a link is a frame on the link that carries it: no mass, fixed.

        The world has no frames of a model; a massless link on it becomes a static link.
        """
        joint = self.carrying.get(link)
        is_fixed = joint is not None and not joint.is_movable and joint.parent != WORLD
        return is_fixed and self.links[link].inertia is None

    def _carrier(self, link: str) -> tuple[str, Array]:
        """Return the link in the file that contains a link, and its pose in that link."""
        T = pose()
        while self._is_frame(link):
            joint = self.carrying[link]
            T, link = joint.T_pc @ T, joint.parent
        return link, T

    def _add_joint(self, joint: Joint) -> None:
        if self._is_frame(joint.child):
            self._add_frame(joint)
            return
        element = self._start(joint, joint.child, KINDS.get(joint.kind, joint.kind), joint.name)
        if joint.kind not in ("fixed", "spherical"):
            self._add_axis(element, "axis", joint)
        elif joint.damping:
            self.omissions.append(f"joint {joint.name!r}: the damping of a ball")
        self._add_link(joint.child, element.get("name"))

    def _add_frame(self, joint: Joint) -> None:
        carrier, T = self._carrier(joint.child)
        on = self.names["link", carrier]
        element = SubElement(self.model, "frame", name=self._name("link", joint.child))
        element.set("attached_to", on)
        _pose(element, T)

    def _add_pair(self, first: Joint, second: Joint) -> None:
        pitch = pitch_of(first, second)
        name = title(first, second)
        element = self._start(first, second.child, "screw" if pitch else "universal", name)
        joint_name = str(element.get("name"))
        if pitch:
            self._add_axis(element, "axis", second)
            _text(element, "screw_thread_pitch", repr(2 * math.pi * pitch))
            self.absorbed[first.name] = (second.name, pitch)
            self.places[second.name] = (joint_name, 0)
        else:
            for number, (tag, one) in enumerate((("axis", first), ("axis2", second))):
                self._add_axis(element, tag, one)
                self.places[one.name] = (joint_name, number)
        self._add_link(second.child, joint_name)

    def _start(self, joint: Joint, child: str, kind: str, name: str) -> Element:
        element = SubElement(self.model, "joint", name=self._name("joint", name), type=kind)
        if element.get("name") != joint.name:
            self.places[joint.name] = (str(element.get("name")), 0)
        carrier, T = self._carrier(joint.parent)
        on = self.names["link", carrier]
        _text(element, "parent", on)
        _text(element, "child", self.names["link", child])
        _pose(element, T @ joint.T_pc, "__model__" if on == WORLD else on)
        return element

    def _add_axis(self, element: Element, tag: str, joint: Joint) -> None:
        axis = SubElement(element, tag)
        _text(axis, "xyz", number_text(joint.axis))
        limit, limits = SubElement(axis, "limit"), joint.limits
        ends = {"lower": limits.lower, "upper": limits.upper}
        if joint.kind != "continuous":
            for key, value in ends.items():
                _text(
                    limit, key, repr(value if math.isfinite(value) else math.copysign(1e16, value))
                )
        for key, value in (("effort", limits.effort), ("velocity", limits.velocity)):
            _text(limit, key, repr(value) if math.isfinite(value) else "-1")
        dynamics, spring = SubElement(axis, "dynamics"), spring_of(joint)
        _text(dynamics, "damping", repr(joint.damping + (spring.damping if spring else 0.0)))
        _text(dynamics, "friction", repr(joint.friction))
        if spring is not None:
            _text(dynamics, "spring_reference", repr(spring.free_position))
            _text(dynamics, "spring_stiffness", repr(spring.stiffness))
        if (drive := rotor_of(joint)) is not None:
            _text(element, "drake:rotor_inertia", repr(drive.rotor_inertia))
            _text(element, "drake:gear_ratio", repr(drive.ratio))
        if joint.mimic is not None and element.get("type") != "screw":
            self._add_mimic(element, axis, joint)

    def _add_mimic(self, element: Element, axis: Element, joint: Joint) -> None:
        """Add the format's own element, and Drake's, which does not read the former."""
        if (mimic := joint.mimic) is None:
            return
        leader, number = self.places.get(mimic.joint, (_plain(mimic.joint), 0))
        leader = self.names.get(("joint", mimic.joint), leader)
        of = "axis2" if number else "axis"
        follows = SubElement(axis, "mimic", joint=leader, axis=of)
        numbers = (("multiplier", mimic.multiplier), ("offset", mimic.offset), ("reference", 0.0))
        for key, value in numbers:
            _text(follows, key, repr(value))
        if not number:
            SubElement(
                element, "drake:mimic", {"joint": leader} | {k: repr(v) for k, v in numbers[:2]}
            )

    def _add_link(self, name: str, joint: str | None) -> None:
        link, inertia = self.links[name], self.links[name].inertia
        element = SubElement(self.model, "link", name=self._name("link", name))
        if joint is not None:
            _text(element, "pose", "0 0 0 0 0 0").set("relative_to", joint)
        inertial = SubElement(element, "inertial")
        if inertia is None:  # the format's default body is 1 kg with the unit tensor
            is_still = joint is None or not self.carrying[name].is_movable
            mass, tensor = ("1.0", np.eye(3)) if is_still else ("0.0", np.zeros((3, 3)))
            _text(inertial, "mass", mass)
            fixed = ", which never moves" if is_still else ""
            text = f"SDF has no link without mass; written: {float(mass):g} kg{fixed}"
            self.omissions.append(f"link {link.name!r}: {text}")
        else:
            _pose(inertial, pose(np.eye(3), inertia.com))
            _text(inertial, "mass", repr(inertia.mass))
            tensor = inertia.tensor
        moments = SubElement(inertial, "inertia")
        for key, value in zip(MOMENTS, tensor[np.triu_indices(3)], strict=True):
            _text(moments, key, repr(float(value)))
        self._add_shapes(element, name)

    def _add_shapes(self, link: Element, name: str) -> None:
        frames = [one for one in self.shapes if self._carrier(one)[0] == name]
        shapes = [(self._carrier(one)[1], *each) for one in frames for each in self.shapes[one]]
        for number, (T, role, shape) in enumerate(shapes):
            element = SubElement(link, role, name=f"{role}_{number}")
            _pose(element, T @ shape.T_lv)
            self._add_geometry(SubElement(element, "geometry"), shape)
            if shape.rgba is not None and role == "visual":
                material = SubElement(element, "material")
                for tag in ("ambient", "diffuse"):
                    _text(material, tag, number_text(shape.rgba))

    def _add_geometry(self, geometry: Element, shape: Visual) -> None:
        element = SubElement(geometry, shape.shape)
        if shape.shape == "mesh" and shape.path is not None:
            _text(element, "uri", relative(shape.path, self.out))
            _text(element, "scale", number_text(shape.scale))
        elif shape.shape == "box":
            _text(element, "size", number_text(shape.size))
        else:
            for tag, value in zip(("radius", "length"), shape.size, strict=False):
                _text(element, tag, repr(value))

    def _add_loop(self, loop: Loop) -> None:
        """Add a joint that closes a loop, defined by the poses of its links at zero."""
        zero = np.zeros(len(self.robot.coordinates))
        ends = [
            frame_pose(self.robot, zero, link) @ pose(R, point)
            for link, point, R in (
                (loop.link_a, loop.point_a, loop.frame_a),
                (loop.link_b, loop.point_b, loop.frame_b),
            )
        ]
        if loop.kind not in LOOPS:
            self.omissions.append(f"loop {loop.name!r}: SDF has no joint of kind {loop.kind}")
            return
        gap = inverse_pose(ends[0]) @ ends[1]
        turned = gap[:3, 2] if loop.kind == "hinge" else gap[:3, :3]
        same = np.eye(3)[:, 2] if loop.kind == "hinge" else np.eye(3)
        if np.abs(gap[:3, 3]).max() > CLOSED or (
            loop.kind != "point" and np.abs(turned - same).max() > CLOSED
        ):
            text = "SDF states a loop by positions 0, in which it is open"
            self.omissions.append(f"loop {loop.name!r}: {text}")
            return
        if loop.normal is not None:
            text = "points are kept together along its normal too"
            self.omissions.append(f"loop {loop.name!r}: {text}")
        joint = SubElement(self.model, "joint", name=self._name("joint", loop.name))
        joint.set("type", LOOPS[loop.kind])
        for tag, link in (("parent", loop.link_a), ("child", loop.link_b)):
            _text(joint, tag, self.names["link", self._carrier(link)[0]])
        carrier, T = self._carrier(loop.link_b)
        R = loop.frame_b if loop.kind != "point" else np.eye(3)
        on = self.names["link", carrier]
        _pose(joint, T @ pose(R, loop.point_b), "__model__" if on == WORLD else on)
        if loop.kind in ("hinge", "slider"):
            _text(SubElement(joint, "axis"), "xyz", "0 0 1")
        self.cut.append(str(joint.get("name")))


def _plain(name: str) -> str:
    return name.replace("::", "__")


def _text(element: Element, tag: str, text: str) -> Element:
    child = SubElement(element, tag)
    child.text = text
    return child


def _pose(element: Element, T: Array, relative_to: str = "") -> None:
    node = _text(element, "pose", number_text((*T[:3, 3], *rpy_from_rotation(T[:3, :3]))))
    if relative_to:
        node.set("relative_to", relative_to)
