import numpy as np
import pytest

from sim.checks import judge_recording
from sim.motion import JointMotion
from sim.reports.terminal.run_details import details
from sim.robots import DriveTrain
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import lift
from tests.helpers.terminal_texts import printed


@pytest.fixture(scope="module")
def texts():
    """What `--verbose` shows of a lift at constant speed, with a drive train and without."""
    shown = []
    train = DriveTrain(100.0, 1e-4, viscous=1e-3)
    for robot in (lift(2.0), lift(2.0).with_drives({"slide": train})):
        motion = JointMotion.velocity({"slide": "0.3"})
        recording = run(Scenario(robot, motion, 1.0, dt=0.01, method="ideal"))
        shown.append(printed(details(judge_recording(recording), None), 100))
    return shown


def test_a_motor_has_its_row_in_units_of_the_shaft(texts):
    """2 kg at 0.3 m/s through 100 rad/m: m g / N + b N v at 30 rad/s; b N² v² lost in a second."""
    torque = 2 * 9.81 / 100 + 1e-3 * 30
    (row,) = (line.split() for line in texts[1].splitlines() if "1/min" in line)
    assert row[:2] == ["slide", "100"]
    assert [float(row[k]) for k in (2, 4)] == pytest.approx([torque, torque], rel=1e-3)
    assert float(row[6]) == pytest.approx(30 / (np.pi / 30), rel=1e-3)
    assert float(row[8]) == pytest.approx(torque * 30, rel=1e-3)
    assert float(row[10]) == pytest.approx(1e-3 * 30**2, rel=1e-3)


def test_joints_without_a_drive_train_have_no_motors(texts):
    assert "1/min" not in texts[0]
