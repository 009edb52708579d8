from functools import cache
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.checks import check, verdict
from sim.errors import EngineError, ScenarioError
from sim.motion import JointMotion
from sim.recording.schema.description import Run, description_text
from sim.recording.schema.facts import ClaimFacts, Settings
from sim.scenario import Claim, Scenario
from sim.simulation.run import run
from tests.helpers.short_runs import DURATION, SMOOTH, STEP, arm, rubbing_arm, short_run
from tests.helpers.small_robots import geared, lift, pendulum, pendulum_on_cart

G = 9.81  # [m/s²]
METHODS = ("stepped", "ideal")

# Torque relative to its peak. Extrapolation leaves (ω h)²/24, 3e-6 for the fastest sine here,
# 9 rad/s at 1 ms, and 3e-5 for a STEP5 in 0.3 s; the ideal method leaves rounding.
TORQUE = {"stepped": 4e-6, "ideal": 1e-11}
SWING = {"stepped": 4e-5, "ideal": 1e-11}

JOINT = ("q", "qd", "qdd", "tau", "power", "friction")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
TOOL = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz")
TOOL += ("ax", "ay", "az", "wdx", "wdy", "wdz")


def channels(joints, links, tool=True, followers=()):
    """What the design lists, the torque's error estimate, and the energies handed over."""
    groups = (*JOINT, "tau_error", "work", "loss")
    names = {f"{group}.{joint}" for group in groups for joint in joints}
    names |= {f"{group}.{joint}" for group in ("q", "qd", "qdd") for joint in followers}
    names |= {f"reaction.{joint}.{c}" for joint in (*joints, *followers) for c in WRENCH}
    names |= {f"ke.{link}" for link in links} | {"ke", "pe"}
    return names | ({"least_singular_value", *(f"tool.{c}" for c in TOOL)} if tool else set())


def go(robot, motion, method="stepped", duration=DURATION, **more):
    return run(Scenario(robot, motion, duration, **more), method=method)


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def assert_torque(mine, wanted, method, limits=TORQUE):
    assert np.max(np.abs(mine - wanted)) <= limits[method] * np.max(np.abs(wanted))


def assert_passes(recording):
    failed = [one for one in check(recording) if not one.ok]
    assert failed == []


# What a run holds


@pytest.mark.parametrize("method", METHODS)
def test_the_channels_are_those_of_the_design_in_both_tables(method):
    recording = short_run(method)
    assert set(recording.recorded.columns) == channels(
        ("shoulder", "elbow"), ("upper_arm", "forearm", "payload")
    )
    assert list(recording.analytic.columns) == list(recording.recorded.columns)
    assert list(recording.units) == list(recording.recorded.columns)
    assert (recording.recorded.dtypes == np.float64).all()
    assert (recording.analytic.dtypes == np.float64).all()


@pytest.mark.parametrize("method", METHODS)
def test_time_is_the_index_and_runs_from_zero_to_the_end(method):
    recording = short_run(method)
    for table in (recording.recorded, recording.analytic):
        assert table.index.name == "t"
        assert len(table) == 301
        assert np.max(np.abs(table.index - STEP * np.arange(301))) <= 1e-15
        assert table.index[-1] == DURATION
        assert np.isfinite(table.to_numpy()).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_recorded_run_agrees_with_the_analytic_one(method):
    recording = short_run(method)
    assert_passes(recording)
    for joint in ("shoulder", "elbow"):
        wanted = column(recording, f"tau.{joint}", "analytic")
        assert_torque(column(recording, f"tau.{joint}"), wanted, method, SWING)
        assert np.max(np.abs(wanted)) > 1.0  # there is something to agree on
    assert np.max(column(recording, "ke")) > 0.1


@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_power_and_totals_are_what_their_names_say(table):
    def get(channel):
        return column(short_run(), channel, table)

    assert np.array_equal(get("power.elbow"), get("tau.elbow") * get("qd.elbow"))
    links = get("ke.upper_arm") + get("ke.forearm") + get("ke.payload")
    assert np.max(np.abs(get("ke") - links)) <= 1e-15


@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_the_tool_moves_as_two_links_of_half_a_metre_and_four_tenths_do(table):
    def get(channel):
        return column(short_run(), channel, table)

    a, b = get("q.shoulder"), get("q.shoulder") + get("q.elbow")
    w = get("qd.shoulder") + get("qd.elbow")
    assert np.max(np.abs(get("tool.x") + 0.5 * np.sin(a) + 0.4 * np.sin(b))) <= 1e-12
    assert np.max(np.abs(get("tool.z") + 0.5 * np.cos(a) + 0.4 * np.cos(b))) <= 1e-12
    assert np.max(np.abs(get("tool.y"))) <= 1e-12
    vx = -0.5 * np.cos(a) * get("qd.shoulder") - 0.4 * np.cos(b) * w
    assert np.max(np.abs(get("tool.vx") - vx)) <= 1e-12
    assert np.max(np.abs(get("tool.wy") - w)) <= 1e-12
    assert np.max(np.abs(get("tool.qy") - np.sin(b / 2))) <= 1e-12
    assert np.max(np.abs(get("tool.qw") - np.cos(b / 2))) <= 1e-12


def test_the_settings_tell_what_was_run():
    claim = Claim("light", "me", "tau.*", "peak_within_rating")
    scenario = Scenario(
        arm(),
        JointMotion.displacement({}),
        0.01,
        dt=5e-3,
        claims=(claim,),
        tolerances={"q.*": 1e-3},
    )
    described = run(scenario, name="still").run
    assert described.scenario == "still"
    assert described.method == "stepped"
    assert described.settings == Settings(
        duration=0.01,
        dt=5e-3,
        samples=3,
        gravity=(0.0, 0.0, -9.81),
        corners=(),
        free=(),
        passive=(),
        tolerances={"q.*": 1e-3},
        path_tolerance=None,
    )
    assert described.claims == (ClaimFacts(**vars(claim)),)
    assert described.robot.name == "two_link"
    assert msgspec.json.decode(description_text(described), type=Run) == described


def test_progress_is_told_in_steps_that_never_go_back_and_never_pass_the_end():
    told = []
    scenario = Scenario(arm(), JointMotion.displacement(SMOOTH), 2.0)
    for method in METHODS:
        told.clear()
        run(scenario, method=method, progress=lambda done, total: told.append((done, total)))
        done = [d for d, _ in told]
        assert all(a <= b for a, b in pairwise(done))
        assert 0.7 * told[-1][1] <= done[-1] <= told[-1][1]
        assert len({total for _, total in told}) == 1


# Settings that a call replaces


def test_method_and_step_of_a_scenario_can_be_replaced_for_one_run():
    scenario = Scenario(arm(), JointMotion.displacement(SMOOTH), 0.1)
    recording = run(scenario, method="ideal", dt=0.02)
    assert (recording.run.method, len(recording.recorded)) == ("ideal", 6)
    assert (scenario.method, scenario.dt) == ("stepped", 1e-3)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"dt": 0}, "dt must be a positive number of seconds, got 0"),
        ({"dt": 0.0}, "dt must be a positive number of seconds, got 0.0"),
        ({"dt": float("nan")}, "dt must be a positive number of seconds, got nan"),
        ({"dt": 0.7}, "is longer than the duration, 0.3 s"),
        ({"method": ""}, "method '': choose one of stepped, ideal"),
        ({"method": "adaptive?"}, "choose one of"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_never_replaced_by_the_default(more, said):
    scenario = Scenario(arm(), JointMotion.displacement(SMOOTH), DURATION)
    with pytest.raises(ScenarioError, match=said):
        run(scenario, **more)


# Laws


@pytest.mark.parametrize("method", METHODS)
def test_a_leader_carries_the_torque_of_its_followers(method):
    ratio, inertias = -2.5, (0.3, 0.2)
    recording = go(geared(*inertias, ratio), JointMotion.velocity({"input": "SIN(9*time)"}), method)
    assert set(recording.recorded.columns) == channels(
        ("input",), ("wheel_1", "wheel_2"), tool=False, followers=("output",)
    )
    t = recording.recorded.index.to_numpy()
    wanted = (inertias[0] + ratio**2 * inertias[1]) * 9 * np.cos(9 * t)
    assert_torque(column(recording, "tau.input"), wanted, method)
    follower = 0.3 + ratio * column(recording, "q.input")
    assert np.max(np.abs(column(recording, "q.output") - follower)) <= 1e-12
    assert_passes(recording)


@pytest.mark.parametrize("method", METHODS)
def test_friction_of_the_urdf_is_paid_by_the_drive(method):
    smooth, rubbing = (
        go(robot, JointMotion.displacement(SMOOTH), method) for robot in (arm(0.0), rubbing_arm())
    )
    for joint, viscous, coulomb in (("shoulder", 0.7, 0.3), ("elbow", 0.2, 0.0)):
        qd = column(rubbing, f"qd.{joint}", "analytic")
        wanted = viscous * qd + coulomb * np.sign(qd)
        for table in ("recorded", "analytic"):
            paid = column(rubbing, f"tau.{joint}", table) - column(smooth, f"tau.{joint}", table)
            peak = np.max(np.abs(column(smooth, f"tau.{joint}")))
            assert np.max(np.abs(paid - wanted)) <= TORQUE[method] * peak
        # evaluated at the recorded velocity, which is good to 1e-8 rad/s
        assert np.max(np.abs(column(rubbing, f"friction.{joint}") - wanted)) <= 1e-7
        assert not column(smooth, f"friction.{joint}").any()
    assert_passes(rubbing)


@pytest.mark.parametrize("method", METHODS)
def test_a_robot_on_a_wall_feels_gravity_from_the_side(method):
    # Mounted with its z axis along the world's x, the arm hangs out along -x: sin becomes cos.
    wall = arm(0.0).mounted(xyz=(1.0, 2.0, 3.0), rpy=(0.0, np.pi / 2, 0.0))
    recording = go(wall, JointMotion.displacement({}, q0={"shoulder": 0.3}), method, duration=0.02)
    moment = 2.4 * 0.25 + 1.5 * 0.7  # mass times distance [kg·m]
    wanted = G * moment * np.cos(0.3)
    assert_torque(column(recording, "tau.shoulder"), np.full(21, wanted), method)
    assert np.max(np.abs(column(recording, "tool.y") - 2.0)) <= 1e-12
    assert np.array_equal(recording.run.robot.T_0b, wall.T_0b)
    assert_passes(recording)


def test_a_robot_without_one_tool_frame_records_no_tool():
    recording = go(geared(1.0, 1.0, 2.0), JointMotion.velocity({"input": "1"}), duration=0.02)
    assert not [c for c in recording.recorded.columns if c.startswith("tool")]
    assert recording.run.robot.tool is None
    assert_passes(recording)


def test_a_tool_that_does_not_move_is_not_recorded_and_the_run_still_passes():
    from dataclasses import replace

    fixed = replace(lift(2.0), tool="ground")
    recording = go(fixed, JointMotion.velocity({"slide": "1"}), duration=0.02)
    assert not [c for c in recording.recorded.columns if c.startswith("tool")]
    assert_passes(recording)


# Joints that nothing drives


@cache
def falling():
    return go(
        pendulum(2.0, 0.7), JointMotion.displacement({}, q0=[1.0], free=["hinge"]), duration=0.5
    )


def test_a_free_pendulum_swings_as_its_equation_says():
    recording = falling()
    t = recording.recorded.index.to_numpy()
    oracle = solve_ivp(
        lambda _, y: (y[1], -G / 0.7 * np.sin(y[0])),
        (0, 0.5), (1.0, 0.0), method="LSODA", t_eval=t, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    assert np.max(np.abs(column(recording, "q.hinge", "analytic") - oracle.y[0])) <= 1e-9
    # the engine's own steps are of first order; extrapolated at 1 ms that leaves a few 1e-6
    assert np.max(np.abs(column(recording, "q.hinge") - oracle.y[0])) <= 1e-5
    assert np.ptp(oracle.y[0]) > 1.0
    assert recording.run.settings.free == ("hinge",)
    assert_passes(recording)


def test_a_free_joint_beside_a_driven_one_is_carried_along():
    motion = JointMotion.displacement({"slide": "0.1*SIN(6*time)"}, free=["hinge"])
    recording = go(pendulum_on_cart(3.0, 1.0, 0.5), motion)
    t = recording.recorded.index.to_numpy()
    oracle = solve_ivp(
        lambda s, y: (y[1], (-3.6 * np.sin(6 * s) * np.cos(y[0]) - G * np.sin(y[0])) / 0.5),
        (0, DURATION), (0.0, 0.0), t_eval=t, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    assert np.max(np.abs(column(recording, "q.hinge", "analytic") - oracle.y[0])) <= 1e-8
    assert np.max(np.abs(column(recording, "q.hinge") - oracle.y[0])) <= 1e-4
    assert np.max(np.abs(oracle.y[0])) > 0.01
    assert_passes(recording)


def test_method_ideal_refuses_a_free_joint_by_name():
    motion = JointMotion.displacement({}, free=["hinge"])
    with pytest.raises(ScenarioError, match="Joint 'hinge' is free; method 'ideal' needs every"):
        go(pendulum(1.0, 1.0), motion, "ideal")


@pytest.mark.parametrize("method", METHODS)
def test_a_free_joint_that_others_follow_is_refused_by_name(method):
    motion = JointMotion.displacement({}, free=["input"])
    with pytest.raises(ScenarioError, match="Joint 'input' is free and coupled by <mimic>"):
        go(geared(1.0, 1.0, 2.0), motion, method)


# Corners


def corners(text, level="displacement", duration=0.3, dt=1e-3):
    motion = getattr(JointMotion, level)({"elbow": text})
    return go(arm(), motion, duration=duration, dt=dt).run.settings.corners


def test_jumps_of_acceleration_are_listed_as_corners():
    assert corners("STEP(time, 0.1, 0, 0.2, 0.1)") == pytest.approx([0.1, 0.2], abs=1e-12)


def test_the_start_of_a_run_is_no_corner_but_its_end_may_be_one():
    assert corners("STEP(time, 0, 0, 0.3, 0.1)") == pytest.approx([0.3], abs=1e-12)


def test_where_an_acceleration_bends_on_a_sample_is_told_too():
    motion = JointMotion.velocity({"shoulder": "STEP(time, 0.1, 0, 0.2, 0.5)"})
    settings = go(arm(), motion, duration=0.3, dt=1e-3).run.settings
    assert settings.corners == ()
    assert settings.bends == pytest.approx([0.1, 0.2], abs=1e-12)


def test_a_smooth_profile_and_the_start_of_a_short_run_have_no_corners():
    assert corners("STEP(time, 0, 0, 0.005, 0.1)", "velocity", 0.01) == ()
    assert corners("STEP5(time, 0.1, 0, 0.2, 0.1)") == ()
    assert corners("STEP(time, 0.1, 0, 0.2, 0.5)", "velocity") == ()


def test_a_bend_between_two_samples_is_a_corner_whatever_its_level():
    text = "STEP(time, 0.1004, 0, 0.2, 0.5)"
    assert corners(text, "velocity") == pytest.approx([0.1004], abs=1e-12)


# Failures of the engine


def test_an_engine_that_is_asked_the_impossible_says_joint_and_time():
    # 5e6 rad/s of the elbow pull at the shoulder with more than its motor's 1e12 N·m
    motion = JointMotion.displacement({"elbow": "5e6*time"})
    words = r"joint 'shoulder' is \S+ rad away from .* at t = \S+ s; try a slower drive"
    with pytest.raises(EngineError, match=words):
        go(arm(), motion)


def test_a_drive_with_an_infinite_slope_is_the_scenarios_fault():
    motion = JointMotion.displacement({"elbow": "SQRT(ABS(time - 0.1))"})
    with pytest.raises(ScenarioError, match=r"'elbow': its velocity is not finite at t = 0\.1 s"):
        go(arm(), motion)


def test_a_failed_check_is_data_and_no_error():
    motion = JointMotion.velocity({"elbow": "STEP5(time, 0, 0, 0.05, 9)"})
    recording = go(arm(), motion, duration=0.1)  # 9 rad/s where 3 are rated
    checks = check(recording)
    assert {one.name for one in checks if not one.ok} >= {"rated speed"}
    assert verdict(checks) == "fail"


def test_a_scenario_is_run_by_its_name_or_its_file(tmp_path):
    text = """import sim

def scenario(mass=2.0):
    robot = sim.load_robot("ur10").with_payload(mass)
    motion = sim.JointMotion.velocity({}, q0=robot.pose("zero"))
    return sim.Scenario(robot, motion, duration=0.01, method="ideal")
"""
    (tmp_path / "still.py").write_text(text, encoding="utf-8")
    by_file = run(str(tmp_path / "still.py")).run
    assert (by_file.scenario, by_file.parameters) == ("still", {"mass": 2.0})
    assert by_file.script.path == str((tmp_path / "still.py").resolve())
    assert run(tmp_path / "still.py", method="stepped", name="mine").run.scenario == "mine"
    shipped = run("two_link", method="ideal", dt=0.01).run
    assert (shipped.scenario, shipped.method) == ("two_link", "ideal")
    assert shipped.settings.dt == 0.01


def test_what_is_no_scenario_is_refused_with_what_is_there():
    with pytest.raises(ScenarioError, match=r"no scenario 'ur10_stp'.*did you mean 'ur10_step'"):
        run("ur10_stp")
    with pytest.raises(ScenarioError, match=r"takes a Scenario, the name .* got a Robot"):
        run(arm())
