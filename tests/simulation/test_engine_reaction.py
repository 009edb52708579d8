import numpy as np
import pytest

from sim.checks import check
from sim.engines.mujoco.mujoco import Mujoco
from sim.motion import JointMotion
from sim.robots import Payload
from sim.scenario import Force, PickUp, Scenario, SetDown
from sim.simulation.problem import Problem
from sim.simulation.run import run
from tests.helpers.loop_robots import FourBar
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import pendulum


def test_a_swinging_bob_pulls_at_its_hinge_as_the_textbook_says():
    """Along the rod m (g cos q + l q̇²), across it m (g sin q + l q̈), by MuJoCo's own sweep."""
    m, length = 2.0, 0.7
    motion = JointMotion.displacement({"hinge": "0.8*SIN(3*time)"})
    found = run(Scenario(pendulum(m, length), motion, 0.5, method="ideal"), engine="mujoco")
    q, qd, qdd = (found.recorded[f"{x}.hinge"].to_numpy() for x in ("q", "qd", "qdd"))
    fx, fz = (found.recorded[f"reaction.hinge.f{c}"].to_numpy() for c in "xz")
    np.testing.assert_allclose(fz, m * (9.81 * np.cos(q) + length * qd**2), rtol=1e-12)
    across = -m * (9.81 * np.sin(q) + length * qdd)
    np.testing.assert_allclose(fx, across, rtol=0, atol=1e-11)


def scenarios():
    box = Payload(1.5, com=(0.02, 0.05, 0.1), inertia=np.diag([0.004, 0.005, 0.003]))
    force = Force("forearm", force=("20*SIN(10*time)", 5, -8), torque=(0.5, "2*time", 0.3))
    motion = JointMotion.displacement({"elbow": "0.4*SIN(5*time)"})
    events = (PickUp(0.02, box, "box"), SetDown(0.06, "box"))
    yield "loads", Scenario(arm(), motion, 0.1, forces=(force,), events=events)
    bars = JointMotion.velocity({"crank_joint": "4 + 3*SIN(5*time)"}, q0={"crank_joint": 0.5})
    yield "a loop", Scenario(FourBar().robot(), bars, 0.1)


@pytest.mark.parametrize(("name", "scenario"), list(scenarios()))
def test_mujocos_reactions_are_its_own_and_near_the_models(name, scenario, monkeypatch):
    calls = []
    own = Mujoco.reactions
    monkeypatch.setattr(
        Mujoco, "reactions", lambda *arguments: calls.append(name) or own(*arguments)
    )
    found = run(scenario, method="ideal", engine="mujoco")
    assert [one for one in check(found) if not one.ok] == []
    assert calls


def test_a_slip_of_newton_and_euler_is_seen_in_the_reactions_of_a_run_by_mujoco(monkeypatch):
    """By PyBullet both tables would have it: there a law of the model makes both."""
    real = Problem.reaction

    def slipping(self, motion, friction=None, z=None, tau=None):
        reaction, force = real(self, motion, friction, z, tau)
        return 1.001 * reaction, force

    monkeypatch.setattr(Problem, "reaction", slipping)
    motion = JointMotion.displacement({"hinge": "0.8*SIN(3*time)"})
    scenario = Scenario(pendulum(2.0, 0.7), motion, 0.2, method="ideal")
    failing = {
        engine: {one.name for one in check(run(scenario, engine=engine)) if not one.ok}
        for engine in ("bullet", "mujoco")
    }
    assert "reaction" not in failing["bullet"]
    assert "reaction" in failing["mujoco"]
