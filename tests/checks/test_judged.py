import math
import sys

import numpy as np

from sim.checks import check, energy_balance, judge_claims, judge_recording, sizing, without_curves
from sim.checks.verdict import judge_recording_in_detail
from sim.cli.command import status
from tests.helpers.short_runs import short_run, spoiled


def test_everything_that_can_be_said_stands_in_the_description():
    run = judge_recording(short_run()).run
    assert run.verdict == "pass"
    assert run.checks == check(short_run())
    assert run.sizing == sizing(short_run())
    assert run.claim_results == judge_claims(short_run())
    assert run.audit == (energy_balance(short_run()), energy_balance(short_run(), analytic=True))


def test_the_tables_are_left_as_they_were_and_the_original_too():
    assert judge_recording(short_run()).recorded is short_run().recorded
    assert short_run().run.verdict is None


def test_peaks_are_the_largest_magnitudes_of_torques_powers_speeds_and_kinetic_energies():
    peaks, table = judge_recording(short_run()).run.peaks, short_run().recorded
    assert set(peaks) == {
        *(f"{group}.{j}" for group in ("tau", "power", "qd") for j in ("shoulder", "elbow")),
        *("ke", "ke.upper_arm", "ke.forearm", "ke.payload"),
    }
    assert peaks == {channel: np.abs(table[channel]).max() for channel in peaks}


def test_a_curve_that_is_no_number_somewhere_has_no_peak():
    for value in (math.nan, math.inf):
        run = judge_recording(spoiled(short_run(), "tau.elbow", value, 7)).run
        assert run.verdict == "fail"
        assert math.isnan(run.peaks["tau.elbow"])
        assert run.peaks["tau.shoulder"] == judge_recording(short_run()).run.peaks["tau.shoulder"]


def test_the_judgements_told_beside_are_those_found_again():
    bad = spoiled(short_run(), "tau.shoulder", 50.0, 7)
    described, found = judge_recording_in_detail(bad)
    again = without_curves(bad)
    assert described.run == judge_recording(bad).run
    assert [(j.check, j.bounds, j.allowed, j.holds, j.note) for j in found] == [
        (j.check, j.bounds, j.allowed, j.holds, j.note) for j in again
    ]
    assert any(not j.check.ok for j in found)
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(
            one.failing_samples(bad.t) if not one.check.ok else [],
            other.failing_samples(bad.t) if not other.check.ok else [],
        )


def test_a_run_by_the_command_is_judged_once(monkeypatch, tmp_path):
    module, asked = sys.modules["sim.checks.verdict"], []

    def asking(view):
        asked.append(view)
        return iter(())

    monkeypatch.setattr(module, "CHECKS", (*module.CHECKS, asking))
    assert status(["run", "two_link", "--out", str(tmp_path / "run")]) == 0
    assert len(asked) == 1
