"""Impulses of contacts by the momentum of their bodies, which needs no law of the contacts."""

import numpy as np
import pytest

import sim
from sim.checks import check
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot


@pytest.fixture(scope="module")
def blow(compiled):
    """A sphere on a swinging arm hits a block on a slide, for a few milliseconds."""
    arm = robot(
        link("arm", 1.0, "0 0 -0.5", "0.1 0.1 0.1"), link("cart", 2.0),
        joint("swing", "revolute", "ground", "arm", "0 1 0"),
        joint("slide", "prismatic", "ground", "cart", "1 0 0"),
    )  # fmt: skip
    shape = sim.ContactShape
    contact = sim.Contact(
        shape.sphere("arm", 0.05, at=(0, 0, -1)),
        shape.box("cart", (0.2, 0.2, 0.4), at=(-0.4, 0, -1)),
        sim.ContactLaw.impact(1e6, 1.5, 100.0), name="hit", mu_static=0.3,
    )  # fmt: skip
    motion = sim.JointMotion.torque({"swing": "2*time"}, qd0={"swing": 2.0}, free=["slide"])
    scenario = sim.Scenario(
        arm, motion, duration=0.3, dt=1e-3, method="adaptive", contacts=(contact,)
    )
    return run(scenario, name="blow")


def judged(recording):
    return [one for one in check(recording) if one.name.startswith("impulse of contacts")]


def test_what_is_on_record_changes_the_momentum(blow):
    assert blow.recorded["qd.slide"].iloc[-1] < -0.1  # m/s: it was hit
    checks = judged(blow)
    assert [one.channel for one in checks] == 2 * ["qd.swing", "qd.slide"]
    assert [one.unit for one in checks] == 2 * ["N·m·s", "N·s"]
    assert all(one.ok and one.used < 0.1 for one in checks)
    # by hand, of the cart alone: its mass times its acceleration is the reaction
    force = -blow.recorded["contact.hit.fx"].to_numpy()
    np.testing.assert_allclose(2.0 * blow.recorded["qdd.slide"], force, rtol=0, atol=1e-9)


@pytest.mark.parametrize("lie", ["fx", "my"])
def test_a_force_on_record_that_is_wrong_fails(blow, lie):
    table = blow.recorded.copy()
    table[f"contact.hit.{lie}"] *= 1.0 + 1e-4
    failed = [one for one in judged(blow.having(recorded=table)) if not one.ok]
    assert failed and {one.name for one in failed} == {"impulse of contacts"}
