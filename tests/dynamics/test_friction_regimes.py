"""Joints that slide through the change of their coefficient and stop, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad

import sim
from sim.dynamics.single_state.switch import SWITCH
from sim.robots import JointFriction, read_urdf
from sim.simulation import build_problem
from sim.simulation.model_answer import model_answer
from sim.simulation.table import tables

G, SPEED, MU = 9.81, 0.9, 0.2
BLOCK = """<robot name="block"><link name="ground"/><link name="block"><inertial><mass value="2"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="ground"/><child link="block"/><axis xyz="1 0 0"/>
<limit lower="-10" upper="10" effort="1e3" velocity="10"/></joint></robot>"""


def law(mu_static, stiction_velocity):
    return JointFriction(
        mu_static, MU, stiction_velocity=stiction_velocity, friction_arm=0.05, bending_arm=1.0
    )


def coefficient(v, mu_static, v_s):
    u = np.clip((v - v_s) / (0.5 * v_s), 0.0, 1.0)
    return mu_static + (MU - mu_static) * u * u * (3 - 2 * u)


def stopping_distance(mu_static, v_s):
    """Integral of v dv / (mu(v) g) from rest to the initial speed [m]."""
    end = 1.5 * v_s
    slow = sum(
        quad(lambda v: v / (coefficient(v, mu_static, v_s) * G), *part, epsabs=1e-20)[0]
        for part in ((0, v_s), (v_s, end))
    )
    return (SPEED**2 - end**2) / (2 * MU * G) + slow


def sliding(mu_static, v_s, sense=1, **more):
    return sim.Scenario(
        read_urdf(BLOCK).with_friction({"rail": law(mu_static, v_s)}),
        sim.JointMotion.acceleration({}, qd0={"rail": sense * SPEED}, free=["rail"]),
        duration=0.6, dt=0.05, method="adaptive", **more,
    )  # fmt: skip


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("v_s", [1e-4, 1e-3, 2e-3, 5e-2])
@pytest.mark.parametrize("fast", ["0", "1"])
def test_a_block_on_rails_stops_where_the_closed_form_says(v_s, sense, fast, monkeypatch):
    """To rounding: a step that passes over the change of the coefficient is off by 1e-7 m."""
    monkeypatch.setenv(SWITCH, fast)
    problem = build_problem(sliding(0.3, v_s, sense))
    (found,) = tables(problem, model_answer(problem))
    stop = sense * stopping_distance(0.3, v_s)
    assert found["q.rail"][-1] == pytest.approx(stop, abs=1e-13)
    assert found["loss.rail"][-1] == pytest.approx(0.5 * 2.0 * SPEED**2, rel=1e-9)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_stop_it_there_too(engine):
    scenario = sliding(0.3, 1e-3, engine=engine)
    run = sim.run(scenario)
    assert all(check.ok for check in sim.check(run))
    end = run.recorded["q.rail"].iloc[-1]
    assert end == pytest.approx(stopping_distance(0.3, 1e-3), abs=1e-13)
