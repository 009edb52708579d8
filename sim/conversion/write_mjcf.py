"""A robot as MJCF, for MuJoCo and for readers of its files.

Bodies are at the links of the URDF and have their names. They have no defaults, classes and frames,
and ranges are in radians, since other readers of MJCF ignore those. Links without mass between
joints are not bodies: their joints belong to the body that they carry.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from sim.conversion.written import Written, relative, rotor_of, shapes_of, spring_of, unsaid_laws
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, quaternion_xyzw
from sim.recording.files.named_file import MARK
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from sim.robots.urdf_elements import number_text
from sim.shapes.visuals import Visual

WORLD = "world"
KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "spherical": "ball"}
LEAST_MOMENT = 1e-14  # kg·m²; MuJoCo treats a smaller one as zero
ROUNDING = 1e-12  # of the largest moment
MESHES = (".stl", ".obj", ".msh")  # supported by MuJoCo


def mjcf_text(
    robot: Robot, out: Path, *, merge_fixed: bool = False, meshes: bool = True
) -> Written:
    """Return the MJCF of a robot.

    Parameters
    ----------
    robot : Robot
    out : Path
        Its file, for paths of meshes.
    merge_fixed : bool
        Let MuJoCo merge links that are attached by fixed joints.
    meshes : bool
        Write meshes too.
    """
    return _Writer(robot, out, merge_fixed=merge_fixed, meshes=meshes).write()


class _Writer:
    def __init__(self, robot: Robot, out: Path, *, merge_fixed: bool, meshes: bool) -> None:
        self.robot, self.out, self.with_meshes = robot, out, meshes
        self.omissions: list[str] = []
        self.shapes = shapes_of(robot, self.omissions)
        self.children: dict[str, list[Joint]] = {}
        for joint in robot.joints:
            self.children.setdefault(joint.parent, []).append(joint)
        self.links = {link.name: link for link in robot.links}
        self.still = {robot.links[0].name}
        for joint in robot.joints:  # parents first
            if joint.parent in self.still and not joint.is_movable:
                self.still.add(joint.child)
        self.root = Element("mujoco", model=robot.name)
        SubElement(self.root, "compiler", {
            "angle": "radian", "autolimits": "false",
            "fusestatic": "true" if merge_fixed else "false", "discardvisual": "false",
        })  # fmt: skip
        SubElement(self.root, "option", gravity="0.0 0.0 -9.81")
        self.assets = SubElement(self.root, "asset")
        self.bodies: dict[str, Element] = {}
        self.meshes: dict[tuple[Path, tuple[float, ...]], str] = {}

    def write(self) -> Written:
        robot = self.robot
        world = SubElement(self.root, "worldbody")
        base = robot.links[0]
        if base.name == WORLD:
            self.bodies[WORLD] = world
            self._add_shapes(world, base.name)
            if base.inertia is not None:
                self.omissions.append(f"link {WORLD!r}: its mass, which never moves")
        else:
            self._add_body(world, base, pose(), [])
        for joint in self.children.get(base.name, ()):
            self._add_branch(self.bodies[base.name], joint)
        self._add_equalities()
        self._add_motors()
        if not len(self.assets):
            self.root.remove(self.assets)
        laws = unsaid_laws(robot, springs=True, rotors=True, speeds=False)
        ElementTree.indent(self.root)
        text = ElementTree.tostring(self.root, encoding="unicode")
        mark = f"<!-- {MARK.decode()} -->"
        return Written(
            f'<?xml version="1.0"?>\n{mark}\n{text}\n', omissions=(*self.omissions, *laws)
        )

    def _add_branch(self, parent: Element, joint: Joint) -> None:
        """Add the body carried by a joint, and all its descendants, without recursion."""
        waiting = [(parent, joint)]
        while waiting:
            carrier, first = waiting.pop()
            chain, T = [first], first.T_pc
            while self._is_between(chain[-1]):
                chain.append(self.children[chain[-1].child][0])
                T = T @ chain[-1].T_pc
            link = self.links[chain[-1].child]
            body = self._add_body(carrier, link, T, chain)
            waiting += [(body, one) for one in reversed(self.children.get(link.name, []))]

    def _is_between(self, joint: Joint) -> bool:
        """Whether a joint carries nothing but the next joint."""
        behind, name = self.children.get(joint.child, []), joint.child
        return (
            joint.is_movable
            and self.links[name].inertia is None
            and name not in self.shapes
            and len(behind) == 1
            and behind[0].is_movable
            and all(name not in (one.link_a, one.link_b) for one in self.robot.loops)
        )

    def _add_body(self, carrier: Element, link: Link, T: Array, chain: list[Joint]) -> Element:
        body = SubElement(carrier, "body", {"name": link.name} | _place(T))
        self.bodies[link.name] = body
        if link.inertia is not None:
            SubElement(body, "inertial", _inertial(self._body(link.inertia, link.name)))
        T_joint = pose()
        for joint in reversed(chain):  # each joint is expressed in the frame of the last body
            if joint.is_movable:
                body.insert(0, _joint(joint, inverse_pose(T_joint)))
            T_joint = joint.T_pc @ T_joint
        self._add_shapes(body, link.name)
        return body

    def _body(self, inertia: Inertia, link: str) -> Inertia:
        """Return the body of a link; MuJoCo refuses an impossible tensor also in a static link."""
        least, middle, largest = np.linalg.eigvalsh(inertia.tensor)
        is_possible = least + middle - largest > -ROUNDING * largest
        if is_possible or link not in self.still:
            return inertia
        self.omissions.append(f"link {link!r}: its impossible tensor; the link never moves")
        return replace(inertia, tensor=np.zeros((3, 3)))

    def _add_shapes(self, body: Element, link: str) -> None:
        for role, shape in self.shapes.get(link, ()):
            if (numbers := self._solid(shape, link)) is None:
                continue
            if role == "visual":
                numbers |= {"group": "2", "contype": "0", "conaffinity": "0"}
                if shape.rgba is not None:
                    numbers["rgba"] = number_text(shape.rgba)
            else:
                numbers["group"] = "3"
            SubElement(body, "geom", numbers | {"mass": "0.0"} | _place(shape.T_lv))

    def _solid(self, shape: Visual, link: str) -> dict[str, str] | None:
        if shape.shape == "mesh":
            if not self.with_meshes or shape.path is None:
                return None
            if shape.path.suffix.lower() not in MESHES:
                self.omissions.append(
                    f"link {link!r}: mesh {shape.path.name}, which is not an OBJ or STL file"
                )
                return None
            return {"type": "mesh", "mesh": self._mesh(shape.path, shape.scale)}
        size = shape.size
        if shape.shape == "box":
            return {"type": "box", "size": number_text(x / 2 for x in size)}
        if shape.shape == "sphere":
            return {"type": "sphere", "size": number_text(size)}
        return {"type": shape.shape, "size": number_text((size[0], size[1] / 2))}

    def _mesh(self, path: Path, scale: tuple[float, ...]) -> str:
        """Return the name of a mesh, which is an asset only once."""
        key = (path, scale)
        if key not in self.meshes:
            name = f"{path.stem}_{len(self.meshes)}"
            self.meshes[key] = name
            # "shell" accepts flat and open meshes; masses are given by the links
            numbers = {"name": name, "file": relative(path, self.out), "scale": number_text(scale)}
            SubElement(self.assets, "mesh", numbers | {"inertia": "shell"})
        return self.meshes[key]

    def _add_equalities(self) -> None:
        block = Element("equality")
        for joint in self.robot.tree_joints:
            if joint.limits.lower == joint.limits.upper:
                self.omissions.append(f"joint {joint.name!r}: a range without room")
            if (mimic := joint.mimic) is not None:
                powers = number_text((mimic.offset, mimic.multiplier, 0, 0, 0))
                numbers = {"joint1": joint.name, "joint2": mimic.joint, "polycoef": powers}
                SubElement(block, "joint", {"name": f"{joint.name}_follows"} | numbers)
        for loop in self.robot.loops:
            self._add_loop(block, loop)
        if len(block):
            self.root.append(block)

    def _add_loop(self, block: Element, loop: Loop) -> None:
        """Add a loop between two sites; MuJoCo supports a common point, or a common frame."""
        if loop.kind not in ("point", "fixed"):
            self.omissions.append(
                f"loop {loop.name!r}: MuJoCo has no constraint of kind {loop.kind}"
            )
            return
        if loop.normal is not None:
            text = "points are kept together along its normal too"
            self.omissions.append(f"loop {loop.name!r}: {text}")
        sites = []
        ends = (
            (loop.link_a, loop.point_a, loop.frame_a),
            (loop.link_b, loop.point_b, loop.frame_b),
        )
        for side, (link, point, R) in zip("ab", ends, strict=True):
            sites.append(f"{loop.name}_{side}")
            R_site = R if loop.kind == "fixed" else np.eye(3)
            SubElement(self.bodies[link], "site", {"name": sites[-1]} | _place(pose(R_site, point)))
        tag = "weld" if loop.kind == "fixed" else "connect"
        SubElement(block, tag, name=loop.name, site1=sites[0], site2=sites[1])

    def _add_motors(self) -> None:
        """Add a motor in each joint that can have one, as input for a program."""
        block = Element("actuator")
        passive = {name for loop in self.robot.loops for name in loop.passive}
        elements = {one.get("name"): one for one in self.root.iter("joint") if one.get("type")}
        for joint in self.robot.tree_joints:
            if joint.is_ball:
                continue
            if joint.mimic is not None or joint.name in passive:  # a rating without a motor
                if math.isfinite(most := joint.limits.effort):
                    elements[joint.name].set("actuatorfrcrange", number_text((-most, most)))
                    elements[joint.name].set("actuatorfrclimited", "true")
                continue
            drive = rotor_of(joint)
            gear = 1.0 if drive is None else drive.ratio
            numbers = {"name": joint.name, "joint": joint.name, "gear": repr(gear)}
            if math.isfinite(joint.limits.effort):
                most = joint.limits.effort / abs(gear)
                numbers |= {"ctrllimited": "true", "ctrlrange": number_text((-most, most))}
            SubElement(block, "motor", numbers)
        if len(block):
            self.root.append(block)


def _inertial(inertia: Inertia) -> dict[str, str]:
    """Return mass, centre and tensor: by principal axes if a moment is 0 or the sum of others.

    MuJoCo refuses such tensors as ``fullinertia``, also of static links, and compares moments to
    the last bit.
    """
    numbers = {"pos": number_text(inertia.com), "mass": repr(inertia.mass)}
    (least, middle, largest), axes = np.linalg.eigh(inertia.tensor)
    spare = least + middle - largest
    if least > LEAST_MOMENT and not abs(spare) <= ROUNDING * largest:
        sides = inertia.tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return numbers | {"fullinertia": number_text(sides)}
    least = max(least, 0.0)
    if abs(spare) <= ROUNDING * largest:
        largest = least + middle
    quaternion = _place(pose(axes * np.sign(np.linalg.det(axes))))["quat"]
    return numbers | {"quat": quaternion, "diaginertia": number_text((least, middle, largest))}


def _place(T: Array) -> dict[str, str]:
    """Return position and quaternion of a pose."""
    x, y, z, w = quaternion_xyzw(T[:3, :3, None])[:, 0]
    return {"pos": number_text(T[:3, 3]), "quat": number_text((w, x, y, z))}


def _joint(joint: Joint, T: Array) -> Element:
    """Return a joint, whose frame is at T in its body."""
    element = Element("joint", {"name": joint.name, "type": KINDS[joint.kind]})
    element.set("pos", number_text(T[:3, 3]))
    if not joint.is_ball:
        element.set("axis", number_text(T[:3, :3] @ joint.axis))
    if joint.limits.lower < joint.limits.upper < math.inf:
        element.set("limited", "true")
        element.set("range", number_text((joint.limits.lower, joint.limits.upper)))
    spring, drive = spring_of(joint), rotor_of(joint)
    damping = joint.damping + (0.0 if spring is None else spring.damping)
    if damping:
        element.set("damping", repr(damping))
    if joint.friction and not joint.is_ball:
        element.set("frictionloss", repr(joint.friction))
    if spring is not None:
        element.set("stiffness", repr(spring.stiffness))
        element.set("springref", repr(spring.free_position))
    if drive is not None:
        element.set("armature", repr(drive.reflected_inertia))
    return element
