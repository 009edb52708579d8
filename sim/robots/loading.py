"""Loading of robots by shipped name, path or text, with the adjacent card and loops files."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from sim import shipped
from sim.errors import ModelError, missing, unreadable
from sim.maths.arguments import checked
from sim.robots.guarded_file import read_toml
from sim.robots.robot import Robot
from sim.robots.spring import held_torques
from sim.robots.tool_frame import choose_tool
from sim.robots.urdf import read_tree
from sim.robots.xml_text import decode_text, is_mjcf, is_sdf, is_xacro

if TYPE_CHECKING:
    from sim.robots.card import Card
    from sim.robots.translated_robot import TranslatedRobot

# Folder of the running script; relative paths are resolved there before the working folder.
_SCRIPT_FOLDER: ContextVar[Path | None] = ContextVar("_SCRIPT_FOLDER", default=None)

LARGEST_FILE = 20_000_000  # bytes; far above any manually written description


@contextlib.contextmanager
def looking_in(folder: Path) -> Iterator[None]:
    """Resolve relative paths of robots in `folder`, then in the working folder."""
    token = _SCRIPT_FOLDER.set(folder.resolve())
    try:
        yield
    finally:
        _SCRIPT_FOLDER.reset(token)


def _beside_script(path: Path) -> Path:
    """Return the path in the running script's folder if it exists there, else unchanged."""
    above = _SCRIPT_FOLDER.get()
    return above / path if above is not None and (above / path).exists() else path


def shipped_robots() -> tuple[str, ...]:
    """Names of the robots that ship with the package, sorted."""
    return shipped.robot_names()


@checked
def load_robot(
    name_or_path: str | Path,
    *,
    tool: str | None = None,
    tcp: ArrayLike | None = None,
    xacro: Mapping[str, str] | None = None,
    model: str | None = None,
    strict: bool = False,
) -> Robot:
    """Load a shipped robot or a URDF, MJCF or SDF file, with its card and loops, if any.

    Parameters
    ----------
    name_or_path : str or Path
        ``"ur10"``, or the path of any URDF; in a scenario script a relative path is resolved in the
        script's folder, then in the working folder. The card is the ``.toml`` of the same name in
        the same folder, the loops are its ``.loops.toml``. A file called ``*.xacro`` is expanded
        first, which runs the Python expressions in it. MJCF is compiled by MuJoCo (the extra
        ``mujoco``); parts of MJCF or SDF that a robot cannot have are listed in `Robot.repairs`.
    tool : str, optional
        Link of the tool frame (default: from the card, otherwise the only moving leaf link; if
        there are several, the first of ``tool0``, ``flange``, ``ee_link``).
    tcp : array_like, shape (3,) or (6,), optional
        Offset of the tool frame from that link, as in `Robot.with_tool` [m, rad] (default: none).
    xacro : mapping of str to str, optional
        Values of the ``<xacro:arg>`` of a template.
    model : str, optional
        Model of an SDF file with several (default: the only one).
    strict : bool
        Repair nothing in the URDF: what would be one of `Robot.repairs` is an error.

    Raises
    ------
    ModelError
        If there is no such robot, a file cannot be read, URDF and card disagree, or there is no
        such tool.
    """
    path = _path(name_or_path)
    robot = _load(path, tool, xacro, model, strict=strict)
    robot = robot if is_xacro(path) else replace(robot, file=path)
    return robot if tcp is None else robot.with_tool(tcp=tcp)


def _load(
    path: Path,
    tool: str | None,
    xacro: Mapping[str, str] | None,
    model: str | None,
    *,
    strict: bool,
) -> Robot:
    """Return the robot without an offset of its tool."""
    text, source = _text(path), str(path)
    if is_xacro(path):
        from sim.robots.xacro_file import expand

        text, source = expand(path, xacro or {}), f"{path}, expanded"
        path = path.with_name(path.stem.removesuffix(".urdf") + ".urdf")  # names the adjacent files
    elif xacro:
        raise ModelError(f"{path} is not a *.xacro file: it has no template arguments")
    if (translated := translate(path, text, model)) is not None:
        text, source = translated.text, f"{path}, as URDF"
        if strict and translated.left_out:
            raise ModelError(f"{path}: {translated.left_out[0].text}")
    card = _card(path.with_suffix(".toml"))
    if tool is None and card is not None and card.tool is not None:
        tool = card.tool.link
    robot = read_urdf(text, folder=path.parent, tool=tool, source=source, strict=strict)
    if translated is not None:
        robot = translated.complete(robot)
    robot = _with_loops(robot, path.with_suffix(".loops.toml"))
    if card is None:
        return robot
    _check_card(card, robot, str(path.with_suffix(".toml")))
    robot = replace(robot, card=card)
    if card.friction_offset is not None:
        offsets = zip(card.joints, card.friction_offset.values, strict=True)
        robot = robot.with_springs(held_torques(dict(offsets)))
    return robot if card.drive is None else robot.with_drives(card.drive.of(card.joints))


def read_file(name_or_path: str | Path) -> tuple[Path, str]:
    """Return path and text of a shipped robot's URDF or of a file, without checks of the text.

    Raises
    ------
    ModelError
        If there is no such robot, or the file cannot be read.
    """
    path = _path(name_or_path)
    return path, _text(path)


def _path(name_or_path: str | Path) -> Path:
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix or os.sep in name_or_path:
        return _beside_script(path)
    names = shipped_robots()
    if name_or_path in names:
        return shipped.urdf() / f"{name_or_path}.urdf"
    near = difflib.get_close_matches(name_or_path.lower(), names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ModelError(
        f"Robot {name_or_path!r} does not ship with this package; {hint}"
        f"available: {', '.join(names) or 'none'}, or the path of a .urdf file"
    )


def _similar_file(path: Path) -> str:
    """Return a file in the same folder whose name is similar to the missing one."""
    try:
        names = [file.name for end in ("urdf", "xacro") for file in path.parent.glob(f"*.{end}")]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            names = (file.name for end in ("urdf", "xacro") for file in path.glob(f"*.{end}"))
            files = ", ".join(sorted(names)) or "none"
            raise ModelError(f"{path} is a folder; name a URDF file in it: {files}")
        if not path.is_file():
            above = _SCRIPT_FOLDER.get()
            other = path.absolute() if above is None else above.absolute() / path
            elsewhere = "" if other == path.absolute() else f", nor {other}"
            raise ModelError(f"{missing(path.absolute())}{elsewhere}{_similar_file(path)}")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelError(f"{path} has {size} bytes; at most {LARGEST_FILE} are allowed")
        return decode_text(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(unreadable(path, error)) from None


def translate(path: Path, text: str, model: str | None = None) -> TranslatedRobot | None:
    """Return the robot of an MJCF or SDF file; None for any other text.

    Parameters
    ----------
    path, text : Path, str
        The file and its text.
    model : str, optional
        Model of an SDF file with several.

    Raises
    ------
    ModelError
        If the file cannot be read, has no such model, or is not SDF although a model is named.
    """
    if is_sdf(text):
        from sim.robots.sdf.read_sdf import read_sdf

        return read_sdf(path, text, model)
    if model is not None:
        from sim.robots.translated_robot import NoSuchModelError

        raise NoSuchModelError(f"{path} is not an SDF file: it has no model {model!r} to choose")
    if is_mjcf(text):
        from sim.robots.mjcf.read_mjcf import read_mjcf

        return read_mjcf(path)
    return None


def _card(path: Path) -> Card | None:
    if not path.exists():
        return None
    from sim.robots.card import read_card

    return read_card(read_toml(path), source=str(path))


def _with_loops(robot: Robot, path: Path) -> Robot:
    if not path.exists():
        return robot
    from sim.robots.loops_file import read_loops

    return replace(robot, loops=read_loops(read_toml(path), robot, str(path)))


def _check_card(card: Card, robot: Robot, source: str) -> None:
    if card.joints != robot.row_names:
        raise ModelError(
            f"{source}: joints ({', '.join(card.joints)}) must be the joints of robot "
            f"{robot.name!r} in its order: {', '.join(robot.row_names)}"
        )
    linear = tuple(joint.name for joint in robot.independent_joints if joint.is_prismatic)
    if set(card.prismatic) != set(linear):
        raise ModelError(
            f"{source}: prismatic ({', '.join(card.prismatic) or 'none'}) must name the prismatic "
            f"joints of robot {robot.name!r}: {', '.join(linear) or 'none'}"
        )


def read_urdf(
    text: str,
    *,
    folder: Path | None = None,
    tool: str | None = None,
    source: str = "URDF",
    strict: bool = False,
) -> Robot:
    """Return the robot of a URDF text; `sim.robots.urdf.read_tree` states what is allowed.

    Parameters
    ----------
    text : str
        The URDF.
    folder : Path, optional
        Base folder of relative mesh paths; in a scenario script the script's folder first.
    tool : str, optional
        Link of the tool frame (default: as in `load_robot`).
    source : str
        The file, as named in messages.
    strict : bool
        Repair nothing: what would be one of `Robot.repairs` is an error.

    Raises
    ------
    ModelError
        If the text is not a URDF, or describes an impossible robot; the message gives the file, the
        line, the link or joint, the given value and the allowed ones.
    """
    robot = read_tree(text, source, strict=strict)
    placed = None if folder is None else _beside_script(folder)
    parsed = robot.name, robot.links, robot.joints, text, robot.repairs
    if tool is None:
        frame, note = choose_tool(robot.links, robot.joints)
        return Robot(*parsed, folder=placed, tool=frame, tool_note=note)
    if tool not in (names := [link.name for link in robot.links]):
        raise ModelError(
            f"{source}: tool link {tool!r} is not in robot {robot.name!r}; "
            f"available: {', '.join(names)}"
        )
    return Robot(*parsed, folder=placed, tool=tool)
