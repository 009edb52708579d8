from dataclasses import replace

import numpy as np
import pytest

from sim.checks import judge, own_curves
from sim.motion import JointMotion
from sim.scenario.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import SMOOTH, rubbing_arm, short_run, spoiled
from tests.helpers.synthetic_runs import event


def without(recording, *channels):
    return replace(
        recording,
        recorded=recording.recorded.drop(columns=list(channels)),
        analytic=recording.analytic.drop(columns=list(channels)),
    )


def aimed(recording, off=0.0):
    """The recording with a target for its tool, `off` above it [m]."""
    targets = {f"target.{c}": recording.analytic[f"tool.{c}"] for c in "xy"}
    targets["target.z"] = recording.analytic["tool.z"] + off
    both = (recording.recorded.assign(**targets), recording.analytic.assign(**targets))
    return replace(recording, recorded=both[0], analytic=both[1])


def test_a_run_has_a_balance_and_an_error_of_its_tool():
    assert set(own_curves(short_run())) == {"balance", "tool.error"}


def test_a_run_with_a_path_has_an_error_from_it_too():
    curves = own_curves(aimed(short_run(), off=0.25))
    assert set(curves) == {"balance", "tool.error", "path.error"}
    np.testing.assert_allclose(curves["path.error"], 0.25, rtol=1e-6)


@pytest.mark.parametrize("channel", ["ke", "pe", "work.elbow", "loss.shoulder"])
def test_without_all_of_its_channels_there_is_no_balance(channel):
    assert set(own_curves(without(short_run(), channel))) == {"tool.error"}


def test_without_a_tool_there_is_no_error_of_one():
    tool = [c for c in short_run().recorded.columns if c.startswith("tool.")]
    assert set(own_curves(without(aimed(short_run()), *tool))) == {"balance"}


@pytest.mark.parametrize("run", [short_run(), aimed(spoiled(short_run(), "ke", -2.0, 9), 0.25)])
def test_each_curve_is_the_one_that_its_check_has_judged(run):
    curves, judged = own_curves(run), {one.check.plot: one.error for one in judge(run)}
    for name, curve in curves.items():
        np.testing.assert_array_equal(np.abs(curve), judged[name])
    assert set(judged) == set(curves) | (set(judged) & set(run.recorded.columns))


@pytest.mark.parametrize("change", [2.0, -2.0])
def test_the_balance_has_a_sign_and_energy_that_appears_is_missing_from_it(change):
    before, after = (
        own_curves(run)["balance"][50]
        for run in (short_run(), spoiled(short_run(), "ke", change, 50))
    )
    assert after - before == pytest.approx(-change, rel=1e-12)


def test_the_tools_error_is_its_distance_from_the_model():
    spoiled_twice = spoiled(spoiled(short_run(), "tool.x", 0.3, 50), "tool.y", 0.4, 50)
    assert own_curves(spoiled_twice)["tool.error"][50] == pytest.approx(0.5)


def test_friction_is_not_missing_from_the_balance():
    recording = run(Scenario(rubbing_arm(), JointMotion.displacement(SMOOTH), 0.1))
    lost = sum(recording.recorded[f"loss.{j}"].iloc[-1] for j in ("shoulder", "elbow"))
    assert np.abs(own_curves(recording)["balance"]).max() < 0.01 * lost


def test_what_an_event_brings_at_the_start_or_later_is_not_missing_from_the_balance():
    for k in (0, 50):
        energies = short_run().recorded["pe"].to_numpy() + 7.0 * (np.arange(301) >= k)
        table = short_run().recorded.assign(pe=energies)
        picked = replace(short_run(), recorded=table).with_description(
            events=(event(1e-3 * k, 0, 7),)
        )
        np.testing.assert_allclose(
            own_curves(picked)["balance"], own_curves(short_run())["balance"], atol=1e-12
        )
