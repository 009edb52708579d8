"""Options about a robot in several commands: --tool, --tcp, --mount and --xacro."""

import json

import numpy as np
import pytest

from sim import shipped
from sim.recording import Recording, robot_of
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.robot_logs import clean_log, columns_of, csv_text, noisy

CEILING = np.diag([1.0, -1.0, -1.0, 1.0])
HANDS = """<robot name="hands"><link name="base"/>
{bodies}
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="50" velocity="2"/></joint>
<joint name="left" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="0 0 0.4"/>
<axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="1"/></joint>
<joint name="right" type="prismatic"><parent link="arm"/><child link="right"/>
<origin xyz="0 0 0.4"/><axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="20" velocity="1"/>
<mimic joint="left"/></joint></robot>"""
BODY = (
    '<link name="{}"><inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.02" '
    'iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
TEMPLATE = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="rod">
<xacro:arg name="mass" default=""/><xacro:property name="m" value="$(arg mass)"/>
<link name="base"/><link name="rod"><inertial><origin xyz="0 0 0.5"/><mass value="${{{m}}}"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit effort="50" velocity="3"/></joint></robot>"""


@pytest.fixture
def hands(tmp_path):
    bodies = "".join(BODY.format(name) for name in ("arm", "left", "right"))
    (tmp_path / "hands.urdf").write_text(HANDS.format(bodies=bodies))
    return "hands.urdf"


@pytest.fixture
def rod(tmp_path):
    (tmp_path / "rod.urdf.xacro").write_text(TEMPLATE.format(m="m"))
    return "rod.urdf.xacro"


@pytest.fixture
def mounted(sim_command):
    done = sim_command("run", "two_link", "--mount", "ceiling", "--out", "run", "--no-report")
    assert done.status == 0, done.err
    return "run"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("ik", "hands.urdf", "--pose", "0", "0", "0.4", "0", "0", "0"), "--tool"),
        (("workspace", "hands.urdf", "--no-page"), "--frame"),
        (("modes", "hands.urdf", "--stiffness", "1e5", "--load", "1"), "--tool"),
        (("teach", "hands.urdf", "--out", "page.html"), "--tool"),
    ],
)
def test_a_robot_of_several_ends_needs_a_link_and_the_message_names_all(
    sim_command, hands, words, option
):
    done = sim_command(*words)
    assert (done.status, done.out) == (2, "")
    assert "its end links are left, right" in done.err and f"{option} LINK" in done.err


def test_the_link_that_is_named_is_the_tool(sim_command, hands):
    done = sim_command("ik", hands, "--tool", "arm", "--pose", *"0 0 0 0 0.5 0".split(), "--json")
    assert done.status == 0, done.err
    np.testing.assert_allclose(done.document["solutions"][0]["q"][0], 0.5, atol=1e-9)
    options = ("--stiffness", "1e5", "--load", "1", "--json")
    sag = [
        sim_command("modes", hands, *options, "--tool", "arm", "--tcp", "0.1", "0", height).document
        for height in ("0.2", "0.4")
    ]
    # a weight at the lever 0.1 m turns the hinge by m g r / K; the point sinks by r times that
    expected = 1 * 9.81 * 0.1 / 1e5 * 0.1
    for document in sag:
        assert abs(document["load"]["sag"][2] / -expected - 1) < 1e-3  # K of the weight itself


def test_a_run_is_simulated_where_it_is_mounted(sim_command, mounted):
    recording = Recording.read(mounted)
    np.testing.assert_allclose(recording.run.robot.T_0b, CEILING, atol=1e-15)
    assert recording.run.verdict == "pass"
    robot = robot_of(recording)
    q, qd, qdd, tau = (
        np.stack([recording.analytic[f"{group}.{name}"] for name in robot.row_names])[:, ::500]
        for group in ("q", "qd", "qdd", "tau")
    )
    other = PinocchioModel(robot, (0.0, 0.0, -9.81)).torque(q, qd, qdd)
    assert np.abs(other - tau).max() < 1e-12 * np.abs(other).max()  # rounding
    floor = PinocchioModel(robot.mounted(), (0.0, 0.0, -9.81)).torque(q, qd, qdd)
    assert np.abs(floor - tau).max() > 1


def test_a_mounted_run_is_repeated_and_its_mounting_not_contradicted(sim_command, mounted):
    again = sim_command("run", "--from", mounted, "--out", "again", "--no-report", "--json")
    assert (again.status, again.document["repeats"]["same"]) == (0, True), again.err
    done = sim_command("run", "--from", mounted, "--mount", "wall")
    assert done.status == 2 and "excludes --mount" in done.err
    done = sim_command("fit-time", mounted, "--mount", "wall")
    assert done.status == 2 and "contradicts the mounting of robot 'two_link'" in done.err
    of_run, typed, floor = (
        json.loads(sim_command("fit-time", *words, "--payload", "--json").out)["payload"]["mass"]
        for words in ((mounted,), ("two_link", "--mount", "ceiling"), ("two_link",))
    )
    assert abs(of_run / typed - 1) < 1e-3  # samples, and what is between them
    assert abs(floor / typed - 1) > 0.01


def test_a_script_that_mounts_its_robot_is_not_contradicted(sim_command, tmp_path):
    (tmp_path / "hung.py").write_text(
        "import sim\n\ndef scenario() -> sim.Scenario:\n"
        "    robot = sim.load_robot('ur10').mounted((0, 0, 1), (3.141592653589793, 0, 0))\n"
        "    return sim.Scenario(robot, sim.JointMotion.displacement({}), 0.01)\n"
    )
    done = sim_command("run", "hung.py", "--mount", "floor", "--no-report")
    assert done.status == 2 and "0 0 1 3.142 0 0" in done.err
    same = ("--mount", "0", "0", "1", "3.1416", "0", "0")
    assert sim_command("run", "hung.py", *same, "--no-report").status == 0


def test_an_offset_of_the_frame_carries_the_payload(sim_command):
    whole = ("fit-time", "two_link", "--payload", "--json")
    by_com, by_tcp = (
        sim_command(*whole, *option).document["payload"]
        for option in (("--com", "0", "0", "0.2"), ("--tcp", "0", "0", "0.2"))
    )
    assert abs(by_com["mass"] / by_tcp["mass"] - 1) < 1e-12
    assert (by_com["frame"], by_tcp["frame"]) == ("tip", "tcp")


def test_workspace_takes_an_offset_and_a_mounting(sim_command):
    path = str(shipped.scenarios() / "two_link.urdf")
    asked = ("workspace", path, "--step", "0.05", "--no-page", "--json")
    plain, longer, lower = (
        sim_command(*asked, *options).document
        for options in ((), ("--tcp", "0", "0", "-0.3"), ("--mount", "0", "0", "-1", "0", "0", "0"))
    )
    assert longer["frame"] == "tcp" and longer["check"]["ok"] and lower["check"]["ok"]
    assert 0.25 < longer["extent"]["x"][1] - plain["extent"]["x"][1] < 0.35
    np.testing.assert_allclose(
        np.array(plain["extent"]["z"]) - lower["extent"]["z"], 1.0, atol=0.06
    )


def test_identification_takes_the_robot_where_it_is_mounted(sim_command, tmp_path):
    arm = load_robot("ur10")
    carried = arm.with_payload(3.0, (0, 0, 0.1)).mounted((0, 0, 0), (0, np.pi / 2, 0))
    (tmp_path / "log.csv").write_text(csv_text(columns_of(noisy(clean_log(carried), 0.1))))
    found = sim_command(
        "identify", "log.csv", "--robot", "ur10", "--payload", "--mount", "wall",
        "--tcp", "0", "0", "0.1", "--json", "--out", "found.urdf",
    )  # fmt: skip
    assert found.status == 0, found.err
    values = {one["name"]: one for one in found.document["parameters"]}
    mass = next(one for name, one in values.items() if "mass" in name)
    assert abs(mass["value"] - 3.0) < 0.1  # of its interval
    assert load_robot("found.urdf").link("tcp") is not None
    done = sim_command("identify", "log.csv", "--robot", "ur10", "--tcp", "0", "0", "0.1")
    assert done.status == 2 and "--tcp requires --payload" in done.err


def test_values_of_a_template_are_typed(sim_command, rod):
    heavy = sim_command("modes", rod, "--xacro", "mass=4", "--stiffness", "1e4", "--json")
    # I = 0.1 + 4 · 0.5² kg·m², and gravity of the upright rod takes 4 · 9.81 · 0.5 from K
    stiffness, inertia = 1e4 - 4 * 9.81 * 0.5, 0.1 + 4 * 0.25
    hertz = np.sqrt(stiffness / inertia) / (2 * np.pi)
    assert abs(heavy.document["modes"][0]["frequency"] / hertz - 1) < 1e-6
    done = sim_command("equations", rod, "--xacro", "mass=4")
    assert done.status == 0, done.err
    for command in (("mass",), ("workspace", "--no-page"), ("teach", "--out", "page.html")):
        done = sim_command(command[0], rod, *command[1:], "--xacro", "weight=4")
        assert done.status == 2 and "has no argument 'weight'; available: mass" in done.err
    done = sim_command("modes", "ur10", "--xacro", "mass=4")
    assert done.status == 2 and "not a *.xacro file" in done.err


def test_meshes_outside_a_folder_are_refused_by_every_command_that_draws(
    sim_command, tmp_path, monkeypatch
):
    monkeypatch.setattr("webbrowser.open", lambda url, new: False)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    for folder in ("robot", "private"):
        (tmp_path / folder).mkdir()
    (tmp_path / "private" / "part.obj").write_text(corners)
    mesh = '<visual><geometry><mesh filename="../private/part.obj"/></geometry></visual></link>'
    body = BODY.format("arm").replace("</link>", mesh)
    (tmp_path / "robot" / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base"/>{body}<joint name="turn" type="continuous">'
        '<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>'
    )
    below = ("--meshes-below", "robot")
    assert sim_command("mass", "robot/arm.urdf").status == 0
    done = sim_command("mass", "robot/arm.urdf", *below)
    assert done.status == 2 and "below which --meshes-below allows meshes" in done.err
    pages = {}
    for name, options in (("open.html", ()), ("shut.html", below)):
        done = sim_command("teach", "robot/arm.urdf", "--browser", "--out", name, *options)
        assert done.status == 0, done.err
        pages[name] = (tmp_path / name).read_text("utf-8")
    assert "below which --meshes-below allows meshes" in pages["shut.html"]
    assert "below which" not in pages["open.html"]
    codes = {
        one["code"]: one["text"]
        for one in sim_command("audit", "robot/arm.urdf", *below, "--json").document["findings"]
    }
    assert "are outside the file's own folder" in codes["mesh-outside"]
    done = sim_command("mass", "robot/arm.urdf", "--meshes-below", "nowhere")
    assert done.status == 2 and "there is no such folder" in done.err
