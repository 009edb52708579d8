"""A robot file written in another format, with its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sim.conversion.certificate import STATES, Certificate, certify
from sim.conversion.original import SUFFIXES, Format, Original, load_original
from sim.conversion.programs import PROGRAMS
from sim.conversion.write_adams import adams_text
from sim.conversion.write_mjcf import mjcf_text
from sim.conversion.write_sdf import sdf_text
from sim.conversion.write_urdf import urdf_text
from sim.conversion.written import Written
from sim.errors import ModelError
from sim.recording.files.named_file import require_place, write_named
from sim.robots.mjcf.compiled import compile_file
from sim.robots.robot import Robot

KIND = ".robot"
"""How files are named to `write_named`: as robot files, which have our mark in them."""


def format_of(out: Path) -> Format:
    """Format of a file that is to be written, by its ending.

    Raises
    ------
    ModelError
        If it has none of them.
    """
    kind = SUFFIXES.get(out.suffix.lower())
    if kind is None:
        known = ", ".join(f"{suffix} ({one})" for suffix, one in SUFFIXES.items())
        raise ModelError(f"{out}: its ending must be one of {known}")
    return kind


def require_reader(name: str, kind: Format) -> str:
    """Key of `PROGRAMS` of a program that is named to judge a file.

    Raises
    ------
    ModelError
        If there is no such program here, it is not installed, or it does not read the format.
    """
    program = PROGRAMS.get(name.lower())
    if program is None:
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
    """Write a robot file in the format that the ending of `out` names, and compare the two.

    Parameters
    ----------
    name_or_path : str or Path
        URDF, MJCF, SDF, xacro or ``.adm`` file, or a shipped robot.
    out : Path
        ``.urdf``, ``.xml`` (MJCF), ``.sdf`` or ``.adm``.
    reader : str, optional
        The program that judges the file (default: that of its format).
    model : str, optional
        Which model of an SDF file that has several.
    xacro : mapping of str to str, optional
        Values of the ``<xacro:arg>`` of a template.
    merge_fixed : bool
        Of MJCF: let MuJoCo merge links that fixed joints carry.
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
    written = _write(original, out, kind, merge_fixed=merge_fixed)
    return certify(original, written, out, kind, reader=reader, count=count)


def kind_of(out: Path) -> str:
    """How `write_named` knows a file of ours."""
    return ".adm" if out.suffix.lower() == ".adm" else KIND


def _write(original: Original, out: Path, kind: Format, *, merge_fixed: bool) -> Written:
    robot = original.robot
    if kind == "MJCF":
        return _write_mjcf(robot, out, merge_fixed=merge_fixed)
    if kind == "SDF":
        written = sdf_text(robot, out)
    elif kind == "URDF":
        written = urdf_text(robot, out)
    else:
        written = adams_text(robot)
    write_named(out, written.text.encode("utf-8"), kind_of(out))
    return written


def _write_mjcf(robot: Robot, out: Path, *, merge_fixed: bool) -> Written:
    """The file with its meshes, or without them if MuJoCo refuses them."""
    written = mjcf_text(robot, out, merge_fixed=merge_fixed)
    write_named(out, written.text.encode("utf-8"), KIND)
    reason = _refusal(out) if "<mesh " in written.text else ""
    if reason:
        bare = mjcf_text(robot, out, merge_fixed=merge_fixed, meshes=False)
        write_named(out, bare.text.encode("utf-8"), KIND)
        if not _refusal(out):
            omission = f"meshes, which MuJoCo refuses: {reason}"
            return replace(bare, omissions=(omission, *bare.omissions))
        write_named(out, written.text.encode("utf-8"), KIND)
    return written


def _refusal(file: Path) -> str:
    """Why MuJoCo refuses a file; empty if it does not, or is not installed."""
    if not PROGRAMS["mujoco"].is_installed:
        return ""
    try:
        compile_file(file)
    except ModelError as error:
        return str(error).partition("refuses it: ")[2]
    return ""
