"""Features of `sim.audit.reading_facts` in an MJCF file, with the bodies and joints that have them.

Most are read from MuJoCo's compiled model, which includes defaults and included files; spelling
and structure are read from the text of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.audit.reading_facts import MJCF_FEATURES
from sim.robots.mjcf.compiled import BALL, HINGE, SLIDE, Compiled
from sim.robots.mjcf.joint_laws import joint_actuators

if TYPE_CHECKING:
    from lxml.etree import _Element

_SHAPE_MASS = ("mass", "density")


def mjcf_features_in(root: _Element, compiled: Compiled) -> dict[str, tuple[str, ...]]:
    """Return names of the bodies and joints that have each feature, by key, in table order."""
    file = _File(root, compiled)
    by_key = {key: tuple(dict.fromkeys(_FINDERS[key](file))) for key in MJCF_FEATURES}
    return {key: names for key, names in by_key.items() if names}


class _File:
    """The text of a file and its compiled model."""

    def __init__(self, root: _Element, compiled: Compiled) -> None:
        self.root, self.compiled, self.model = root, compiled, compiled.model
        self.driven = {motor.joint for motor in joint_actuators(compiled)}

    def joints(self, has: Callable[[int, int], object]) -> Iterator[str]:
        """Yield names of joints whose index and first degree of freedom satisfy a predicate."""
        for j, name in enumerate(self.compiled.joints):
            if has(j, int(self.model.jnt_dofadr[j])):
                yield name

    def bodies(self) -> Iterator[_Element]:
        """Yield bodies in the text that move and have no ``<inertial>``."""
        names = zip(self.compiled.bodies, self.model.body_weldid, strict=True)
        still = {name for name, moved_with in names if moved_with == 0}
        for body in self.root.iter("body"):
            if body.find("inertial") is None and body.get("name") not in still:
                yield body

    def in_world(self, *tags: str) -> Iterator[_Element]:
        """Yield elements with these tags that form bodies."""
        for world in self.root.iterchildren("worldbody"):
            yield from world.iter(*tags)

    @property
    def has_default_mass(self) -> bool:
        """Whether a default class has a mass or density of geoms."""
        return any(
            geom.get(key) is not None
            for default in self.root.iterchildren("default")
            for geom in default.iter("geom")
            for key in _SHAPE_MASS
        )


def _name(element: _Element) -> str:
    """Return the name of an element or of its body, else ``robot``."""
    for one in (element, *element.iterancestors("body")):
        if one.get("name"):
            return str(one.get("name"))
    return "robot"


def _no_name(file: _File) -> Iterator[str]:
    if not file.root.get("model"):
        yield "robot"


def _auto_limits(file: _File) -> Iterator[str]:
    for one in file.in_world("joint"):
        if one.get("range") is not None and one.get("limited") in (None, "auto"):
            yield _name(one)


def _ref(file: _File) -> Iterator[str]:
    model = file.model
    return file.joints(
        lambda j, _: int(model.jnt_type[j]) in (HINGE, SLIDE) and model.qpos0[model.jnt_qposadr[j]]
    )


def _geom_mass(file: _File) -> Iterator[str]:
    for body in file.bodies():
        shapes = [one for one in body.iterchildren("geom") if one.get("type") != "mesh"]
        stated = any(one.get(key) is not None for one in shapes for key in _SHAPE_MASS)
        if shapes and (stated or not file.has_default_mass):
            yield _name(body)


def _default_mass(file: _File) -> Iterator[str]:
    for body in file.bodies() if file.has_default_mass else ():
        if any(all(g.get(k) is None for k in _SHAPE_MASS) for g in body.iterchildren("geom")):
            yield _name(body)


def _mesh_mass(file: _File) -> Iterator[str]:
    for body in file.bodies():
        if any(one.get("mesh") is not None for one in body.iterchildren("geom")):
            yield _name(body)


def _total_mass(file: _File) -> Iterator[str]:
    if any(one.get("settotalmass") for one in file.root.iterchildren("compiler")):
        yield "robot"


def _armature(*, driven: bool) -> Callable[[_File], Iterator[str]]:
    def find(file: _File) -> Iterator[str]:
        heavy = file.joints(lambda _, dof: file.model.dof_armature[dof])
        return (name for name in heavy if (name in file.driven) == driven)

    return find


def _of_dof(*fields: str) -> Callable[[_File], Iterator[str]]:
    """Return a function for joints with a nonzero field of MuJoCo's model, by degree of freedom."""
    return lambda file: file.joints(
        lambda _, dof: any(np.any(getattr(file.model, field)[dof]) for field in fields)
    )


def _two_joints(file: _File) -> Iterator[str]:
    numbers = np.flatnonzero(np.array(file.model.body_jntnum) > 1)
    return (file.compiled.bodies[b] for b in numbers)


def _trees(file: _File) -> Iterator[str]:
    """Yield bodies in the world that move, or that carry moving ones, after the first."""
    model = file.model
    roots = {int(model.body_rootid[model.jnt_bodyid[j]]) for j in range(int(model.njnt))}
    return (file.compiled.bodies[b] for b in sorted(roots)[1:])


def _elements(*tags: str) -> Callable[[_File], Iterator[str]]:
    return lambda file: (_name(one) for one in file.in_world(*tags))


def _equalities(*tags: str) -> Callable[[_File], Iterator[str]]:
    def find(file: _File) -> Iterator[str]:
        for block in file.root.iterchildren("equality"):
            for one in block.iterchildren(*tags):
                yield one.get("name") or one.get("joint1") or one.get("body1") or "robot"

    return find


def _gears(file: _File) -> Iterator[str]:
    model = file.model
    for motor in joint_actuators(file.compiled):
        if motor.gear != 1.0 or model.actuator_forcelimited[motor.number]:
            yield motor.joint


def _servos(file: _File) -> Iterator[str]:
    for motor in joint_actuators(file.compiled):
        if np.any(file.model.actuator_biasprm[motor.number]):
            yield motor.joint


_FINDERS: Mapping[str, Callable[[_File], Iterator[str]]] = {
    "no-name": _no_name,
    "no-type": lambda file: (
        _name(one) for one in file.in_world("joint") if one.get("type") is None
    ),
    "auto-limits": _auto_limits,
    "ref": _ref,
    "geom-mass": _geom_mass,
    "default-mass": _default_mass,
    "mesh-mass": _mesh_mass,
    "total-mass": _total_mass,
    "armature": _armature(driven=False),
    "armature-motor": _armature(driven=True),
    "damping": _of_dof("dof_damping"),
    "damping-powers": _of_dof("dof_dampingpoly"),
    "frictionloss": _of_dof("dof_frictionloss"),
    "spring": lambda file: file.joints(lambda j, _: file.model.jnt_stiffness[j]),
    "gravcomp": lambda file: (
        file.compiled.bodies[b] for b in np.flatnonzero(np.array(file.model.body_gravcomp))
    ),
    "two-joints": _two_joints,
    "ball": lambda file: file.joints(lambda j, _: int(file.model.jnt_type[j]) == BALL),
    "several-trees": _trees,
    "frame": _elements("frame"),
    "replicate": _elements("replicate"),
    "include": _elements("include"),
    "equality-joint": _equalities("joint"),
    "connect": _equalities("connect", "weld"),
    "gear": _gears,
    "servo": _servos,
}
