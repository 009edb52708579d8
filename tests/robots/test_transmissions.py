import numpy as np
import pytest

from sim.errors import ModelError
from sim.motion import JointMotion
from sim.robots import DriveTrain, read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import double_pendulum, geared, pendulum

ROS_1 = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
<joint name="hinge"><hardwareInterface>h</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>{}</mechanicalReduction></actuator></transmission>"""
OLDER = """<transmission name="t" type="pr2_mechanism_model/SimpleTransmission">
<actuator name="m"/><joint name="hinge"/><mechanicalReduction>{}</mechanicalReduction>
<motorTorqueConstant>1</motorTorqueConstant></transmission>"""
ROS_2 = """<ros2_control name="c" type="system"><transmission name="t">
<plugin>transmission_interface/SimpleTransmission</plugin>
<joint name="hinge" role="joint1"><mechanical_reduction>{}</mechanical_reduction><offset>0</offset>
</joint></transmission></ros2_control>"""


def having(robot, *elements):
    return read_urdf(robot.text.replace("</robot>", "".join(elements) + "</robot>"))


@pytest.mark.parametrize("element", [ROS_1, OLDER, ROS_2])
@pytest.mark.parametrize("ratio", [160.0, -79.238, 0.068])
def test_a_reduction_is_motor_speed_over_joint_speed_with_its_sign(element, ratio):
    robot = having(pendulum(1.0, 0.5), element.format(ratio)).with_transmissions()
    assert robot.joint("hinge").drive == DriveTrain(ratio)


def test_reductions_of_joint_and_actuator_divide():
    both = ROS_2.format(100).replace(
        "</joint></transmission>",
        '</joint><actuator name="m" role="actuator1"><mechanical_reduction>2.5'
        "</mechanical_reduction></actuator></transmission>",
    )
    assert having(pendulum(1.0, 0.5), both).with_transmissions().joint("hinge").drive.ratio == 40.0


@pytest.mark.parametrize("element", [ROS_1, OLDER, ROS_2])
def test_a_reduction_of_one_counts_as_not_known(element):
    with pytest.raises(ModelError, match="gives one of its joints a ratio other than 1"):
        having(pendulum(1.0, 0.5), element.format("1.0")).with_transmissions()


@pytest.mark.parametrize("word", ["0", "nan", "inf", "many", "1/160"])
def test_what_is_no_ratio_is_refused_by_name(word):
    robot = having(pendulum(1.0, 0.5), ROS_1.format(word))
    with pytest.raises(ModelError, match=f"transmission 't' of joint 'hinge' .* '{word}'"):
        robot.with_transmissions()


def test_what_is_known_of_a_joint_and_what_couples_joints_is_left():
    coupled = """<transmission name="d"><type>transmission_interface/DifferentialTransmission</type>
    <joint name="shoulder"><mechanicalReduction>50</mechanicalReduction></joint>
    <joint name="elbow"><mechanicalReduction>60</mechanicalReduction></joint></transmission>"""
    with pytest.raises(ModelError, match="elements: 2"):
        having(double_pendulum(1, 1, 1, 1), coupled).with_transmissions()
    known = pendulum(1.0, 0.5).with_drives({"hinge": DriveTrain(100, 1e-4)})
    with pytest.raises(ModelError, match=r"Use with_drives"):
        known.with_transmissions()
    follower = ROS_1.format(100).replace("hinge", "output")
    with pytest.raises(ModelError, match=r"Use with_drives"):
        having(geared(0.3, 0.2, -3.0), follower).with_transmissions()


def test_a_ratio_alone_changes_no_torque_and_the_run_says_that_the_rotor_is_missing():
    plain = having(pendulum(1.0, 0.5), ROS_1.format(0.05))
    motion = JointMotion.displacement({"hinge": "SIN(5*time)"})
    tables = []
    for robot in (plain, plain.with_transmissions()):
        recording = run(Scenario(robot, motion, 0.2, dt=0.01, method="ideal"))
        tables.append(recording.recorded)
    notes = " ".join(recording.run.notes)
    assert "a ratio below 1 makes the joint turn faster than its motor" in notes
    assert "drive train of hinge has a ratio and no rotor" in notes
    assert "is not used" not in notes
    np.testing.assert_array_equal(tables[0]["tau.hinge"], tables[1]["tau.hinge"])
    np.testing.assert_allclose(tables[1]["motor_tau.hinge"], tables[0]["tau.hinge"] / 0.05)
    free = JointMotion.displacement({}, q0={"hinge": 0.5}, free=["hinge"])
    run(Scenario(plain.with_transmissions(), free, 0.1, method="stepped"))  # nothing rubs or spins
