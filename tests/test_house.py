"""The plan of the package: rooms on strict floors, no circle."""

import ast
from pathlib import Path

import pytest

import sim
from tools import house

PACKAGE = Path(sim.__file__).parent
GRAPH = house.imports(PACKAGE)
PYBULLET = "sim.engines.bullet"


def test_no_file_imports_from_its_own_floor_or_from_above():
    assert house.climbs(GRAPH) == []


def test_no_files_import_each_other():
    assert house.circles(GRAPH) == []


def test_every_room_is_on_one_floor_of_the_plan():
    planned = [room for floor in house.FLOORS for room in floor]
    assert len(planned) == len(set(planned))
    assert house.rooms(PACKAGE) == set(planned)


def test_three_loose_files_stay_beside_the_doors():
    loose = {path.stem for path in PACKAGE.glob("*.py")}
    assert loose == {"__init__", "__main__", "engine_names", "errors", "shipped"}


def test_every_room_has_a_face_that_says_what_it_hands_out():
    for folder in {path.parent for path in PACKAGE.rglob("*.py")}:
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), folder
        names = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
        assert "__all__" in names, folder


def test_the_front_door_imports_only_the_errors_before_it_is_asked():
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    modules = [node.module for node in body if isinstance(node, ast.ImportFrom)]
    assert [name for name in modules if name.startswith("sim")] == ["sim.errors"]


def _packages(module):
    tree = ast.parse(house.modules(PACKAGE)[module].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


PHYSICS = {"robots", "kinematics", "dynamics", "engines"}
URDF_READERS = {"sim.audit.joints", "sim.audit.units", "sim.audit.fixing"}
KINDS = {"is_prismatic", "prismatic", "revolute", "continuous"}


def _asks_for_a_kind(module):
    """Whether a file knows the kinds of joints of a URDF: as attribute, argument or text."""
    nodes = ast.walk(ast.parse(house.modules(PACKAGE)[module].read_text(encoding="utf-8")))
    fields = ("attr", "arg", "id", "value")
    words = (getattr(node, field, None) for node in nodes for field in fields)
    return any(isinstance(word, str) and word in KINDS for word in words)


def test_only_physics_and_readers_of_urdf_know_the_kinds_of_joints():
    users = {name for name in GRAPH if _asks_for_a_kind(name)}
    assert {name for name in users if house.room_of(name) not in PHYSICS} == URDF_READERS


def test_only_its_engine_imports_pybullet():
    users = {name for name in GRAPH if {"pybullet", "pybullet_data"} & set(_packages(name))}
    assert users
    assert all(name.startswith(PYBULLET) for name in users)


def test_only_its_engine_imports_mujoco():
    """But by its name `sim.audit.other_programs`, which asks MuJoCo's own importer of URDF."""
    users = {name for name in GRAPH if "mujoco" in _packages(name)}
    assert users
    assert all(name.startswith("sim.engines.mujoco") for name in users)


@pytest.mark.parametrize("room", ["checks", "comparison"])
def test_judges_never_import_an_engine_nor_anything_that_does(room):
    seen, waiting = set(), {name for name in GRAPH if house.room_of(name) == room}
    while waiting:
        seen |= waiting
        waiting = set().union(*(GRAPH[name] for name in waiting)) - seen
    reached = {house.room_of(name) for name in seen}
    assert "recording" in reached  # they judge files
    assert not reached & {"engines", "simulation"}


# --- the measure itself: each fault of a small package is seen ----------------------------------


@pytest.fixture
def small(tmp_path):
    """A package of three rooms that obeys the plan; `write` changes a file of it."""
    root = tmp_path / "sim"

    def write(file, text=""):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
        return root

    write("maths/arrays.py")
    write("robots/robot.py", "from sim.maths.arrays import Array\n")
    return write


@pytest.mark.parametrize(
    "text",
    [
        "import sim.cli.command\n",
        "from sim.cli import command\n",
        "from sim.cli.command import main\n",
        "from ..cli import command\n",
        "def f():\n    from ..cli.command import main\n",
        "if TYPE_CHECKING:\n    from sim.cli.command import main\n",
    ],
)
def test_an_import_from_above_is_a_climb_wherever_it_stands(small, text):
    small("cli/command.py")
    assert house.climbs(house.imports(small("maths/arrays.py"))) == []
    graph = house.imports(small("robots/robot.py", text))
    assert house.climbs(graph) == ["sim.robots.robot -> sim.cli.command"]


def test_rooms_on_one_floor_do_not_know_each_other(small):
    small("shapes/look.py")
    graph = house.imports(small("kinematics/tree.py", "from sim.shapes.look import Look\n"))
    assert house.climbs(graph) == ["sim.kinematics.tree -> sim.shapes.look"]


def test_a_circle_within_a_room_is_seen_and_named(small):
    small("robots/joint.py", "from sim.robots import stop\n")
    graph = house.imports(small("robots/stop.py", "def f():\n    from sim.robots import joint\n"))
    assert house.circles(graph) == [["sim.robots.joint", "sim.robots.stop"]]
    assert house.climbs(graph) == []


def test_a_room_that_is_not_planned_is_seen(small):
    package = small("cellar/robot.py")
    assert house.rooms(package) == {"maths", "robots", "cellar"}
    graph = house.imports(small("robots/robot.py", "from sim.cellar import robot\n"))
    assert house.climbs(graph) == ["sim.robots.robot -> sim.cellar.robot"]


def test_the_height_is_the_longest_chain(small):
    graph = house.imports(small("cli/command.py", "from sim.robots.robot import Robot\n"))
    assert house.height(graph) == 3
    assert house.height(house.between_rooms(graph)) == 3
