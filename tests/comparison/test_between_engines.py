from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import judge_recording
from sim.comparison.between_engines import between_engines
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.small_robots import double_pendulum

ARM = double_pendulum(1.0, 2.0, 0.5, 0.7)
MOTION = JointMotion.displacement({"shoulder": "0.5*SIN(3*time)", "elbow": "0.3*SIN(5*time)"})


@pytest.fixture(scope="module")
def pair():
    scenario = Scenario(ARM, MOTION, 0.1, method="ideal")
    one, other = (judge_recording(run(scenario, engine=name)) for name in ("bullet", "mujoco"))
    return one, other


def moved(recording, channel, by):
    table = recording.recorded.copy()
    table[channel] += by
    return replace(recording, recorded=table)


def test_two_engines_of_one_robot_agree(pair):
    found = between_engines(*pair)
    assert found.ok
    assert found.torque < 1e-12
    for share, side in zip(found.from_model, pair, strict=True):
        apart = [
            np.abs(side.recorded[c] - side.analytic[c]).max() / np.abs(side.recorded[c]).max()
            for c in ("tau.shoulder", "tau.elbow")
        ]
        assert share == pytest.approx(max(apart), rel=1e-9)


def test_the_limit_is_what_both_methods_may_be_off_and_rounding_and_no_more(pair):
    one, other = pair
    limits = [side.run.limits["tau.elbow"] for side in pair]
    assert between_engines(moved(one, "tau.elbow", 0.99 * sum(limits)), other).ok
    (far,) = (
        d for d in between_engines(one, other).comparison.differences if d.channel == "tau.elbow"
    )
    assert far.limit == pytest.approx(sum(limits) + far.rounding, rel=1e-12)
    off = between_engines(moved(one, "tau.elbow", 1.01 * far.limit), other)
    assert not off.ok
    assert off.furthest.channel == "tau.elbow"


@pytest.mark.parametrize(("share", "channel"), [(1e-6, "tau.shoulder"), (3e-7, "tau.elbow")])
def test_torques_apart_are_shares_of_the_joints_own_peak(pair, share, channel):
    one, other = pair
    peak = np.abs(other.recorded[channel]).max()
    found = between_engines(moved(one, channel, share * peak), other)
    assert found.torque == pytest.approx(share, rel=1e-5)


def test_a_check_without_a_number_leaves_none(pair):
    one, other = pair
    broken = [
        msgspec.structs.replace(c, worst=None)
        if (c.name, c.channel) == ("torque", "tau.elbow")
        else c
        for c in one.run.checks
    ]
    found = between_engines(one.with_description(checks=tuple(broken)), other)
    assert np.isnan(found.from_model[0])
    assert np.isfinite(found.from_model[1])
