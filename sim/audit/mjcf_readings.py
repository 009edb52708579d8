"""Readings of an MJCF file, with the torques missing in programs that do not read a law."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from sim.audit.mjcf_features import mjcf_features_in
from sim.audit.other_programs import of_robot_at_states
from sim.audit.pybullet_reading import pybullet_inertias
from sim.audit.reading_facts import MJCF_FEATURES, REFUSED
from sim.audit.reading_torques import TorqueDifference
from sim.audit.readings import FeatureReading
from sim.audit.states import StateSamples
from sim.dynamics import newton_euler
from sim.maths.arrays import Array
from sim.robots.guarded_file import read_regular_file
from sim.robots.inertia import Inertia
from sim.robots.mjcf.compiled import Compiled, compile_file
from sim.robots.robot import Robot
from sim.robots.xml_text import parse
from sim.shapes.surface import LARGEST_FILE

if TYPE_CHECKING:
    from lxml.etree import _Element

OWN = "MuJoCo"
WITH_INVERSE = ("PyBullet", "Pinocchio", "Drake")  # programs whose inverse dynamics were measured

# Torque of a law in MuJoCo, for all its degrees of freedom.
_LAWS: Mapping[str, Callable[[Any, Any], Array]] = {
    "armature": lambda model, data: model.dof_armature * data.qacc,
    "armature-motor": lambda model, data: model.dof_armature * data.qacc,
    "damping": lambda model, data: data.qfrc_damper,
    "damping-powers": lambda model, data: data.qfrc_damper,
    "frictionloss": lambda model, data: model.dof_frictionloss * np.sign(data.qvel),
    "spring": lambda model, data: data.qfrc_spring,
    "gravcomp": lambda model, data: data.qfrc_gravcomp,
}


def mjcf_readings(
    path: Path, robot: Robot, states: StateSamples | None, text: str
) -> tuple[FeatureReading, ...]:
    """Return programs' readings of an MJCF file, and their torque differences from MuJoCo's.

    Parameters
    ----------
    path : Path
    robot : Robot
        Robot of the file.
    states : StateSamples or None
        States of the comparison; without them there are no differences.
    text : str
        Text of the file.
    """
    compiled, root = compile_file(path), parse(text, str(path))
    features = mjcf_features_in(root, compiled)
    torques: dict[str, dict[str, TorqueDifference]] = {key: {} for key in features}
    if states is not None:
        for key, names in features.items():
            torques[key] = _differences(key, names, compiled, robot, states)
        for key, word, lacking in _masses(path, root, compiled, features):
            torque = _rigid_torques(robot, states) - _rigid_torques(lacking(robot), states)
            torques[key] = _by_reading(key, torque, robot, word)
    return tuple(
        FeatureReading(MJCF_FEATURES[key], names, torques[key]) for key, names in features.items()
    )


Lacking = Callable[[Robot], Robot]


def _masses(
    path: Path, root: _Element, compiled: Compiled, features: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, Lacking]]:
    """Features that other programs read as another mass: key, reading, and resulting robot."""
    for key, word, bodies in (
        ("several-trees", "left out", features.get("several-trees", ())),
        ("frame", "left out", _names(root.iterfind(".//frame//body"))),
        ("replicate", "left out", _copies(root, compiled)),
        ("include", "left out", _included_names(path.parent, root)),
        ("mesh-mass", "0 kg", ()),
    ):
        links = {link for body in bodies for link in _bodies_below(compiled, body)}
        links |= set(features.get(key, ())) if word == "0 kg" else set()
        if key in features and links:
            yield key, word, partial(_without_inertias, links)
    for key in {"geom-mass", "default-mass"} & features.keys():
        at_body = [n for n, name in enumerate(compiled.bodies) if name in features[key]]
        if any(compiled.offset(n).any() for n in at_body):
            continue  # PyBullet's frames are those of bodies, and the robot's those of joints
        if held := pybullet_inertias(path):
            inertias = {name: held[name] for name in features[key] if name in held}
            yield key, "1000 kg/m³ at the origin", partial(_with_inertias, inertias)
    if "total-mass" in features:
        mujoco = import_module("mujoco")
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compiler.settotalmass = -1
        plain = np.sum(spec.compile().body_mass) / np.sum(compiled.model.body_mass)
        yield "total-mass", "ignored", partial(_scale_masses, float(plain))


def _names(bodies: Iterable[_Element]) -> list[str]:
    return [body.get("name", "") for body in bodies]


def _copies(root: _Element, compiled: Compiled) -> list[str]:
    """Names of the bodies that MuJoCo makes of those in ``<replicate>``, which get numbers."""
    copied = [name for name in _names(root.iterfind(".//replicate//body")) if name]

    def is_copy(name: str, of: str) -> bool:
        number = name[len(of) :]
        is_number = number[-1:].isdigit() and not any(c.isalpha() for c in number)
        return name.startswith(of) and is_number

    return [name for name in compiled.bodies if any(is_copy(name, of) for of in copied)]


def _included_names(folder: Path, root: _Element) -> list[str]:
    """Return the names of bodies in files that are included where bodies are."""
    names = list[str]()
    for one in root.iterfind("worldbody//include"):
        text = read_regular_file(folder / one.get("file", ""), LARGEST_FILE).decode()
        names += _names(parse(text, one.get("file", "")).iter("body"))
    return names


def _with_inertias(held: Mapping[str, tuple[float, Array, Array]], robot: Robot) -> Robot:
    """The robot with other inertias of some links."""
    links = (
        structs.replace(link, inertia=Inertia(*held[link.name])) if link.name in held else link
        for link in robot.links
    )
    return replace(robot, links=tuple(links))


def _bodies_below(compiled: Compiled, body: str) -> Iterator[str]:
    """Names of a body and of all that it carries."""
    carried = set[int]()
    for k, name in enumerate(compiled.bodies):
        if name == body or int(compiled.model.body_parentid[k]) in carried:
            carried.add(k)
            yield name


def _without_inertias(links: Collection[str], robot: Robot) -> Robot:
    """The robot with nothing in some links."""
    return replace(
        robot,
        links=tuple(
            structs.replace(x, inertia=None) if x.name in links else x for x in robot.links
        ),
    )


def _scale_masses(factor: float, robot: Robot) -> Robot:
    """The robot with all masses times a factor."""
    links = [
        link
        if (one := link.inertia) is None
        else structs.replace(link, inertia=Inertia(factor * one.mass, one.com, factor * one.tensor))
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


def _rigid_torques(robot: Robot, states: StateSamples) -> Array:
    return np.asarray(newton_euler.inverse_dynamics(robot, states.q, states.qd, states.qdd))


def _by_reading(
    key: str, torque: Array, robot: Robot, word: str | None = None
) -> dict[str, TorqueDifference]:
    """The largest of torques (n, N) for programs that read a feature otherwise than MuJoCo.

    Only for those that read it as `word`, if that is given.
    """
    worst = np.abs(torque).max(axis=1, initial=0.0)
    row = int(np.argmax(worst))
    unit = robot.coordinates[row].units.effort
    one = TorqueDifference(float(worst[row]), unit, robot.row_names[row])
    by_program = MJCF_FEATURES[key].by_program
    right = (by_program[OWN], REFUSED)
    readers = {name: by_program[name] for name in WITH_INVERSE}
    return {
        x: one for x, has in readers.items() if (has not in right if word is None else has == word)
    }


def _differences(
    key: str, names: Sequence[str], compiled: Compiled, robot: Robot, states: StateSamples
) -> dict[str, TorqueDifference]:
    """Return the missing torques of programs whose reading of a law differs from MuJoCo's."""
    if key not in _LAWS:
        return {}
    torque = of_robot_at_states(compiled, robot, states, _LAWS[key])
    if key.startswith("armature"):
        torque[[row.joint not in names for row in robot.coordinates]] = 0.0
    return _by_reading(key, torque, robot)
