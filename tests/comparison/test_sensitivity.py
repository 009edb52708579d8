"""Any mass, length or drive of a robot that changes by 1e-4 is named; by 1e-12 it is noise."""

import re
from dataclasses import replace

import pytest

from sim.checks import judge_recording
from sim.comparison import accept, compare, find_baseline
from sim.motion import JointMotion
from sim.robots import load_robot
from sim.robots.urdf import read_tree
from sim.scenario import Scenario
from sim.simulation import run

ROBOTS = ("ur10", "irb460", "kr210", "weld5")
NUMBERS = re.compile(
    r'<mass value="(?P<mass>[^"]+)"|<joint name="(?P<joint>[^"]+)" type="(?:revolute|continuous|'
    r'prismatic)">(?:(?!</joint>).)*?<origin xyz="(?P<xyz>[^"]+)"',
    re.DOTALL,
)


def drives(robot, size=1.0):
    return {
        name: f"{size if k == 0 else 1.0!r} * 0.2 * SIN({2 + 0.3 * k} * time)"
        for k, name in enumerate(robot.joint_names)
    }


def recorded(robot, size=1.0, method="ideal"):
    motion = JointMotion.displacement(drives(robot, size))
    return run(Scenario(robot, motion, 0.2, 5e-3), method=method, name="swing")


def places(robot):
    """Where the text has a mass or the place of a joint that is not zero."""
    for match in NUMBERS.finditer(robot.text):
        group = "mass" if match["mass"] else "xyz"
        if any(float(x) for x in match[group].split()):
            yield group, match.start(group), match.end(group)


def changed(robot, place, by):
    _, begin, end = place
    values = " ".join(repr(float(x) * (1 + by)) for x in robot.text[begin:end].split())
    text = robot.text[:begin] + values + robot.text[end:]
    read = read_tree(text, robot.name)
    return replace(robot, links=read.links, joints=read.joints, text=text)


@pytest.fixture(scope="module", params=ROBOTS)
def accepted(request, tmp_path_factory):
    robot, root = load_robot(request.param), tmp_path_factory.mktemp("baselines")
    accept(judge_recording(recorded(robot)), "to compare with", root)
    return robot, find_baseline("swing", root)


@pytest.mark.rotates(2)
def test_every_mass_and_length(accepted):
    robot, baseline = accepted
    found = list(places(robot))
    assert len(found) >= 8
    for number, place in enumerate(found):
        if robot.loops and place[0] == "xyz":
            continue  # its rods no longer close, which is refused
        result = compare(recorded(changed(robot, place, 1e-4)), baseline)
        quantity = "mass:" if place[0] == "mass" else "origin xyz:"
        (change,) = result.changes
        assert quantity in change
        assert not result.ok or change.startswith(f"link {robot.links[0].name} "), change
        if number % 3:
            continue
        nudged = compare(recorded(changed(robot, place, 1e-12)), baseline)
        assert (nudged.ok, nudged.level in ("bit", "rounding")) == (True, True), change


def test_a_drive(accepted):
    robot, baseline = accepted
    result = compare(recorded(robot, 1.0001), baseline)
    first = robot.joint_names[0]
    assert not result.ok
    (change,) = result.changes
    assert change.startswith(f"drive {first}: ")
    assert compare(recorded(robot, 1 + 1e-12), baseline).level == "rounding"
