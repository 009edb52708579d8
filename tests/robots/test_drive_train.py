import pytest

import sim
from sim.errors import ModelError
from sim.robots import DriveTrain
from sim.robots.card import read_card
from tests.helpers.small_robots import geared, pendulum


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"ratio": 0.0}, "Drive train: ratio must not be 0"),
        ({"ratio": float("nan")}, "ratio nan must be a finite number"),
        ({"ratio": 100, "efficiency": 80}, "efficiency 80 is above 1"),
        ({"ratio": 100, "efficiency": 0.0}, "efficiency 0.0 must be above 0"),
        ({"ratio": 100, "efficiency_back": -0.2}, "efficiency_back -0.2 must be above 0"),
        ({"ratio": 100, "efficiency_back": 1.2}, "efficiency_back 1.2 is above 1"),
        ({"ratio": 100, "rotor_inertia": -1e-4}, "rotor_inertia -0.0001 kg·m² is negative"),
        (
            {"ratio": 100, "breakaway": 0.9},
            "breakaway 0.9 is below 1; it is the ratio of dry friction",
        ),
        ({"ratio": 100, "coulomb_back": -0.1}, "coulomb_back -0.1 N·m is negative"),
        ({"ratio": 100, "gear_peak_torque": 0.0}, "gear_peak_torque 0.0 N·m must be above 0"),
        ({"ratio": "many"}, "ratio 'many' must be a number"),
    ],
)
def test_what_no_drive_train_has_is_refused_by_name(numbers, words):
    with pytest.raises(ModelError, match=words):
        DriveTrain(**numbers)


def test_numbers_at_the_joint_are_those_of_the_shaft_through_the_gear():
    train = DriveTrain(-50, rotor_inertia=2e-4, coulomb=0.1, coulomb_back=0.2, efficiency=0.8)
    assert train.reflected_inertia == 2500 * 2e-4
    assert train.dry == (5.0, 10.0)  # by the sense of the joint, whatever the ratio's sign
    assert train.efficiencies == (0.8, 0.8)


def test_a_drive_train_stays_when_a_payload_is_added_and_goes_when_it_is_taken():
    robot = pendulum(1.0, 0.5).with_drives({"hinge": DriveTrain(100, 1e-4)})
    carrying = robot.with_payload(mass=1.0, frame="bob")
    assert carrying.joint("hinge").drive == DriveTrain(100, 1e-4)
    assert carrying.rotor_inertia.tolist() == [1.0]
    assert not carrying.without_drives().has_drives


def test_a_joint_without_a_motor_has_no_drive_train():
    follows = geared(0.3, 0.2, -3.0)
    with pytest.raises(ModelError, match=r"'output' .* follows 'input' and has no motor"):
        follows.with_drives({"output": DriveTrain(100)})
    with pytest.raises(ModelError, match=r"'weld' is not in robot"):
        follows.with_drives({"weld": DriveTrain(100)})
    ur10 = sim.load_robot("ur10")
    fixed = next(joint.name for joint in ur10.joints if not joint.is_movable)
    with pytest.raises(ModelError, match="is fixed and has no drive train"):
        ur10.with_drives({fixed: DriveTrain(100)})


CARD = """title = "Hinge"
joints = ["hinge"]
[sources]
[drive]
source = []
status = "assumed"
note = "for a test"
"""


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ("rotor_inertia = [1e-4]", "missing required field `ratio`"),
        ("ratio = [100, 100]", "drive.ratio: has 2 numbers, it needs 1"),
        ("ratio = [0]", "drive of joint 'hinge': Drive train: ratio must not be 0"),
        ("ratio = [100]\nefficiency = [85]", "drive of joint 'hinge': .* efficiency 85 is above 1"),
        ("ratio = [100]\nrotor = [1e-4]", "unknown field `rotor`"),
    ],
)
def test_a_card_with_an_impossible_drive_train_is_refused(numbers, words):
    with pytest.raises(ModelError, match=words):
        read_card(CARD + numbers)


def test_a_robot_has_the_drive_trains_of_its_card(tmp_path):
    (tmp_path / "hinge.urdf").write_text(pendulum(1.0, 0.5).text)
    (tmp_path / "hinge.toml").write_text(CARD + "ratio = [-80]\nrotor_inertia = [2e-4]\n")
    robot = sim.load_robot(tmp_path / "hinge.urdf")
    assert robot.joint("hinge").drive == DriveTrain(-80, 2e-4)
    assert "The table of drive trains is assumed: for a test" in robot.card.assumptions()
