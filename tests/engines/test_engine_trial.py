"""The closed form of the one-joint arm by hand, and that a wrong one is seen."""

import math

import pytest

from sim.engine_names import ENGINES
from sim.engines import engine_trial
from sim.engines.engine_trial import TOLERANCE, largest_error, torque


@pytest.mark.parametrize(
    ("q", "qdd", "tau"),
    [
        (0.0, 0.0, -5.886),  # stretched out: 2 kg at 0.3 m, 9.81 m/s²
        (math.pi / 2, 1.0, 0.23),  # hanging: 0.05 + 2 · 0.3²
        (math.pi, 0.0, 5.886),
    ],
)
def test_the_closed_form_is_that_of_a_pendulum(q, qdd, tau):
    assert torque(q, qdd) == pytest.approx(tau, abs=1e-12)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_agrees_with_it_and_with_no_other(name, monkeypatch):
    assert largest_error(name) <= TOLERANCE
    assert largest_error(name, lambda q, qdd: torque(-q - 3, qdd)) > 1e4 * TOLERANCE
    for constant in ("MASS", "LENGTH", "INERTIA"):  # of the closed form; the engine has the text
        with monkeypatch.context() as patch:
            patch.setattr(engine_trial, constant, 1.01 * getattr(engine_trial, constant))
            assert largest_error(name) > 1e4 * TOLERANCE
