import hashlib
import json
import sys
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path

import numpy as np

from sim import provenance
from sim.robots import load_robot, read_urdf
from tests.short_runs import arm
from tests.small_robots import geared


def test_the_process_tells_when_how_and_with_what_it_runs():
    facts = provenance.of_this_process()
    created = datetime.fromisoformat(facts["created"])
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=1)
    assert facts["command"] == [Path(sys.argv[0]).name, *sys.argv[1:]]  # no path of one machine
    assert facts["python"] == sys.version.split()[0]
    for package in ("pybullet", "numpy", "scipy"):
        assert facts["versions"][package] == metadata.version(package)
    assert json.loads(json.dumps(facts)) == facts


def test_a_package_that_is_not_installed_is_said_to_be_so(monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGES", ("surely-no-such-package",))
    versions = provenance.of_this_process()["versions"]
    assert versions == {"surely-no-such-package": "not installed as a package"}


def test_the_facts_of_a_robot_are_its_numbers_in_order():
    facts = provenance.robot_facts(arm(load=0.5))
    assert facts["name"] == "two_link"
    assert facts["tool"] == "tip"
    assert [joint["name"] for joint in facts["joints"]] == ["shoulder", "elbow"]
    shoulder = facts["joints"][0]
    assert (shoulder["lower"], shoulder["upper"]) == (-3.0, 3.0)
    assert (shoulder["velocity"], shoulder["effort"]) == (3.0, 30.0)
    assert (shoulder["kind"], shoulder["axis"]) == ("revolute", [0.0, 1.0, 0.0])
    assert facts["masses"] == {"upper_arm": 2.4, "forearm": 1.5, "payload": 0.5}
    assert facts["T_0b"] == np.eye(4).tolist()
    assert facts["assumed"] == []
    assert json.loads(json.dumps(facts)) == facts


def test_the_hash_is_that_of_the_text_that_was_simulated_payload_included():
    robot = arm(load=0.5)
    wanted = hashlib.sha256(robot.text.encode("utf-8")).hexdigest()
    assert provenance.robot_facts(robot)["urdf_sha256"] == wanted
    assert provenance.robot_facts(arm(load=0.6))["urdf_sha256"] != wanted


def test_limits_that_are_not_there_are_none():
    text = arm().text.replace('velocity="3"', "").replace('effort="15"', 'effort="0"')
    elbow = provenance.robot_facts(read_urdf(text))["joints"][1]
    assert elbow["velocity"] is None
    assert elbow["effort"] is None


def test_a_joint_that_follows_names_its_leader_and_its_ratio():
    facts = provenance.robot_facts(geared(1.0, 2.0, ratio=-3.0))
    assert [joint["mimic"] for joint in facts["joints"]] == [None, "input"]
    assert facts["coupling"] == [[1.0], [-3.0]]


def test_what_is_assumed_of_the_ur10_is_told():
    facts = provenance.robot_facts(load_robot("ur10"))
    assert any("base_mass" in text for text in facts["assumed"])
