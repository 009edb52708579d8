"""What recorders do to a log: samples of nobody, wrapped angles. The motion is known throughout."""

import numpy as np
import pytest

from sim.errors import ForeignError
from sim.identification import Log, identify, suspicions
from sim.identification.log_repairs import repair_log
from sim.robots import load_robot
from tests.helpers.robot_logs import clean_log, friction_laws, noisy

UR10 = load_robot("ur10")


@pytest.fixture(scope="module")
def log():
    return noisy(clean_log(UR10, rate=50.0), 0.2)


def changed(log, **rows):
    return Log(log.joints, log.t, **{"q": log.q, "tau": log.tau, "qd": log.qd} | rows)


def some(log, share=0.02, seed=0):
    return np.random.default_rng(seed).random(log.t.size) < share


@pytest.mark.parametrize("groups", [("q", "qd", "tau"), ("q", "tau"), ("tau",), ("qd",)])
def test_rows_of_zeros_are_left_out_with_their_count(log, groups):
    """2 % of the samples; of those with a group at 0 none is left, and no other is missing."""
    mask = some(log)
    rows = {group: np.where(mask, 0.0, getattr(log, group)) for group in groups}
    rows |= {} if "qd" in groups or "q" not in groups else {"qd": None}
    found = repair_log(UR10, changed(log, **rows))
    np.testing.assert_array_equal(found.t, log.t[~mask])
    np.testing.assert_array_equal(found.tau, log.tau[:, ~mask])
    counts = [int(note.split()[0]) for note in found.notes]
    assert sum(counts) == mask.sum()
    assert all("dropouts or another publisher" in note for note in found.notes)


def test_zeros_of_another_publisher_leave_friction_as_it_is(log):
    """Every second sample is a row of zeros, 3 ms after a true one."""
    t = np.ravel(np.column_stack([log.t, log.t + 3e-3]))
    rows = [np.dstack([x, 0 * x]).reshape(len(x), -1) for x in (log.q, log.tau, log.qd)]
    found = identify(UR10, Log(log.joints, t, *rows))
    for name, law in friction_laws(UR10).items():
        assert found.friction[name].coulomb == pytest.approx(law["coulomb"], abs=0.15)
    assert found.notes[0].startswith(f"{log.t.size} samples, the first at 0.003 s, are left out")


def test_a_constant_row_of_another_publisher_and_one_joint_at_zero_are_left_out(log):
    mask = some(log)
    rest = np.array([[0.3, -1.57, 0.4, 0.1, 2.0, -0.7]]).T
    found = repair_log(UR10, changed(log, q=np.where(mask, rest, log.q)))
    np.testing.assert_array_equal(found.t, log.t[~mask])
    tau = log.tau.copy()
    tau[1, mask] = 0.0
    found = identify(UR10, changed(log, tau=tau))
    assert "torques of shoulder_lift_joint are 0" in found.notes[0]
    law = friction_laws(UR10)["shoulder_lift_joint"]
    assert found.friction["shoulder_lift_joint"].viscous == pytest.approx(law["viscous"], abs=0.2)
    assert found.friction["shoulder_lift_joint"].coulomb == pytest.approx(law["coulomb"], abs=0.15)


def test_a_motion_through_zero_and_a_rest_there_are_kept():
    """q = a sin(w t) is 0 at its start, and a robot that rests at 0 has rows of zeros."""
    t = np.arange(600) / 50
    q = np.vstack([np.where(t < 4, 0.0, a * (1 - np.cos(t - 4))) for a in (0.5, 1, -0.7, 2, 1, -1)])
    log = Log(UR10.row_names, t, q, 10 * np.cos(q) + 1, np.gradient(q, t, axis=1))
    assert repair_log(UR10, log) is log


def test_other_jumps_are_refused_by_name(log):
    q, mask = log.q.copy(), some(log)
    q[2, mask] += np.random.default_rng(1).normal(size=mask.sum())
    with pytest.raises(ForeignError, match=r"elbow_joint: positions jump away and back \d+ times"):
        identify(UR10, changed(log, q=q))


@pytest.mark.parametrize("low", [0.0, -np.pi])
def test_wrapped_angles_go_on(log, low):
    """All joints pass the place of the wrap; what comes back is off by whole turns alone."""
    q = log.q - log.q.mean(axis=1, keepdims=True) + low
    wrapped = np.mod(q - low, 2 * np.pi) + low
    assert (np.ptp(wrapped, axis=1) > 6).all()
    found = repair_log(UR10, changed(log, q=wrapped))
    turns = (found.q - q) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns[:, :1]) * np.ones(log.t.size), atol=1e-9)
    assert "wrap at a full turn of 6.28319; unwrapped" in found.notes[0]


@pytest.mark.parametrize("has_rates", [True, False])
def test_friction_of_wrapped_angles_is_as_it_was(log, has_rates):
    wrapped = changed(log, q=np.mod(log.q, 2 * np.pi), qd=log.qd if has_rates else None)
    assert (np.ptp(wrapped.q, axis=1) > 6).sum() >= 3
    found = identify(UR10, wrapped)
    law = friction_laws(UR10)["elbow_joint"]
    assert found.friction["elbow_joint"].viscous == pytest.approx(law["viscous"], abs=0.15)


def test_wrapped_degrees_without_a_unit_are_unwrapped_before_their_unit_is_asked_for(log):
    wrapped = changed(log, q=np.degrees(np.mod(log.q, 2 * np.pi)), qd=None)
    with pytest.raises(ForeignError, match="positions are in degrees; set --unit"):
        identify(UR10, wrapped)
    found = repair_log(UR10, wrapped)
    assert np.ptp(found.q - np.degrees(log.q), axis=1).max() < 1e-6
    assert "a full turn of 360" in found.notes[0]


def test_a_log_without_motion_or_torque_is_refused(log):
    with pytest.raises(ForeignError, match="no joint moves by"):
        identify(UR10, changed(log, q=0 * log.q, qd=0 * log.qd))
    with pytest.raises(ForeignError, match="the torques of all joints that move are constant"):
        identify(UR10, changed(log, tau=0 * log.tau))


@pytest.mark.parametrize("scale", [1e200, 1e12, 1e-300])
def test_extreme_torques_are_refused_in_words(log, scale):
    with pytest.raises(ForeignError, match=r"beyond 1e\+09|are constant"):
        identify(UR10, Log(log.joints, log.t, log.q, scale * log.tau, log.qd))


def test_a_gap_of_a_night_takes_no_more_memory_than_none(log):
    """0.8 s of samples an hour apart: a grid over the gap has 50 000 times as many."""
    import tracemalloc

    t = log.t + np.where(log.t > 10, 36e3, 0.0)
    tracemalloc.start()
    found = identify(UR10, Log(log.joints, t, log.q, log.tau, log.qd))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6  # bytes; 1.8 million samples of 24 rows alone take 345 MB
    assert found.friction["elbow_joint"].coulomb == pytest.approx(2.0, abs=0.15)
    assert any("nothing is logged for 3.6e+04 s" in note for note in found.notes)


def test_coarse_torques_are_counted_by_their_values(log):
    """Steps of 20 N·m; of 0.01 N·m, which are finer than the noise of 0.2, nothing."""
    coarse = np.round(log.tau / 20) * 20
    texts = [doubt.text for doubt in suspicions(UR10, changed(log, tau=coarse))]
    count = np.unique(coarse[1]).size
    words = f"shoulder_lift_joint: its torque has {count} different values, in steps of 20;"
    assert any(words in text for text in texts)
    fine = [np.repeat(x, 100, axis=1) for x in (log.q, np.round(log.tau, 2), log.qd)]
    t = np.arange(fine[0].shape[1]) / 5000
    count = np.unique(fine[1][1]).size
    assert 700 < count < t.size / 20
    long = Log(log.joints, t, *fine)
    assert not any("different values" in doubt.text for doubt in suspicions(UR10, long))


def test_velocities_that_a_driver_leaves_at_zero_are_not_used(log):
    found = repair_log(UR10, changed(log, qd=log.qd * np.c_[[1, 1, 0, 1, 1, 1]]))
    assert found.qd is None and found.t.size == log.t.size
    assert "those of elbow_joint are all 0" in found.notes[0]
