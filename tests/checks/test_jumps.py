"""A position or velocity that jumps fails by name; an acceleration may jump. Oracle: the drive."""

from dataclasses import replace

import numpy as np
import pytest

from sim.checks import check
from sim.motion import JointMotion
from sim.recording import Recording
from sim.recording.recorded_run import BETWEEN
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import geared, joint, link, robot

NAMES = ("jump of position", "jump of velocity")
METHODS = ("ideal", "stepped", "adaptive")


def disk():
    """0.6 kg·m² about its axis."""
    moments = "0.6 0.6 0.6"
    return robot(
        link("disk", 1.0, "0 0 0", moments), joint("turn", "revolute", "ground", "disk", "0 0 1")
    )


def driven(level, text, method="ideal", duration=2.0, dt=1e-2):
    motion = getattr(JointMotion, level)({"turn": text})
    return run(Scenario(disk(), motion, duration, dt=dt), method=method)


def jumps(recording):
    """What of the drives jumps: name, size and time."""
    found = [one for one in check(recording) if one.name in NAMES and not one.ok]
    return [(one.name, one.worst, one.at) for one in found]


@pytest.mark.rotates(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("level", "text", "name", "size", "at"),
    [
        ("displacement", "ABS(time-1)", "jump of velocity", 2.0, 1.0),
        ("displacement", "ABS(time-0.9953)", "jump of velocity", 2.0, 0.9953),
        ("velocity", "IF(time-1:0,0,1)", "jump of velocity", 1.0, 1.0),
        ("velocity", "1e-5*IF(time-1:0,0,1)", "jump of velocity", 1e-5, 1.0),
        ("velocity", "STEP(time,0,0,1,1)+IF(time-2:0,-1,-1)", "jump of velocity", 1.0, 2.0),
        ("displacement", "IF(time-1:0,0,1)", "jump of position", 1.0, 1.0),
        ("displacement", "IF(time-1.003:time,0,1.003)", "jump of velocity", 1.0, 1.003),
    ],
)
def test_what_no_torque_can_do_fails_by_name(method, level, text, name, size, at):
    found = jumps(driven(level, text, method))
    assert [(one[0], one[2]) for one in found] == [(name, at)]
    assert found[0][1] == pytest.approx(size, rel=1e-6)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("acceleration", "IF(time-1:3*time,0,0)"),
        ("acceleration", "IF(time-1.0037:0,0,1e3)"),
        ("velocity", "ABS(time-1)"),
        ("velocity", "STEP(time,1,0,1.0000001,1)"),  # 1.5e7 rad/s²: much, and finite
        ("displacement", "STEP(time,0,0,1,1)-STEP(time,1,0,2,1)"),
        ("displacement", "100+STEP(time,0.3333,0,0.7777,1e-3)"),
        ("displacement", "IF(time-1:0,0,(time-1)**2)"),
        ("displacement", "COS(1000*PI+time)"),
        ("torque", "IF(time-1:3,0,0)"),
    ],
)
def test_what_a_torque_can_do_does_not(method, level, text):
    is_steep = "1.0000001" in text  # a solver takes a quarter of a minute for it
    if (level == "torque") != (method == "adaptive") and (level == "torque" or is_steep):
        return
    recording = driven(level, text, method)
    assert jumps(recording) == []
    assert all(one.ok for one in check(recording) if one.name == "samples at corners")


@pytest.mark.parametrize("shift", [0.1 + 0.2, 0.3, 1 / 3, 0.7 - 0.1])
def test_pieces_that_meet_but_for_rounding_do_not_jump(shift):
    meeting = f"STEP(time,0,0,{shift!r},30d)+STEP(time,{shift!r},0,{2 * shift!r},-30d)"
    assert jumps(driven("velocity", meeting, duration=1.5)) == []
    rising = f"IF(time-{shift!r}:time,time,2*time-{shift!r})"
    assert jumps(driven("velocity", rising, duration=1.5)) == []


def test_a_joint_that_follows_jumps_with_the_one_it_follows():
    gears = geared(0.1, 0.2, 3.0)
    motion = JointMotion.displacement({"input": "ABS(time-0.1)"})
    found = {
        one.channel: one.worst
        for one in check(run(Scenario(gears, motion, 0.2), method="ideal"))
        if one.name == "jump of velocity"
    }
    assert found == pytest.approx({"qd.input": 2.0, "qd.output": 6.0}, rel=1e-6)


def test_both_sides_of_each_corner_must_be_there(tmp_path):
    recording = driven("acceleration", "IF(time-0.5:1,0,0)+IF(time-1:3*time,0,0)")
    assert len(recording.between) >= 4
    without = {
        "no rows": replace(recording, between=None),
        "a corner less": replace(recording, between=recording.between.drop(index=1.0)),
        "no left side": replace(recording, between=recording.between.loc[[0.5, 1.0]]),
    }
    for name, spoilt in without.items():
        (found,) = (one for one in check(spoilt) if one.name == "samples at corners")
        assert not found.ok, name
    written = recording.write(tmp_path)
    assert (tmp_path / BETWEEN).is_file()
    assert check(Recording.read(tmp_path)) == check(written)


def test_a_lie_about_a_corner_is_a_jump():
    recording = driven("acceleration", "IF(time-1:3*time,0,0)")
    table = recording.between.copy()
    table.loc[1.0, "qd.turn"] += 1e-3
    assert jumps(replace(recording, between=table)) == [
        ("jump of velocity", pytest.approx(1e-3, rel=1e-4), 1.0)
    ]


def test_without_corners_nothing_is_asked():
    recording = driven("displacement", "SIN(time)")
    assert recording.between is None
    assert not [one for one in check(recording) if one.name in (*NAMES, "samples at corners")]
    assert np.isfinite(recording.known_values("tau.turn")).all()
