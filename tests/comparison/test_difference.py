import math
from dataclasses import asdict, replace

import msgspec
import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import CubicSpline

from sim.comparison import compare
from sim.comparison.baseline import Acceptance, Baseline
from sim.comparison.difference import ATOL, RTOL
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.recording.channels import GROUPS
from sim.recording.description import Conditions
from sim.recording.files import json_text
from sim.scenario.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import (
    DURATION,
    SMOOTH,
    arm,
    short_run,
    spoiled,
    times_of,
    with_settings,
)

K = 130


@pytest.fixture(scope="module")
def good():
    return short_run("stepped")


def of(comparison, channel):
    (one,) = [d for d in comparison.differences if d.channel == channel]
    return one


def beyond(comparison):
    return [d.channel for d in comparison.differences if not d.ok]


def run_with(dt=1e-3, duration=DURATION, drives=SMOOTH, load=0.5, method="stepped"):
    return run(Scenario(arm(load), JointMotion.displacement(drives), duration, dt), method=method)


# The same run


def test_a_run_is_the_same_as_itself(good):
    result = compare(good, good)
    assert result.ok
    assert (result.missing, result.new, result.notes, result.diverges) == ((), (), (), None)
    assert all(d.ok and d.worst == 0.0 and d.diverges is None for d in result.differences)


def test_every_channel_but_the_estimates_of_errors_is_compared(good):
    wanted = {c for c in good.recorded.columns if not c.startswith("tau_error.")}
    assert {d.channel for d in compare(good, good).differences} == wanted
    assert len(wanted) == len(good.recorded.columns) - 2
    assert compare(spoiled(good, "tau_error.elbow", 1.0, K), good).ok


@pytest.mark.parametrize("group", GROUPS)
def test_the_table_of_channels_says_which_groups_are_compared(good, group):
    both = [
        replace(good, recorded=good.recorded[["q.elbow"]].assign(**{f"{group}.x": value}))
        for value in (0.0, 1.0)
    ]
    assert compare(*both).ok is not GROUPS[group].is_compared


def test_a_run_made_again_is_the_same():
    assert compare(run_with(), run_with()).ok


# One channel that changed

CHANGED = ["q.elbow", "tau.shoulder", "power.elbow", "friction.elbow", "reaction.elbow.fx",
           "reaction.shoulder.my", "ke.payload", "ke", "pe", "tool.z", "tool.wy"]  # fmt: skip


@pytest.mark.parametrize("channel", CHANGED)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_just_over_the_limit_is_found_with_place_and_size(good, channel, sign):
    limit = of(compare(good, good), channel).limit
    result = compare(spoiled(good, channel, sign * 1.001 * limit, K), good)
    assert not result.ok
    assert beyond(result) == [channel]
    worst = result.differences[0]
    assert worst.channel == channel
    assert worst.worst == pytest.approx(1.001 * limit, rel=1e-3)
    assert worst.at == worst.diverges == result.diverges == times_of(good)[K]
    assert worst.unit == good.units[channel]
    assert compare(spoiled(good, channel, sign * 0.999 * limit, K), good).ok


def test_the_limit_is_relative_to_the_largest_in_the_channels_group(good):
    result, table = compare(good, good), good.recorded
    torque = table[["tau.shoulder", "tau.elbow"]].abs().to_numpy().max()
    for channel in ("tau.shoulder", "tau.elbow"):
        assert of(result, channel).limit == pytest.approx(RTOL * torque + ATOL, rel=1e-12)
    forces = table.filter(regex=r"^reaction\..*\.f.$").abs().to_numpy().max()
    assert of(result, "reaction.elbow.fy").limit == pytest.approx(RTOL * forces + ATOL, rel=1e-12)
    energy = max(table["ke"].abs().max(), table["pe"].abs().max())
    assert of(result, "ke.forearm").limit == pytest.approx(RTOL * energy + ATOL, rel=1e-12)
    assert of(result, "friction.elbow").limit == ATOL  # a group that stays at zero
    assert of(result, "tool.qw").limit == pytest.approx(RTOL + ATOL, rel=1e-2)


def test_the_first_time_of_divergence_is_not_the_time_of_the_worst(good):
    limit = of(compare(good, good), "tau.elbow").limit
    later = spoiled(spoiled(good, "tau.elbow", 2 * limit, K), "tau.elbow", 9 * limit, K + 50)
    both = spoiled(later, "pe", 1.0, K + 20)
    result, t = compare(both, good), times_of(good)
    torque = of(result, "tau.elbow")
    assert (torque.diverges, torque.at) == (t[K], t[K + 50])
    assert of(result, "pe").diverges == t[K + 20]
    assert result.diverges == t[K]
    # the worst relative to its limit comes first, all that are beyond before all that are not
    assert [d.channel for d in result.differences[:2]] == ["pe", "tau.elbow"]


def test_differences_are_sorted_by_how_much_of_their_limit_they_use(good):
    slightly = spoiled(good, "tau.elbow", 0.5 * of(compare(good, good), "tau.elbow").limit, K)
    result = compare(slightly, good)
    assert result.ok
    assert result.differences[0].channel == "tau.elbow"


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("side", ["run", "reference"])
def test_a_value_that_is_no_number_differs_on_either_side(good, value, side):
    broken = spoiled(good, "tau.elbow", value, K)
    pair = (broken, good) if side == "run" else (good, broken)
    result = compare(*pair)
    assert not result.ok
    assert beyond(result) == ["tau.elbow"]
    assert result.differences[0].at == times_of(good)[K]
    assert math.isinf(result.differences[0].worst)
    assert "null" in json_text(asdict(result))


# Channels that come and go


def test_a_channel_that_only_one_side_has_is_a_difference(good):
    less = replace(good, recorded=good.recorded.drop(columns=["tool.x", "pe"]))
    result = compare(less, good)
    assert (result.missing, result.new, result.ok) == (("pe", "tool.x"), (), False)
    result = compare(good, less)
    assert (result.missing, result.new, result.ok) == ((), ("pe", "tool.x"), False)


def test_a_run_that_failed_its_own_checks_is_the_same_as_nothing(good):
    failed = good.described(verdict="fail")
    result = compare(failed, good)
    assert (result.ok, result.notes) == (False, ("the run's own verdict is fail",))
    assert all(d.ok for d in result.differences)
    assert compare(good, failed).ok  # of the other side only the numbers count


def test_runs_of_different_robots_have_nothing_in_common(good):
    other = replace(good, recorded=good.recorded[["q.elbow"]].rename(columns={"q.elbow": "q.x"}))
    with pytest.raises(RecordingError, match="no time or no channel in common"):
        compare(good, other)


def test_runs_without_a_common_time_cannot_be_compared(good):
    later = good.recorded.copy()
    later.index = later.index + 5.0
    with pytest.raises(RecordingError, match="no time or no channel in common"):
        compare(good, replace(good, recorded=later))


# Tolerances of a scenario


def with_tolerances(recording, **tolerances):
    return with_settings(
        recording, tolerances={k.replace("_", "."): v for k, v in tolerances.items()}
    )


def test_a_tolerance_of_the_scenario_replaces_the_limit_of_the_channels_it_names(good):
    loose = with_settings(good, tolerances={"tau.*": 0.5})
    result = compare(spoiled(loose, "tau.elbow", 0.49, K), good)
    assert result.ok
    assert of(result, "tau.elbow").limit == of(result, "tau.shoulder").limit == 0.5
    assert of(result, "pe").limit == of(compare(good, good), "pe").limit
    assert beyond(compare(spoiled(loose, "tau.elbow", 0.51, K), good)) == ["tau.elbow"]


def test_a_tolerance_can_also_be_tighter(good):
    tight = with_settings(good, tolerances={"tau.elbow": 1e-12})
    assert beyond(compare(spoiled(tight, "tau.elbow", 1e-10, K), good)) == ["tau.elbow"]


def test_the_tolerance_of_the_reference_counts_too_but_that_of_the_run_wins(good):
    loose, tight = (with_settings(good, tolerances={"tau.*": x}) for x in (0.5, 1e-12))
    changed = spoiled(good, "tau.elbow", 0.1, K)
    assert compare(changed, loose).ok
    assert not compare(spoiled(tight, "tau.elbow", 0.1, K), loose).ok


def test_the_first_pattern_that_fits_counts(good):
    both = with_settings(good, tolerances={"tau.elbow": 0.5, "tau.*": 0.2})
    result = compare(both, good)
    assert of(result, "tau.elbow").limit == 0.5
    assert of(result, "tau.shoulder").limit == 0.2


# Other steps, durations and settings


def test_a_run_at_a_finer_step_is_compared_on_the_samples_it_shares(good):
    fine = run_with(dt=5e-4, method="ideal")
    coarse = run_with(dt=1e-3, method="ideal")
    result = compare(fine, coarse)
    assert result.ok
    assert "dt: 0.0005, reference 0.001" in result.notes
    # a work is an integral over the samples; all else is known at each of them alone
    at_samples = [d for d in result.differences if not d.channel.startswith("work.")]
    assert all(d.worst <= 1e-10 for d in at_samples)


def test_a_run_at_another_step_is_compared_by_cubic_interpolation():
    smooth = {"shoulder": "0.1*SIN(6*time)", "elbow": "0.2*COS(5*time)"}
    reference = run_with(dt=1e-3, drives=smooth, method="ideal")
    other = run_with(dt=3e-3, drives=smooth, method="ideal")
    result = compare(other, reference)
    assert result.ok
    channel = "tau.elbow"
    spline = CubicSpline(times_of(other), other.recorded[channel].to_numpy())
    wanted = np.max(np.abs(spline(times_of(reference)) - reference.recorded[channel].to_numpy()))
    assert of(result, channel).worst == pytest.approx(wanted, rel=1e-9)
    assert wanted > 0


def test_interpolation_does_not_hide_a_real_change():
    result = compare(run_with(dt=3e-3, method="ideal", load=0.51), run_with(method="ideal"))
    assert not result.ok
    assert {"tau.shoulder", "tau.elbow", "ke.payload"} <= set(beyond(result))


def test_a_value_that_is_no_number_is_seen_through_interpolation_too():
    coarse = spoiled(run_with(dt=3e-3, method="ideal"), "tau.elbow", math.nan, 50)
    result = compare(coarse, run_with(method="ideal"))
    assert "tau.elbow" in beyond(result)


@pytest.mark.parametrize("shorter", ["run", "reference"])
def test_another_duration_is_never_the_same_but_the_common_part_is_compared(shorter):
    short = {"elbow": SMOOTH["elbow"]}
    pair = [run_with(duration=d, drives=short, method="ideal") for d in (0.2, 0.3)]
    result = compare(*pair) if shorter == "run" else compare(*reversed(pair))
    assert not result.ok
    assert beyond(result) == []
    assert [note for note in result.notes if note.startswith("duration: ")]


def test_settings_that_differ_are_told(good):
    other = with_settings(good, gravity=(0.0, 0.0, -1.62)).described(method="ideal")
    notes = compare(other, good).notes
    assert "method: ideal, reference stepped" in notes
    assert "gravity: [0.0, 0.0, -1.62], reference [0.0, 0.0, -9.81]" in notes
    robot = msgspec.structs.replace(good.run.robot, urdf_sha256="0" * 64)
    note = compare(good.described(robot=robot), good).notes[0]
    assert note == f"urdf: {'0' * 12}, reference {good.run.robot.urdf_sha256[:12]}"


def test_parameters_that_differ_are_told(good):
    mine, theirs = (good.described(parameters={"load": x}) for x in (0.5, 1.0))
    assert compare(mine, theirs).notes == ("load: 0.5, reference 1.0",)
    assert compare(mine, good).notes == ("load: 0.5, reference None",)


def test_a_thinned_reference_is_compared_at_its_own_times(good):
    conditions = {name: getattr(good.run, name) for name in Conditions.__struct_fields__}
    accepted = Acceptance(**conditions, reason="thin", accepted="now", every=7, sha256="")
    thin = Baseline(good.recorded.iloc[::7], accepted)
    assert compare(good, thin).ok
    limit = of(compare(good, thin), "tau.elbow").limit
    on, between = 7 * 20, 7 * 20 + 3
    assert beyond(compare(spoiled(good, "tau.elbow", 2 * limit, on), thin)) == ["tau.elbow"]
    assert compare(spoiled(good, "tau.elbow", 2 * limit, between), thin).ok


def test_an_index_that_rounding_moved_is_still_the_same_samples(good):
    moved = good.recorded.copy()
    moved.index = pd.Index(moved.index.to_numpy() * (1 + 1e-15), name="t")
    result = compare(replace(good, recorded=moved), good)
    assert all(d.worst == 0.0 for d in result.differences)
