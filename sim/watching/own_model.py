"""The robot of a compiled MuJoCo model, and other moving bodies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import EngineError
from sim.robots.chains import FLOATING
from sim.robots.loading import read_urdf
from sim.robots.loose_ends import end_of
from sim.robots.mjcf.compiled import FREE, compiled_of
from sim.robots.mjcf.equalities import Equalities
from sim.robots.mjcf.read_mjcf import mjcf_robot
from sim.robots.robot import Robot
from sim.robots.xml_text import parse, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

SOURCE = "the MuJoCo model"


def robot_of_model(model: Any) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot of a compiled model, and free bodies that are not part of it.

    A free body with joints is the base of a robot. All joints are independent: MuJoCo's equality
    constraints are forces, not couplings.

    Raises
    ------
    EngineError
        If only free bodies without joints move.
    """
    compiled = compiled_of(model)
    mjcf = mjcf_robot(compiled, SOURCE, Path.cwd(), Equalities())
    root = parse(mjcf.text, SOURCE)
    loose = tuple(
        compiled.bodies[model.jnt_bodyid[j]]
        for j in range(model.njnt)
        if model.jnt_type[j] == FREE and _take_out(root, compiled.joints[j])
    )
    if loose and all(joint.get("type") == "fixed" for joint in root.iterchildren("joint")):
        raise EngineError(
            f"All that moves in the MuJoCo model is free ({', '.join(loose)}): there is no robot "
            "with joints to judge"
        )
    text = text_of(root)
    return mjcf.complete(read_urdf(text, source=f"{SOURCE}, as URDF")), loose


def _take_out(root: _Element, free: str) -> bool:
    """Remove a body on a free joint from a URDF with all fixed parts; not if it has joints."""
    below: dict[str, list[_Element]] = {}
    for joint in root.iterchildren("joint"):
        below.setdefault(end_of(joint, "parent"), []).append(joint)
    links = {link.get("name", ""): link for link in root.iterchildren("link")}
    chain = {f"{free}.{motion}" for motion in FLOATING}
    first = f"{free}.{FLOATING[0]}"
    carried = [joint for joint in root.iterchildren("joint") if joint.get("name") == first]
    for joint in carried:  # grows
        carried += below.get(end_of(joint, "child"), ())
    if any(one.get("type") != "fixed" and one.get("name") not in chain for one in carried):
        return False
    for joint in carried:
        root.remove(links[end_of(joint, "child")])
        root.remove(joint)
    return True
