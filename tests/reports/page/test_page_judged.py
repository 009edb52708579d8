from dataclasses import replace

import numpy as np
import pytest

from sim.reports.page.judged import errors_of, failing_samples, own_curves, plotted_channel
from tests.page_runs import bad_run, good_run, judged
from tests.short_runs import rubbing_arm, short_run, spoiled, times_of

# Checks that are about no samples of one curve, or of the analytic table alone.
ELSEWHERE = (
    "finite numbers",
    "Lagrange and Newton-Euler",
    "energy audit of the model",
    "friction gives nothing",
)


@pytest.mark.parametrize("run", [good_run, bad_run])
def test_the_largest_error_is_the_one_that_the_check_found(run):
    # Oracle: the checks, which the page must never contradict.
    recording, t = run(), times_of(run())
    own = own_curves(recording)
    seen = set()
    for check in recording.info["checks"]:
        error = errors_of(recording, check, own, t)
        if error is None or check["name"].endswith("end of range"):
            continue
        seen.add(check["name"])
        assert np.max(error) == pytest.approx(check["worst"], rel=1e-9, abs=1e-30)
    everything = {check["name"] for check in recording.info["checks"]}
    assert everything - seen - set(ELSEWHERE) <= {"lower end of range", "upper end of range"}


def test_failing_samples_are_those_beyond_the_limit():
    (check,) = (c for c in bad_run().info["checks"] if c["name"] == "torque" and not c["ok"])
    bad = failing_samples(bad_run(), check, own_curves(bad_run()))
    assert np.flatnonzero(bad).tolist() == [*range(100, 140), 250]


def test_a_joint_beyond_its_range_fails_where_it_is_beyond():
    table = short_run().recorded.copy()
    q = table["q.elbow"].to_numpy().copy()
    q[40:50] = 100.0
    table["q.elbow"] = q
    joints = [{**j, "lower": -3.0, "upper": 3.0} for j in short_run().info["robot"]["joints"]]
    info = {"robot": {**short_run().info["robot"], "joints": joints}}
    run = judged(replace(short_run(), recorded=table).with_info(**info))
    (check,) = (c for c in run.info["checks"] if c["name"] == "upper end of range" and not c["ok"])
    bad = failing_samples(run, check, own_curves(run))
    assert np.flatnonzero(bad).tolist() == [*range(40, 50)]


def test_a_check_of_no_curve_marks_its_worst_sample():
    check = {"name": "something new", "channel": "nowhere", "at": 0.1, "limit": 0.0, "ok": False}
    bad = failing_samples(good_run(), check, {})
    assert np.flatnonzero(bad).tolist() == [100]


def test_the_audit_is_seen_on_the_balance_and_the_tool_on_its_own_curve():
    assert plotted_channel({"name": "energy audit", "channel": "ke"}) == "balance"
    assert plotted_channel({"name": "tool position", "channel": "tool.x"}) == "tool.error"
    assert plotted_channel({"name": "torque", "channel": "tau.elbow"}) == "tau.elbow"


def test_the_tools_error_is_its_distance_from_the_model():
    run = spoiled(spoiled(good_run(), "tool.x", 0.3, 50), "tool.y", 0.4, 50)
    assert own_curves(run)["tool.error"][50] == pytest.approx(0.5)


def test_friction_is_not_missing_from_the_balance():
    from sim.motion import JointMotion
    from sim.scenario import Scenario
    from sim.simulation import run
    from tests.short_runs import SMOOTH

    recording = run(Scenario(rubbing_arm(), JointMotion.displacement(SMOOTH), 0.1))
    lost = sum(recording.recorded[f"loss.{j}"].iloc[-1] for j in ("shoulder", "elbow"))
    assert np.abs(own_curves(recording)["balance"]).max() < 0.01 * lost
