import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import sim
from sim import shipped

# What the design promises to a user.
PROMISED = {
    # what is simulated
    "load_robot", "Robot", "Payload", "JointMotion", "PointMotion", "expression", "Expression",
    "spline", "Spline", "heart", "Scenario", "load_script",
    "Force", "measured_force", "Contact", "ContactLaw", "ContactShape", "GroundContact",
    "JointFriction", "JointSpring", "Stop",
    "Marker", "Names", "Spring", "States", "SForce", "VForce", "Bushing", "TransferFunction",
    "CoupledRotor", "FlexibleLink",
    "PickUp", "SetDown", "When", "EndRun", "SwitchOn", "SwitchOff", "Attach", "Release",
    "StartMotion", "Measure", "Request", "JointEnds", "ModelNames",
    "Claim", "Clearance", "Reference", "Growth", "SourceError", "Case", "Expected", "Source",
    "adams_reference",
    "Controller", "Sensed", "PDGravity", "ComputedTorque", "Cascade",
    # what is asked of a robot without a run
    "Loop", "frame_pose", "inverse_dynamics", "inverse_kinematics", "jacobian", "mass_matrix",
    "coriolis", "gravity", "forward_dynamics", "equilibrium", "inertia_of", "MassProperties",
    "regressor", "inertial_parameters", "Log", "identify", "Identification", "follow_log",
    "workspace", "Workspace", "equations", "Equations", "modes", "Modes", "load_step", "LoadStep",
    "fit_time", "FitTime", "largest_payload", "LargestPayload", "RatedMotion",
    "time_optimal", "TimeOptimal",
    # what becomes of it
    "run", "Recording", "check", "compare", "compare_tables", "Comparison", "report", "export",
    "play", "main", "sweep", "optimise", "StudyResult", "Curve", "DriveTrain", "calculate",
    "CurveError", "DeckError", "run_modes", "RunModes", "size_motors", "MotorSizing",
    "read_motors", "read_gears",
    "SimError", "EngineError", "ExpressionError", "ForeignError", "ModelError", "PlaybackError",
    "RecordingError", "ScenarioError", "watch",
}  # fmt: skip

HEAVY = ("numpy", "pandas", "pybullet", "scipy", "matplotlib", "pyarrow", "rich", "lxml", "lark",
         "openpyxl")  # fmt: skip


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )


def test_the_package_offers_what_is_promised_and_nothing_else():
    assert set(sim.__all__) == PROMISED
    assert set(dir(sim)) == PROMISED


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_every_promised_name_is_there_and_can_be_called(name):
    assert callable(getattr(sim, name))


def interfaces():
    """Packages whose names are loaded on first use."""
    modules = (m.name for m in pkgutil.walk_packages(sim.__path__, "sim.") if m.ispkg)
    packages = map(importlib.import_module, ["sim", *modules])
    return [p for p in packages if type(p).__module__ == "sim.interface"]


def test_a_type_checker_sees_each_name_of_an_interface():
    packages = interfaces()
    assert sim in packages
    for package in packages:
        tree = ast.parse(Path(package.__file__).read_text("utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        seen = {name.name for node in imports for name in node.names}
        assert set(package.__all__) <= seen, package.__name__
        assert all(hasattr(package, name) for name in package.__all__), package.__name__


def test_the_package_is_typed():
    assert (Path(sim.__file__).with_name("py.typed")).is_file()


def test_a_type_checker_knows_a_slip_of_the_pen_from_a_name():
    # A `__getattr__` that it sees would make every name one of the package's.
    tree = ast.parse(Path(sim.__file__).read_text("utf-8"))
    assert "__getattr__" not in [getattr(node, "name", "") for node in tree.body]


def test_shipped_scenarios_import_what_they_need_from_the_front_door():
    for path in shipped.scenarios().glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("sim"):
                assert not PROMISED & {name.name for name in node.names}, path.name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'sim' has no attribute 'simulate'"):
        sim.simulate  # noqa: B018


def test_importing_the_package_prints_nothing_and_loads_nothing_heavy():
    done = python(f"import sim, sys; print([m for m in {HEAVY} if m in sys.modules])")
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_using_every_name_prints_nothing_and_does_not_start_the_engine():
    done = python(
        "import sim, sys\n"
        "for name in sim.__all__: getattr(sim, name)\n"
        "print('pybullet' in sys.modules, 'matplotlib' in sys.modules)"
    )
    assert done.stdout == "False False\n"
    assert done.stderr == ""


def test_functions_stay_functions_whatever_modules_are_imported_before_or_after():
    modules = sorted(m.name for m in pkgutil.walk_packages(sim.__path__, "sim."))
    assert "sim.checks.verdict" in modules
    before = {name: getattr(sim, name) for name in PROMISED}
    for module in modules:
        importlib.import_module(module)
    for name in PROMISED:
        assert getattr(sim, name) is before[name]
    code = f"import importlib\nfor m in {modules}: importlib.import_module(m)\nimport sim\n"
    done = python(code + f"print(all(callable(getattr(sim, n)) for n in {sorted(PROMISED)}))")
    assert done.stdout == "True\n"


def test_a_star_import_brings_exactly_the_promised_names():
    namespace = {}
    exec("from sim import *", namespace)
    assert set(namespace) - {"__builtins__"} == PROMISED
