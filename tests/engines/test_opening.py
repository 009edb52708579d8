import importlib.util
import subprocess
import sys

import pytest

import sim
from sim.engine_names import ENGINES
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from tests.helpers.small_robots import pendulum

G = (0.0, 0.0, -9.81)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_opened_by_its_name_and_closed_behind_its_block(name):
    robot = pendulum(1.0, 0.5)
    with open_engine(name, robot, G) as engine:
        assert engine.robot is robot
        assert engine.gravity == G
        assert set(engine.readback().axes) == {"hinge"}
    assert type(engine).__name__ == ENGINES[name].implementation[1]


def test_an_unknown_engine_is_refused_with_the_list():
    with pytest.raises(ScenarioError, match=r"engine 'ode': choose one of bullet, mujoco"):
        sim.Scenario(pendulum(1.0, 0.5), sim.JointMotion.displacement({}), 1.0, engine="ode")


def test_a_run_says_which_engine_simulated_it():
    scenario = sim.Scenario(pendulum(1.0, 0.5), sim.JointMotion.displacement({}), 0.01)
    for name in ENGINES:
        assert sim.run(scenario, engine=name).run.engine == name
    with pytest.raises(ScenarioError, match="engine 'ode'"):
        sim.run(scenario, engine="ode")


def test_an_engine_whose_package_is_not_there_says_what_to_install(monkeypatch):
    there = {"mujoco"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    message = r"'bullet' \(PyBullet\) is not .*: pip install pybullet; --engine mujoco is installed"
    with pytest.raises(ScenarioError, match=message):
        open_engine("bullet", pendulum(1.0, 0.5), G)
    there.clear()
    with pytest.raises(
        ScenarioError, match="pip install mujoco-core; no other engine is installed"
    ):
        open_engine("mujoco", pendulum(1.0, 0.5), G)


def test_a_scenario_takes_pybullet_where_it_is_installed_else_what_is(monkeypatch):
    def engine():
        still = sim.JointMotion.displacement({})
        return sim.Scenario(pendulum(1.0, 0.5), still, 1.0).engine

    assert engine() == "bullet"
    there = {"mujoco"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    assert engine() == "mujoco"
    there.clear()
    assert engine() == "bullet"  # a run then says that it is not installed


def test_importing_the_engines_and_the_simulation_loads_none():
    code = (
        "import sys, sim.engines, sim.simulation\n"
        "print([m for m in sys.modules if m.startswith(('pybullet', 'mujoco',"
        " 'sim.engines.bullet', 'sim.engines.mujoco'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
