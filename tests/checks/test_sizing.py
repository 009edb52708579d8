import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.sizing import sizing
from sim.errors import RecordingError
from sim.maths import Estimate, integral
from sim.recording.schema.verdicts import DriveSizing
from tests.helpers.short_runs import short_run
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 2.0, 2001)


def drive(t, tau, qd, **facts):
    """The sizing of one joint with this torque and speed."""
    columns = {"tau.a": tau, "qd.a": qd}
    (found,) = sizing(recording(t, columns, joint("a", **facts)))
    return found


def sines(t, phase=0.0, torque=30.0, speed=2.0):
    """Torque and speed of two periods of 1 s, the torque ahead by `phase`."""
    return torque * np.cos(2 * np.pi * t + phase), speed * np.cos(2 * np.pi * t)


# Closed forms


def test_a_constant_torque_at_a_constant_speed():
    """20 N·m at 3 rad/s for 2 s: 60 W and 120 J."""
    found = drive(T, np.full(T.size, 20.0), np.full(T.size, 3.0))
    for estimate, wanted in (
        (found.rms_torque, 20.0),
        (found.mean_torque, 20.0),
        (found.mean_abs_torque, 20.0),
        (found.mean_power, 60.0),
        (found.delivered, 120.0),
        (found.regenerated, 0.0),
    ):
        assert estimate.value == pytest.approx(wanted, rel=1e-12)
        assert estimate.error <= 1e-10
    assert (found.peak_torque.torque, found.peak_speed.speed) == (20.0, 3.0)
    assert found.peak_power.power == found.least_power.power == 60.0
    assert found.duration == 2.0


def test_a_drive_that_lowers_a_load_gives_back_what_it_takes_from_it():
    """100 N up against -0.5 m/s down: 50 W come back, in 2 s 100 J."""
    found = drive(T, np.full(T.size, 100.0), np.full(T.size, -0.5), kind="prismatic")
    assert found.delivered.value == 0.0
    assert found.regenerated.value == pytest.approx(100.0, rel=1e-12)
    assert found.mean_power.value == pytest.approx(-50.0, rel=1e-12)
    assert found.least_power.power == -50.0
    assert (found.torque_unit, found.speed_unit) == ("N", "m/s")


@pytest.mark.parametrize("phase", [0.0, 0.3, math.pi / 2, 2.0, math.pi])
def test_sinusoidal_torque_and_speed_with_a_phase_between_them(phase):
    """A cos(wt + f) · B cos(wt) = AB/2 (cos f + cos(2wt + f)).

    Over one period of that power, ∫ max(cos f + cos x, 0) dx = 2 (sin b - b cos b) with b = π - f.
    """
    found = drive(T, *sines(T, phase))
    AB = 30.0 * 2.0
    b = math.pi - phase
    positive = (math.sin(b) + b * math.cos(phase)) / math.pi  # mean of max(cos f + cos x, 0)
    wanted = {
        "rms_torque": 30 / math.sqrt(2),
        "mean_torque": 0.0,
        "mean_abs_torque": 30 * 2 / math.pi,
        "mean_power": AB / 2 * math.cos(phase),
        "delivered": 2.0 * AB / 2 * positive,
        "regenerated": 2.0 * AB / 2 * (positive - math.cos(phase)),
    }
    for name, value in wanted.items():
        estimate = getattr(found, name)
        # a bend of the positive part costs h²/8 of its slope: 1e-6 / 8 · 2 · 2π · 60 · 8 bends
        assert estimate.value == pytest.approx(value, abs=1e-3), name
        assert abs(estimate.value - value) <= estimate.error + 1e-12, name
        assert estimate.error < 2e-3, name
    assert found.peak_power.power == pytest.approx(AB / 2 * (math.cos(phase) + 1), abs=1e-3)
    assert found.least_power.power == pytest.approx(AB / 2 * (math.cos(phase) - 1), abs=1e-3)


def test_power_that_is_all_reactive_costs_nothing_on_the_whole():
    found = drive(T, *sines(T, math.pi / 2))
    assert found.delivered.value == pytest.approx(found.regenerated.value, rel=1e-9)
    # the trapezoid leaves (w h)²/12 = 1.3e-5 of a half wave of the power, at w = 4π
    assert found.delivered.value == pytest.approx(2 * 60 / 2 / math.pi, rel=2e-5)


def test_a_triangle_of_torque_has_the_rms_of_a_triangle():
    """sqrt(1/3) of its height; 9 N·m up and down at 1 rad/s deliver 9 J."""
    found = drive(T, 9.0 * (1 - np.abs(T - 1)), np.ones(T.size))
    off = found.rms_torque.value - 9 / math.sqrt(3)
    # squares are h²/6 of the square of the slope too much: h²/6 · 81 / (2 · 9 / sqrt(3))
    assert off == pytest.approx(1e-6 / 6 * 81 / (18 / math.sqrt(3)), rel=1e-3)
    assert found.rms_torque.error == pytest.approx(3 * off, rel=1e-2)
    assert found.delivered.value == pytest.approx(9.0, rel=1e-12)


def test_samples_close_together_do_not_count_more():
    """1 N·m for a second in ten samples, then 3 N·m for a second in a thousand."""
    t = np.concatenate([np.linspace(0, 1, 11), np.linspace(1, 2, 1001)[1:]])
    tau = np.where(t <= 1, 1.0, 3.0)
    found = drive(t, tau, np.ones(t.size))
    assert found.rms_torque.value == pytest.approx(math.sqrt(5), rel=1e-3)
    assert found.mean_torque.value == pytest.approx(2.0, rel=1e-3)
    assert found.mean_power.value == pytest.approx(2.0, rel=1e-3)
    assert np.mean(tau) > 2.9  # what it would be without weights


# Peaks


def test_peaks_have_their_time_and_what_goes_with_them():
    tau = 50 * np.exp(-(((T - 0.5) / 0.1) ** 2)) - 80 * np.exp(-(((T - 1.5) / 0.1) ** 2))
    qd = 1.0 + T
    found = drive(T, tau, qd)
    assert found.peak_torque.t == pytest.approx(1.5, abs=1e-9)
    assert found.peak_torque.torque == pytest.approx(-80.0, abs=1e-9)
    assert found.peak_torque.speed == pytest.approx(2.5, abs=1e-9)
    assert found.peak_torque.power == pytest.approx(-200.0, abs=1e-6)
    assert (found.peak_speed.t, found.peak_speed.speed) == (2.0, 3.0)
    # d/dt of (1 + t) exp(-100 (t - 0.5)²) is zero where 200 (1 + t)(t - 0.5) = 1
    at = (-0.5 + math.sqrt(0.25 + 4 * (0.5 + 1 / 200))) / 2
    assert found.peak_power.t == pytest.approx(at, abs=1e-3)
    assert found.peak_power.power > 75.0 > 50 * 1.5 * 0.99
    assert found.least_power.power == pytest.approx(-200.0, abs=0.1)


@pytest.mark.parametrize("sign", [1, -1])
def test_of_a_plateau_the_sample_with_the_most_power_stands_for_all(sign):
    """At 2 rad/s, up to rounding, while the torque rises to 7 N·m at 1.5 s and falls again."""
    qd = 2.0 * sign * (1 + 1e-9 * np.cos(50 * T))
    found = drive(T, 7.0 - np.abs(T - 1.5), qd)
    assert found.peak_speed.t == pytest.approx(1.5, abs=1e-9)
    assert found.peak_speed.torque == 7.0
    assert found.peak_speed.speed == pytest.approx(2.0 * sign, rel=1e-8)
    assert found.peak_speed.power == pytest.approx(14.0 * sign, rel=1e-8)


# Ratings


def test_margins_are_what_the_rating_is_times_the_need_and_what_is_left():
    found = drive(T, *sines(T), effort=40.0, velocity=1.6)
    torque, rms, speed = found.torque_margin, found.rms_margin, found.speed_margin
    assert (torque.rated, torque.used) == (40.0, 30.0)
    assert torque.factor == pytest.approx(4 / 3)
    assert torque.percent == pytest.approx(25.0)
    assert rms.factor == pytest.approx(4 / 3 * math.sqrt(2), rel=1e-6)
    assert (speed.rated, speed.used) == (1.6, 2.0)
    assert speed.factor == pytest.approx(0.8)
    assert speed.percent == pytest.approx(-25.0)


def test_a_drive_without_ratings_has_no_margins():
    found = drive(T, *sines(T))
    assert (found.torque_margin, found.rms_margin, found.speed_margin) == (None, None, None)


def test_a_drive_that_does_nothing_leaves_all_of_its_rating():
    found = drive(T, np.zeros(T.size), np.zeros(T.size), effort=5.0, velocity=1.0)
    assert found.torque_margin.percent == found.speed_margin.percent == 100.0
    assert found.torque_margin.factor == math.inf
    assert found.rms_torque.value == found.rms_torque.error == 0.0


# Which joints


def test_free_joints_and_joints_that_follow_are_no_drives():
    names = ("a", "free", "follower")
    columns = {f"{group}.{name}": T for group in ("tau", "qd") for name in names}
    joints = (joint("a"), joint("free"), joint("follower", mimic="a"))
    found = sizing(recording(T, columns, *joints, free=("free",)))
    assert [one.joint for one in found] == ["a"]


def test_the_drives_of_a_run_are_sized_from_its_recorded_table():
    run = short_run()
    shoulder, elbow = sizing(run)
    assert (shoulder.joint, elbow.joint) == ("shoulder", "elbow")
    tau = run.recorded["tau.elbow"]
    assert abs(elbow.peak_torque.torque) == tau.abs().max()
    assert elbow.peak_torque.t == tau.abs().idxmax()
    assert elbow.torque_margin.used == tau.abs().max()
    gained = sum(run.recorded[e].iloc[-1] - run.recorded[e].iloc[0] for e in ("ke", "pe"))
    paid = sum(one.delivered.value - one.regenerated.value for one in (shoulder, elbow))
    assert paid == pytest.approx(gained, rel=1e-5)
    other = sizing(replace(run, analytic=run.analytic * 0))
    assert other == (shoulder, elbow)


def test_a_torque_that_is_missing_is_named():
    with pytest.raises(RecordingError, match=r"no channel 'tau\.a'"):
        sizing(recording(T, {"qd.a": T}, joint("a")))


def read_back(sizing):
    return msgspec.json.decode(msgspec.json.encode(sizing), type=DriveSizing)


def test_it_comes_back_from_a_file_as_it_was():
    found = drive(T, *sines(T), effort=40.0)
    assert read_back(found) == found


def test_values_that_are_no_numbers_make_no_numbers_and_no_noise():
    tau, qd = sines(T)
    tau[100] = math.inf
    qd[50] = math.nan  # earlier: the torque is a number there
    found = drive(T, tau, qd, effort=40.0)
    assert math.isnan(found.peak_speed.speed)
    assert math.isnan(found.rms_torque.value)
    assert math.isnan(found.peak_torque.torque)
    assert math.isnan(found.torque_margin.percent)
    again = read_back(found)
    assert (again.rms_torque.value, again.peak_torque.torque) == (None, None)
    assert (again.torque_margin.used, again.torque_margin.factor) == (None, None)


# Laws

CURVES = st.lists(
    st.tuples(st.floats(0.01, 1.0), st.floats(-50, 50), st.floats(-5, 5)), min_size=3, max_size=30
)
SCALES = ("rms_torque", "mean_abs_torque", "delivered", "regenerated")


def curve(rows):
    h, tau, qd = np.array(rows).T
    return np.cumsum(h), tau, qd


@given(CURVES, st.floats(0.1, 10))
def test_with_the_torque_grow_its_means_and_the_energies(rows, k):
    t, tau, qd = curve(rows)
    one, more = drive(t, tau, qd), drive(t, k * tau, qd)
    for name in (*SCALES, "mean_torque", "mean_power"):
        a, b = getattr(one, name), getattr(more, name)
        assert b.value == pytest.approx(k * a.value, rel=1e-9, abs=1e-9)
        assert b.error == pytest.approx(k * a.error, rel=1e-6, abs=1e-6)
    assert more.peak_power.power == pytest.approx(k * one.peak_power.power, rel=1e-9, abs=1e-9)


@given(CURVES, st.floats(0.1, 10))
def test_the_same_cycle_run_slower_takes_the_same_energy_at_less_power(rows, k):
    t, tau, qd = curve(rows)
    one, slow = drive(t, tau, qd), drive(k * t, tau, qd / k)
    for name in ("rms_torque", "delivered", "regenerated"):
        wanted = getattr(one, name).value
        assert getattr(slow, name).value == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    wanted = one.mean_power.value / k
    assert slow.mean_power.value == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(CURVES)
def test_time_run_backwards_swaps_what_is_delivered_and_what_comes_back(rows):
    """Speeds change their sign, torques do not."""
    t, tau, qd = curve(rows)
    there, back = drive(t, tau, qd), drive(t[-1] - t[::-1], tau[::-1], -qd[::-1])
    for mine, theirs in (("delivered", "regenerated"), ("regenerated", "delivered")):
        wanted = getattr(there, theirs).value
        assert getattr(back, mine).value == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert back.rms_torque.value == pytest.approx(there.rms_torque.value, rel=1e-9, abs=1e-9)
    assert back.mean_power.value == pytest.approx(-there.mean_power.value, rel=1e-9, abs=1e-9)


@given(CURVES)
def test_what_is_delivered_less_what_comes_back_is_the_mean_power_times_the_time(rows):
    found = drive(*curve(rows))
    both = found.delivered.error + found.regenerated.error
    assert found.mean_power.error * found.duration <= both + 1e-9
    net = found.delivered.value - found.regenerated.value
    assert net == pytest.approx(found.mean_power.value * found.duration, rel=1e-9, abs=1e-9)


@given(CURVES)
def test_the_means_of_a_torque_are_ordered(rows):
    """|mean| <= mean of the magnitude <= peak; the trapezoid of squares is no less than either."""
    found = drive(*curve(rows))
    mean, size, rms = (
        getattr(found, name).value for name in ("mean_torque", "mean_abs_torque", "rms_torque")
    )
    peak = abs(found.peak_torque.torque)
    assert abs(mean) <= size + 1e-9 <= rms + 2e-9 <= peak + 3e-9


# The error bar

H = 0.01


PLACES = st.tuples(st.floats(0.05, 1.95), st.booleans(), st.floats(-50, 50))


@given(st.lists(PLACES, max_size=6), st.floats(-5, 5))
def test_the_error_bar_holds_jumps_and_bends_wherever_they_are(places, start):
    """A jump Δy at c adds Δy (T - c) to the integral, a change of slope Δs adds Δs (T - c)²/2."""
    t = H * np.arange(201)
    y, wanted = np.full(t.size, start), 2.0 * start
    for c, jumps, size in apart(places):
        y = y + size * ((t >= c) if jumps else np.maximum(t - c, 0.0))
        wanted += size * ((2 - c) if jumps else (2 - c) ** 2 / 2)
    found = integral(y, t)
    assert abs(found.value - wanted) <= found.error + 1e-10


def apart(steps):
    """Those that are no nearer than four samples to the one before."""
    kept = []
    for step in sorted(steps):
        if not kept or step[0] - kept[-1][0] > 4 * H:
            kept.append(step)
    return kept


def test_the_error_bar_of_a_smooth_curve_is_three_times_its_error():
    """The trapezoid errs by h²/12 of the change of slope: for exp, h²/12 (e - 1)."""
    t = np.linspace(0.0, 1.0, 101)
    found = integral(np.exp(t), t)
    assert found.value - (math.e - 1) == pytest.approx(1e-4 / 12 * (math.e - 1), rel=1e-4)
    assert found.error == pytest.approx(3 * (found.value - (math.e - 1)), rel=1e-3)


@pytest.mark.parametrize("count", [3, 4, 5, 100])
def test_every_step_has_its_part_in_the_error_bar(count):
    """A needle in any place is seen."""
    t = np.arange(count, dtype=float)
    for k in range(count):
        assert integral(np.where(t == k, 1.0, 0.0), t).error > 0


def test_two_samples_cannot_tell_their_error():
    found = integral(np.array([1.0, 3.0]), np.array([0.0, 0.5]))
    assert found == Estimate(1.0, None)
    assert found.over(0.5) == Estimate(2.0, None)
    assert Estimate(9.0, None).root() == Estimate(3.0, None)


def test_the_root_of_an_estimate_is_off_by_the_larger_of_its_two_sides():
    assert Estimate(25.0, 9.0).root() == Estimate(5.0, 1.0)  # 4 … 5.83
    assert Estimate(4.0, 5.0).root() == Estimate(2.0, 2.0)  # 0 … 3
    assert Estimate(None, None).root() == Estimate(None, None).over(2.0) == Estimate(None, None)


def test_a_joint_driven_by_a_torque_has_its_loads(tmp_path):
    """2 sin(6 t) N·m for 0.5 s: the RMS in closed form; the other joint is held."""
    import sim

    motion = sim.JointMotion.torque({"elbow": "2*sin(6*time)"})
    robot = sim.load_robot("scenarios/my_arm.urdf")
    found = sim.run(sim.Scenario(robot, motion, duration=0.5, dt=1e-3, method="adaptive"))
    by_joint = {one.joint: one for one in sizing(found)}
    rms = math.sqrt(2.0 * (1.0 - math.sin(6.0) / 6.0))
    assert by_joint["elbow"].rms_torque.value == pytest.approx(rms, rel=1e-6)
    assert by_joint["elbow"].peak_torque.torque == pytest.approx(2.0, rel=1e-5)
