"""A curve with bends and jumps, read between its samples: against its own closed form."""

import msgspec
import numpy as np
import pytest

from sim.checks import judge_recording
from sim.comparison import compare
from sim.comparison.resampling import Resampling
from sim.motion import JointMotion
from sim.scenario.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import arm, short_run, spoiled

OWN, FINE = np.linspace(0, 1, 251), np.linspace(0, 1, 1001)


def conditions(method="ideal", **settings):
    was = short_run().run
    changed = {"dt": 0.004, "corners": (), "bends": (), **settings}
    return msgspec.structs.replace(
        was, method=method, settings=msgspec.structs.replace(was.settings, **changed)
    )


def bent(t):
    return np.sin(5 * t) + 40 * np.maximum(t - 0.4, 0)


def test_a_bend_is_not_laid_under_a_spline():
    plain = Resampling(conditions(), OWN, FINE).of(bent(OWN))
    known = Resampling(conditions(bends=(0.4,)), OWN, FINE).of(bent(OWN))
    assert np.abs(plain - bent(FINE)).max() > 1e-3
    assert np.abs(known - bent(FINE)).max() < 1e-8


@pytest.mark.parametrize(("method", "reach"), [("ideal", 0.0), ("stepped", 0.004)])
def test_a_jump_has_two_sides_and_a_sample_of_a_difference_tells_neither(method, reach):
    def jumps(t):
        return np.cos(3 * t) + np.where(t < 0.6 - 1e-9, 0.0, 5.0)

    values = jumps(OWN)
    if method == "stepped":
        values[150] -= 2.5  # a central difference sees the mean
    found = Resampling(conditions(method, corners=(0.6,)), OWN, FINE).of(values)
    away = np.abs(FINE - 0.6) >= reach - 1e-9
    assert np.abs(found - jumps(FINE))[away].max() < 1e-8


def test_a_piece_of_few_samples_is_read_as_before():
    close = tuple(np.arange(1, 250) * 0.004)
    found = Resampling(conditions(bends=close), OWN, FINE).of(np.sin(OWN))
    np.testing.assert_allclose(found, np.sin(FINE), atol=1e-10)


def test_two_steps_of_one_scenario_agree_beside_a_bend_and_a_fault_there_is_seen():
    drives = {"shoulder": "STEP5(time,0,0,0.2,5d)-STEP5(time,0.2,0,0.4,5d)"}
    fine, coarse = (
        judge_recording(run(Scenario(arm(), JointMotion.displacement(drives), 0.4, dt)))
        for dt in (1e-3, 2e-3)
    )
    assert compare(coarse, fine).ok
    assert compare(fine, coarse).ok
    fault = spoiled(coarse, "tau.shoulder", 0.05, 52)
    assert not compare(fault, fine).ok
