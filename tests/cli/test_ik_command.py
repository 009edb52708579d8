import itertools
import json
import re
import shutil

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim import shipped
from sim.kinematics import frame_pose
from sim.robots import load_robot
from tests.helpers.general_arms import general_arm
from tests.helpers.inverse_checks import apart
from tests.helpers.pinocchio_model import PinocchioModel

REACHED = ("0.7", "0.2", "0.5", "3.0", "0.1", "0.5")
DEGREES = ("0.7", "0.2", "0.5", "171.88733853924697", "5.729577951308232", "28.64788975654116")
FAR = ("3", "0", "0.5", "3.0", "0.1", "0.5")
UR10 = load_robot("ur10")
JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


def poses(robot, q):
    """R and p of the tool at joint positions (n, N), by Pinocchio."""
    motion = PinocchioModel(robot, (0.0, 0.0, 0.0)).frame_motion(robot.tool, q, 0 * q)
    return motion[:9].reshape(3, 3, -1), motion[9:12]


def solutions(done):
    assert done.status == 0
    assert done.err == ""
    return np.array([s["q"] for s in done.document["solutions"]])


def ik(sim_command, robot, pose, *more):
    return sim_command("ik", robot, "--pose", *pose, *more)


def ik_at(sim_command, robot, pose, *, columns):
    return sim_command("ik", robot, "--pose", *pose, columns=columns)


def test_json_is_one_document_with_the_promised_keys(sim_command):
    done = ik(sim_command, "ur10", REACHED, "--json")
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    assert json.loads(done.out) == done.document
    found = done.document
    assert {"solutions", "nearest"} <= set(found)
    assert len(found["solutions"]) == 8
    for solution in found["solutions"]:
        assert {"q", "residual", "inside_limits", "branch", "singular"} <= set(solution)
        assert len(solution["q"]) == 6
        assert solution["residual"] <= 1e-10
        assert solution["inside_limits"] is True
        assert solution["singular"] is False
    assert len({solution["branch"] for solution in found["solutions"]}) == 8
    assert found["nearest"] in range(8)
    assert "shortfall" not in found


@pytest.mark.parametrize("robot", ["ur10", "kr210", "kr210_paper"])
def test_every_solution_brings_the_tool_to_the_pose(sim_command, robot):
    pose = ("1.6", "0.2", "1.1", *REACHED[3:]) if robot != "ur10" else REACHED
    q = solutions(ik(sim_command, robot, pose, "--json"))
    R, p = poses(load_robot(robot), q.T)
    x, y, z, *angles = map(float, pose)
    expected = Rotation.from_euler("xyz", angles).as_matrix()  # fixed axes, as in a URDF
    np.testing.assert_allclose(p, np.array([[x], [y], [z]]) + 0 * p, rtol=0, atol=1e-10)  # m
    np.testing.assert_allclose(R, expected[..., None] + 0 * R, rtol=0, atol=1e-10)


def test_degrees_are_degrees_of_the_pose_and_of_the_start(sim_command):
    radians = ik(sim_command, "ur10", REACHED, "--json", "--from", *["0.5"] * 6)
    degrees = ik(
        sim_command, "ur10", DEGREES, "--json", "--degrees", "--from", *["28.64788975654116"] * 6
    )
    np.testing.assert_allclose(solutions(degrees), solutions(radians), rtol=0, atol=1e-12)
    assert degrees.document["nearest"] == radians.document["nearest"]


def test_nearest_is_the_shortest_way_from_where_the_robot_is(sim_command):
    """From each solution itself the shortest way is to stay; copies by whole turns follow it."""
    for k, q in enumerate(solutions(ik(sim_command, "ur10", REACHED, "--json"))):
        there = ik(sim_command, "ur10", REACHED, "--json", "--from", *map(repr, q.tolist()))
        found = solutions(there)
        assert there.document["nearest"] == k
        np.testing.assert_allclose(found[k], q, rtol=0, atol=1e-12)
        travel = np.abs(found - q).sum(axis=1)
        assert np.argmin(travel) == k
        assert (travel[np.arange(8) != k] > 0.1).all()


def test_without_a_start_the_way_is_measured_from_zero(sim_command):
    done = ik(sim_command, "ur10", REACHED, "--json")
    travel = np.abs(solutions(done)).sum(axis=1)
    assert done.document["nearest"] == np.argmin(travel)


def test_the_table_tells_what_json_tells(sim_command):
    found = ik(sim_command, "ur10", REACHED, "--json").document
    done = ik(sim_command, "ur10", REACHED)
    assert (done.status, done.err) == (0, "")
    heading = next(line for line in done.out.splitlines() if "branch" in line)
    assert heading.split() == ["branch", *JOINTS, "residual", "limits", "singular"]
    rows = [line for line in done.out.splitlines() if "°" in line]
    assert len(rows) == 8
    for k, (row, solution) in enumerate(zip(rows, found["solutions"], strict=True)):
        assert solution["branch"] in row
        shown = np.radians([float(angle) for angle in re.findall(r"(-?[\d.]+)°", row)])
        np.testing.assert_allclose(shown, solution["q"], rtol=0, atol=1e-5)  # 0.0005 degrees
        assert row.lstrip().startswith("→") == (k == found["nearest"])
        assert row.split()[-2:] == ["inside", "no"]
    assert done.out.splitlines()[-1] == "→ nearest to the start configuration"


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("robot", ["ur10", "kr210", "kr210_paper", "weld5"])
def test_the_table_fits_the_terminal_with_every_joint_and_no_angle_cut(sim_command, robot, width):
    pose = {"ur10": REACHED, "weld5": ("0.9", "0", "0.5", "0", "1.5", "0")}.get(
        robot, ("1.6", "0.2", "1.1", *REACHED[3:])
    )
    narrow, wide = (ik_at(sim_command, robot, pose, columns=columns) for columns in (width, 1000))
    assert narrow.status == wide.status == 0
    assert max(map(len, narrow.out.splitlines())) <= width
    angles = [re.findall(r"-?[\d.]+°", done.out) for done in (narrow, wide)]
    assert angles[0] == angles[1] != []
    left = (
        narrow.out.partition("hidden columns (terminal < ")[2].partition(": ")[2].partition("\n")[0]
    )
    lines = narrow.out.splitlines()
    heads = [line for line, below in itertools.pairwise(lines) if "───" in below]
    shown = " ".join(heads).split()
    assert {"branch", "limits", "singular"} <= set(shown)  # what decides stays, in a second table
    assert ("residual" in shown) != ("residual" in left)
    for joint in load_robot(robot).joint_names:
        assert joint.removesuffix("_joint") in shown


def test_solutions_outside_the_limits_are_marked_however_narrow_the_table_is(sim_command):
    found = ik(sim_command, "kr210", ("1.3", "0.2", "0.9", *REACHED[3:]), "--json").document
    out = ik_at(sim_command, "kr210", ("1.3", "0.2", "0.9", *REACHED[3:]), columns=70).out
    rows = [line for line in out.splitlines() if "°" in line]
    marks = [line.split()[0] == "×" for line in rows]
    assert marks == [not solution["inside_limits"] for solution in found["solutions"]]
    assert 0 < sum(marks) < len(marks)
    assert "× outside the joint limits" in out


def test_a_singular_pose_names_what_is_singular_and_the_free_joint(sim_command):
    """Joint 5 of the UR10 at zero: joints 2, 3, 4 and 6 turn about parallel axes."""
    R, p = poses(UR10, np.array([[0.3], [-1.2], [1.4], [-0.9], [0.0], [0.2]]))
    angles = Rotation.from_matrix(R[..., 0]).as_euler("xyz")
    pose = [repr(float(number)) for number in (*p[:, 0], *angles)]
    singular = [
        s for s in ik(sim_command, "ur10", pose, "--json").document["solutions"] if s["singular"]
    ]
    assert singular
    for solution in singular:
        assert solution["singularities"]
        assert solution["free_joints"]
        assert set(solution["free_joints"]) <= set(UR10.joint_names)
    rows = ik(sim_command, "ur10", pose).out
    assert f"({', '.join(singular[0]['free_joints'])} free)" in rows
    assert rows.count("→") == 2  # in front of a row, and in the line that says what it means
    assert "…" not in rows  # no number is cut


def test_the_table_and_json_state_whether_all_solutions_are_listed(sim_command, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(general_arm("offset wrist").text)
    pose = ("0.5", "0.2", "0.5", "0.1", "0.2", "0.3")
    found = ik(sim_command, str(path), pose, "--json").document
    assert (found["complete"], found["root_count"], found["degree"]) == (True, 16, 16)
    count = len(found["solutions"])
    line = f"complete: all {count} solutions listed (16 of 16 complex roots counted)"
    assert found["completeness"] == line
    assert line in ik(sim_command, str(path), pose).out.splitlines()
    far = ik(sim_command, str(path), FAR)
    assert far.status == 1
    line = "complete: no solution exists (16 of 16 complex roots counted)"
    assert far.out.splitlines()[-1] == line
    known = ik(sim_command, "ur10", REACHED, "--json").document
    assert (known["complete"], known["root_count"], known["degree"]) == (True, None, None)
    assert known["completeness"] == "complete: all 8 solutions listed (closed form)"


def test_out_of_reach_is_exit_1_with_the_distance(sim_command):
    done = ik(sim_command, "ur10", FAR)
    assert (done.status, done.err) == (1, "")
    said = float(re.search(r"Out of reach: .* (\S+) m short", done.out)[1])
    found = ik(sim_command, "ur10", FAR, "--json")
    assert (found.status, found.err) == (1, "")
    assert found.document["solutions"] == []
    assert found.document["nearest"] is None
    shortfall = found.document["shortfall"]
    assert said == pytest.approx(shortfall["distance"], rel=1e-4)
    assert "Out of reach" in shortfall["reason"]
    # the nearest pose is as far away as it says, by Pinocchio
    R, p = poses(UR10, np.array(shortfall["q"])[:, None])
    wanted = Rotation.from_euler("xyz", [float(angle) for angle in FAR[3:]]).as_matrix()
    away = np.linalg.norm(p[:, 0] - [float(number) for number in FAR[:3]])
    assert away == pytest.approx(shortfall["distance"], abs=1e-9)  # m
    turn = Rotation.from_matrix(R[..., 0].T @ wanted).magnitude()
    assert turn == pytest.approx(shortfall["angle"], abs=1e-7)  # rad
    shown = [float(angle) for angle in re.findall(r"(-?[\d.]+)°", done.out)]
    assert apart(np.radians(shown)[:, None], np.array(shortfall["q"])[:, None])[0] < 1e-5


def test_an_orientation_that_a_five_axis_arm_has_not_is_exit_1_with_the_angle(sim_command):
    done = ik(sim_command, "weld5", ("0.9", "0", "0.5", "1", "0", "0"))
    assert done.status == 1
    assert f"{np.degrees(1):.4f}°" in done.out
    assert "no joint turns it so" in done.out


def test_every_solution_outside_the_limits_is_exit_1_and_said(sim_command):
    """Behind the welding robot, where joint 1 ends at 170 degrees."""
    behind = np.radians([[175], [-60], [30], [10], [20]])
    R, p = poses(load_robot("weld5"), behind)
    angles = Rotation.from_matrix(R[..., 0]).as_euler("xyz")
    pose = [repr(float(number)) for number in (*p[:, 0], *angles)]
    found = ik(sim_command, "weld5", pose, "--json")
    assert (found.status, found.err) == (1, "")
    q = np.array([solution["q"] for solution in found.document["solutions"]])
    assert apart(q.T, behind).min() < 1e-7  # rad
    assert not any(solution["inside_limits"] for solution in found.document["solutions"])
    assert found.document["nearest"] is None
    table = ik(sim_command, "weld5", pose)
    assert table.status == 1
    assert table.out.splitlines()[-1] == "all solutions are outside the joint limits"
    assert "→" not in table.out


BAD = {
    "not a number": (("ur10", "--pose", "nan", *REACHED[1:]), ("--pose", "six finite numbers")),
    "huge angle": (
        ("ur10", "--pose", *REACHED[:5], "1e300"),
        ("--pose 1e+300 is too large", "1e+06"),
    ),
    "huge place": (("ur10", "--pose", "1e7", *REACHED[1:]), ("--pose 1e+07 is too large",)),
    "huge start": (
        ("ur10", "--pose", *REACHED, "--from", "1e300", *"12345"),
        ("--from 1e+300 is too large",),
    ),
    "other digits": (
        ("ur10", "--pose", "١", *REACHED[1:]),
        ("'١' is not a number", "digits 0 to 9"),
    ),
    "infinite": (("ur10", "--pose", *REACHED[:5], "inf"), ("--pose", "six finite numbers")),
    "a word": (("ur10", "--pose", *REACHED[:5], "north"), ("--pose", "'north'")),
    "five numbers": (("ur10", "--pose", *REACHED[:5]), ("--pose", "expected 6")),
    "no pose": (("ur10",), ("--pose",)),
    "too few joints": (
        ("ur10", "--pose", *REACHED, "--from", "1", "2"),
        ("--from takes 6 numbers", "shoulder_pan_joint", "got 2"),
    ),
    "too many joints": (
        ("weld5", "--pose", *REACHED, "--from", *"123456"),
        ("--from takes 5 numbers", "joint_5", "got 6"),
    ),
    "a start that is not a number": (
        ("ur10", "--pose", *REACHED, "--from", "nan", *"12345"),
        ("6 finite numbers", "wrist_3_joint", "nan"),
    ),
    "an unknown robot": (("ur11", "--pose", *REACHED), ("'ur11'", "ur10", "weld5")),
    "a file that is not there": (("arm.urdf", "--pose", *REACHED), ("arm.urdf",)),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_exit_2_and_one_clear_line(sim_command, arguments, says):
    for more in ((), ("--json",)):
        done = sim_command("ik", *arguments, *more)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith("sim")
        assert done.err.count("\n") == 1
        assert [words for words in says if words not in done.err] == []


@pytest.mark.parametrize("number", ["-1.2e-16", "-1E-3", "-1.e+0", "-.5e-2", "-0.25", "-1e0"])
def test_a_negative_number_with_an_exponent_is_no_option(sim_command, number):
    done = sim_command("ik", "ur10", "--pose", "0.5", number, "0.5", "0", "0", number, "--json")
    plain = f"{float(number):.20f}"
    same = sim_command("ik", "ur10", "--pose", "0.5", plain, "0.5", "0", "0", plain, "--json")
    assert (done.status, done.err) == (0, "")
    assert len(done.document["solutions"]) == len(same.document["solutions"]) > 0


def test_a_pose_that_is_no_number_is_told(sim_command):
    done = sim_command("ik", "ur10", "--pose", "0.5", "-inf", "0.5", "0", "0", "0")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "six finite numbers" in done.err


def test_repairs_are_said_beside_the_answer_and_refused_where_strictness_is_asked_for(
    sim_command, tmp_path
):
    path = tmp_path / "arm.urdf"
    path.write_text(UR10.text.replace(' name="ur10"', ""))
    shutil.copy(shipped.urdf() / "ur10.toml", tmp_path / "arm.toml")  # it names the tool
    done = ik(sim_command, str(path), REACHED, "--json")
    assert (done.status, done.err.count("\n")) == (0, 1)
    assert done.err.startswith("sim: repaired robot: <robot> needs the attribute 'name'; read as: ")
    assert [repair["kind"] for repair in done.document["repairs"]] == ["name"]
    assert "repairs" not in ik(sim_command, "ur10", REACHED, "--json").document
    done = ik(sim_command, str(path), REACHED, "--strict")
    assert (done.status, done.out) == (2, "")
    assert "needs the attribute 'name'" in done.err


def test_tool_offset_and_mounting_are_those_of_the_robot_in_python(sim_command):
    robot = load_robot("ur10", tool="wrist_3_link", tcp=(0, 0.02, 0.1, 0, 0, 0.5)).mounted(
        (0.1, 0, 1), (np.pi, 0, 0)
    )
    q = np.array([0.3, -1.2, 1.5, -0.4, 0.9, 0.2])
    T = frame_pose(robot, q[:, None])[:, :, 0]
    place = [*map(str, T[:3, 3]), *map(str, Rotation.from_matrix(T[:3, :3]).as_euler("xyz"))]
    options = ("--tool", "wrist_3_link", "--tcp", "0", "0.02", "0.1", "0", "0", "0.5")
    mount = ("--mount", "0.1", "0", "1", str(np.pi), "0", "0")
    # the options before the robot: their numbers end where the robot begins
    done = sim_command("ik", *options, *mount, "ur10", "--pose", *place, "--json")
    assert np.abs(solutions(done) - q).max(axis=1).min() < 1e-9
    degrees = ["--tcp", "0", "0.02", "0.1", "0", "0", str(np.degrees(0.5)), "--degrees", "--mount"]
    degrees += ["0.1", "0", "1", "180", "0", "0", "--pose", *place[:3]]
    degrees += [str(np.degrees(float(angle))) for angle in place[3:]]
    done = sim_command("ik", "ur10", "--tool", "wrist_3_link", *degrees, "--json")
    assert np.abs(solutions(done) - q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize(("word", "rpy"), [("wall", (0, np.pi / 2, 0)), ("ceiling", (np.pi, 0, 0))])
def test_a_mounting_by_a_word_is_a_turned_base(sim_command, word, rpy):
    q = np.array([0.3, -1.2, 1.5, -0.4, 0.9, 0.2])
    T = frame_pose(UR10.mounted((0, 0, 0), rpy), q[:, None])[:, :, 0]
    place = [*map(str, T[:3, 3]), *map(str, Rotation.from_matrix(T[:3, :3]).as_euler("xyz"))]
    done = sim_command("ik", "--mount", word, "ur10", "--pose", *place, "--json")
    assert np.abs(solutions(done) - q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--mount", "roof"), "floor, wall, ceiling"),
        (("--mount", "1", "2", "3"), "floor, wall, ceiling"),
        (("--mount", "1", "2", "3", "0", "0", "nan"), "finite numbers"),
        (("--mount",), "expected one argument"),
        (("--tcp", "0", "0"), "X Y Z, or X Y Z ROLL PITCH YAW"),
        (("--tcp", "0", "0", "1e9"), "finite numbers up to 1e+06 m or rad"),
        (("--tool", "hand"), "'hand'"),
        (("--xacro", "a=1"), "not a *.xacro file"),
        (("--xacro", "a"), "--xacro must be NAME=VALUE; got 'a'"),
    ],
)
def test_impossible_options_of_the_robot_are_refused(sim_command, options, says):
    done = sim_command("ik", "ur10", "--pose", *REACHED, *options)
    assert (done.status, done.out) == (2, "") and says in done.err


def test_an_arm_of_few_joints_reaches_a_pose_to_the_digits_that_are_typed(sim_command, tmp_path):
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="a"/><link name="tool0"/>'
        '<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="50" velocity="2"/></joint><joint name="t" '
        'type="fixed"><parent link="a"/><child link="tool0"/><origin xyz="0 0 0.5"/></joint>'
        "</robot>"
    )
    # 0.5 sin 0.5 and 0.5 cos 0.5, to four decimals
    done = ik(sim_command, "arm.urdf", ("0.2397", "0", "0.4388", "0", "0.5", "0"), "--json")
    assert (done.status, done.document["within_rounding"]) == (0, True)
    shown = ik(sim_command, "arm.urdf", ("0.2397", "0", "0.4388", "0", "0.5", "0")).out
    assert "pose reached within the rounding" in shown and "Out of reach" not in shown
    assert abs(done.document["shortfall"]["q"][0] - 0.5) < 1e-4
    done = ik(sim_command, "arm.urdf", ("0.2400", "0", "0.4388", "0", "0.5", "0"), "--json")
    assert (done.status, done.document["within_rounding"]) == (1, False)


def test_a_position_in_any_orientation_has_the_branches_of_the_triangle(sim_command):
    """Links of 0.4 and 0.3 m on a column of 0.3 m: the law of cosines; 143° end the shoulder."""
    arm = str(shipped.scenarios() / "my_arm.urdf")
    x, y, z = 0.4, 0.1, 0.5
    radial, up = np.hypot(x, y), z - 0.3
    bend = np.arccos((radial**2 + up**2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    expected = []
    for ahead, elbow in itertools.product((1, -1), (bend, -bend)):
        tip = np.arctan2(0.3 * np.sin(elbow), 0.4 + 0.3 * np.cos(elbow))
        shoulder = np.arctan2(up, ahead * radial) - tip
        expected.append((np.arctan2(ahead * y, ahead * x), shoulder, elbow))
    inside = np.array([q for q in expected if -0.5 <= q[1] <= 2.5])
    done = sim_command("ik", arm, "--position", str(x), str(y), str(z), "--json")
    found = solutions(done)
    assert len(found) == len(inside) == 3
    assert all(apart(q[:, None], found.T).min() < 1e-9 for q in inside)  # rad
    assert not done.document["complete"]
    far = sim_command("ik", arm, "--position", "4", "0.1", "0.5", "--json")
    short = far.document["shortfall"]
    assert (far.status, short["angle"]) == (1, 0.0)
    beyond = np.hypot(np.hypot(4, 0.1), 0.2) - 0.7  # m; a step that gains 1e-6 of its square ends
    assert short["distance"] == pytest.approx(beyond, rel=1e-6)
    bad = sim_command("ik", arm, "--position", "nan", "0", "0")
    assert (bad.status, bad.out) == (2, "") and "--position takes three finite numbers" in bad.err
    both = sim_command("ik", arm, "--position", "1", "0", "0", "--pose", *REACHED)
    assert (both.status, both.out) == (2, "") and "not allowed with" in both.err
