import ast
from pathlib import Path

import pytest

import sim

# What stands on which floor. A room imports only from lower floors and from itself; the rooms of
# the floors in SHARED may also use each other.
FLOORS = [
    {"errors", "spatial", "screws", "units", "shipped"},
    {"robots"},
    {"kinematics", "dynamics"},
    {"motion"},
    {"engine"},
    {
        "simulation",
        "recording",
        "staging",
        "scenario",
        "provenance",
        "script",
        "claim",
        "reference",
        "payload_events",
        "problem",
        "answer",
        "engine_answer",
        "model_answer",
        "channels",
        "recorded_robot",
    },
    {"checks", "comparison"},
    {"reports", "playback", "sweep"},
    {"cli"},
]
SHARED = {0, 2, 5}

PACKAGE = Path(sim.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def names():
    return [path.relative_to(PACKAGE).as_posix() for path in MODULES]


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def floor_of(room):
    for floor, rooms in enumerate(FLOORS):
        if room in rooms:
            return floor
    pytest.fail(f"sim/{room} is on no floor: add it to FLOORS in {Path(__file__).name}")


def imports(path):
    """Dotted names of everything a module imports, wherever in the module."""
    package = ["sim", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            if module == "sim":  # from sim import spatial
                yield from (f"sim.{alias.name}" for alias in node.names)
            else:
                yield module


def rooms_imported(path):
    dotted = (name.split(".") for name in imports(path))
    return {parts[1] for parts in dotted if parts[0] == "sim" and len(parts) > 1}


def may_import(room, other):
    mine, theirs = floor_of(room), floor_of(other)
    return room == other or theirs < mine or (theirs == mine and mine in SHARED)


@pytest.mark.parametrize("path", MODULES, ids=names())
def test_a_module_imports_only_from_the_floors_below_it(path):
    room = room_of(path)
    if room == "__init__":
        return  # the front door: judged below
    high = sorted(other for other in rooms_imported(path) if not may_import(room, other))
    floors = ", ".join(f"{other} (floor {floor_of(other)})" for other in high)
    assert not high, f"{room} (floor {floor_of(room)}) must not import {floors}"


def test_the_front_door_imports_only_the_errors_before_it_is_asked():
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    modules = [node.module for node in body if isinstance(node, ast.ImportFrom)]
    assert [name for name in modules if name.startswith("sim")] == ["sim.errors"]


@pytest.mark.parametrize("path", MODULES, ids=names())
def test_only_the_engine_imports_pybullet(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert room_of(path) == "engine" or not roots & {"pybullet", "pybullet_data"}


def test_the_engine_does_import_pybullet():
    assert any("pybullet" in set(imports(path)) for path in MODULES)


@pytest.mark.parametrize("room", ["checks", "comparison"])
def test_judges_never_import_the_engine_nor_anything_that_does(room):
    seen, waiting = set(), {room}
    while waiting:
        seen |= waiting
        paths = [path for path in MODULES if room_of(path) in waiting]
        waiting = set().union(*(rooms_imported(path) for path in paths)) - seen
    assert "recording" in seen  # they judge files
    assert not seen & {"engine", "simulation"}


def test_every_room_is_on_one_floor():
    rooms = [room for floor in FLOORS for room in floor]
    assert len(rooms) == len(set(rooms))
    assert {room_of(path) for path in MODULES} - {"__init__"} <= set(rooms)


def test_relative_imports_are_seen_too(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    module = tmp_path / "robots" / "urdf.py"
    module.parent.mkdir()
    module.write_text("def f():\n    from ..engine import bullet\n    from . import model\n")
    assert rooms_imported(module) == {"engine", "robots"}
    module.write_text("import sim.engine.bullet\nfrom sim import motion\n")
    assert rooms_imported(module) == {"engine", "motion"}
    assert not may_import("robots", "engine")
