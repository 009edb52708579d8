"""Logs of arms on ceilings, walls and slopes, torques by Pinocchio with gravity turned."""

import re
from pathlib import Path

import numpy as np
import pytest

from sim.errors import ForeignError
from sim.identification import Log, identify
from sim.identification.doubts import judged_states
from sim.identification.gravity_direction import gravity_in_base, rpy_of
from sim.identification.log_readings import LITTLE, residual_share
from sim.identification.prepared_log import prepare_log
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.robot_logs import exciting_motion

UR10 = load_robot("ur10")
FOUR = load_robot(Path(__file__).parent / "arms" / "four_joints.urdf")
COM = (0.02, -0.03, 0.08)
CEILING, WALL, SLOPE = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -0.6, -0.8)
TILTED = (np.sin(0.17), 0.0, -np.cos(0.17))


def log_with(robot, direction, seconds=20.0, noise=0.2, slower=1.0):
    """Torques with gravity along a direction in the base's frame; 5 N·m, 3 N·m·s/rad, noise."""
    n = len(robot.row_names)
    motion = exciting_motion(n, seconds, 50.0, seed=1)
    t, q, qd, qdd = motion[0], *np.split(motion[1:], 3)
    t, qd, qdd = slower * t, qd / slower, qdd / slower**2
    tau = PinocchioModel(robot, 9.81 * np.array(direction)).torque(q, qd, qdd)
    tau += 5 * np.sign(qd) + 3 * qd
    tau += noise * np.random.default_rng(2).normal(size=q.shape)
    return Log(robot.row_names, t, q, tau, qd)


def chain(*joints):
    """Links of 2 kg on axes, each 0.4 m beyond the one before, its centre at a place."""
    text = '<robot name="chain"><link name="l0"/>'
    for k, (axis, centre) in enumerate(joints, 1):
        text += (
            f'<link name="l{k}"><inertial><origin xyz="{centre}"/><mass value="2"/><inertia '
            'ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{0.4 * (k > 1)} 0 0"/><axis xyz="{axis}"/>'
            '<limit lower="-9" upper="9" effort="99" velocity="9"/></joint>'
        )
    return read_urdf(text + "</robot>")


@pytest.mark.parametrize("direction", [CEILING, WALL, SLOPE])
def test_a_payload_is_right_whatever_the_arm_hangs_from(direction):
    """3 kg; by the upright arm it was "none; at most 0.55 kg" on the ceiling."""
    log = log_with(UR10.with_payload(3.0, COM), direction)
    found = identify(UR10, log, payload=True)
    low, high = found.parameter("payload.mass").interval
    assert low <= 3.0 <= high and high - low < 0.2
    assert "estimated from the log" in found.gravity
    np.testing.assert_allclose(gravity_in_base(found.robot), direction, atol=2e-3)


def test_a_tilt_counts_although_an_upright_arm_leaves_little_of_the_torque():
    """10°, of which less than a hundredth of the power of stiff drives is left."""
    log = log_with(UR10, TILTED, slower=3.0)
    log = Log(log.joints, log.t, log.q, log.tau + 60 * np.sign(log.qd), log.qd)
    assert residual_share(UR10, judged_states(log)) < LITTLE
    found = prepare_log(UR10, log)
    np.testing.assert_allclose(gravity_in_base(found.robot), TILTED, atol=0.03)


@pytest.mark.parametrize("direction", [CEILING, SLOPE])
def test_friction_and_inertias_of_an_unloaded_arm_are_those_of_its_mounting(direction):
    found = identify(UR10, log_with(UR10, direction))
    for law in found.friction.values():
        assert law.coulomb == pytest.approx(5.0, abs=0.15)
        assert law.viscous == pytest.approx(3.0, abs=0.2)
    assert max(score.unseen for score in found.scores) < 0.05


def test_a_stated_mounting_that_the_log_contradicts_is_refused_with_both_directions():
    log = log_with(UR10, CEILING)
    with pytest.raises(ForeignError, match=r"gravity is \(0, 0, -1\) .* stated, .* show \(0, 0, 1"):
        identify(UR10, log, mount=(0, 0, 0, 0, 0, 0))
    with pytest.raises(ForeignError, match=r"gravity is \(1, 0, 0\) .*, wall .* stated"):
        identify(UR10.mounted((0, 0, 1), (0, np.pi / 2, 0)), log)
    found = identify(UR10, log, mount=(0, 0, 2, np.pi, 0, 1))
    assert "ceiling, as stated" in found.gravity
    assert found.friction["elbow_joint"].coulomb == pytest.approx(5.0, abs=0.15)


def test_an_upright_arm_stays_upright_and_the_estimate_has_its_interval():
    found = identify(UR10, log_with(UR10, (0, 0, -1)))
    assert found.robot is UR10 or np.array_equal(found.robot.T_0b, np.eye(4))
    off, width = map(float, re.search(r"is ([\d.e-]+)° ± ([\d.]+)°", found.gravity).groups())
    assert off < 2 * width < 6  # degrees


def test_a_mounting_within_the_error_of_masses_is_the_assumed_one():
    """3° of tilt is as much as a centre of mass makes that is off by 5 % of its lever."""
    found = prepare_log(UR10, log_with(UR10, (np.sin(0.05), 0, -np.cos(0.05))))
    assert np.array_equal(found.robot.T_0b, np.eye(4))


@pytest.mark.parametrize(
    ("robot", "says"),
    [
        (chain(("0 0 1", "0.2 0 0"), ("0 0 1", "0.2 0 0")), "fit equally well"),
        (chain(("0 1 0", "0.2 0 0"), ("0 1 0", "0.2 0 0")), "does not show the direction"),
        (chain(("0 0 1", "0 0 0"), ("0 1 0", "0 0 0")), "does not show the direction"),
    ],
    ids=["axes along gravity", "axes across gravity", "balanced"],
)
def test_what_no_joint_feels_is_said_and_not_guessed(robot, says):
    found = prepare_log(robot, log_with(robot, (0, 0, -1), noise=0.02))
    assert says in found.gravity
    assert "state another with --mount" in found.gravity
    assert np.array_equal(found.robot.T_0b, np.eye(4))


def test_a_planar_arm_in_another_plane_is_refused_until_its_mounting_is_stated():
    """Two directions, mirrored at its plane, fit alike; the assumed one does not."""
    robot = chain(("0 0 1", "0.2 0 0"), ("0 0 1", "0.2 0 0"))
    log = log_with(robot, (0.6, 0.0, -0.8), noise=0.02)
    with pytest.raises(ForeignError, match=r"gravity is \(0, 0, -1\) .*State the mounting with"):
        prepare_log(robot, log)
    stated = prepare_log(robot, log, mount=(0, 0, 0, *rpy_of(np.array([0.6, 0.0, -0.8]))))
    assert "as stated" in stated.gravity


def test_doubts_are_raised_against_the_arm_with_the_payload_that_is_sought():
    """An arm of 8.3 kg with 1.7 kg: bare, "j3 turns the other way" leaves less of the torque."""
    loaded = FOUR.with_payload(1.689, (0.025, -0.157, 0.177), frame="l3")
    n = len(FOUR.row_names)
    motion = exciting_motion(n, 20.0, 50.0, seed=4)
    t, q, qd, qdd = motion[0], *np.split(motion[1:], 3)
    tau = PinocchioModel(loaded, (0.0, 0.0, -9.81)).torque(q, qd, qdd) + np.sign(qd) + 0.5 * qd
    tau += 0.02 * np.random.default_rng(0).normal(size=q.shape)
    found = identify(FOUR, Log(FOUR.row_names, t, q, tau, qd), payload=True)
    low, high = found.parameter("payload.mass").interval
    assert low <= 1.689 <= high and high - low < 0.05


@pytest.mark.parametrize("reading", ["swapped", "sign"])
def test_a_wrong_reading_is_refused_although_a_payload_is_sought(reading):
    log = log_with(UR10.with_payload(3.0, COM), (0, 0, -1))
    tau = log.tau[[0, 2, 1, 3, 4, 5]] if reading == "swapped" else -log.tau
    with pytest.raises(ForeignError, match=r"are swapped|torques have the other sign"):
        identify(UR10, Log(log.joints, log.t, log.q, tau, log.qd), payload=True)
