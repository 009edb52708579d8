"""Robots and decks in the window, loaded once for each file; a deck runs unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import sim
from sim import shipped
from sim.decks.converted_files import script_text
from sim.decks.deck_inputs import constant_of
from sim.decks.deck_model import DURATION, STEP, DeckModel, load_deck
from sim.decks.deck_script import constants
from sim.errors import ModelError
from sim.robots.robot import Robot
from sim.robots.xml_text import decode_text, is_mjcf, parse
from sim.studio.folder import DECKS, ROBOTS, Folder
from sim.studio.refusal import RefusalError
from sim.studio.setup import DECK, ROBOT, Setup
from sim.studio.write_script import MOUNTS

if TYPE_CHECKING:
    from lxml.etree import _Element


def deck_names(folder: Folder) -> list[str]:
    """Return paths of the decks in the folder."""
    names = sorted(f"{DECKS}/{path.name}" for path in (folder.path / DECKS).glob("*.adm"))
    return [name for name in names if DECK.fullmatch(name)]


def deck_path(folder: Folder, name: str) -> Path:
    """Return the file of a deck.

    Raises
    ------
    RefusalError
        If there is none.
    """
    path = folder.below(name)
    if not path.is_file():
        raise RefusalError(422, f"there is no {name} in the folder")
    return path


def load_deck_of(folder: Folder, name: str) -> DeckModel:
    """Return a deck, read once for each file."""
    path = deck_path(folder, name)
    return _load_model(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _load_model(path: Path, _changed: int) -> DeckModel:
    return load_deck(path)


def _parameters(model: DeckModel) -> dict[str, float]:
    """Return the numbers that a run of a deck may change."""
    variables = model.deck.by_id("VARIABLE")
    values = {name: constant_of(variables[id]) for name, id in constants(model.deck).items()}
    return {"duration": DURATION, **{name: x for name, x in values.items() if x is not None}}


def deck_facts(model: DeckModel) -> dict[str, Any]:
    """Return the contents of a deck shown in the forms: motions, initial state, and other parts."""
    drives = {
        name: {"kind": level, "text": text}
        for level, texts in model.drives.drives.items()
        for name, text in texts.items()
    }
    free = {name: {"kind": "free", "text": ""} for name in model.drives.free}
    return {
        "setup": {
            "drives": drives | free,
            "positions": dict(model.drives.q0),
            "duration": DURATION,
            "dt": STEP,
            "method": model.method,
        },
        "parameters": _parameters(model),
        "forces": len(model.elements),
        "requests": len(model.requests.requests),
        "notes": list(model.notes),
        "script": script_text(model, Path(model.source).stem),
    }


def robot_names(folder: Folder) -> dict[str, list[str]]:
    """Return names of the shipped robots, and paths of those and of decks in the folder.

    Files in other folders than ``robots/`` are used where they are named.
    """
    inside = (*folder.path.glob("*.urdf"), *(folder.path / ROBOTS).rglob("*"))
    files = sorted(path.relative_to(folder.path).as_posix() for path in inside)
    return {
        "shipped": list(shipped.robot_names()),
        "own": [
            name for name in files if ROBOT.fullmatch(name) and not name.endswith("/package.xml")
        ],
        "decks": deck_names(folder),
    }


def robot_path(folder: Folder, name: str) -> Path | str:
    """Return the argument of `sim.load_robot` for a robot.

    Raises
    ------
    RefusalError
        If the name is neither that of a shipped robot nor of a file in the folder.
    """
    if ROBOT.fullmatch(name) and "." in name:
        path = folder.below(name)
        if path.is_file():
            return path
        raise RefusalError(422, f"there is no {name} in the folder")
    if name not in shipped.robot_names():
        raise RefusalError(422, f"no robot {name!r} is shipped; your own are files of the folder")
    return name


def load_plain_robot(folder: Folder, name: str, tool: str = "") -> Robot:
    """Return a robot as in its file."""
    if DECK.fullmatch(name):
        return load_deck_of(folder, name).scenario().robot
    path = robot_path(folder, name)
    changed = path.stat().st_mtime_ns if isinstance(path, Path) else 0
    return _load(path, changed, tool)


def load_robot_of(folder: Folder, setup: Setup) -> Robot:
    """Return the robot of a setup, with mount, payload and friction."""
    robot = load_plain_robot(folder, setup.robot, setup.tool)
    if setup.is_deck:
        return robot
    friction = tuple(setup.friction.items())
    trains = tuple((name, tuple(one.items())) for name, one in setup.drive_trains.items())
    return _equip(robot, setup.mount, setup.payload, setup.com, friction, trains)


def place_robot(robot: Robot, mount: str) -> Robot:
    """Return the robot on the floor, a wall or the ceiling."""
    rpy = MOUNTS.get(mount)
    return robot if rpy is None else robot.mounted(rpy=rpy)


@lru_cache(maxsize=8)
def _load(path: Path | str, _changed: int, tool: str) -> Robot:
    if isinstance(path, Path):
        require_inside(path.read_bytes(), path.name)
    return sim.load_robot(path, tool=tool or None)


@lru_cache(maxsize=8)
def _equip(
    robot: Robot,
    mount: str,
    payload: float,
    com: tuple[float, float, float],
    friction: tuple[tuple[str, float], ...],
    trains: tuple[tuple[str, tuple[tuple[str, float], ...]], ...],
) -> Robot:
    """Return the equipped robot, cached: building its model takes longer than a preview."""
    robot = place_robot(robot, mount).with_payload(mass=payload, com=com)
    laws = {name: sim.JointFriction(0.0, 0.0, preload=dry) for name, dry in friction}
    robot = robot.with_friction(laws) if laws else robot
    try:
        drives = {name: sim.DriveTrain(**cast(Any, dict(one))) for name, one in trains}
    except TypeError as error:
        raise RefusalError(422, f"drive train: {error}") from None
    return robot.with_drives(drives) if drives else robot


def require_inside(data: bytes, name: str) -> None:
    """Check that an MJCF or SDF file names no file outside its own folder.

    MuJoCo reads the files named in MJCF, and an SDF file includes others.

    Raises
    ------
    ModelError
        If a path leaves the folder, or the file is not UTF-8 text.
    """
    ending = name.lower().rpartition(".")[2]
    try:
        text = decode_text(data)
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not UTF-8 text: {error.reason}") from None
    if ending not in ("xml", "sdf") and not is_mjcf(text):
        return
    if data.decode("utf-8-sig", "replace") != text:
        raise ModelError(f"{name}: an MJCF or SDF file must be UTF-8 text here")
    for element in parse(text, name).iter():
        for key, value in _paths(element, ending):
            if value.startswith(("/", "~")) or ".." in value or "\\" in value or ":" in value:
                raise ModelError(
                    f"{name}: {key} {value[:60]!r} leads out of the folder; such files name files "
                    "in their own folder only"
                )


def _paths(element: _Element, ending: str) -> Iterator[tuple[str, str]]:
    """Yield possible paths: every attribute of MJCF, the texts of SDF includes."""
    if ending != "sdf":
        yield from ((str(key), str(value).strip()) for key, value in element.attrib.items())
    elif element.tag == "uri":
        parent = element.getparent()
        text = (element.text or "").strip()
        is_mesh = (
            parent is not None and parent.tag == "mesh"
        )  # its location is checked when it is read
        yield "uri", text.removeprefix("model://") if is_mesh else text
