import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks import check
from sim.motion import JointMotion
from sim.recording.schema.corners import (
    are_on_samples,
    corner_samples,
    distance,
    samples_near,
    samples_since,
)
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import DURATION, arm, spoiled, times_of
from tests.helpers.synthetic_runs import described

H = 1e-3
T = H * np.arange(11)


def with_corners(*corners, method="stepped"):
    return described(method=method, dt=H, corners=corners)


def near(*corners):
    return np.flatnonzero(corner_samples(with_corners(*corners), T)).tolist()


# Which samples are at a corner


@pytest.mark.parametrize(
    ("corners", "samples"),
    [
        ((), []),
        ((0.003,), [3]),
        ((0.0035,), [3, 4]),
        ((0.0031,), [3, 4]),
        ((0.003 + 1e-10,), [3]),  # a time that rounding moved off its sample
        ((0.003 - 1e-10,), [3]),
        ((0.0, 0.01), [0, 10]),
        ((0.002, 0.0055), [2, 5, 6]),
        ((0.05,), []),
    ],
)
def test_a_corner_takes_the_samples_less_than_one_step_away(corners, samples):
    assert near(*corners) == samples


@pytest.mark.parametrize("method", ["ideal", "adaptive"])
def test_a_method_that_is_not_discretised_has_no_skew_at_corners(method):
    assert not corner_samples(with_corners(0.003, method=method), T).any()
    assert samples_near((0.003,), T, H).sum() == 1


@pytest.mark.parametrize("rounding", [0.0, 1e-12, -1e-12])
def test_a_time_that_rounding_moved_is_still_that_of_its_sample(rounding):
    assert are_on_samples(np.array([0.003 + rounding]), T).all()
    assert np.flatnonzero(samples_since(0.003 + rounding, T)).tolist() == [*range(3, 11)]


@pytest.mark.parametrize("time", [0.0031, 0.0039, 0.02, -0.001])
def test_a_time_between_or_beyond_the_samples_is_on_none(time):
    assert not are_on_samples(np.array([time]), T).any()
    assert samples_since(time, T).tolist() == (time < T).tolist()


@given(st.lists(st.floats(-0.005, 0.015), max_size=8))
def test_many_corners_are_those_of_each_by_itself(times):
    """The samples near any, and which are on samples, by their definitions one after the other."""
    near = np.any([np.abs(T - time) < H - 1e-9 for time in times] or [np.zeros(11, bool)], axis=0)
    assert samples_near(times, T, H).tolist() == near.tolist()
    on = [bool(np.min(np.abs(T - time)) <= 1e-9) for time in times]
    assert are_on_samples(np.array(times), T).tolist() == on


# How far a sample is off

NOWHERE = np.zeros(5, dtype=bool)
AT_TWO = np.array([False, False, True, False, False])
JUMP = np.array([0.0, 0.0, 4.0, 4.0, 4.0])  # the corner's own value is that from the right


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=30))
def test_away_from_corners_it_is_the_difference(pairs):
    recorded, analytic = np.array(pairs).T
    wanted = np.abs(recorded - analytic)
    assert np.array_equal(distance(recorded, analytic, np.zeros(len(pairs), dtype=bool)), wanted)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(2.0, 0.0), (0.0, 0.0), (4.0, 0.0), (-1.0, 0.0), (5.0, 0.0), (-1.5, 0.5), (7.0, 2.0)],
)
def test_at_a_corner_it_is_the_distance_from_the_widened_band(value, wanted):
    recorded = JUMP.copy()
    recorded[2] = value
    assert distance(recorded, JUMP, AT_TWO).tolist() == [0.0, 0.0, wanted, 0.0, 0.0]


def test_the_neighbours_of_a_corner_are_judged_strictly():
    recorded = JUMP + np.array([0.0, 0.25, 0.0, -0.5, 0.0])
    assert distance(recorded, JUMP, AT_TWO).tolist() == [0.0, 0.25, 0.0, 0.5, 0.0]


def test_a_corner_without_a_jump_leaves_no_room():
    flat = np.full(5, 3.0)
    recorded = flat + np.array([0.0, 0.0, 1e-3, 0.0, 0.0])
    assert distance(recorded, flat, AT_TWO)[2] == pytest.approx(1e-3, abs=1e-15)


def test_corners_at_both_ends_use_the_neighbours_there_are():
    ends = np.array([True, False, False, False, True])
    recorded, analytic = np.array([1.0, 0, 0, 0, 9]), np.array([0.0, 0, 0, 0, 8])
    assert distance(recorded, analytic, ends).tolist() == [1, 0, 0, 0, 0]


def test_the_value_to_which_the_curve_runs_from_the_left_counts():
    # 0, 1, 2, then a drop at sample 3, where the value from the right is -3: halfway is 0.
    analytic = np.array([0.0, 1, 2, -3, -2, -1])
    at_three = np.arange(6) == 3
    for value, error in ((0.0, 0.0), (3.0, 0.0), (3 + 0.25 * 6 + 1, 1.0), (-3 - 0.25 * 6 - 1, 1.0)):
        recorded = np.where(at_three, value, analytic)
        assert distance(recorded, analytic, at_three)[3] == pytest.approx(error)


@given(st.integers(0, 4), st.booleans())
def test_what_is_no_number_is_infinitely_far_everywhere(k, in_analytic):
    recorded, analytic = JUMP.copy(), JUMP.copy()
    (analytic if in_analytic else recorded)[k] = np.nan
    assert np.isnan(distance(recorded, analytic, AT_TWO)[k])


# A run with jumps of acceleration, on a sample and between two

DRIVES = {"on": "STEP(time, 0.1, 0, 0.2, 1d)", "off": "STEP(time, 0.1004, 0, 0.2, 1d)"}
CHANNELS = ("qdd.elbow", "tau.elbow", "tau.shoulder")


@pytest.fixture(scope="module", params=["on", "off"])
def jumping(request):
    motion = JointMotion.displacement({"elbow": DRIVES[request.param]})
    return run(Scenario(arm(), motion, DURATION))


def failures(recording):
    """Of the checks against the model; a wrong torque is no longer that of its power either."""
    bad = [one for one in check(recording) if not one.ok and one.name != "torque times speed"]
    return {(one.name, one.channel, one.at) for one in bad}


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def judged(recording, channel):
    return next(
        one
        for one in check(recording)
        if one.channel == channel and one.name in ("torque", "acceleration")
    )


def band(recording, channel, k):
    values = column(recording, channel, "analytic")
    a, b, c, d, e = values[np.clip(np.arange(k - 2, k + 3), 0, values.size - 1)]
    around = (b, c, d, 2 * b - a, 2 * d - e)
    return min(around), max(around)


def test_a_run_with_jumps_passes_untouched(jumping):
    assert failures(jumping) == set()
    assert len(jumping.run.settings.corners) == 2


def test_there_is_something_to_be_fooled_by(jumping):
    error = np.abs(column(jumping, "qdd.elbow") - column(jumping, "qdd.elbow", "analytic"))
    assert np.max(error) > 1e3 * judged(jumping, "qdd.elbow").limit


def at_corners(recording):
    return np.flatnonzero(corner_samples(recording.run, times_of(recording)))


def test_the_corner_samples_are_two_or_three(jumping):
    on_grid = jumping.run.settings.corners[0] == pytest.approx(0.1)
    assert at_corners(jumping).tolist() == ([100, 200] if on_grid else [100, 101, 200])


def test_an_acceleration_beyond_the_jump_is_seen_at_the_very_corner(jumping):
    """Torques, which follow from it there, are then wrong too."""
    channel, limit = "qdd.elbow", judged(jumping, "qdd.elbow").limit
    for k in at_corners(jumping):
        low, high = band(jumping, channel, k)
        now, at = column(jumping, channel)[k], times_of(jumping)[k]
        for edge, sign in ((high, 1), (low, -1)):
            for far, is_seen in ((1.001, True), (0.999, False)):
                value = edge + sign * (0.25 * (high - low) + far * limit)
                failed = failures(spoiled(jumping, channel, value - now, k))
                assert (("acceleration", channel, at) in failed) is is_seen


@pytest.mark.parametrize("channel", CHANNELS[1:])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_torque_that_is_not_that_of_the_motion_is_seen_at_the_very_corner(jumping, channel, sign):
    limit = judged(jumping, channel).limit
    for k in at_corners(jumping):
        wrong = ("torque", channel, times_of(jumping)[k])
        assert failures(spoiled(jumping, channel, sign * 1.001 * limit, k)) == {wrong}
        assert failures(spoiled(jumping, channel, sign * 0.999 * limit, k)) == set()


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("sign", [1, -1])
def test_an_error_larger_than_the_jump_is_seen_wherever_the_sample_lies(jumping, channel, sign):
    for k in at_corners(jumping):
        low, high = band(jumping, channel, k)
        change = sign * 1.5 * (high - low)
        name = "acceleration" if channel.startswith("qdd") else "torque"
        assert (name, channel, times_of(jumping)[k]) in failures(
            spoiled(jumping, channel, change, k)
        )


@pytest.mark.parametrize("channel", CHANNELS)
def test_an_error_right_beside_a_corner_is_seen(jumping, channel):
    name = "acceleration" if channel.startswith("qdd") else "torque"
    limit, corner = judged(jumping, channel).limit, at_corners(jumping)
    for k in sorted({k + shift for k in corner for shift in (-1, 1)} - set(corner)):
        error = column(jumping, channel)[k] - column(jumping, channel, "analytic")[k]
        at = times_of(jumping)[k]
        assert failures(spoiled(jumping, channel, 1.001 * limit - error, k)) == {
            (name, channel, at)
        }
        assert failures(spoiled(jumping, channel, 0.999 * limit - error, k)) == set()


def test_the_step_halving_estimate_is_judged_beside_but_not_at_a_corner(jumping):
    large = 1e3
    k = int(at_corners(jumping)[0])
    assert failures(spoiled(jumping, "tau_error.elbow", large, k)) == set()
    found = failures(spoiled(jumping, "tau_error.elbow", large, k - 1))
    assert found == {("step halving", "tau.elbow", times_of(jumping)[k - 1])}
