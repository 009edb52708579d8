"""The largest torque of a motor over its speed, and what no drive train can have of it."""

import numpy as np
import pytest

from sim.errors import ModelError
from sim.robots import DriveTrain
from sim.robots.motor_curve import MotorCurve


def test_a_curve_is_flat_then_straight_and_below_a_constant_power():
    curve = MotorCurve(torque=2.0, corner=100.0, no_load=300.0, power=150.0)
    speed = np.array([0.0, -50.0, 100.0, 150.0, 200.0, -290.0, 300.0, 400.0])
    # 2 up to 75 rad/s, 150 W above; the line falls by 0.01 for each rad/s from 100 on
    expected = [2.0, 2.0, 1.5, 1.0, 0.75, 0.1, 0.0, 0.0]
    assert curve.limit(speed) == pytest.approx(expected)
    assert curve.shares(np.array([-1.0]), np.array([150.0])) == pytest.approx([1.0])
    assert np.isinf(curve.shares(np.array([0.1]), np.array([310.0])))


def test_a_dc_motor_has_no_corner():
    train = DriveTrain(10.0, motor_peak_torque=2.0, motor_no_load_speed=200.0)
    assert train.motor_curve.limit(np.array([0.0, 50.0, 100.0])) == pytest.approx([2.0, 1.5, 1.0])
    assert DriveTrain(10.0, motor_peak_torque=2.0).motor_curve is None


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"motor_peak_power": 0.0}, "motor_peak_power"),
        ({"motor_no_load_speed": 100.0}, "motor_no_load_speed requires motor_peak_torque"),
        ({"motor_corner_speed": 10.0}, "motor_corner_speed requires motor_no_load_speed"),
        (
            {"motor_peak_torque": 1.0, "motor_no_load_speed": 9.0, "motor_corner_speed": 9.0},
            "motor_corner_speed 9 rad/s must be below motor_no_load_speed 9 rad/s",
        ),
        ({"motor_corner_speed": -1.0}, "motor_corner_speed"),
        ({"motor_peak_power": float("nan")}, "motor_peak_power"),
    ],
)
def test_a_curve_that_cannot_be_is_refused_by_its_number(numbers, said):
    with pytest.raises(ModelError, match=said):
        DriveTrain(10.0, **numbers)
