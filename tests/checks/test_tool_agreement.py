from dataclasses import replace

import numpy as np
import pytest

from sim.checks import check, judge
from sim.errors import RecordingError
from tests.helpers.short_runs import short_run, times_of, with_settings

QUATERNION = [f"tool.q{c}" for c in "xyzw"]


@pytest.fixture(scope="module", params=["stepped", "ideal"])
def good(request):
    return short_run(request.param)


def vector(parts):
    return [f"tool.{parts}{c}" for c in "xyz"]


def changed(recording, channels, change):
    """The recording with other values, a function of theirs, in some channels."""
    table = recording.recorded.copy()
    table[channels] = change(table[channels].to_numpy())
    return replace(recording, recorded=table)


def failed(recording):
    return [one for one in check(recording) if not one.ok]


def turned(recording, angle, axis=(1.0, 0.0, 0.0)):
    """The recording with a tool that is turned further, about an axis of the world."""

    def turn(quaternions):
        x, y, z = np.sin(angle / 2) * np.asarray(axis)
        w, q = np.cos(angle / 2), quaternions.T
        left = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
        return (left @ q).T

    return changed(recording, QUATERNION, turn)


# Each of these was once seen to pass


def test_a_tool_that_is_turned_the_other_way_is_seen(good):
    (bad,) = failed(changed(good, QUATERNION, lambda q: q * [-1, -1, -1, 1]))
    assert (bad.name, bad.channel, bad.unit) == ("tool orientation", "tool.qx", "rad")
    # both joints turn about y, and the quaternion has the angle of their sum
    sums = good.analytic["q.shoulder"] + good.analytic["q.elbow"]
    assert bad.worst == pytest.approx(2 * np.abs(sums).max(), rel=1e-3)


@pytest.mark.parametrize(
    ("parts", "factor", "name", "unit"),
    [
        ("w", -1.0, "tool angular velocity", "rad/s"),
        ("v", 1.01, "tool velocity", "m/s"),
        ("w", 1.01, "tool angular velocity", "rad/s"),
        ("a", 1.01, "tool acceleration", "m/s²"),
        ("wd", 1.01, "tool angular acceleration", "rad/s²"),
    ],
)
def test_a_motion_of_the_tool_that_is_wrong_in_sign_or_size_is_seen(
    good, parts, factor, name, unit
):
    (bad,) = failed(changed(good, vector(parts), lambda values: factor * values))
    assert (bad.name, bad.channel, bad.unit) == (name, f"tool.{parts}x", unit)
    size = np.sqrt((good.recorded[vector(parts)].to_numpy() ** 2).sum(axis=1))
    assert bad.worst == pytest.approx(abs(factor - 1) * size.max(), rel=0.01)


# The orientation


def test_a_quaternion_of_the_other_sign_is_the_same_orientation(good):
    half = np.where(np.arange(times_of(good).size) % 2, 1.0, -1.0)[:, None]
    assert failed(changed(good, QUATERNION, lambda q: half * q)) == []


@pytest.mark.parametrize("axis", np.eye(3))
@pytest.mark.parametrize("angle", [1e-6, 0.5, 3.1])
def test_the_error_of_an_orientation_is_the_angle_of_the_rotation_between(good, angle, axis):
    (bad,) = failed(turned(good, angle, axis))
    assert bad.worst == pytest.approx(angle, rel=1e-6)


def test_a_quaternion_that_is_no_unit_is_seen(good):
    (bad,) = failed(changed(good, QUATERNION, lambda q: 1.25 * q))
    assert (bad.name, bad.worst) == ("tool orientation", pytest.approx(0.25))


@pytest.mark.parametrize(("part", "passes"), [(0.99, True), (1.01, False)])
def test_an_orientation_may_be_off_by_what_the_joints_may(good, part, passes):
    (now,) = (one for one in check(good) if one.name == "tool orientation")
    # two joints turn the tool
    assert now.limit == pytest.approx(2 * good.run.solved_by.limits.position, rel=0.01)
    assert (failed(turned(good, part * now.limit, (0.0, 1.0, 0.0))) == []) is passes


# The limits


@pytest.mark.parametrize("axis", np.eye(3))
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("tool velocity", "v"),
        ("tool angular velocity", "w"),
        ("tool acceleration", "a"),
        ("tool angular acceleration", "wd"),
    ],
)
def test_a_difference_just_over_its_limit_fails_its_check_and_no_other(good, name, parts, axis):
    (limit,) = (one.limit for one in check(good) if one.name == name)
    right = good.analytic[vector(parts)].to_numpy()[130]
    for part, fails in ((1.001, [(name, times_of(good)[130])]), (0.999, [])):

        def put(values, off=part * limit * axis):
            values = values.copy()
            values[130] = right + off
            return values

        wrong = failed(changed(good, vector(parts), put))
        assert [(one.name, one.at) for one in wrong] == fails


def test_the_limit_of_the_velocity_is_that_of_the_joints_times_their_distance_from_the_tool():
    run = short_run()
    (now,) = (one for one in check(run) if one.name == "tool velocity")
    tool = run.analytic[vector("")].to_numpy()
    shoulder = np.sqrt(((tool - [0, 0, 0]) ** 2).sum(axis=1)).max()
    assert shoulder < now.limit / 1e-5 < 2 * shoulder


def test_a_corner_of_a_drive_gives_the_tool_the_band_of_its_neighbours():
    run = with_settings(short_run(), corners=(0.13,))
    k = 130
    values = run.analytic["tool.ax"].to_numpy().copy()
    values[k:] += 5.0  # a jump, which the recorded value has half of
    table = run.recorded.assign(**{"tool.ax": run.recorded["tool.ax"] + 5.0 * (run.t > run.t[k])})
    table.loc[run.t[k], "tool.ax"] += 2.5
    jumped = replace(run, recorded=table, analytic=run.analytic.assign(**{"tool.ax": values}))
    by_itself = "forward kinematics"  # no joint jumps here
    names = [one.name for one in failed(jumped)]
    assert names == ["samples at corners", by_itself]  # and the corner is made up
    table.loc[run.t[k], "tool.ax"] += 10.0
    bad = [one.name for one in failed(replace(jumped, recorded=table))]
    assert bad == ["samples at corners", "tool acceleration", by_itself]


# What is not there


def test_a_run_without_a_tool_is_not_judged_for_one():
    tool = [c for c in short_run().recorded.columns if c.startswith("tool.")]
    bare = replace(
        short_run(),
        recorded=short_run().recorded.drop(columns=tool),
        analytic=short_run().analytic.drop(columns=tool),
    )
    assert not [one.check.name for one in judge(bare) if one.check.name.startswith("tool")]


def test_a_run_that_has_not_kept_its_robot_cannot_be_judged_for_its_tool():
    with pytest.raises(RecordingError, match="has not kept the URDF"):
        check(replace(short_run(), urdf=None))
