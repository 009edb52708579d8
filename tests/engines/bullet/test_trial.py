"""The closed form of the one-joint arm by hand, and that a wrong one is seen."""

import math
import sys

import pytest

from sim.engines.bullet.trial import TOLERANCE, speed_after_a_step, torque
from tests.cli.command_runs import process


@pytest.mark.parametrize(
    ("q", "qdd", "tau"),
    [
        (0.0, 0.0, -5.886),  # stretched out: 2 kg at 0.3 m, 9.81 m/s²
        (math.pi / 2, 1.0, 0.23),  # hanging: 0.05 + 2 · 0.3²
        (math.pi, 0.0, 5.886),
    ],
)
def test_the_closed_form_is_that_of_a_pendulum(q, qdd, tau):
    assert torque(q, qdd) == pytest.approx(tau, abs=1e-12)
    # that torque brings that acceleration
    assert speed_after_a_step(q, tau) == pytest.approx(1e-3 * qdd, abs=1e-15)


@pytest.mark.parametrize(
    ("wrong", "off"),
    [("pass", False), ("arm.MASS *= 1.01", True), ("arm.INERTIA += 0.01", True),
     ("arm.GRAVITY_ = arm.torque; arm.torque = lambda q, qdd: arm.GRAVITY_(-q - 3, qdd)", True)],
)  # fmt: skip
def test_pybullet_agrees_with_it_and_with_no_other(tmp_path, wrong, off):
    code = f"import sim.engines.bullet.trial as arm\n{wrong}\nprint(); print(arm.largest_error())"
    done = process(sys.executable, "-c", code, cwd=tmp_path)
    error = float(done.stdout.splitlines()[-1])
    assert (error > 1e4 * TOLERANCE) == off
    assert off or error <= TOLERANCE
