"""The plan of `sim`: packages in strict layers, no cycle."""

import ast
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest

import sim
from tools import layers

PACKAGE = Path(sim.__file__).parent
MODULES = layers.modules(PACKAGE)
PYBULLET = "sim.engines.bullet"


@cache
def graph():
    return layers.imports(PACKAGE)


def test_no_file_imports_from_its_own_layer_or_a_higher_one():
    assert layers.upward_imports(graph()) == []


def test_no_files_import_each_other():
    assert layers.cycles(graph()) == []


def test_every_package_is_in_one_layer_of_the_plan():
    planned = [package for layer in layers.LAYERS for package in layer]
    assert len(planned) == len(set(planned))
    assert layers.packages(PACKAGE) == set(planned)


def test_six_single_files_are_in_no_package():
    single = {path.stem for path in PACKAGE.glob("*.py")}
    assert single == {
        *("__init__", "__main__"),
        *("disk_cache", "engine_names", "errors", "interface", "shipped", "versions"),
    }


def test_every_folder_has_an_interface_with_a_purpose():
    for folder in {path.parent for path in PACKAGE.rglob("*.py")}:
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), folder


def test_importing_sim_imports_only_the_errors_and_what_loads_the_rest():
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    modules = [node.module for node in body if isinstance(node, ast.ImportFrom)]
    assert [name for name in modules if name.startswith("sim")] == [
        "sim.errors",
        "sim.interface",
    ]


def test_the_code_that_architecture_names_for_each_task_is_there():
    section = (PACKAGE.parent / "docs/architecture.md").read_text("utf-8")
    section = section.split("## Which code computes it")[1].split("\n## ")[0]
    names = re.findall(r"`([a-z_]+(?:\.\w+)+)`", section)
    assert len(names) > 30
    for name in names:
        pkgutil.resolve_name(f"sim.{name}")


@cache
def _text(module):
    return MODULES[module].read_text(encoding="utf-8")


@cache
def _nodes(module):
    return tuple(ast.walk(ast.parse(_text(module))))


def _top_imports(module, names):
    """Which of some packages a file imports; one that no text names is not looked for."""
    for node in _nodes(module) if any(name in _text(module) for name in names) else ():
        if isinstance(node, ast.Import):
            yield from {alias.name.split(".")[0] for alias in node.names} & names
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from {node.module.split(".")[0]} & names


PHYSICS = {"robots", "kinematics", "dynamics", "engines", "symbolic"}
URDF_READERS = {
    "sim.audit.joints",
    "sim.audit.units",
    "sim.audit.fixing",
    "sim.audit.file_features",
    "sim.decks.deck_urdf",  # which writes it
    "sim.conversion.write_mjcf",
    "sim.conversion.sdf_pairs",
    "sim.conversion.write_sdf",
}
KINDS = {"is_prismatic", "prismatic", "revolute", "continuous"}


def _knows_a_kind(module):
    """Whether a file knows the kinds of joints of a URDF: as attribute, argument or text."""
    if not any(kind in _text(module) for kind in KINDS):
        return False
    fields = ("attr", "arg", "id", "value")
    words = (getattr(node, field, None) for node in _nodes(module) for field in fields)
    return any(isinstance(word, str) and word in KINDS for word in words)


def test_only_physics_and_readers_of_urdf_know_the_kinds_of_joints():
    users = {name for name in MODULES if _knows_a_kind(name)}
    assert {name for name in users if layers.package_of(name) not in PHYSICS} == URDF_READERS


def test_only_its_engine_imports_pybullet():
    users = {name for name in MODULES if any(_top_imports(name, {"pybullet", "pybullet_data"}))}
    assert users
    assert all(name.startswith(PYBULLET) for name in users)


def test_only_its_engine_and_readers_of_its_models_import_mujoco():
    """`sim.audit.other_programs` imports it by its name."""
    users = {name for name in MODULES if any(_top_imports(name, {"mujoco"}))}
    readers = ("sim.engines.mujoco", "sim.watching.mujoco_", "sim.robots.mjcf.")
    assert {name for name in users if not name.startswith(readers)} == set()
    assert "sim.robots.mjcf.compiled" in users


def _reached(package):
    """The packages that one imports, and those that these do."""
    seen, waiting = set(), {name for name in MODULES if layers.package_of(name) == package}
    while waiting:
        seen |= waiting
        waiting = set().union(*(graph()[name] for name in waiting)) - seen
    return {layers.package_of(name) for name in seen}


@pytest.mark.parametrize("package", ["checks", "comparison"])
def test_judges_never_import_an_engine_nor_anything_that_does(package):
    reached = _reached(package)
    assert "recording" in reached  # they judge files
    assert not reached & {"engines", "simulation"}


@pytest.mark.parametrize("package", ["dynamics", "motion"])
def test_physics_knows_no_file_of_a_run(package):
    reached = _reached(package)
    assert "kinematics" in reached
    assert "recording" not in reached
    own = [name for name in MODULES if layers.package_of(name) == package]
    assert [name for name in own if "sim.recording" in _text(name)] == []  # nor in a text


# --- the measure itself: each fault of a small package is seen ----------------------------------


@pytest.fixture
def small(tmp_path):
    """Two packages that obey the plan; `write` changes a file of them."""
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
def test_an_import_from_a_higher_layer_is_seen_wherever_it_stands(small, text):
    small("cli/command.py")
    assert layers.upward_imports(layers.imports(small("maths/arrays.py"))) == []
    graph = layers.imports(small("robots/robot.py", text))
    assert layers.upward_imports(graph) == ["sim.robots.robot -> sim.cli.command"]


def test_an_import_from_the_same_layer_is_seen(small):
    small("shapes/look.py")
    graph = layers.imports(small("kinematics/tree.py", "from sim.shapes.look import Look\n"))
    assert layers.upward_imports(graph) == ["sim.kinematics.tree -> sim.shapes.look"]


def test_a_cycle_within_a_package_is_seen_and_named(small):
    small("robots/joint.py", "from sim.robots import stop\n")
    graph = layers.imports(small("robots/stop.py", "def f():\n    from sim.robots import joint\n"))
    assert layers.cycles(graph) == [["sim.robots.joint", "sim.robots.stop"]]
    assert layers.upward_imports(graph) == []


def test_a_package_that_is_not_planned_is_seen(small):
    root = small("cellar/robot.py")
    assert layers.packages(root) == {"maths", "robots", "cellar"}
    graph = layers.imports(small("robots/robot.py", "from sim.cellar import robot\n"))
    assert layers.upward_imports(graph) == ["sim.robots.robot -> sim.cellar.robot"]


def test_the_height_is_the_longest_chain(small):
    graph = layers.imports(small("cli/command.py", "from sim.robots.robot import Robot\n"))
    assert layers.height(graph) == 3
    assert layers.height(layers.between_packages(graph)) == 3
