"""Motor curves along a sine of a wheel, whose torque and speed are closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq

import sim
from sim.errors import ScenarioError

WHEEL = """<robot name="wheel"><link name="base"/>
<link name="disc"><inertial><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hub" type="continuous"><parent link="base"/><child link="disc"/>
<axis xyz="0 0 1"/></joint></robot>
"""
INERTIA, FASTEST, RATIO = 0.02, 10.0, 10.0  # kg·m², rad/s of the joint
OMEGA = 2 * np.pi
FINE = np.linspace(0.0, 1.0, 100_001)

CURVES = [
    {"motor_peak_power": 5.0},
    {"motor_peak_torque": 0.2, "motor_no_load_speed": 200.0},
    {"motor_peak_torque": 0.15, "motor_no_load_speed": 150.0, "motor_corner_speed": 50.0},
]


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "wheel.urdf").write_text(WHEEL, "utf-8")

    def build(numbers, **others):
        train = sim.DriveTrain(RATIO, **numbers, **others)
        robot = sim.load_robot(tmp_path / "wheel.urdf").with_drives({"hub": train})
        motion = sim.JointMotion.velocity({"hub": f"{FASTEST}*SIN({OMEGA!r}*time)"})
        return sim.Scenario(robot, motion, 1.0, method="ideal", gravity=(0.0, 0.0, 0.0))

    return build


def closed_shares(numbers, r=1.0):
    """Torque over its limit of the motion r times as fast, at the shaft."""
    torque = r * r * INERTIA * FASTEST * OMEGA * np.cos(OMEGA * FINE) / RATIO
    speed = np.abs(r * FASTEST * np.sin(OMEGA * FINE) * RATIO)
    limit = np.full_like(speed, numbers.get("motor_peak_torque", np.inf))
    if (no_load := numbers.get("motor_no_load_speed")) is not None:
        fall = (no_load - speed) / (no_load - numbers.get("motor_corner_speed", 0.0))
        limit = np.minimum(limit, limit * fall)
    if (power := numbers.get("motor_peak_power")) is not None:
        limit = np.minimum(limit, power / np.maximum(speed, 1e-300))
    return np.abs(torque) / limit


@pytest.mark.parametrize("numbers", CURVES)
def test_a_run_is_judged_where_most_of_the_curve_is_used(scenario, numbers):
    checks = sim.check(sim.run(scenario(numbers)))
    (found,) = [check for check in checks if check.name == "motor torque at speed"]
    shares = closed_shares(numbers)
    # samples are 1 ms apart: of a maximum a parabola of half that, 1e-5
    assert found.used == pytest.approx(shares.max(), rel=1e-5)
    k = round(found.at * (FINE.size - 1))
    assert shares[k] == pytest.approx(found.used, rel=1e-6)
    assert found.worst / found.limit == pytest.approx(found.used)
    assert (found.channel, found.ok) == ("motor_tau.hub", shares.max() <= 1.0)


@pytest.mark.parametrize("numbers", CURVES)
def test_the_largest_speed_up_meets_the_curve_and_no_more(scenario, numbers):
    found = sim.fit_time(scenario(numbers))
    r = brentq(lambda r: closed_shares(numbers, r).max() - 1.0, 0.1, 1.45)
    assert found.scale == pytest.approx(r, rel=1e-8)  # the fine grid's own maximum
    assert found.used == pytest.approx(1.0, abs=1e-9)  # by Lagrange's equations
    what = "power" if "motor_peak_power" in numbers else "motor curve"
    assert found.binding.what == ("torque" if "motor_corner_speed" in numbers else what)


def test_a_gear_that_loses_torque_has_no_closed_form(scenario):
    with pytest.raises(ScenarioError, match=r"'hub' has a torque-speed curve, .* loses torque"):
        sim.fit_time(scenario(CURVES[0], efficiency=0.9))


def test_the_largest_payload_is_within_the_line_at_each_sample(tmp_path):
    """A pendulum that turns evenly: torque (m l_c + m_p l) g cos q at one speed."""
    urdf = WHEEL.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 -1 0"/>')
    (tmp_path / "arm.urdf").write_text(urdf, "utf-8")
    train = sim.DriveTrain(RATIO, motor_peak_torque=3.0, motor_no_load_speed=50.0)
    robot = sim.load_robot(tmp_path / "arm.urdf").with_drives({"hub": train})
    motion = sim.JointMotion.velocity({"hub": "2"})
    turning = sim.Scenario(robot, motion, 3.2, method="ideal", gravity=(0.0, 0.0, -10.0))
    heaviest = sim.largest_payload(turning, frame="disc", com=(0.5, 0.0, 0.0))
    # at 20 rad/s of 50 three fifths of 3 N·m are left: 18 N·m at the joint, m 0.5 10 cos 0
    assert heaviest.mass == pytest.approx(18.0 / 5.0, rel=1e-9)
    assert heaviest.binding.what == "motor curve"
