"""Bodies, joints and shapes of a compiled model, written as links and joints of a URDF.

The frame of a link is at the anchor of the body's last joint, with the orientation of the body, so
that each joint coordinate is MuJoCo's own qpos, even if the file has a ``ref``. Several joints of
one body form a chain of links without mass, and a free joint becomes three slides along the axes of
the world and a ball.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from sim.maths.arrays import Array
from sim.robots.chains import PART_OF
from sim.robots.joint import Mimic
from sim.robots.mjcf.compiled import BALL, FREE, HINGE, SLIDE, Compiled, rotation_wxyz
from sim.robots.mjcf.joint_laws import JointLaw
from sim.robots.urdf_elements import (
    add_fixed_joint,
    add_inertial,
    add_joint,
    add_losses,
    add_origin,
    number_text,
)

SHAPES = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box", 7: "mesh"}
"""Shapes that a URDF has, by MuJoCo's number of the kind."""
SOLIDS_LEFT_OUT = {4: "ellipsoid", 8: "signed distance field"}
"""Solids that a URDF does not have."""
UNLIMITED = 1e6  # [m] range of a slide without one, since a URDF requires it
SHOWN_GROUPS = 3  # MuJoCo's viewer shows shapes of groups below this number


def urdf_text(
    compiled: Compiled, laws: Mapping[str, JointLaw], mimics: Mapping[str, Mimic], folder: Path
) -> str:
    """Return the URDF text of a compiled model.

    Parameters
    ----------
    laws, mimics : mapping of str to JointLaw, Mimic
        By joint name.
    folder : Path
        Base folder of mesh file names.
    """
    return _BodyWriter(compiled, laws, mimics, folder).text()


def shapes_left_out(compiled: Compiled) -> dict[str, list[str]]:
    """Return the body of each solid shape that the URDF lacks, by kind of shape."""
    model, bodies = compiled.model, dict[str, list[str]]()
    for g in range(int(model.ngeom)):
        if (kind := _shape_left_out(model, g)) is not None and int(model.geom_bodyid[g]):
            bodies.setdefault(kind, []).append(compiled.bodies[int(model.geom_bodyid[g])])
    return bodies


def _shape_left_out(model: Any, g: int) -> str | None:
    """Return the kind of a solid shape that a URDF cannot have; None if it can, or of a surface."""
    kind = int(model.geom_type[g])
    if SHAPES.get(kind) == "mesh" and int(model.mesh_pathadr[model.geom_dataid[g]]) < 0:
        return "mesh without a file"
    return SOLIDS_LEFT_OUT.get(kind)


class _BodyWriter:
    def __init__(
        self,
        compiled: Compiled,
        laws: Mapping[str, JointLaw],
        mimics: Mapping[str, Mimic],
        folder: Path,
    ) -> None:
        self.compiled, self.laws, self.mimics, self.folder = compiled, laws, mimics, folder
        self.root, self.joint_names = Element("robot"), set(compiled.joints)

    def text(self) -> str:
        model = self.compiled.model
        self.root.set("name", bytes(model.names).split(b"\0", 1)[0].decode() or "mjcf")
        SubElement(self.root, "link", name="world")
        self._add_shapes(self.root[0], 0)
        for body in range(1, model.nbody):
            self._add_body(body)
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode")

    def _add_body(self, body: int) -> None:
        model, joints = self.compiled.model, self.compiled.joints_of(body)
        name, parent = self.compiled.bodies[body], int(model.body_parentid[body])
        carrier, at = self.compiled.bodies[parent], self.compiled.offset(parent)
        xyz, R = model.body_pos[body] - at, rotation_wxyz(model.body_quat[body])
        if not joints:
            add_fixed_joint(self.root, self.joint_names, carrier, name, xyz, R)
        elif model.jnt_type[joints[0]] == FREE:
            # qpos of a free joint is the pose in the world, not relative to the body's position
            self._add_free(self.compiled.joints[joints[0]], carrier, name, -at)
        else:
            self._add_chain(joints, carrier, name, xyz, R)
        link = SubElement(self.root, "link", name=name)
        self._add_inertial(link, body)
        self._add_shapes(link, body)

    def _add_chain(self, joints: range, carrier: str, name: str, xyz: Array, R: Array) -> None:
        """Add the joints of a body in sequence, with links without mass between them."""
        model, reached = self.compiled.model, np.zeros(3)
        for j in joints:
            kind, joint, axis = int(model.jnt_type[j]), self.compiled.joints[j], model.jnt_axis[j]
            anchor = reached if kind == SLIDE else model.jnt_pos[j]
            place, turned = xyz + R @ (anchor - reached), R
            if kind in (HINGE, SLIDE) and (ref := model.qpos0[model.jnt_qposadr[j]]):
                if kind == SLIDE:
                    place = place - ref * (R @ axis)
                else:
                    half = -0.5 * ref
                    turned = R @ rotation_wxyz([np.cos(half), *np.sin(half) * axis])
            is_last = j == joints[-1]
            child = name if is_last else f"{name}.{joint}"
            element = add_joint(self.root, joint, self._kind(j), carrier, child, place, turned)
            if not is_last:
                element.set(PART_OF, name)
                SubElement(self.root, "link", name=child)
            self._complete(element, j)
            carrier, reached, xyz, R = child, anchor, np.zeros(3), np.eye(3)

    def _kind(self, j: int) -> str:
        model = self.compiled.model
        kind = int(model.jnt_type[j])
        if kind == BALL:
            return "spherical"
        if kind == SLIDE:
            return "prismatic"
        return "revolute" if model.jnt_limited[j] else "continuous"

    def _complete(self, element: Element, j: int) -> None:
        """Write axis, range, losses and leader of a joint."""
        model, name = self.compiled.model, self.compiled.joints[j]
        law, kind = self.laws[name], int(model.jnt_type[j])
        if kind != BALL:
            SubElement(element, "axis", xyz=number_text(model.jnt_axis[j]))
            lower, upper = -UNLIMITED, UNLIMITED
            if model.jnt_limited[j]:
                lower, upper = model.jnt_range[j]
            limit = {"effort": repr(law.effort), "velocity": "0"}
            if kind == SLIDE or model.jnt_limited[j]:
                limit |= {"lower": repr(float(lower)), "upper": repr(float(upper))}
            SubElement(element, "limit", limit)
        add_losses(element, law.damping, law.friction)
        if (mimic := self.mimics.get(name)) is not None:
            numbers = {"multiplier": repr(mimic.multiplier), "offset": repr(mimic.offset)}
            SubElement(element, "mimic", {"joint": mimic.joint, **numbers})

    def _add_free(self, joint: str, carrier: str, name: str, xyz: Array) -> None:
        law = self.laws[joint]
        for letter, axis in zip("xyz", np.eye(3), strict=True):
            slide = f"{joint}.slide_{letter}"
            element = add_joint(self.root, slide, "prismatic", carrier, slide, xyz, np.eye(3))
            element.set(PART_OF, name)
            SubElement(element, "axis", xyz=number_text(axis))
            ends = {"lower": repr(-UNLIMITED), "upper": repr(UNLIMITED)}
            SubElement(element, "limit", ends | {"effort": "0", "velocity": "0"})
            add_losses(element, law.damping, 0.0)
            SubElement(self.root, "link", name=slide)
            carrier, xyz = slide, np.zeros(3)
        element = add_joint(self.root, f"{joint}.ball", "spherical", carrier, name, xyz, np.eye(3))
        add_losses(element, law.damping, 0.0)

    def _add_inertial(self, link: Element, body: int) -> None:
        model = self.compiled.model
        if not (mass := float(model.body_mass[body])) > 0.0:
            return
        R = rotation_wxyz(model.body_iquat[body])
        tensor = R @ np.diag(model.body_inertia[body]) @ R.T
        com = model.body_ipos[body] - self.compiled.offset(body)
        add_inertial(link, mass, com, tensor)

    def _add_shapes(self, link: Element, body: int) -> None:
        """Write visible and collision shapes; the latter are visible if no others are."""
        model, first = self.compiled.model, int(self.compiled.model.body_geomadr[body])
        geoms = [
            g
            for g in range(first, first + int(model.body_geomnum[body]))
            if _shape_left_out(model, g) is None and int(model.geom_type[g]) in SHAPES
        ]
        touching = {g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]}
        shown = [g for g in geoms if int(model.geom_group[g]) < SHOWN_GROUPS]
        for g in [g for g in shown if g not in touching] or shown:
            self._add_visual(link, g)
        for g in sorted(touching):
            self._add_shape(link, "collision", g)

    def _add_visual(self, link: Element, g: int) -> None:
        model, rgba = self.compiled.model, self.compiled.model.geom_rgba[g]
        if (material := int(model.geom_matid[g])) >= 0:
            rgba = model.mat_rgba[material]
        shape = self._add_shape(link, "visual", g)
        colour = SubElement(shape, "material", name=f"colour_{g}")
        SubElement(colour, "color", rgba=number_text(rgba))

    def _add_shape(self, link: Element, role: str, g: int) -> Element:
        model, element = self.compiled.model, SubElement(link, role)
        kind, size = SHAPES[int(model.geom_type[g])], model.geom_size[g]
        xyz = model.geom_pos[g] - self.compiled.offset(int(model.geom_bodyid[g]))
        R, numbers = rotation_wxyz(model.geom_quat[g]), dict[str, str]()
        if kind == "mesh":
            mesh = int(model.geom_dataid[g])
            # MuJoCo shifted and rotated the points of the file
            R = R @ rotation_wxyz(model.mesh_quat[mesh]).T
            xyz = xyz - R @ model.mesh_pos[mesh]
            numbers = {"filename": self._file(mesh), "scale": number_text(model.mesh_scale[mesh])}
        elif kind == "box":
            numbers = {"size": number_text(2.0 * size)}
        else:
            numbers = {"radius": repr(float(size[0]))}
            if kind != "sphere":
                numbers["length"] = repr(float(2.0 * size[1]))
        add_origin(element, xyz, R)
        SubElement(SubElement(element, "geometry"), kind, numbers)
        return element

    def _file(self, mesh: int) -> str:
        begin = int(self.compiled.model.mesh_pathadr[mesh])
        path = Path(bytes(self.compiled.model.paths)[begin:].split(b"\0", 1)[0].decode())
        path = self.folder / path
        return str(path.relative_to(self.folder) if path.is_relative_to(self.folder) else path)
