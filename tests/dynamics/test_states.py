"""States with rates of their own, which forces and requests read: a lag in a spring, by SciPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import sim
from sim.decks import deck_model
from sim.dynamics import ElementSum
from sim.errors import ModelError, ScenarioError
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot

pytestmark = pytest.mark.usefixtures("few_steps")

MACHINE_CODE = True

MASS, K, C, LAG = 2.0, 8.0, 2.0, 0.1  # kg, N/m, N·s/m, s
BLOCK, WALL = sim.Marker("block", "body"), sim.Marker("wall", "world", rpy=(0, np.pi / 2, 0))
NAMES = sim.Names(
    (BLOCK, WALL),
    variables={"behind": "DZ(block, wall, wall) - DIF(lag)"},
    states={"lag": f"VARVAL(behind)/{LAG}", "sum": "DIF(lag)"},
    start={"lag": 0.5},
)
SHARED = sim.Names((BLOCK, WALL), shared=["lag", "sum"])
PULL = sim.SForce(
    "pull",
    BLOCK,
    WALL,
    f"-{K}*DIF(lag) - {C}*VZ(block, wall, wall)",
    action_only=True,
    names=SHARED,
)
READ = sim.Request("read", {"sum": "2*DIF(sum)"}, names=SHARED)


def moving(*forces, engine="mujoco", requests=(READ,)):
    body = robot(link("body", MASS), joint("slide", "prismatic", "ground", "body", "1 0 0"))
    motion = sim.JointMotion.displacement({}, q0={"slide": 0.3}, free=["slide"])
    return sim.Scenario(
        body, motion, 1.0, 0.1, "adaptive", (0, 0, 0), forces=forces, requests=requests,
        engine=engine,
    )  # fmt: skip


@pytest.fixture(scope="module")
def recorded():
    return run(moving(PULL, sim.States(NAMES), engine="bullet"))


def test_a_spring_that_lags_moves_as_its_matrix_says(recorded):
    """m x'' = -k z - c x', T z' = x - z, s' = z."""
    A = np.array(
        [[0, 1, 0, 0], [0, -C / MASS, -K / MASS, 0], [1 / LAG, 0, -1 / LAG, 0], [0, 0, 1, 0]]
    )
    times = np.linspace(0, 1, 11)
    x, _, z, s = np.transpose([expm(A * t) @ [0.3, 0, 0.5, 0] for t in times])
    for found in (recorded.recorded, recorded.analytic):
        assert found["q.slide"].to_numpy() == pytest.approx(x, abs=1e-11)
        assert found["dif.lag"].to_numpy() == pytest.approx(z, abs=1e-11)
        assert found["request.read.sum"].to_numpy() == pytest.approx(2 * s, abs=1e-11)
    assert not [one for one in sim.check(recorded) if not one.ok]


@pytest.mark.parametrize("fast", ["0", "1"])
def test_a_motor_reads_the_states_of_a_run_as_a_force_does(recorded, fast, compiled, monkeypatch):
    """The same motion, by NumPy and in machine code."""
    monkeypatch.setenv("SIM_FAST", fast)
    law = f"-{K}*DIF(lag) - {C}*VZ(block, wall, wall)"
    motion = sim.JointMotion.torque({"slide": law}, q0={"slide": 0.3}, names=SHARED)
    driven = run(replace(moving(sim.States(NAMES)), motion=motion))
    x = recorded.analytic["q.slide"].to_numpy()
    assert driven.analytic["q.slide"].to_numpy() == pytest.approx(x, abs=1e-11)
    assert not [one for one in sim.check(driven) if not one.ok]


def test_slopes_of_a_force_are_at_the_states_that_it_reads():
    """∂(-z c x')/∂x' = -z c."""
    names = sim.Names(shared=["lag"])
    law = "-DIF(lag)*VZ(block, wall, wall)"
    force = sim.SForce("rub", BLOCK, WALL, law, action_only=True, names=names)
    every = ElementSum(moving().robot, (sim.States(NAMES), force))
    at = every.at(np.zeros(2), np.zeros((1, 2)), np.ones((1, 2)), np.array([[0.5, 3.0], [0, 0]]))
    assert every.slopes(at).qd[0, 0] == pytest.approx([-0.5, -3.0], rel=1e-8)


def test_states_go_out_as_diff_and_come_back(recorded, tmp_path):
    sim.export(recorded, tmp_path / "out.adm", millimetres=True)
    text = (tmp_path / "out.adm").read_text(encoding="utf-8")
    assert "DIFF/1001" in text
    again = run(deck_model(text).scenario(1.0, 0.1))
    there = recorded.analytic["q.slide"].to_numpy()
    assert again.analytic["q.slide"].to_numpy() == pytest.approx(there, abs=1e-11)


def test_what_states_cannot_be_is_said():
    with pytest.raises(ScenarioError, match=r"names must be a sim.Names with states, got"):
        sim.States(sim.Names())
    with pytest.raises(ScenarioError, match=r"DIF\(lag\): no state has this name"):
        run(moving(PULL, requests=()))
    with pytest.raises(ScenarioError, match="Two states are called 'lag'"):
        run(moving(PULL, sim.States(NAMES), sim.States(NAMES)))
    with pytest.raises(ScenarioError, match="rate of state 'x': it is not finite at t = 0 s"):
        run(moving(sim.States(sim.Names(states={"x": "1/TIME"})), requests=()))
    nowhere = sim.Names((sim.Marker("m", "no_link"),), states={"x": "DX(m)"})
    with pytest.raises(ModelError, match=r"States: .*no_link"):
        run(moving(sim.States(nowhere), requests=()))
