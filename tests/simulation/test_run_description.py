import hashlib
from dataclasses import replace

import msgspec
import numpy as np

from sim import shipped
from sim.motion import JointMotion
from sim.recording.schema.facts import RobotFacts
from sim.robots import load_robot, read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from sim.simulation.run_description import robot_facts
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import geared


def read_back(facts, kind):
    return msgspec.json.decode(msgspec.json.encode(facts), type=kind)


def test_the_facts_of_a_robot_are_its_numbers_in_order():
    facts = robot_facts(arm(load=0.5))
    assert facts.name == "two_link"
    assert facts.tool == "tip"
    assert [joint.name for joint in facts.joints] == ["shoulder", "elbow"]
    shoulder = facts.joints[0]
    assert (shoulder.lower, shoulder.upper) == (-3.0, 3.0)
    assert (shoulder.velocity, shoulder.effort) == (3.0, 30.0)
    assert (shoulder.kind, shoulder.axis) == ("revolute", (0.0, 1.0, 0.0))
    assert facts.masses == {"upper_arm": 2.4, "forearm": 1.5, "payload": 0.5}
    np.testing.assert_array_equal(facts.T_0b, np.eye(4))
    assert facts.assumed == ()
    assert read_back(facts, RobotFacts) == facts


def test_the_hash_is_that_of_the_text_that_was_simulated_payload_included():
    robot = arm(load=0.5)
    wanted = hashlib.sha256(robot.text.encode("utf-8")).hexdigest()
    assert robot_facts(robot).urdf_sha256 == wanted
    assert robot_facts(arm(load=0.6)).urdf_sha256 != wanted


def test_limits_that_are_not_there_are_none():
    text = arm().text.replace('velocity="3"', "").replace('effort="15"', 'effort="0"')
    elbow = robot_facts(read_urdf(text)).joints[1]
    assert elbow.velocity is None
    assert elbow.effort is None


def test_a_joint_that_follows_names_its_leader_and_its_ratio():
    facts = robot_facts(geared(1.0, 2.0, ratio=-3.0))
    assert [joint.mimic for joint in facts.joints] == [None, "input"]
    assert [row.name for row in facts.coordinates] == ["input"]
    assert facts.coupling == ((1.0,), (-3.0,))


def test_what_is_assumed_of_the_ur10_is_told():
    facts = robot_facts(load_robot("ur10"))
    assert any("base_mass" in text for text in facts.assumed)


def test_a_tool_frame_that_was_chosen_by_its_name_is_remarked():
    links = "".join(
        f'<link name="{name}"/><joint name="{name}" type="fixed"><parent link="upper_arm"/>'
        f'<child link="{name}"/></joint>'
        for name in ("tool0", "finger")
    )
    text = (shipped.scenarios() / "two_link.urdf").read_text("utf-8")
    robot = read_urdf(text.replace("</robot>", f"{links}</robot>"))
    scenario = Scenario(robot, JointMotion.displacement({}), duration=0.01)
    note = "Robot 'two_link': tool frame 'tool0' chosen by its name; other end links: finger, tip"
    assert note in run(scenario, method="ideal").run.notes
    named = replace(scenario, robot=robot.with_tool("tool0"))
    assert note not in run(named, method="ideal").run.notes
