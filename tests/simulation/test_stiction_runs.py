"""Runs with contacts that stick: engine and model, verdict, description, deck."""

import numpy as np
import pytest

import sim
from sim.checks import check
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot

G, K, MU, RATE, SPEED = 9.81, 1e5, 0.3, 8.0, 0.2


def pushed():
    """A block slides to rest, and is pushed by 8 t until it slides again."""
    body = robot(
        link("a", 0.0), link("body", 1.0),
        joint("x", "prismatic", "ground", "a", "1 0 0"),
        joint("z", "prismatic", "a", "body", "0 0 1"),
    )  # fmt: skip
    sole = sim.Contact(
        sim.ContactShape.box("body", (0.2, 0.1, 0.1)), sim.ContactShape.plane(),
        sim.ContactLaw.impact(K, 1.0, 200.0), name="sole", mu_static=MU, stiction=True,
    )  # fmt: skip
    start = {"q0": {"z": 0.05 - G / K}, "qd0": {"x": SPEED}}
    motion = sim.JointMotion.torque({"x": f"{RATE}*time"}, free=["z"], **start)
    return sim.Scenario(body, motion, duration=0.6, dt=0.01, method="adaptive", contacts=(sole,))


def way(t):
    """Where it is: v - mu g t + 4 t² until that is zero, then where 8 t is above mu g."""
    limit = MU * G
    stops = np.min(np.roots([RATE / 2, -limit, SPEED]))
    s, on = np.minimum(t, stops), np.maximum(t - limit / RATE, 0.0)
    return SPEED * s - limit * s**2 / 2 + RATE * s**3 / 6 + RATE * on**3 / 6


@pytest.fixture(scope="module", params=["bullet", "mujoco"])
def recorded(request, compiled):
    return run(pushed(), engine=request.param, name="pushed")


def test_engine_and_model_stop_stick_and_slide_again(recorded):
    assert all(one.ok for one in check(recorded))
    for table in (recorded.recorded, recorded.analytic):
        t = table["t"].to_numpy() if "t" in table else table.index.to_numpy()
        np.testing.assert_allclose(table["q.x"], way(t), rtol=0, atol=1e-10)
        friction = np.where(t * RATE < MU * G, RATE * t, MU * G)
        sticks = table["state.4"].to_numpy() == 1.0
        np.testing.assert_allclose(
            table["contact.sole.friction"][sticks], friction[sticks], rtol=1e-9
        )
        assert 20 < sticks.sum() < 35


def test_a_holding_force_on_record_that_is_wrong_fails(recorded):
    table = recorded.recorded.copy()
    table["state.0"] *= 1.0 + 1e-6
    failed = {one.name for one in check(recorded.having(recorded=table)) if not one.ok}
    assert "force by its law" in failed


def test_its_description_comes_back(recorded, tmp_path):
    (sole,) = recorded.run.contacts
    assert sole.stiction is True
