import math
import re
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import CubicSpline

from sim.checks import judge_recording
from sim.comparison import compare
from sim.comparison.rounding import AT_REST, CANCELLING, SUMS, noise
from sim.comparison.tolerance import RTOL, Rule, default_rule
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.recording.files.whole_files import json_text
from sim.recording.schema.channels import GROUPS
from sim.recording.schema.facts import NeighbourFacts
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import (
    DURATION,
    SMOOTH,
    arm,
    short_run,
    spoiled,
    times_of,
    with_settings,
)
from tests.helpers.small_robots import lift

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
    assert (result.level, result.word, result.changes) == ("bit", "same to the bit", ())
    assert all(d.ok and d.worst == 0.0 and d.diverges is None for d in result.differences)


def test_every_channel_but_estimates_of_errors_and_what_positions_say_is_compared(good):
    left_out = ("tau_error.", "least_singular_value")
    wanted = {c for c in good.recorded.columns if not c.startswith(left_out)}
    assert {d.channel for d in compare(good, good).differences} == wanted
    assert len(wanted) == len(good.recorded.columns) - 3
    assert compare(spoiled(good, "tau_error.elbow", 1.0, K), good).ok


@pytest.mark.parametrize("group", GROUPS)
def test_the_table_of_channels_says_which_groups_are_compared(good, group):
    both = [
        replace(good, recorded=good.recorded[["q.shoulder"]].assign(**{f"{group}.x": value}))
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


def test_the_limit_is_relative_to_the_channels_own_peak_and_adds_what_rounding_makes(good):
    result, table = compare(good, good), good.recorded
    scales = {
        "tau.shoulder": ["tau.shoulder", "tau.elbow"],
        "ke.forearm": [c for c in table if c in {"ke", "pe"} or c[:3] in ("ke.", "wor", "los")],
    }
    for channel, same_scale in scales.items():
        own, highest = table[channel].abs().max(), table[same_scale].abs().to_numpy().max()
        wanted = (RTOL + SUMS) * own + CANCELLING * highest
        wanted += noise(table[channel].to_numpy(), 1e-3)
        assert of(result, channel).limit == pytest.approx(wanted, rel=1e-12)
    still = 1e-3 * np.ones(301)
    assert of(result, "q.elbow").limit > AT_REST
    assert noise(still, 1e-3) == 0.0
    assert of(result, "friction.elbow").limit < 1e-290  # what stays at zero has no size at all


def test_a_light_joint_is_not_hidden_behind_a_heavy_one(good):
    """The elbow's torque a thousandth too large, in a group whose peak is twenty times its own."""
    channel = "tau.elbow"
    wrong = good.recorded.assign(**{channel: 1.001 * good.recorded[channel]})
    assert beyond(compare(replace(good, recorded=wrong), good)) == [channel]
    wrong = good.recorded.assign(**{channel: (1 + 3e-6) * good.recorded[channel]})
    assert beyond(compare(replace(good, recorded=wrong), good)) == [channel]


def test_a_run_that_jitters_does_not_loosen_its_own_limit(good):
    """Noise of a tenth of what is believed: a hundred times what the reference leaves room for."""
    channel = "tau.shoulder"
    values = good.recorded[channel].to_numpy()
    jitter = np.random.default_rng(2).uniform(-1, 1, values.size) * 1e-8 * np.abs(values).max()
    noisy = replace(good, recorded=good.recorded.assign(**{channel: values + jitter}))
    exactly = default_rule(1e-15)
    alone, beside = (of(compare(run, good, (), exactly), channel) for run in (good, noisy))
    assert beside.limit == alone.limit
    assert not beside.ok and alone.ok
    # and a reference that jitters leaves the room that it is off by
    assert of(compare(good, noisy, (), exactly), channel).ok


@pytest.mark.parametrize(("unit", "said"), [("N·mm", False), ("N·m", True)])
def test_a_channel_in_another_unit_is_another(good, unit, said):
    other = good.with_description(units={**good.units, "tau.elbow": unit})
    result = compare(other, good)
    assert result.ok is said
    assert of(result, "tau.elbow").unit == "N·m"  # the reference's, as its limit is
    notes = () if said else ("tau.elbow: unit N·mm, in the reference N·m",)
    assert result.notes == notes


def test_noise_of_a_curve_is_what_a_random_one_is_made_with():
    rng, t = np.random.default_rng(1), np.linspace(0, 1, 1001)
    spread = 1e-9
    curve = np.sin(5 * t) + spread * rng.normal(size=t.size)
    assert noise(curve, 1e-3) == pytest.approx(10 * spread, rel=0.1)
    assert noise(np.sin(5 * t), 1e-3) < 1e-14
    jagged = rng.normal(size=t.size)  # no noise but a curve: it must not loosen its own limit
    assert noise(jagged, 1e-3) == pytest.approx(1e-7 * np.abs(jagged).max())


def test_levels_say_whether_a_difference_is_rounding(good):
    channel = "tau.elbow"
    small = spoiled(good, channel, 0.5 * of(compare(good, good), channel).rounding, K)
    assert (compare(small, good).level, compare(small, good).ok) == ("rounding", True)
    larger = spoiled(good, channel, 2 * of(compare(good, good), channel).rounding, K)
    assert (compare(larger, good).level, compare(larger, good).word) == (
        "tolerance",
        "inside tolerance",
    )
    far = spoiled(good, channel, 2 * of(compare(good, good), channel).limit, K)
    assert (compare(far, good).level, compare(far, good).word) == ("outside", "differs")


def test_forces_that_all_cancel_are_compared_with_the_weight_that_cancels_in_them():
    """A slide that falls along its guide: nothing but what a processor leaves of 2 kg · g."""
    plant = lift(2.0)
    fallen = run(Scenario(plant, JointMotion({}, free=["slide"]), 0.3, 0.01), method="adaptive")
    table, channel = fallen.recorded, "reaction.slide.fz"
    assert table[[c for c in table if c.startswith("reaction.")]].abs().max().max() < 1e-13
    weight = 2.0 * 9.81
    for off, level in ((1e-15, "rounding"), (2.0 * CANCELLING * weight, "beyond")):
        moved = replace(fallen, recorded=table.assign(**{channel: table[channel] + off}))
        result = compare(moved, fallen)
        assert of(result, channel).ok == (level == "rounding")


def test_a_tool_that_keeps_its_orientation_has_the_noise_of_the_joints():
    """Two counter-rotating hinges, a phase off by a rounding error: seen between processors."""
    drives = [
        {"shoulder": f"1.3 + 0.4*SIN(3*time + {phase!r})", "elbow": "0.3 - 0.4*SIN(3*time)"}
        for phase in (0.0, 2e-16)
    ]
    other, reference = (run_with(drives=each, duration=0.5) for each in drives)
    turning = of(compare(other, reference), "tool.wdy")
    rolling = reference.recorded["tool.wdy"].abs().max()
    assert AT_REST < turning.worst < turning.rounding < 1e-6
    assert rolling < 1e-6  # the joints accelerate by 3.6 rad/s²
    assert compare(other, reference).ok


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
    failed = good.with_description(verdict="fail")
    result = compare(failed, good)
    assert (result.ok, result.notes) == (False, ("the run itself failed its checks",))
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


# Tolerances


def test_the_tolerance_of_a_run_does_not_loosen_how_it_is_judged(good):
    """Neither its own nor that of another run: only what was accepted with a baseline."""
    loose = with_settings(good, tolerances={"*": 1e9})
    for reference in (good, loose):
        assert beyond(compare(spoiled(loose, "tau.elbow", 0.1, K), reference)) == ["tau.elbow"]


def rule(channels, **given):
    wanted = {"relative": 0.0, "absolute": 0.0, "unit": "", "scenario": "*", "reason": "because"}
    return Rule(channels, **{**wanted, **given}, source="a test")


def test_a_rule_replaces_the_default_for_the_channels_it_names(good):
    rules = [rule("tau.*", absolute=0.5, unit="N·m")]
    changed = spoiled(good, "tau.elbow", 0.49, K)
    result = compare(changed, good, rules)
    assert result.ok
    assert of(result, "tau.elbow").rule == "0.5 N·m (a test)"
    assert of(result, "pe").rule == "1e-06 of the peak (default)"
    assert beyond(compare(spoiled(good, "tau.elbow", 0.51, K), good, rules)) == ["tau.elbow"]
    assert not compare(changed, good).ok


def test_the_first_rule_that_fits_counts_and_others_are_for_other_scenarios(good):
    rules = [
        rule("*", relative=1.0, scenario="other*"),
        rule("tau.elbow", relative=0.1),
        rule("tau.*", relative=0.2),
    ]
    result = compare(good, good, rules)
    assert of(result, "tau.elbow").rule.startswith("0.1 of the peak")
    assert of(result, "tau.shoulder").rule.startswith("0.2 of the peak")
    assert of(result, "pe").rule.startswith("1e-06")


def test_a_rule_may_be_tighter_but_never_below_rounding(good):
    result = compare(good, good, [rule("tau.elbow", relative=0.0)])
    assert of(result, "tau.elbow").limit == of(result, "tau.elbow").rounding > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"channels": "tau.wrist"}, "'tau.wrist' matches no channel of 'swing'; its groups are q"),
        (
            {"channels": "tau.*", "absolute": 1.0, "unit": "N"},
            "tau.shoulder is in N·m, but the rule has N",
        ),
    ],
)
def test_a_rule_that_fits_nothing_or_in_another_unit_is_refused(good, given, said):
    with pytest.raises(RecordingError, match=re.escape(said)):
        compare(good, good, [rule(given.pop("channels"), **given)])


def test_a_relative_tolerance_of_the_command_is_for_all_channels_without_a_rule(good):
    changed = spoiled(good, "pe", 1e-4 * good.recorded["pe"].abs().max(), K)
    assert beyond(compare(changed, good)) == ["pe"]
    result = compare(changed, good, default=default_rule(1e-3))
    assert result.ok
    assert of(result, "pe").rule == "0.001 of the peak (--rtol)"


@pytest.mark.parametrize("rtol", [0.0, -1e-3, math.nan, math.inf])
def test_a_relative_tolerance_that_is_none_is_refused(rtol):
    with pytest.raises(RecordingError, match="must be a positive number such as 1e-6"):
        default_rule(rtol)


# Other steps, durations and settings


def test_a_run_at_a_finer_step_is_compared_on_the_samples_it_shares(good):
    fine = run_with(dt=5e-4, method="ideal")
    coarse = run_with(dt=1e-3, method="ideal")
    result = compare(fine, coarse)
    assert result.ok
    assert "dt: 0.001 → 0.0005 s" in result.changes
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
    (note,) = result.notes
    assert note.startswith("duration of the run 0.")


def test_two_methods_may_be_apart_by_what_each_may_be_from_the_model():
    """A run by `ideal` against one by `stepped`: at the corners of the drives they are."""
    pair = [judge_recording(short_run(method)) for method in ("ideal", "stepped")]
    for mine, theirs in (pair, pair[::-1]):
        result = compare(mine, theirs)
        assert (result.ok, result.level) == (True, "tolerance")
        assert f"method: {theirs.run.method} → {mine.run.method}" in result.changes
        one = of(result, "tau.elbow")
        held = mine.run.limits["tau.elbow"] + theirs.run.limits["tau.elbow"]
        assert one.limit >= held > 0
        assert "both methods" in one.rule
        changed = spoiled(mine, "tau.elbow", 3 * one.limit, K)
        assert beyond(compare(changed, theirs)) == ["tau.elbow"]


def test_an_index_that_rounding_moved_is_still_the_same_samples(good):
    moved = good.recorded.copy()
    moved.index = pd.Index(moved.index.to_numpy() * (1 + 1e-15), name="t")
    result = compare(replace(good, recorded=moved), good)
    assert all(d.worst == 0.0 for d in result.differences)


def test_a_motion_that_makes_much_of_its_start_is_compared_as_long_as_it_can_be():
    t = (0.0, 0.1, 0.2, 0.3)
    neighbour = NeighbourFacts(
        aside=1e-13, t=t, position=(1e-13, 1e-10, 1e-6, 1.0), velocity=(0.0, 0.0, 0.0, 0.0)
    )
    reference = short_run().with_description(method="adaptive")
    run = with_settings(spoiled(reference, "q.elbow", 1.0, 150), neighbour=neighbour)
    found = compare(run, reference)
    assert found.ok
    assert [note for note in found.notes if note.startswith("compared up to 0.1 s")]
    assert not compare(with_settings(run, neighbour=None), reference).ok
    early = spoiled(run, "q.elbow", 1.0, 50)
    assert compare(early, reference).first.channel == "q.elbow"
