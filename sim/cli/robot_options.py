"""Options about a robot in several commands: tool frame, mounting, reading of its file."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import add_repeated, number
from sim.cli.repairs import say_repairs
from sim.errors import ScenarioError, in_one_line

if TYPE_CHECKING:
    from sim.recording.recording import Recording
    from sim.robots import Robot
    from sim.scenario.scenario import Scenario

# Position [m] and roll, pitch, yaw [rad] of the root link in the world.
MOUNTS = {
    "floor": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "wall": (0.0, 0.0, 0.0, 0.0, math.pi / 2, 0.0),
    "ceiling": (0.0, 0.0, 0.0, math.pi, 0.0, 0.0),
}
SAME_PLACE = 1e-4  # [m, rad]: rounding of six typed numbers
# Larger numbers are rounded by more than 1e-10 rad or m, too coarse for a position.
LARGEST = 1e6


def add_mount_option(command: argparse._ActionsContainer) -> None:
    """Add ``--mount``; its value is a word, six numbers, or None by default."""
    command.add_argument(
        "--mount",
        type=_mount,
        metavar="floor|wall|ceiling|X Y Z ROLL PITCH YAW",
        help="pose of the root link in the world: floor (z up), wall (z along the world's x, x "
        "down), ceiling (z down), or position [m] and fixed-axis roll, pitch, yaw [rad] (default: "
        "floor)",
    )


def add_tool_options(command: argparse._ActionsContainer, *, link: bool = True) -> None:
    """Add ``--tool`` and ``--tcp``; `link` is false if another option names the link."""
    if link:
        command.add_argument(
            "--tool", metavar="LINK", help="link of the tool frame (default: the robot's tool)"
        )
    command.add_argument(
        "--tcp",
        type=_offset,
        metavar="X Y Z [ROLL PITCH YAW]",
        help="offset of the tool frame from its link: position [m], fixed-axis roll, pitch, yaw "
        "[rad] (default: 0)",
    )


def _mount(text: str) -> str | list[float]:
    """Return a word of `MOUNTS`, or six numbers as typed."""
    known = ", ".join(MOUNTS)
    return text if text in MOUNTS else _numbers(text, f"{known}, or X Y Z ROLL PITCH YAW", 6)


def _offset(text: str) -> list[float]:
    """Return three or six numbers as typed."""
    return _numbers(text, "X Y Z, or X Y Z ROLL PITCH YAW", 3, 6)


def _numbers(text: str, what: str, *counts: int) -> list[float]:
    try:
        numbers = [number(word) for word in text.split()]
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"must be {what}: {error}") from None
    if len(numbers) not in counts:
        raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}")
    if large := [value for value in numbers if not abs(value) <= LARGEST]:
        raise argparse.ArgumentTypeError(
            f"must be finite numbers up to {LARGEST:g} m or rad; got {large[0]:g}"
        )
    return numbers


def add_reading_options(command: argparse._ActionsContainer) -> None:
    """Add the options ``--xacro`` and ``--model``."""
    add_repeated(
        command, "--xacro", "NAME=VALUE", "value of an <xacro:arg> in a xacro file; repeatable"
    )
    command.add_argument(
        "--model",
        metavar="NAME",
        help="model of an SDF file with several models (default: the only one)",
    )


def add_meshes_option(command: argparse._ActionsContainer) -> None:
    """Add the option ``--meshes-below``, which `sim.cli.command` applies to the whole command."""
    command.add_argument(
        "--meshes-below",
        metavar="FOLDER",
        help="refuse meshes outside this folder (default: read all meshes; print a note for those "
        "outside the robot file's folder)",
    )


def report_mesh_folders(recordings: Iterable[Recording]) -> None:
    """Print the folders outside the working folder from which meshes of runs are read.

    The description of a run names the folder, and a run may come from another user.
    """
    for folder in dict.fromkeys(
        one.run.robot.mesh_folder for one in recordings if "<mesh" in (one.urdf or "")
    ):
        if folder is not None and not Path(folder).resolve().is_relative_to(Path.cwd()):
            sys.stderr.write(
                in_one_line(
                    f"sim: meshes are read from {folder}, which run.json names; "
                    "--meshes-below FOLDER refuses meshes outside FOLDER"
                )
                + "\n"
            )


def load_robot_from(
    options: argparse.Namespace, name: str, *, tool: str | None = None, with_repairs: bool = True
) -> Robot:
    """Return the robot of a name or file, read by a command's options; notes go to stderr.

    Parameters
    ----------
    options : Namespace
        Those of ``tcp``, ``mount``, ``xacro``, ``model``, ``strict`` and ``degrees`` that the
        command has.
    name : str
    tool : str, optional
        Link of the tool frame (default: the robot's own).
    with_repairs : bool
        Print repairs of the URDF.

    Raises
    ------
    ModelError
        If the robot cannot be read, or has no such link.
    ScenarioError
        If a value of ``--xacro`` is malformed.
    """
    from sim.robots import load_robot

    robot = load_robot(
        name,
        tool=tool,
        xacro=xacro_values(options),
        model=getattr(options, "model", None),
        strict=getattr(options, "strict", False),
    )
    if with_repairs:
        say_repairs(robot.repairs)
    return with_options(robot, options)


def arguments_of(options: argparse.Namespace) -> dict[str, object]:
    """Return the arguments of ``sim.load_robot`` with the names of options."""
    return {
        "tool": options.tool,
        "tcp": options.tcp,
        "xacro": xacro_values(options),
        "model": options.model,
    }


def with_options(robot: Robot, options: argparse.Namespace, *, tool: str | None = None) -> Robot:
    """Return a robot with the typed tool frame and mounting."""
    tcp = getattr(options, "tcp", None)
    robot = robot.with_tool(tool, None if tcp is None else _in_radians(tcp, options))
    if robot.tool_note:
        sys.stderr.write(f"sim: {robot.name}: {robot.tool_note}\n")
    return mounted_at(robot, mount_of(options))


def mounted_at(robot: Robot, place: Sequence[float] | None) -> Robot:
    """Return a robot at a typed mounting, which must be that of a script, if it mounts the robot.

    Raises
    ------
    ScenarioError
        If it is mounted elsewhere.
    """
    import numpy as np

    if place is None:
        return robot
    if not np.array_equal(robot.T_0b, np.eye(4)):
        require_mount(robot, place, "omit --mount, or change the script")
    return robot.mounted(place[:3], place[3:])


def require_mount(robot: Robot, place: Sequence[float] | None, remedy: str) -> None:
    """Check that a robot has the typed ``--mount``, if one is typed.

    Raises
    ------
    ScenarioError
        If it is mounted elsewhere.
    """
    import numpy as np

    from sim.maths.rotations import rpy_from_rotation

    if place is None:
        return
    there, T = robot.mounted(place[:3], place[3:]).T_0b, robot.T_0b
    if np.allclose(T, there, rtol=0.0, atol=SAME_PLACE):
        return
    mount = (*T[:3, 3], *rpy_from_rotation(T[:3, :3]))
    typed, mounted = (" ".join(f"{x + 0.0:.4g}" for x in numbers) for numbers in (place, mount))
    raise ScenarioError(
        f"--mount {typed} contradicts the mounting of robot {robot.name!r}: {mounted} (position "
        f"[m] and roll, pitch, yaw [rad]); {remedy}"
    )


def with_mount(scenario: Scenario, options: argparse.Namespace) -> Scenario:
    """Return the scenario with its robot mounted as typed.

    Raises
    ------
    ScenarioError
        If the scenario mounts it elsewhere.
    """
    from dataclasses import replace

    place = mount_of(options)
    robot = mounted_at(scenario.robot, place)
    return scenario if place is None else replace(scenario, robot=robot)


def mount_of(options: argparse.Namespace) -> tuple[float, ...] | None:
    """Return position [m] and roll, pitch, yaw [rad] of ``--mount``; None by default."""
    if (typed := getattr(options, "mount", None)) is None:
        return None
    return MOUNTS[typed] if isinstance(typed, str) else tuple(_in_radians(typed, options))


def _in_radians(numbers: Sequence[float], options: argparse.Namespace) -> list[float]:
    """Return position and angles as typed; angles in degrees if ``--degrees`` is given."""
    angles = numbers[3:]
    if getattr(options, "degrees", False):
        angles = [math.radians(angle) for angle in angles]
    return [*numbers[:3], *angles]


def xacro_values(options: argparse.Namespace) -> dict[str, str] | None:
    """Return values by the name of their ``<xacro:arg>``; None if none was typed.

    Raises
    ------
    ScenarioError
        If one is not of the form NAME=VALUE.
    """
    values: dict[str, str] = {}
    for word in getattr(options, "xacro", []):
        name, equals, value = word.partition("=")
        if not (equals and name.strip()):
            raise ScenarioError(f"--xacro must be NAME=VALUE; got {word!r}")
        values[name.strip()] = value
    return values or None
