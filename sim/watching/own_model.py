"""The robot of a compiled MuJoCo model, and what moves in the model besides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import EngineError
from sim.robots.loading import read_urdf
from sim.robots.mjcf.compiled import FREE, compiled_of
from sim.robots.mjcf.read_mjcf import mjcf_robot
from sim.robots.robot import Robot
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

SOURCE = "the MuJoCo model"


def robot_of_model(model: Any) -> tuple[Robot, tuple[str, ...]]:
    """The robot of a compiled model, and the free bodies next to it that are no part of it.

    Raises
    ------
    EngineError
        If a free body carries joints, or nothing else moves.
    """
    from lxml import etree

    compiled = compiled_of(model)
    mjcf = mjcf_robot(compiled, SOURCE, Path.cwd())
    root = parse(mjcf.text, SOURCE)
    free = [j for j in range(model.njnt) if model.jnt_type[j] == FREE]
    loose = tuple(compiled.bodies[model.jnt_bodyid[j]] for j in free)
    for joint, body in zip(free, loose, strict=True):
        _take_out(root, compiled.joints[joint], body)
    if loose and all(joint.get("type") == "fixed" for joint in root.iterchildren("joint")):
        raise EngineError(
            f"All that moves in the MuJoCo model is free ({', '.join(loose)}): there is no robot "
            "with joints to judge"
        )
    text = etree.tostring(root, encoding="unicode")
    return mjcf.complete(read_urdf(text, source=f"{SOURCE}, as URDF")), loose


def _take_out(root: _Element, free: str, body: str) -> None:
    """Take a body on a free joint out of a URDF, with all that is fixed to it."""
    below: dict[str, list[_Element]] = {}
    for joint in root.iterchildren("joint"):
        below.setdefault(_end(joint, "parent"), []).append(joint)
    links = {link.get("name", ""): link for link in root.iterchildren("link")}
    first = f"{free}.slide_x"  # of the chain that stands for it
    waiting = [one for one in root.iterchildren("joint") if one.get("name") in (free, first)]
    while waiting:
        joint = waiting.pop()
        name = joint.get("name", "")
        if name != free and not name.startswith(f"{free}.") and joint.get("type") != "fixed":
            raise EngineError(
                f"Body {body!r} of the MuJoCo model is free and carries joint {name!r}: sim.watch "
                "judges robots on a fixed base. Weld it in the model, or watch a model of the arm "
                "alone"
            )
        waiting += below.get(_end(joint, "child"), ())
        root.remove(links[_end(joint, "child")])
        root.remove(joint)


def _end(joint: _Element, role: str) -> str:
    end = joint.find(role)
    return "" if end is None else end.get("link", "")
