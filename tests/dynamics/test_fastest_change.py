"""Which force makes a motion fast, against roots of one mass on springs and dampers."""

import numpy as np
import pytest

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.endless_steps import fastest_change
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.sforce import SForce
from sim.robots import Marker
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import lift

MASS = 2.0


def mechanism(*strings, q=0.5, qd=0.0):
    plant = lift(MASS)
    ends = Marker("tip", plant.links[-1].name), Marker("post", "world", (0, 0, 3.0))
    forces = [SForce(f"f{k}", *ends, one) for k, one in enumerate(strings)]
    loads = ElementSum(plant, tuple(forces))
    made = Mechanism(LagrangianDynamics(plant), loose([q], [qd]), loads)
    return made, made.start()


@pytest.mark.parametrize(
    ("strings", "name", "rate"),
    [
        (("-800*DM(tip,post)", "-200*DM(tip,post)"), "f0", 20.0),  # sqrt(k/m)
        (("-800*DM(tip,post)", "-100*VR(tip,post)"), "f1", 50.0),  # c/m
        (("-800*DM(tip,post)", "EXP(1000*(DZ(tip)-0.49))"), "f1", np.sqrt(500 * np.exp(10.0))),
        (("-8*DM(tip,post)", "SQRT(DZ(tip)-0.5)"), "f1", np.inf),  # without a value at one side
    ],
)
def test_the_stiffest_force_is_named_with_its_root(strings, name, rate):
    found, at = fastest_change(*_at(*mechanism(*strings)))
    assert found == f"SForce '{name}'"
    assert at == pytest.approx(rate, rel=1e-5)


def test_far_away_it_is_the_largest_force_and_without_forces_nothing():
    made, y = mechanism("3*DM(tip,post)", "5*DM(tip,post)", q=1e30)
    assert fastest_change(*_at(made, y))[0] == "SForce 'f1'"
    assert fastest_change(*_at(*mechanism())) == ("", 0.0)


def _at(made, y):
    return made, 0.0, y
