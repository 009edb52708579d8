"""Torques that are recorded late: of a motion in closed form at an earlier time."""

import re

import numpy as np
import pytest

from sim.identification import Log, identify
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.robot_logs import GRAVITY

UR10 = load_robot("ur10")


def log_with(delay, robot=UR10, seed=1):
    """5 N·m, 3 N·m·s/rad and 0.2 N·m of noise; torques are those of the time t - delay."""
    rng, t = np.random.default_rng(seed), np.arange(1000) / 50
    w = 0.2 * np.pi * np.arange(1, 6)[:, None]
    a = 0.35 * rng.normal(size=(6, 5))

    def states(t):
        return a @ np.sin(w * t), a @ (w * np.cos(w * t)), -a @ (w**2 * np.sin(w * t))

    (q, qd, _), (_, rate, _) = states(t), states(t - delay)
    tau = PinocchioModel(robot, GRAVITY).torque(*states(t - delay)) + 5 * np.sign(rate) + 3 * rate
    return Log(UR10.row_names, t, q, tau + 0.2 * rng.normal(size=q.shape), qd)


def late(found):
    """The delay and half its interval that are said [ms]; None without any."""
    text = next((note for note in found.notes if note.startswith("torques are")), None)
    if text is None:
        return None
    value, width = map(float, re.search(r"([\d.]+) ± ([\d.]+) ms", text).groups())
    return (-value if "ahead" in text else value), width


@pytest.mark.rotates(2)
@pytest.mark.parametrize(
    ("delay", "payload"), [(0.04, False), (-0.025, False), (0.008, False), (0.04, True)]
)
def test_a_delay_is_found_with_its_interval_and_taken_back(delay, payload):
    """40 ms made 7.3 ± 0.7 N·m·s/rad of 3."""
    robot = UR10.with_payload(3.0, (0.02, -0.03, 0.08)) if payload else UR10
    found = identify(UR10, log_with(delay, robot), payload=payload)
    value, width = late(found)
    assert value == pytest.approx(1e3 * delay, abs=width)
    assert width < 3.0  # ms, of a step of 20
    for name in UR10.row_names:
        low, high = found.parameter(f"{name}.viscous").interval
        assert found.friction[name].viscous == pytest.approx(3.0, abs=0.2)
        assert low - 0.1 < 3.0 < high + 0.1
    if payload:
        low, high = found.parameter("payload.mass").interval
        assert low <= 3.0 <= high


@pytest.mark.rotates(2)
@pytest.mark.parametrize("seed", range(6))
def test_no_delay_is_invented(seed):
    assert late(identify(UR10, log_with(0.0, seed=seed))) is None
