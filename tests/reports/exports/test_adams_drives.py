"""Drives go out as ADAMS text and come back by readers that know nothing of the writer."""

import numpy as np
import pytest

from sim.errors import RecordingError
from sim.functions import expression, spline
from sim.motion import JointMotion
from sim.recording.schema.facts import DriveFacts
from sim.reports.exports.adams_drives import drives_text
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.adams_dataset import numbers, statements
from tests.helpers.short_runs import arm, short_run
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 2.0, 2001)
WAVE = "30d*SIN(PI*time)**2"
Q = np.pi / 6 * np.sin(np.pi * T) ** 2
QD = np.pi**2 / 6 * np.sin(2 * np.pi * T)
QDD = np.pi**3 / 3 * np.cos(2 * np.pi * T)


def by_hand(*drives, kind="revolute", tau=None, free=(), mimic=None, **facts):
    """A run of one joint that moves as `WAVE` does, and of a second one that rests at 0.25."""
    curves = {"q": Q, "qd": QD, "qdd": QDD, "tau": Q if tau is None else tau}
    columns = {f"{group}.a": curve for group, curve in curves.items()}
    columns |= {f"{group}.b": np.full_like(T, 0.25 if group == "q" else 0.0) for group in curves}
    facts["drives"] = tuple(DriveFacts(joint="a", level=lv, function=f) for lv, f in drives)
    joints = joint("a", kind), joint("b", kind, mimic=mimic)
    return recording(T, columns, *joints, free=free, **facts)


def exported(recorded, degrees=False, millimetres=False):
    text = drives_text(recorded, degrees=degrees, millimetres=millimetres)
    assert max(map(len, text.splitlines())) <= 80
    return text, statements(text)


def curve(read, head):
    """A FUNCTION as a function of time, with the SPLINE statement that it may read."""
    number = head.partition("/")[2]
    splines = {}
    if f"SPLINE/{number}" in read:
        points = read[f"SPLINE/{number}"]
        splines = {f"S_{number}": spline(numbers(points["X"]), numbers(points["Y"]))}
    text = read[head]["FUNCTION"].replace(f"SPL(TIME, 0, {number})", f"SPL(TIME, 0, S_{number})")
    return expression(text, splines)


@pytest.mark.parametrize(
    ("level", "typed", "meant"),
    [
        ("displacement", WAVE, Q),
        ("velocity", "PI**2/6 * sin(2*PI*time)", QD),
        ("acceleration", "PI**3*cos(--2*PI*time)/3", QDD),
    ],
)
def test_a_typed_drive_stays_an_expression(level, typed, meant):
    _, read = exported(by_hand((level, typed)))
    motion = read["MOTION/1"]
    assert motion["JOINT"] == "1"
    assert "ROTATION" in motion
    assert ("VELOCITY" in motion, "ACCELERATION" in motion) == (
        level == "velocity",
        level == "acceleration",
    )
    assert ("ICDISP" in motion) == (level != "displacement")
    assert ("ICVEL" in motion) == (level == "acceleration")
    np.testing.assert_allclose(curve(read, "MOTION/1").value(T), meant, rtol=0, atol=1e-12)
    assert "SPLINE/1" not in read


def test_a_rate_starts_where_the_run_does():
    run = by_hand(("velocity", "0"))
    run = run.with_description(drives=(DriveFacts(joint="b", level="velocity", function="0"),))
    for degrees, text in ((False, "0.25"), (True, "14.32394487827058D")):
        _, read = exported(run, degrees=degrees)
        assert read["MOTION/2"]["ICDISP"] == text


@pytest.mark.parametrize(
    "function", ["AKISPL(time,0,SPL_1)", "cubic spline through 9 points", "mine", "0.9*30d*time"]
)
@pytest.mark.parametrize("degrees", [False, True])
def test_any_other_drive_is_a_spline_through_samples(function, degrees):
    """The last one reads as an expression, but is not what the joint did."""
    text, read = exported(by_hand(("displacement", function)), degrees=degrees)
    assert function in text
    drive = curve(read, "MOTION/1")
    assert np.abs(drive.value(T) - Q).max() < 1.1e-6
    assert np.abs(drive.derivatives(T)[1] - QD).max() < 1e-3
    assert np.abs(drive.derivatives(T)[2] - QDD).max() < 0.1
    assert ("DTOR" in read["MOTION/1"]["FUNCTION"]) is degrees
    assert max(numbers(read["SPLINE/1"]["Y"])) == pytest.approx(30 if degrees else np.pi / 6, 1e-3)


def test_the_comment_says_how_near_a_spline_comes():
    text, read = exported(by_hand(("displacement", "mine")))
    said = " ".join(line.removeprefix("! ") for line in text.splitlines())
    words = said.partition("largest distance from all samples ")[2].split()
    errors = np.abs(np.array(curve(read, "MOTION/1").derivatives(T)) - [Q, QD, QDD]).max(axis=1)
    assert words[1::2][:3] == ["rad,", "rad/s,", "rad/s^2"]
    np.testing.assert_allclose([float(word) for word in words[:6:2]], errors, rtol=0.05)


def test_a_joint_that_nothing_drives_is_held_free_or_follows():
    _, read = exported(by_hand(("displacement", WAVE)))
    assert float(read["MOTION/2"]["FUNCTION"]) == 0.25
    text, read = exported(by_hand(("displacement", WAVE), free=("b",)))
    assert "MOTION/2" not in read
    assert "JOINT/2 b (revolute): free" in text
    text, read = exported(by_hand(("displacement", WAVE), mimic="a"))
    assert "MOTION/2" not in read
    assert "follows a; a COUPLER" in text
    text, read = exported(by_hand(("displacement", WAVE), passive=("b",)))
    assert "a closed loop decides" in text


def test_a_model_in_millimetres_gets_millimetres_and_newton_millimetres():
    slides = by_hand(("displacement", WAVE), kind="prismatic")
    text, read = exported(slides, millimetres=True)
    assert "TRANSLATION" in read["MOTION/1"]
    np.testing.assert_allclose(curve(read, "MOTION/1").value(T), 1000 * Q, rtol=1e-12)
    assert float(read["MOTION/2"]["FUNCTION"]) == 250.0
    assert "Units: millimetre, newton, kilogram, second" in text
    assert "JOINT/1 a (prismatic): displacement as typed [mm]" in text
    for kind, factor in (("revolute", 1000.0), ("prismatic", 1.0)):
        _, read = exported(by_hand(("torque", WAVE), kind=kind, free=("a",)), millimetres=True)
        np.testing.assert_allclose(curve(read, "SFORCE/1").value(T), factor * Q, rtol=1e-12)
    _, read = exported(by_hand(("displacement", "mine"), kind="prismatic"), millimetres=True)
    assert np.abs(curve(read, "MOTION/1").value(T) - 1000 * Q).max() < 1.1e-3  # mm


def test_a_motor_is_a_force_element_with_markers_to_be_put_in():
    tau = 5 + np.sin(T)
    text, read = exported(by_hand(("torque", "mine"), tau=tau, free=("a",)))
    assert set(read["SFORCE/1"]) == {"ROTATION", "I", "J", "FUNCTION"}
    assert "insert your own" in text
    assert np.abs(curve(read, "SFORCE/1").value(T) - tau).max() <= 1.1e-6 * tau.max()
    assert "MOTION/1" not in read


def test_the_drives_of_a_real_run_come_back(tmp_path):
    recorded = short_run()
    _, read = exported(recorded)
    for index, name in enumerate(("shoulder", "elbow")):
        meant = recorded.analytic[f"q.{name}"]
        found = curve(read, f"MOTION/{index + 1}").value(recorded.t)
        np.testing.assert_allclose(found, meant, rtol=0, atol=1e-12)


def test_a_drive_given_as_points_comes_back_as_the_curve_that_was_run():
    times = np.linspace(0.0, 0.3, 31)
    points = np.random.default_rng(7).normal(size=31) * 1e-3
    motion = JointMotion.displacement({"elbow": points}, times=times)
    recorded = run(Scenario(arm(), motion, 0.3), method="ideal", name="points")
    _, read = exported(recorded)
    np.testing.assert_allclose(numbers(read["SPLINE/2"]["X"]), times, rtol=0, atol=1e-12)
    np.testing.assert_allclose(numbers(read["SPLINE/2"]["Y"]), points, rtol=0, atol=1e-12)


def test_a_motor_of_a_real_run_stays_an_expression():
    motion = JointMotion.torque({"elbow": "0.1*STEP(time,0,0,0.1,1)"})
    recorded = run(Scenario(arm(), motion, 0.2), method="adaptive", name="motor")
    _, read = exported(recorded)
    assert read["SFORCE/2"]["FUNCTION"] == "0.1 * STEP(TIME, 0, 0, 0.1, 1)"
    assert float(read["MOTION/1"]["FUNCTION"]) == 0.0


def test_a_motion_that_is_no_number_or_too_short_is_refused():
    bad = by_hand(("displacement", "mine"))
    bad.analytic.loc[0.5, "q.a"] = np.nan
    with pytest.raises(RecordingError, match=r"q.a is not finite at t = 0.5 s"):
        exported(bad)
    t = np.array([0.0, 0.001, 0.002])
    columns = {"q.a": t, "qd.a": t, "qdd.a": t, "tau.a": t}
    with pytest.raises(RecordingError, match=r"'a' needs a spline, which needs 4 samples"):
        exported(recording(t, columns, joint("a"), duration=0.002))
