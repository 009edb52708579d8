import numpy as np
import pytest

import sim
from sim.capacity import RatedMotion, largest_payload
from sim.errors import ModelError, ScenarioError
from tests.helpers.small_robots import lift, pendulum

G = 9.81


def test_a_lift_carries_what_its_force_lifts():
    # m (g + a) with z = t²: a = 2
    motion = sim.JointMotion.displacement({"slide": "time**2"})
    found = largest_payload(
        sim.Scenario(lift(3.0), motion, 1.0, 0.01), frame="load", torque={"slide": 100.0}
    )
    assert found.mass == pytest.approx(100 / (G + 2) - 3.0, rel=1e-13)
    assert found.ok
    assert found.binding.joint == "slide"


def test_a_hanging_arm_carries_mass_and_moments_of_each_kilogram():
    # (m L² + M (L² + k²)) a at the lowest point, where weight has no lever
    m, L, k2, a = 2.0, 0.5, 0.04, 3.0
    motion = RatedMotion(pendulum(m, L), [0.0, 1.0], np.zeros((1, 2)), np.zeros((1, 2)), [[a, a]])
    tensor = k2 * np.eye(3)
    found = largest_payload(
        motion, com=(0, 0, -L), inertia=tensor, frame="bob", torque={"hinge": 10.0}
    )
    assert found.mass == pytest.approx((10 / a - m * L**2) / (L**2 + k2), rel=1e-13)


def test_the_run_with_it_meets_its_rating():
    scenario, _ = sim.load_script("two_link").build({"load": 0.0})
    found = largest_payload(scenario)
    carried, _ = sim.load_script("two_link").build({"load": found.mass})
    checks = sim.check(sim.run(carried, method="ideal"))
    (peak,) = (c for c in checks if c.channel == "tau.shoulder" and c.name == "rated torque")
    assert peak.used == pytest.approx(1.0, abs=1e-9)
    more, _ = sim.load_script("two_link").build({"load": 0.3})
    assert largest_payload(more).mass == pytest.approx(found.mass - 0.3, rel=1e-12)


def test_power_bounds_it_too():
    motion = sim.JointMotion.displacement({"slide": "0.5*time"})
    scenario = sim.Scenario(lift(3.0), motion, 1.0, 0.01)
    found = largest_payload(scenario, frame="load", power={"slide": 50.0})
    assert (found.binding.what, found.ok) == ("power", True)
    assert found.mass == pytest.approx(50 / (G * 0.5) - 3.0, rel=1e-13)


def test_a_motion_that_is_too_much_already_carries_nothing():
    motion = sim.JointMotion.displacement({"slide": "0.5*time"})
    scenario = sim.Scenario(lift(3.0), motion, 1.0, 0.01)
    found = largest_payload(scenario, frame="load", torque={"slide": 20.0})
    assert (found.mass, found.ok) == (0.0, False)


def test_bad_bodies_are_refused():
    motion = sim.JointMotion.displacement({"slide": "0.5*time"})
    scenario = sim.Scenario(lift(3.0), motion, 1.0, 0.01)
    with pytest.raises(ModelError, match="nowhere"):
        largest_payload(scenario, frame="nowhere")
    with pytest.raises(ModelError, match="mass centre"):
        largest_payload(scenario, com=(0, np.nan, 0), frame="load")
    level = sim.Scenario(lift(3.0, axis="1 0 0"), motion, 1.0, 0.01)
    with pytest.raises(ScenarioError, match="limits the payload"):
        largest_payload(level, frame="load")  # at one speed, across its weight
