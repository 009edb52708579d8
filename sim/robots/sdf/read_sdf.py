"""Robots from SDF files, the format of Gazebo and Drake.

Joint positions are zero in the configuration of the file. A link's frame is at its joint's
axis, with the orientation of the link in the file; the base is fixed to the world, and ``<frame>``
elements are links without mass. Everything else in the file is listed by name in `Robot.repairs`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from msgspec import structs

from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.chains import PART_OF
from sim.robots.document import Node
from sim.robots.drive_train import DriveTrain
from sim.robots.joint import Mimic
from sim.robots.loop import Loop
from sim.robots.repair import Repair
from sim.robots.sdf.sdf_bodies import add_shapes, inertia_of
from sim.robots.sdf.sdf_frames import WORLD, Frames, frames_of
from sim.robots.sdf.sdf_joints import Axis, SdfJoint, joint_of, unknown_parts
from sim.robots.sdf.sdf_models import ModelScope, is_static, scopes_of
from sim.robots.sdf.sdf_tree import Branch, branches_of, loops_of, offsets_of
from sim.robots.sdf.sdf_values import child, is_true, pose_of, refusal, relative_to, text_of, vector
from sim.robots.translated_robot import (
    GRAVITY,
    NO_SUCH_SHAPE,
    TranslatedRobot,
    drives_of_leaders,
    gravity_left_out,
    leader_of,
)
from sim.robots.urdf_elements import (
    add_fixed_joint,
    add_inertial,
    add_joint,
    add_losses,
    number_text,
)

KNOWN = {
    "model": frozenset(
        "link joint frame pose static self_collide allow_auto_disable enable_wind include model "
        "placement_frame".split()
    ),
    "link": frozenset(
        "pose inertial visual collision gravity self_collide must_be_base_link enable_wind".split()
    ),
    "joint": frozenset(
        "parent child pose axis axis2 physics thread_pitch screw_thread_pitch drake:mimic "
        "drake:rotor_inertia drake:gear_ratio".split()
    ),
}
"""Elements that are read, or that no torque of a robot depends on."""


def read_sdf(path: Path, text: str, model: str | None = None) -> TranslatedRobot:
    """Read a robot from an SDF file.

    Parameters
    ----------
    path, text : Path, str
        The file and its text.
    model : str, optional
        Model of a file with several (default: the only one).

    Raises
    ------
    ModelError
        If the file has no such model, or something in it is missing or impossible; the message
        gives the line.
    """
    return _Reader(path, text, model).robot()


class _Reader:
    def __init__(self, path: Path, text: str, model: str | None) -> None:
        self.path, self.folder = path, path.parent.resolve()
        self.scopes, self.unread = scopes_of(path, text, model)
        self.frames: Frames = frames_of(self.scopes)
        self.links: dict[str, Node] = {}
        self.scope_of: dict[str, ModelScope] = {}
        self.joints: list[SdfJoint] = []
        self.joint_names: set[str] = set()
        self.omissions: list[Repair] = []
        self.root = Element("robot")

    def robot(self) -> TranslatedRobot:
        top = self.scopes[0]
        for scope in self.scopes:
            if is_static(scope):
                raise scope.node.error("it is static: none of its joints moves")
            for name, node in scope.children("link"):
                self.links[name], self.scope_of[name] = node, scope
        for scope in self.scopes:
            for name, node in scope.children("joint"):
                self._read_joint(scope, name, node)
        branches = branches_of(self.links, self.joints)
        if not any(one.joint is not None and one.joint.kind != "fixed" for one in branches):
            raise refusal(str(self.path), "it has no joint that moves; a robot has at least one")
        offsets = offsets_of(branches, self.frames)
        loops, others = loops_of(self.joints, branches, self.frames, offsets)
        self.root.set("name", text_of(top.placing, "name") or top.node.element.get("name", "sdf"))
        SubElement(self.root, "link", name=WORLD)
        for branch in branches:
            self._add_branch(branch, offsets)
        self._add_frames(offsets)
        for joint in others:
            self._leave(f"joint {joint.name!r}", f"a {joint.kind} joint closes a loop", "no loop")
        self._name_the_rest()
        ElementTree.indent(self.root)
        axes = [axis for one in branches if one.joint is not None for axis in one.joint.axes]
        mimics = {axis.row: mimic for axis in axes if (mimic := self._mimic(axis)) is not None}
        return TranslatedRobot(
            ElementTree.tostring(self.root, encoding="unicode"),
            {axis.row: axis.spring for axis in axes if axis.spring is not None},
            drives_of_leaders(self._drives(branches, loops, mimics), mimics),
            tuple(loops),
            tuple(self.omissions),
            {
                joint.name: joint.drive.reflected_inertia
                for joint in self.joints
                if joint.drive is not None
            },
        )

    def _read_joint(self, scope: ModelScope, name: str, node: Node) -> None:
        if (joint := joint_of(scope, name, node, self.frames, self.links)) is None:
            kind = f"its type is {node.element.get('type')!r}, a coupling of other joints"
            self._leave(f"joint {name!r}", kind, "none")
        else:
            self.joints.append(joint)
            self.joint_names |= {joint.name, *(axis.row for axis in joint.axes)}

    def _add_branch(self, branch: Branch, offsets: Mapping[str, Array]) -> None:
        child_, parent = branch.child, branch.parent
        T = inverse_pose(self._pose(parent, offsets)) @ self._pose(child_, offsets)
        joint, xyz, R = branch.joint, T[:3, 3], T[:3, :3]
        if joint is None:
            add_fixed_joint(self.root, self.joint_names, parent, child_, xyz, R)
            says = "no joint joins it to the world, in which it would float"
            self._leave(f"link {child_!r}", says, "fixed to the world where the file has it")
        elif not joint.axes:
            kind = "fixed" if joint.kind == "fixed" else "spherical"
            add_joint(self.root, joint.name, kind, parent, child_, xyz, R)
        else:
            self._add_axes(joint, branch, xyz, R)
        self._add_link(child_, offsets[child_])

    def _add_axes(self, joint: SdfJoint, branch: Branch, xyz: Array, R: Array) -> None:
        """Add the joints of a joint of the file, with links without mass between them."""
        sign = -1.0 if branch.is_reversed else 1.0
        R_wc = self.frames.pose(branch.child)[:3, :3]
        axes = joint.axes[::-1] if branch.is_reversed else joint.axes
        motions = [(axis, axis.row, joint.kind) for axis in axes]
        if joint.kind == "screw":
            motions = [(axes[0], f"{joint.name}.slide", "slide"), *motions]
        carrier = branch.parent
        for axis, row, kind in motions:
            is_last = (axis, row, kind) == motions[-1]
            link = branch.child if is_last else f"{branch.child}.{row}"
            is_slide = kind in ("prismatic", "slide")
            has_ends = axis.lower > -math.inf or axis.upper < math.inf
            name = "prismatic" if is_slide else "revolute" if has_ends else "continuous"
            element = add_joint(self.root, row, name, carrier, link, xyz, R)
            if not is_last:
                element.set(PART_OF, branch.child)
                SubElement(self.root, "link", name=link)
            SubElement(element, "axis", xyz=number_text(sign * R_wc.T @ axis.direction))
            if kind == "slide":
                _add_limit(element, axis, endless=True)
                ratio = repr(joint.pitch / (2 * math.pi))
                SubElement(element, "mimic", joint=joint.name, multiplier=ratio, offset="0.0")
            else:
                self._complete(element, axis, is_slide=is_slide)
            carrier, xyz, R = link, np.zeros(3), np.eye(3)

    def _complete(self, element: Element, axis: Axis, *, is_slide: bool) -> None:
        """Write range, losses and leader of a joint."""
        if axis.effort == 0 and axis.leader is None:
            reading = "a joint without a rating; a scenario states what drives it"
            self._leave(f"joint {axis.row!r}", "its effort is 0: no motor drives it", reading)
        _add_limit(element, axis, endless=is_slide)
        add_losses(element, axis.damping, axis.friction)
        if (mimic := self._mimic(axis)) is not None:
            numbers = {"multiplier": repr(mimic.multiplier), "offset": repr(mimic.offset)}
            SubElement(element, "mimic", {"joint": mimic.joint, **numbers})

    def _drives(
        self, branches: Sequence[Branch], loops: Sequence[Loop], mimics: Mapping[str, Mimic]
    ) -> dict[str, DriveTrain]:
        """Return rotors by joint, without those of joints that loops move."""
        passive = {name for loop in loops for name in loop.passive}
        drives = dict[str, DriveTrain]()
        for joint in (one.joint for one in branches):
            if joint is None or joint.drive is None:
                continue
            if leader_of(joint.name, mimics)[0] not in passive:
                drives[joint.name] = joint.drive
                continue
            armature = f"it follows others and has a rotor, {joint.drive.reflected_inertia:g}"
            self._leave(f"joint {joint.name!r}", armature, "no rotor")
        return drives

    def _mimic(self, axis: Axis) -> Mimic | None:
        """Return the joint of the robot that an axis follows, with multiplier and offset."""
        if axis.leader is None:
            return None
        name, of, mimic = axis.leader
        joint = next((one for one in self.joints if one.name == name), None)
        number = int(of == "axis2")
        if joint is None or number >= len(joint.axes):
            raise axis.node.error(f"it follows {of} of joint {name!r}, and there is none")
        return structs.replace(mimic, joint=joint.axes[number].row)

    def _add_link(self, name: str, offset: Array) -> None:
        node, scope = self.links[name], self.scope_of[name]

        def place(shape: Node) -> Array:
            return self._pose_in_link(scope, name, shape)

        link, body = SubElement(self.root, "link", name=name), inertia_of(node, place)
        if body.mass == 0:
            text = "its mass is 0, which the format does not allow"
            self._leave(f"link {name!r}", text, "a frame without mass and inertia")
        add_inertial(link, body.mass, body.com - offset, body.tensor)
        for shape, kind in add_shapes(node, link, offset, place, self.folder, scope.folders):
            self._leave(f"link {name!r}", f"its {shape} has the shape {kind!r}", NO_SUCH_SHAPE)
        if text_of(node, "gravity", "true").lower() in ("false", "0"):
            force, at = (0.0, 0.0, body.mass * GRAVITY), tuple((body.com - offset).tolist())
            self._leave(
                f"link {name!r}",
                "gravity does not act on it",
                f"its weight; in a scenario add sim.Force({name!r}, {force=}, {at=})",
            )
        if is_true(node, "kinematic"):
            self._leave(f"link {name!r}", "it is kinematic: a program moves it", "a body")

    def _add_frames(self, offsets: Mapping[str, Array]) -> None:
        """Add the frames of the file as links without mass."""
        for scope in self.scopes:
            for name, node in scope.children("frame"):
                link = self.frames.link(
                    self.frames.find(scope, node.element.get("name", ""), node), self.links
                )
                T = inverse_pose(self._pose(link, offsets)) @ self.frames.pose(name)
                add_fixed_joint(self.root, self.joint_names, link, name, T[:3, 3], T[:3, :3])
                SubElement(self.root, "link", name=name)

    def _pose_in_link(self, scope: ModelScope, link: str, shape: Node) -> Array:
        """Return the pose of a shape in the frame of its link in the file, shape (4, 4)."""
        if (where := child(shape, "pose")) is None or not (base := relative_to(where)):
            return pose_of(where)
        T_wb = self.frames.pose(self.frames.find(scope, base, where))
        return inverse_pose(self.frames.pose(link)) @ T_wb @ pose_of(where)

    def _pose(self, link: str, offsets: Mapping[str, Array]) -> Array:
        """Return the pose of a link of the URDF in the world, shape (4, 4)."""
        return self.frames.pose(link) @ pose(np.eye(3), offsets[link])

    def _name_the_rest(self) -> None:
        place = self.scopes[0].placing
        world = place.element.getparent()
        gravity = None if world is None else child(Node(world, place.source, "world"), "gravity")
        if gravity is not None and (other := gravity_left_out("SDF", vector(gravity).tolist())):
            self.omissions.append(other)
        for name in self.unread:
            self._leave(f"<include> {name!r}", "no model of that name can be read", "none")
        for scope in self.scopes:
            nodes = [("model", scope.prefix.rstrip(":") or "", scope.node)]
            for tag in ("link", "joint"):
                nodes += [(tag, name, node) for name, node in scope.children(tag)]
            for tag, name, node in nodes:
                for part, its_name in unknown_parts(node, KNOWN):
                    if part == "kinematic":
                        continue
                    owner = f"{tag} {name!r}" if name else tag
                    what = f"its <{part}> {its_name!r}" if its_name else f"its <{part}>"
                    self._leave(owner, f"{what} is not read", "none")

    def _leave(self, part: str, says: str, reading: str) -> None:
        why = "a robot has no such element"
        self.omissions.append(Repair("left out", f"SDF {part}", says, reading, (), why))


def _add_limit(element: Element, axis: Axis, *, endless: bool) -> None:
    """Add the ``<limit>`` of a joint; a single missing end is 1e16, as in the format."""
    ends = axis.lower, axis.upper
    limit = {
        key: repr(value if math.isfinite(value) else 0.0)
        for key, value in (("effort", axis.effort), ("velocity", axis.velocity))
    }
    if endless or any(map(math.isfinite, ends)):
        lower, upper = (end if math.isfinite(end) else math.copysign(1e16, end) for end in ends)
        limit |= {"lower": repr(lower), "upper": repr(upper)}
    SubElement(element, "limit", limit)
