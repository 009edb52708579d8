import math
import subprocess
import sys
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest

from sim.checks import Check, check, verdict
from sim.checks.agreement import numbers, units
from sim.checks.run_view import RunView
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import (
    DURATION,
    SMOOTH,
    arm,
    rubbing_arm,
    short_run,
    spoiled,
    times_of,
)
from tests.helpers.small_robots import geared
from tests.helpers.synthetic_runs import with_joint

ANALYTIC = "analytic"
K = 130  # the sample that is spoiled, 0.13 s
JOINTS = ("shoulder", "elbow")

# Each judged channel with the check that judges it and its unit.
AGREEMENT = [
    *(("position", f"q.{j}", f"q.{j}", "rad") for j in JOINTS),
    *(("velocity", f"qd.{j}", f"qd.{j}", "rad/s") for j in JOINTS),
    *(("acceleration", f"qdd.{j}", f"qdd.{j}", "rad/s²") for j in JOINTS),
    *(("torque", f"tau.{j}", f"tau.{j}", "N·m") for j in JOINTS),
    *(("power", f"power.{j}", f"power.{j}", "W") for j in JOINTS),
    *(("kinetic energy", f"ke.{x}", f"ke.{x}", "J") for x in ("upper_arm", "forearm", "payload")),
    ("potential energy", "pe", "pe", "J"),
    *(("tool position", "tool.x", f"tool.{c}", "m") for c in "xyz"),
    *(("reaction", f"reaction.{j}.f{c}", f"reaction.{j}.f{c}", "N") for j in JOINTS for c in "xyz"),
    *(
        ("reaction", f"reaction.{j}.m{c}", f"reaction.{j}.m{c}", "N·m")
        for j in JOINTS
        for c in "xyz"
    ),
]

# Vectors, each judged by its length.
TOOL = [
    *(("tool velocity", "tool.vx", f"tool.v{c}", "m/s") for c in "xyz"),
    *(("tool angular velocity", "tool.wx", f"tool.w{c}", "rad/s") for c in "xyz"),
    *(("tool acceleration", "tool.ax", f"tool.a{c}", "m/s²") for c in "xyz"),
    *(("tool angular acceleration", "tool.wdx", f"tool.wd{c}", "rad/s²") for c in "xyz"),
]


@pytest.fixture(scope="module", params=["stepped", "ideal"])
def good(request):
    return short_run(request.param)


@pytest.fixture(scope="module")
def stepped():
    return short_run("stepped")


@pytest.fixture(scope="module")
def rubbing():
    return run(Scenario(rubbing_arm(), JointMotion.displacement(SMOOTH), DURATION))


checks_of = cache(check)  # of a run that many tests only read


def found(recording, name, channel):
    (one,) = [c for c in checks_of(recording) if (c.name, c.channel) == (name, channel)]
    return one


# What a run says twice: a wrong power, energy or limit fails these beside its own check.
TWICE = ("torque times speed", "sum of energies", "robot")


def failed(recording, *, twice=False):
    bad = [one for one in check(recording) if not one.ok]
    return [one for one in bad if twice or not one.name.startswith(TWICE)]


def error_at(recording, channel, k):
    return recording.recorded[channel].iloc[k] - recording.analytic[channel].iloc[k]


# A good run


def test_a_good_run_passes_every_check(good):
    assert failed(good) == []
    assert verdict(check(good)) == "pass"


def test_every_kind_of_check_is_there_for_every_joint_and_link(stepped):
    seen = [(one.name, one.channel) for one in check(stepped)]
    assert len(seen) == len(set(seen))
    wanted = {(name, channel) for name, channel, _, _ in AGREEMENT + TOOL}
    for joint in JOINTS:
        wanted |= {
            ("Lagrange and Newton-Euler", f"tau.{joint}"),
            ("step halving", f"tau.{joint}"),
            ("lower position limit", f"q.{joint}"),
            ("upper position limit", f"q.{joint}"),
            ("rated speed", f"qd.{joint}"),
            ("rated torque", f"tau.{joint}"),
        }
        wanted |= {
            ("drive work", f"work.{joint}"),
            ("friction loss", f"loss.{joint}"),
            ("dissipative friction", f"loss.{joint}"),
        }
    components = [f"{kind}{c}" for kind in "fm" for c in "xyz"]
    wanted |= {
        ("reaction of a released joint", f"reaction.{j}.{c}") for j in JOINTS for c in components
    }
    for of in ("", " of model"):
        wanted |= {(f"torque times speed{of}", f"power.{joint}") for joint in JOINTS}
        wanted |= {(f"sum of energies{of}", "ke")}
    wanted |= {("robot", "q.shoulder")}
    wanted |= {("energy balance", "ke"), ("energy balance of the model", "ke")}
    wanted |= {("finite numbers", "q.shoulder"), ("units", "q.shoulder")}
    wanted |= {("tool orientation", "tool.qx")}
    parts = ("x", "qx", "vx", "wx", "ax", "wdx")
    wanted |= {("forward kinematics", f"tool.{part}") for part in parts}
    wanted |= {("forward kinematics", "least_singular_value")}
    for joint in JOINTS:
        wanted |= {("position from velocity", f"q.{joint}")}
        wanted |= {("velocity from acceleration", f"qd.{joint}")}
        wanted |= {("drive function", f"{group}.{joint}") for group in ("q", "qd", "qdd")}
        wanted |= {("recomputed torque", f"tau.{joint}"), ("estimated error", f"tau_error.{joint}")}
    links = ("upper_arm", "forearm", "payload")
    wanted |= {("recomputed energy", channel) for channel in (*(f"ke.{x}" for x in links), "pe")}
    wanted |= {("channels", "q.shoulder"), ("independent results", "tau.shoulder")}
    assert set(seen) == wanted


def test_the_ideal_method_has_no_step_to_halve(stepped):
    names = {one.name for one in check(stepped)}
    halved = names - {one.name for one in check(short_run("ideal"))}
    assert halved == {"step halving", "estimated error"}


def test_one_failed_check_fails_a_run():
    good = Check("torque", "tau.elbow", 1.0, 2.0, "N·m", 0.1, True)
    assert verdict([good, good]) == "pass"
    assert verdict([good, msgspec.structs.replace(good, ok=False), good]) == "fail"


# One spoiled value


@pytest.mark.parametrize(("name", "said", "channel", "unit"), AGREEMENT)
@pytest.mark.parametrize("sign", [1, -1])
def test_an_error_just_over_the_limit_fails_its_check_and_no_other(
    good, name, said, channel, unit, sign
):
    limit = found(good, name, said).limit
    assert limit > 0
    off = error_at(good, channel, K)
    (bad,) = failed(spoiled(good, channel, sign * 1.001 * limit - off, K))
    assert (bad.name, bad.channel, bad.unit) == (name, said, unit)
    assert bad.at == times_of(good)[K]
    assert bad.worst == pytest.approx(1.001 * limit, rel=1e-3)
    assert bad.limit == limit
    assert failed(spoiled(good, channel, sign * 0.999 * limit - off, K)) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_an_energy_that_no_work_has_paid_for_is_seen(good, sign):
    before = found(good, "energy balance", "ke")
    over, under = 1.001 * before.limit + before.worst, 0.999 * before.limit - before.worst
    (bad,) = failed(spoiled(good, "ke", sign * over, K))
    assert (bad.name, bad.channel, bad.unit) == ("energy balance", "ke", "J")
    assert bad.at == times_of(good)[K]
    assert failed(spoiled(good, "ke", sign * under, K)) == []


def test_work_that_goes_into_friction_is_not_missed(rubbing):
    assert failed(rubbing) == []
    cold = replace(rubbing, recorded=rubbing.recorded.assign(**{"friction.shoulder": 0.0}))
    bad = next(one for one in failed(cold) if one.name == "friction loss")
    assert bad.channel == "loss.shoulder"
    # the shoulder goes 15 degrees against 0.3 N·m and 0.7 N·m·s/rad
    q, t = rubbing.recorded["q.shoulder"].to_numpy(), times_of(rubbing)
    heat = 0.3 * q[-1] + 0.7 * np.trapezoid(np.gradient(q, t) ** 2, t)
    assert bad.worst == pytest.approx(heat, rel=1e-3)


def test_a_torque_that_is_wrong_by_a_little_all_the_time_fails_torque_and_work(stepped):
    table = stepped.recorded.copy()
    table["tau.shoulder"] *= 1.01
    names = {(one.name, one.channel) for one in failed(replace(stepped, recorded=table))}
    assert names == {("torque", "tau.shoulder"), ("drive work", "work.shoulder")}


@pytest.mark.parametrize("joint", JOINTS)
def test_a_power_that_is_wrong_by_a_little_fails_power_alone(good, joint):
    power = 1.01 * good.recorded[f"power.{joint}"]
    wrong = replace(good, recorded=good.recorded.assign(**{f"power.{joint}": power}))
    (bad,) = failed(wrong)
    assert (bad.name, bad.channel, bad.unit) == ("power", f"power.{joint}", "W")
    assert bad.worst == pytest.approx(0.01 * power.abs().max() / 1.01, rel=0.01)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("joint", JOINTS)
def test_a_torque_and_a_speed_of_allowed_size_make_no_wrong_power(good, joint, sign):
    table = good.recorded.copy()
    for name, group in (("torque", "tau"), ("velocity", "qd")):
        limit = found(good, name, f"{group}.{joint}").limit
        table[f"{group}.{joint}"] = good.analytic[f"{group}.{joint}"] + sign * 0.99 * limit
        sign = 1
    table[f"power.{joint}"] = table[f"tau.{joint}"] * table[f"qd.{joint}"]
    wrong = failed(replace(good, recorded=table))
    assert not {one.name for one in wrong} & {"torque", "velocity", "power"}


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_the_energy_of_a_light_link_is_not_lost_in_that_of_all(method):
    honest = run(Scenario(arm(1e-4), JointMotion.displacement(SMOOTH), DURATION), method=method)
    assert failed(honest) == []
    wrong = 1.005 * honest.recorded["ke.payload"]
    (bad,) = failed(replace(honest, recorded=honest.recorded.assign(**{"ke.payload": wrong})))
    assert (bad.name, bad.channel) == ("kinetic energy", "ke.payload")


@pytest.mark.parametrize("joint", JOINTS)
def test_an_estimate_over_the_limit_fails_the_step_halving(stepped, joint):
    limit = found(stepped, "step halving", f"tau.{joint}").limit
    now = stepped.recorded[f"tau_error.{joint}"].iloc[K]
    (bad,) = failed(spoiled(stepped, f"tau_error.{joint}", 1.001 * limit - now, K))
    assert (bad.name, bad.channel, bad.unit) == ("step halving", f"tau.{joint}", "N·m")
    assert bad.at == times_of(stepped)[K]
    assert failed(spoiled(stepped, f"tau_error.{joint}", 0.999 * limit - now, K)) == []


@pytest.mark.parametrize("joint", JOINTS)
def test_two_formulations_that_disagree_are_seen(good, joint):
    name, channel = "Lagrange and Newton-Euler", f"tau.{joint}"
    before = found(good, name, channel)
    change = 1.001 * before.limit + before.worst
    bad = {
        one.name: one for one in failed(spoiled(good, f"reaction.{joint}.my", change, K, ANALYTIC))
    }
    seen = bad.pop(name)
    assert (seen.channel, seen.unit, seen.at) == (channel, "N·m", times_of(good)[K])
    assert set(bad) <= {
        "reaction",
        "reaction of a released joint",
    }  # where the method comes so near
    change = 0.999 * before.limit - before.worst
    assert failed(spoiled(good, f"reaction.{joint}.my", change, K, ANALYTIC)) == []


COMPONENTS = [f"{joint}.{kind}{c}" for joint in JOINTS for kind in "fm" for c in "xyz"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_reaction_that_both_tables_have_wrong_is_seen_by_the_joint_cut_open(good, component):
    """As a wrong Newton and Euler would make it: the two tables still agree."""
    channel = f"reaction.{component}"
    size = max(good.analytic[channel].abs().max(), 1e-3)
    wrong = {
        table: getattr(good, table).assign(**{channel: getattr(good, table)[channel] + 0.01 * size})
        for table in ("recorded", ANALYTIC)
    }
    names = {(one.name, one.channel) for one in failed(replace(good, **wrong))}
    assert ("reaction of a released joint", channel) in names
    assert ("reaction", channel) not in names


@pytest.mark.parametrize("channel", ["reaction.elbow.fx", "reaction.shoulder.fz"])
def test_a_reaction_of_the_other_sign_is_seen(good, channel):
    flipped = good.recorded.assign(**{channel: -good.recorded[channel]})
    (bad,) = failed(replace(good, recorded=flipped))
    assert (bad.name, bad.channel) == ("reaction", channel)


def test_reactions_of_all_joints_a_hundredth_too_large_are_seen(good):
    scaled = {c: 1.01 * good.recorded[c] for c in good.recorded if c.startswith("reaction.")}
    bad = failed(replace(good, recorded=good.recorded.assign(**scaled)))
    assert {one.name for one in bad} == {"reaction"}
    large = {c for c in scaled if good.recorded[c].abs().max() > 1e-3}
    assert {one.channel for one in bad} >= large


def test_a_run_that_has_no_joint_cut_open_cannot_be_judged(good):
    with pytest.raises(RecordingError, match="no reactions of joints that are cut open"):
        check(replace(good, cut_open=None))


def test_a_wrong_model_fails_against_the_engine_and_against_its_second_formulation(good):
    bad = failed(spoiled(good, "tau.elbow", 0.1, K, "analytic"))
    names = {(one.name, one.channel) for one in bad}
    assert names >= {("torque", "tau.elbow"), ("Lagrange and Newton-Euler", "tau.elbow")}


# Numbers that are none


@pytest.mark.parametrize("channel", sorted(short_run().recorded.columns))
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_one_value_that_is_no_number_fails_a_run_whatever_the_channel(stepped, channel, value):
    (bad,) = (one.check for one in numbers(RunView(spoiled(stepped, channel, value, K))))
    assert (bad.name, bad.channel, bad.ok) == ("finite numbers", channel, False)
    assert bad.at == times_of(stepped)[K]
    assert (bad.worst, bad.limit) == (1.0, 0.0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_of_several_values_that_are_no_numbers_the_first_is_named_and_all_are_counted(
    stepped, value
):
    later = spoiled(stepped, "q.elbow", value, K + 9)
    both = spoiled(spoiled(later, "qd.elbow", value, K + 5), "q.elbow", value, K + 7, ANALYTIC)
    bad = {one.name: one for one in failed(both)}["finite numbers"]
    assert (bad.channel, bad.at, bad.worst) == ("qd.elbow", times_of(stepped)[K + 5], 3.0)


@pytest.mark.parametrize(("name", "said", "channel", "unit"), AGREEMENT + TOOL)
@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_a_value_that_is_no_number_fails_its_own_check_in_either_table(
    stepped, name, said, channel, unit, table
):
    bad = {(one.name, one.channel) for one in failed(spoiled(stepped, channel, math.nan, K, table))}
    assert (name, said) in bad


# Units


@pytest.mark.parametrize("channel", sorted(short_run().recorded.columns))
def test_a_channel_in_a_unit_of_its_own_fails_a_run(stepped, channel):
    wrong = {**stepped.units, channel: f"milli {stepped.units[channel]}"}
    (bad,) = failed(stepped.with_description(units=wrong))
    assert (bad.name, bad.channel, bad.worst, bad.limit) == ("units", channel, 1.0, 0.0)


@pytest.mark.parametrize("channel", sorted(short_run().recorded.columns))
def test_a_channel_without_a_unit_is_named(stepped, channel):
    some = {name: unit for name, unit in stepped.units.items() if name != channel}
    (bad,) = (one.check for one in units(RunView(stepped.with_description(units=some))))
    assert (bad.name, bad.channel, bad.ok, bad.worst) == ("units", channel, False, 1.0)


def test_every_channel_in_a_wrong_unit_is_counted_and_the_first_is_named(stepped):
    wrong = {"tau.elbow": "N·mm", "tau.shoulder": "N", "pe": "kJ"}
    (bad,) = failed(stepped.with_description(units={**stepped.units, **wrong}))
    assert (bad.name, bad.channel, bad.worst) == ("units", "tau.shoulder", 3.0)


# Ratings


def test_a_joint_that_leaves_its_range_is_seen_at_the_time_it_is_farthest(good):
    q = good.recorded["q.shoulder"].to_numpy()
    top = float(q.max())
    (bad,) = failed(with_joint(good, "shoulder", upper=top - 1.5e-9))
    assert (bad.name, bad.channel, bad.unit) == ("upper position limit", "q.shoulder", "rad")
    assert (bad.worst, bad.limit, bad.at) == (top, top - 1.5e-9, times_of(good)[q.argmax()])
    assert failed(with_joint(good, "shoulder", upper=top - 0.5e-9)) == []
    bottom = float(q.min())
    (bad,) = failed(with_joint(good, "shoulder", lower=bottom + 1.5e-9))
    assert (bad.name, bad.worst) == ("lower position limit", bottom)
    assert bad.at == times_of(good)[q.argmin()]
    assert failed(with_joint(good, "shoulder", lower=bottom + 0.5e-9)) == []


@pytest.mark.parametrize(
    ("rating", "name", "group", "unit"),
    [("velocity", "rated speed", "qd", "rad/s"), ("effort", "rated torque", "tau", "N·m")],
)
@pytest.mark.parametrize("joint", JOINTS)
def test_a_joint_beyond_its_rating_is_seen(good, rating, name, group, unit, joint):
    size = np.abs(good.recorded[f"{group}.{joint}"].to_numpy())
    peak = float(size.max())
    (bad,) = failed(with_joint(good, joint, **{rating: 0.999 * peak}))
    assert (bad.name, bad.channel, bad.unit) == (name, f"{group}.{joint}", unit)
    assert (bad.worst, bad.limit) == (peak, 0.999 * peak)
    assert bad.at == times_of(good)[size.argmax()]
    assert failed(with_joint(good, joint, **{rating: peak})) == []


def test_ratings_that_are_not_there_are_not_judged(good):
    free = with_joint(good, "elbow", lower=None, upper=None, velocity=None, effort=None)
    left = {one.name for one in check(free) if one.channel.endswith("elbow")}
    assert not left & {
        "lower position limit",
        "upper position limit",
        "rated speed",
        "rated torque",
    }
    assert failed(free) == []


def test_a_joint_that_follows_is_judged_for_motion_but_carries_no_torque_of_its_own():
    motion = JointMotion.velocity({"input": "SIN(9*time)"})
    recording = run(Scenario(geared(0.3, 0.2, -2.5), motion, 0.1))
    assert failed(recording) == []
    seen = {(one.name, one.channel) for one in check(recording)}
    assert {("position", "q.output"), ("rated speed", "qd.output")} <= seen
    assert not any(channel == "tau.output" for _, channel in seen)
    limit = found(recording, "position", "q.output").limit
    (bad,) = failed(spoiled(recording, "q.output", 1.01 * limit, 50))
    assert (bad.name, bad.channel) == ("position", "q.output")


# Honest drives of all kinds pass at one millisecond, however fast they are

D, V, A = JointMotion.displacement, JointMotion.velocity, JointMotion.acceleration
GRID = np.linspace(0.0, 0.4, 41)

HONEST = {
    "sines": D({"shoulder": "0.2*SIN(15*time)", "elbow": "0.3*SIN(11*time)"}),
    "smooth steps": D(
        {"shoulder": "STEP5(time,0,0,0.4,30d)", "elbow": "STEP5(time,0.1,0,0.3,-9d)"}
    ),
    "corners on samples": D(
        {"shoulder": "STEP(time,0.1,0,0.3,9d)", "elbow": "STEP(time,0.2,0,0.4,-9d)"}
    ),
    "corners between": D(
        {"shoulder": "STEP(time,0.1003,0,0.3,9d)", "elbow": "STEP(time,0.2004,0,0.39,-9d)"}
    ),
    "a corner at the end": D({"shoulder": "STEP(time,0,0,0.4,9d)"}),
    "half sines": D({"shoulder": "HAVSIN(time,0.1,0,0.3,9d)"}),
    "steps of the rate": V(
        {"shoulder": "STEP(time,0,0,0.2,1)", "elbow": "STEP(time,0.1,0,0.3,-2)"}
    ),
    "bends on odd samples": V({"shoulder": "STEP(time,0.051,0,0.1,1)-STEP(time,0.151,0,0.2,1)"}),
    "ramps of the rate": V(
        {"shoulder": "IF(time-0.2: 5*time, 1, 1)", "elbow": "IF(time-0.3: 0, 0, 2*(time-0.3))"}
    ),
    "ramps between": V({"shoulder": "IF(time-0.2004: 5*time, 1.002, 1.002)"}),
    "jumps of the acceleration": A(
        {"shoulder": "IF(time-0.2: 3, -3, -3)", "elbow": "IF(time-0.3007: -2, 2, 2)"}
    ),
    "a constant rate": V({"shoulder": 0.7, "elbow": 6}),
    "no motion at all": D({}, q0=[0.4, -0.3]),
    "points": D({"shoulder": np.sin(3 * GRID)}, times=GRID),
    "points of the rate": V({"shoulder": np.sin(3 * GRID)}, times=GRID),
}


def alarms(recording):
    """Failed checks other than those of ratings, which are the drive's own doing."""
    return [one for one in failed(recording) if "rated" not in one.name]


ARMS = {"smooth": arm(0.5), "rubbing": rubbing_arm()}


@cache
def honest(robot, name, method):
    return run(Scenario(ARMS[robot], HONEST[name], 0.4), method=method)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("method", ["stepped", "ideal"])
@pytest.mark.parametrize("robot", ARMS)
def test_an_honest_drive_raises_no_alarm(robot, name, method):
    assert alarms(honest(robot, name, method)) == []


@pytest.mark.rotates(2)
@pytest.mark.parametrize("method", ["stepped", "ideal"])
@pytest.mark.parametrize("dt", [1e-4, 1e-3, 4e-3])
def test_a_wheel_that_carries_nothing_and_turns_for_long_raises_no_alarm(method, dt):
    scenario = Scenario(geared(1.0, 2.0, 3.0), V({"input": 0.7}), 4.0, dt)
    assert alarms(run(scenario, method=method)) == []


RESTS = {
    "hangs, at an angle that is rounded": ((-9.81, 0.0, 0.0), [math.pi / 2, 0.0]),
    "nearly hangs": ((-9.81, 0.0, 0.0), [1.5708, 3e-6]),
    "hangs": ((0.0, 0.0, -9.81), [0.0, 0.0]),
    "weights at the height of the origin": ((0.0, 0.0, -9.81), [math.pi / 2, 0.0]),
    "height that cancels": ((6.0, 0.0, -6.0), [math.pi / 4, 0.0]),
}


@pytest.mark.parametrize(("gravity", "q0"), RESTS.values(), ids=RESTS.keys())
@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_a_double_pendulum_at_rest_raises_no_alarm(gravity, q0, method):
    scenario = Scenario(arm(), D({}, q0=q0), 0.05, gravity=gravity)
    recording = run(scenario, method=method)
    assert alarms(recording) == []
    for joint in JOINTS:  # weights of 20 N·m cancel, and what they leave is still judged
        limit = found(recording, "torque", f"tau.{joint}").limit
        (bad,) = alarms(spoiled(recording, f"tau.{joint}", 1.01 * limit, 10))
        assert (bad.name, bad.channel) == ("torque", f"tau.{joint}")
        if method == "ideal":
            assert limit < 1e-9


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_a_heavier_load_than_the_model_knows_is_seen_in_every_honest_drive(method):
    for name, motion in HONEST.items():
        mine = honest("smooth", name, method)
        heavier = run(Scenario(arm(0.5001), motion, 0.4), method=method)
        assert alarms(replace(mine, recorded=heavier.recorded)) != []


# Files from anywhere


@pytest.mark.parametrize("channel", ["tau.elbow", "q.elbow", "pe", "reaction.elbow.my", "tool.z"])
def test_a_channel_that_is_missing_is_named(stepped, channel):
    bare = replace(
        stepped,
        recorded=stepped.recorded.drop(columns=channel),
        analytic=stepped.analytic.drop(columns=channel),
    )
    with pytest.raises(RecordingError, match=f"has no channel '{channel}'"):
        check(bare)


def test_a_run_of_two_samples_can_be_judged():
    recording = run(Scenario(rubbing_arm(), JointMotion.displacement({}), 1e-3))
    assert failed(recording) == []


def test_judging_a_run_never_loads_an_engine(stepped, tmp_path):
    stepped.write(tmp_path)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sim.recording.recording import Recording\n"
        "from sim.checks import check, judge_claims, verdict\n"
        f"recording = Recording.read(Path({str(tmp_path)!r}))\n"
        "judge_claims(recording)\n"
        "print(verdict(check(recording)))\n"
        "print([m for m in sys.modules if m == 'pybullet' or m.startswith('sim.engines')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines() == ["pass", "[]"]


# What a run says twice


@pytest.mark.parametrize("table", ["recorded", ANALYTIC])
@pytest.mark.parametrize(
    ("channel", "name"),
    [
        ("power.elbow", "torque times speed"),
        ("ke.payload", "sum of energies"),
        ("ke", "sum of energies"),
    ],
)
def test_what_a_table_says_twice_must_agree(good, table, channel, name):
    """By some hundred roundings, in one table or, as a wrong program makes it, in both."""
    tables = (table,) if table == "recorded" else ("recorded", ANALYTIC)
    wrong = {
        one: getattr(good, one).assign(**{channel: getattr(good, one)[channel] * (1 + 1e-13)})
        for one in tables
    }
    names = {one.name for one in failed(replace(good, **wrong), twice=True)}
    assert names == ({name} if table == "recorded" else {name, f"{name} of model"})


@pytest.mark.parametrize(
    ("joint", "change"),
    [
        ("elbow", {"effort": 31.0}),
        ("elbow", {"upper": 3.0}),
        ("shoulder", {"axis": (0.0, -1.0, 0.0)}),
    ],
)
def test_a_description_that_tells_of_another_robot_is_seen(good, joint, change):
    robot = good.run.robot
    joints = tuple(
        msgspec.structs.replace(one, **change) if one.name == joint else one for one in robot.joints
    )
    for other in ({"joints": joints}, {"masses": {**robot.masses, "payload": 0.6}}):
        facts = msgspec.structs.replace(robot, **other)
        bad = failed(good.with_description(robot=facts), twice=True)
        assert "robot" in {one.name for one in bad}
