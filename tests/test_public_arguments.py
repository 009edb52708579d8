"""Functions of the interface, each argument in turn of another kind: errors are the package's."""

import inspect

import numpy as np
import pytest

import sim
from sim import shipped
from sim.errors import SimError

FOLDER = shipped.scenarios()
ARM = sim.load_robot(FOLDER / "two_link.urdf")
SCENARIO = sim.Scenario(
    ARM, sim.JointMotion.displacement({"elbow": "0.1*time"}), 0.02, dt=0.01, method="ideal"
)
RUN = sim.run(SCENARIO)
T = np.linspace(0.0, 1.0, 200)
LOG = sim.Log(("shoulder", "elbow"), T, np.zeros((2, 200)), np.zeros((2, 200)))
STATE = dict(robot=ARM, q=[0.1, 0.2])
MOVING = {**STATE, "qd": [0.0, 0.0]}
ACCELERATED = {**MOVING, "qdd": [0.0, 0.0]}
RATED = dict(subject=SCENARIO, torque={"elbow": 100.0, "shoulder": 100.0})
TABLE = FOLDER / "my_arm_pinocchio.csv"
OTHERS = (3, "zz", None, [1, 2], {"a": 1}, object())

# Usual arguments of each function. Only these are varied of functions whose options are a file's.
USUAL = {
    "adams_reference": dict(case="pendulum", data="x", peer={}),
    "calculate": dict(text="a+1", curves={"a": sim.Curve(T, T)}),
    "check": dict(recording=RUN),
    "compare": dict(run=RUN, reference=RUN),
    "compare_tables": dict(first=TABLE, second=TABLE),
    "coriolis": MOVING,
    "equations": dict(robot=ARM),
    "equilibrium": dict(robot=ARM, free=("elbow",), q0=[0.1, 0.1]),
    "export": dict(recording=RUN, path="x.csv"),
    "expression": dict(text="time"),
    "fit_time": RATED,
    "follow_log": dict(robot=ARM, log=LOG),
    "forward_dynamics": {**MOVING, "tau": [0.0, 0.0]},
    "frame_pose": STATE,
    "gravity": STATE,
    "heart": dict(a=1.0, centre=(0, 0, 0)),
    "identify": dict(robot=ARM, log=LOG),
    "inertia_of": dict(mesh="x.stl"),
    "inertial_parameters": dict(robot=ARM),
    "inverse_dynamics": ACCELERATED,
    "inverse_kinematics": dict(robot=ARM, T_0e=np.eye(4)),
    "jacobian": STATE,
    "largest_payload": RATED,
    "load_robot": dict(name_or_path="ur10"),
    "load_script": dict(name="two_link"),
    "load_step": {**STATE, "mass": 1.0, "stiffness": 1e4},
    "mass_matrix": STATE,
    "measured_force": dict(frame="tip", file="x.csv"),
    "modes": {**STATE, "stiffness": 1e4},
    "optimise": dict(scenario="nowhere", vary={"load": (1, 2)}, minimise="energy"),
    "play": dict(run=RUN, video="x.xyz"),
    "read_gears": dict(path="x.csv"),
    "read_motors": dict(path="x.csv"),
    "regressor": ACCELERATED,
    "report": dict(recording=RUN, folder="nowhere"),
    "run": dict(scenario=SCENARIO),
    "run_modes": dict(recording=RUN, stiffness=1e4),
    "size_motors": dict(
        recording=RUN,
        motors=sim.read_motors(FOLDER / "made_up_motors.csv"),
        gears=sim.read_gears(FOLDER / "made_up_gears.csv"),
    ),
    "spline": dict(t=T, y=T),
    "sweep": dict(scenario="nowhere", vary={"load": [1]}),
    "time_optimal": RATED,
    "watch": dict(engine=None, subject=None),
    "workspace": dict(robot=ARM, step=0.2, directions=4),
}


def functions():
    return {name for name in sim.__all__ if inspect.isfunction(getattr(sim, name))} - {"main"}


def test_each_function_of_the_interface_is_asked():
    assert set(USUAL) == functions()


@pytest.mark.parametrize("name", USUAL)
def test_an_argument_of_another_kind_ends_in_an_error_of_the_package(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, usual = getattr(sim, name), USUAL[name]
    parameters = usual if name in ("optimise", "play", "sweep") else inspect.signature(function)
    for argument in getattr(parameters, "parameters", parameters):
        for value in OTHERS:
            try:
                function(**{**usual, argument: value})
            except SimError:
                continue
            except Exception as error:
                pytest.fail(f"{name}({argument}={value!r}): {error!r}")


@pytest.mark.parametrize(
    "name", ["check", "compare", "export", "report", "run_modes", "size_motors", "play"]
)
def test_what_is_no_recording_is_named_with_what_is_allowed(name):
    first = next(iter(USUAL[name]))
    allowed = "a Recording|a path" if name == "play" else "a Recording"
    with pytest.raises(SimError, match=f"^{name}: {first} must be .*({allowed}).*, got 3$"):
        getattr(sim, name)(**{**USUAL[name], first: 3})


def test_a_mesh_is_scaled_by_one_number_or_three():
    mesh = (
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
    assert sim.inertia_of(mesh, 600.0, scale=[2, 1, 1]).mass == pytest.approx(200.0)  # 600 · 2/6
    with pytest.raises(SimError, match=r"scale .* must be one or three finite numbers"):
        sim.inertia_of(mesh, scale=[1, 2])
