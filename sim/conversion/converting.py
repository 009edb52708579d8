"""Conversion of a robot file to another format, with its certificate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from sim.conversion.certificate import STATES, Certificate, certify
from sim.conversion.original import SUFFIXES, Format, Original, load_original
from sim.conversion.programs import PROGRAMS
from sim.conversion.write_mjcf import mjcf_text
from sim.conversion.write_sdf import sdf_text
from sim.conversion.written import Written, unsaid_laws
from sim.decks.deck import channel_names
from sim.decks.statements import read_statements
from sim.errors import ModelError
from sim.motion.joint_motion import JointMotion
from sim.recording.files.named_file import MARK, require_place, write_named
from sim.reports.exports.adams_model import model_text
from sim.robots.chains import write_chains
from sim.robots.document import Node
from sim.robots.mending import mend
from sim.robots.mjcf.compiled import compile_file
from sim.robots.robot import Robot
from sim.robots.urdf_elements import add_inertial
from sim.robots.xml_text import text_of
from sim.scenario.scenario import Scenario
from sim.shapes.mesh_files import relocate_meshes
from sim.simulation.run import run

if TYPE_CHECKING:
    from lxml.etree import _Element

KIND = ".robot"
"""How files are named to `write_named`: as robot files, which have our mark in them."""
SHORT = 1e-6  # s; a deck contains only the state at the start


def format_of(out: Path) -> Format:
    """Return the format of a file to be written, by its suffix.

    Raises
    ------
    ModelError
        If the suffix is none of these.
    """
    if (kind := SUFFIXES.get(out.suffix.lower())) is None:
        known = ", ".join(f"{suffix} ({one})" for suffix, one in SUFFIXES.items())
        raise ModelError(f"{out}: its ending must be one of {known}")
    return kind


def require_reader(name: str, kind: Format) -> str:
    """Return the key in `PROGRAMS` of a program that is named to judge a file.

    Raises
    ------
    ModelError
        If there is no such program, it is not installed, or it does not read the format.
    """
    if (program := PROGRAMS.get(name.lower())) is None:
        known = ", ".join(one.name for one in PROGRAMS.values())
        raise ModelError(f"--for {name}: no such program; available: {known}")
    if not program.is_installed:
        raise ModelError(
            f"--for {name}: {program.name} is not installed; pip install {program.package}"
        )
    if kind not in program.torque:
        able = ", ".join(one.name for one in PROGRAMS.values() if kind in one.torque)
        raise ModelError(
            f"--for {name}: {program.name} does not read {kind}; programs that do: {able or 'none'}"
        )
    return name.lower()


def convert_robot(
    name_or_path: str | Path,
    out: Path,
    *,
    reader: str | None = None,
    model: str | None = None,
    xacro: Mapping[str, str] | None = None,
    merge_fixed: bool = False,
    count: int = STATES,
) -> Certificate:
    """Write a robot file in the format given by the suffix of `out`, and compare the two.

    Parameters
    ----------
    name_or_path : str or Path
        URDF, MJCF, SDF, xacro or ``.adm`` file, or a shipped robot.
    out : Path
        ``.urdf``, ``.xml`` (MJCF), ``.sdf`` or ``.adm``.
    reader : str, optional
        Program that judges the file (default: that of its format).
    model : str, optional
        Model of an SDF file that has several.
    xacro : mapping of str to str, optional
        Values of the ``<xacro:arg>`` of a template.
    merge_fixed : bool
        For MJCF: let MuJoCo merge links that are attached by fixed joints.
    count : int
        Number of states at which torques are compared.

    Raises
    ------
    SimError
        If the file cannot be read or written, there is no such format, or no such program.
    """
    kind = format_of(out)
    reader = None if reader is None else require_reader(reader, kind)
    require_place(out, kind_of(out))
    original = load_original(name_or_path, model=model, xacro=xacro)
    output = _write(original, out, kind, merge_fixed=merge_fixed)
    return certify(original, output, out, kind, reader=reader, count=count)


def kind_of(out: Path) -> str:
    """Return the marker by which `write_named` recognises our files."""
    return ".adm" if out.suffix.lower() == ".adm" else KIND


def _write(original: Original, out: Path, kind: Format, *, merge_fixed: bool) -> Written:
    robot = original.robot
    if kind == "MJCF":
        return _write_mjcf(robot, out, merge_fixed=merge_fixed)
    if kind == "SDF":
        output = sdf_text(robot, out)
    elif kind == "URDF":
        output = urdf_text(robot, out)
    else:
        output = adams_text(robot)
    write_named(out, output.text.encode("utf-8"), kind_of(out))
    return output


def _write_mjcf(robot: Robot, out: Path, *, merge_fixed: bool) -> Written:
    """Return the MJCF with its meshes, or without them if MuJoCo refuses them."""
    output = mjcf_text(robot, out, merge_fixed=merge_fixed)
    write_named(out, output.text.encode("utf-8"), KIND)
    reason = _refusal(out) if "<mesh " in output.text else ""
    if reason:
        bare = mjcf_text(robot, out, merge_fixed=merge_fixed, meshes=False)
        write_named(out, bare.text.encode("utf-8"), KIND)
        if not _refusal(out):
            omission = f"meshes, which MuJoCo refuses: {reason}"
            return replace(bare, omissions=(omission, *bare.omissions))
        write_named(out, output.text.encode("utf-8"), KIND)
    return output


def _refusal(file: Path) -> str:
    """Return why MuJoCo refuses a file; empty if it does not, or is not installed."""
    if not PROGRAMS["mujoco"].is_installed:
        return ""
    try:
        compile_file(file)
    except ModelError as error:
        return str(error).partition("refuses it: ")[2]
    return ""


def adams_text(robot: Robot) -> Written:
    """Return the deck of a robot at positions 0, with gravity and free joints."""
    motion = JointMotion.torque({}, free=robot.joint_names)
    scenario = Scenario(robot, motion, SHORT, dt=SHORT, method="adaptive")
    text = model_text(run(scenario), degrees=True, millimetres=False)
    names = channel_names(one for one in read_statements(text)[1] if one.keyword == "JOINT")
    places = {joint.name: (names[k], 0) for k, joint in enumerate(robot.tree_joints, start=1)}
    changed = {name: place for name, place in places.items() if place[0] != name}
    return Written(text, changed, omissions=tuple(_omissions(robot)))


def _omissions(robot: Robot) -> Iterator[str]:
    if "<visual" in robot.text or "<collision" in robot.text:
        yield "shapes"
    if any(row.limits.lower > -math.inf for row in robot.coordinates):
        yield "ranges and ratings of the joints"
    yield from unsaid_laws(robot, springs=True, rotors=False, speeds=False)


def urdf_text(robot: Robot, out: Path) -> Written:
    """Return the URDF of a robot; `out` is its file, for paths of meshes."""
    from lxml import etree

    source = f"robot {robot.name!r}"
    root = mend(robot.text, source)
    write_chains(Node(root, source, "robot"))
    _write_bodies(root, robot)
    if robot.folder is not None:
        list(relocate_meshes(root, robot.folder, out))
    root.insert(0, etree.Comment(f" {MARK.decode()} "))
    text = text_of(root)
    balls = (f"joint {joint.name!r}: URDF has no ball" for joint in robot.joints if joint.is_ball)
    loops = (f"loop {loop.name!r}: URDF has no loops" for loop in robot.loops)
    laws = unsaid_laws(robot, springs=False, rotors=False, speeds=True)
    omissions = tuple(f"{one}; written: spherical" for one in balls)
    return Written(
        f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', omissions=(*omissions, *loops, *laws)
    )


def _write_bodies(root: _Element, robot: Robot) -> None:
    """Write bodies as interpreted here, where the file differs, since other programs differ."""
    from lxml import etree

    repaired = {one.part for one in robot.repairs}
    bodies = {f"link {one.name!r}": one.inertia for one in robot.links}
    for link in root.iterchildren("link"):
        part = f"link {link.get('name')!r}"
        if part not in repaired or part not in bodies:
            continue
        for inertial in link.findall("inertial"):
            link.remove(inertial)
        if (body := bodies[part]) is not None:
            element = ElementTree.Element("link")
            add_inertial(element, body.mass, body.com, body.tensor)
            link.extend(etree.fromstring(ElementTree.tostring(element)))
