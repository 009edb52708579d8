"""The teach page of robots whose loops passive joints close, against closed forms and the model."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import numpy as np
import pytest

from sim.cli.command import status
from sim.kinematics import frame_pose, jacobian
from sim.kinematics.loop_equations import loop_error
from sim.recording import Recording
from sim.robots import Loop, load_robot
from tests.helpers.loop_robots import ACROSS, FourBar, at, bar, block_crank, rod_bar
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.small_robots import joint, robot

CLOSED = 1e-10  # m and rad
PLACE = 1e-12  # m, and of the axes: rounding of a chain of a few frames
PLAYED = 1e-9  # rad: Newton's method of the page and of a run


def written(robot, folder):
    """A robot's files, of which its page and its scripts read it."""
    path = folder / "robot.urdf"
    path.write_text(robot.text, encoding="utf-8")
    lines = []
    for loop in robot.loops:
        lines.append("[[loop]]")
        for one in fields(loop):
            value = getattr(loop, one.name)
            if value is not None:
                value = value.tolist() if isinstance(value, np.ndarray) else value
                lines.append(f"{one.name} = {list(value) if isinstance(value, tuple) else value!r}")
    path.with_suffix(".loops.toml").write_text("\n".join(lines), encoding="utf-8")
    return path


def opened(browser, name, path, *more):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webbrowser.open", lambda url, new: True)
        assert status(["teach", str(name), "--browser", "--out", str(path), *more]) == 0
    return Opened(browser, path).ready()


def slide(page, name, value):
    """A person's hand on a slider [degrees or mm]."""
    page.js(
        """([name, value]) => {
            const one = document.querySelector(`input[type=range][aria-label=${name}]`);
            one.value = value;
            one.dispatchEvent(new Event('input', { bubbles: true }));
        }""",
        [name, value],
    )
    return np.array(page.js("teaching.q"))


def test_a_crank_takes_rocker_and_coupler_along_as_the_law_of_cosines_says(flat_browser, tmp_path):
    source = written(FourBar().robot(), tmp_path)
    page = opened(flat_browser, source, tmp_path / "page.html", "--tool", "coupler")
    model = load_robot(source, tool="coupler")
    crank, rocker, coupler = page.js("teaching.q")
    bars = FourBar(crossed=bool(np.sin(rocker - crank - coupler) > 0))  # the page begins in either
    for degrees in (40.0, 200.0, -300.0, 260.0, -100.0):  # far moves, without coming apart
        q = slide(page, "crank_joint", degrees)
        angles = np.radians([degrees])
        wanted = bars.motion(angles, angles, angles)[0][:, 0]
        off = np.exp(1j * q) - np.exp(1j * wanted)  # whole turns do not count
        assert np.abs(off).max() <= CLOSED
        np.testing.assert_allclose(
            page.js("teaching.arm.pose()"), frame_pose(model, q)[:3], rtol=0, atol=PLACE
        )
    # how fast the tool goes for its only drive, by the closed form
    _, rate, _ = bars.motion(angles, np.ones(1), np.zeros(1))
    twist = jacobian(model, q) @ rate[:, 0]
    size = np.linalg.norm(np.append(twist[:3] / page.js("teaching.arm.facts.length"), twist[3:]))
    assert page.js("teaching.least()") == pytest.approx(size, abs=1e-9)
    for crossed in (not bars.crossed, bars.crossed):
        page.page.get_by_role("button", name="another assembly").click()
        other = FourBar(crossed=crossed).motion(angles, angles, angles)[0][:, 0]
        found = np.array(page.js("teaching.q"))
        assert np.abs(np.exp(1j * found) - np.exp(1j * other)).max() <= CLOSED
    np.testing.assert_allclose(found, q, rtol=0, atol=CLOSED)
    assert page.page.locator("#teach-passive output").all_inner_texts() == [
        f"{np.degrees(x):.2f} °".replace("-", "−") for x in q[1:]
    ]
    assert page.asked == [page.page.url]


def side_by_side(**machines):
    """One robot of several machines on the same ground, whose names begin with theirs."""
    parts, loops = [], []
    for first, machine in machines.items():
        text = re.sub(r'(name|link|joint)="(?!ground")', rf'\1="{first}_', machine.text)
        parts.append(text.partition('<link name="ground"/>')[2].rpartition("</robot>")[0])
        for loop in machine.loops:
            links = {
                key: name if (name := getattr(loop, key)) == "ground" else f"{first}_{name}"
                for key in ("link_a", "link_b")
            }
            passive = tuple(f"{first}_{name}" for name in loop.passive)
            loops.append(replace(loop, name=f"{first} {loop.name}", passive=passive, **links))
    return replace(robot(*parts), loops=tuple(loops))


def by_functions():
    """Four cranks: one held by another as by a rod, and one 4 rad ahead of a third."""
    tree = robot(
        *(bar(name, 1.0, length) for name, length in (("a", 0.2), ("b", 0.4), ("c", 1), ("d", 1))),
        joint("a_joint", "revolute", "ground", "a", "0 1 0"),
        joint("b_joint", "revolute", "ground", "b", "0 1 0", at("0.45 0 0")),
        joint("c_joint", "revolute", "ground", "c", "0 1 0"),
        joint("d_joint", "revolute", "ground", "d", "0 1 0"),
    )
    rod = {"kind": "function", "passive": ("b_joint",), "function": "DM(b,a)**2 - SQRT(0.0625)"}
    turn = {"kind": "function", "passive": ("d_joint",), "function": "AY(b,a) - 4"}
    return tree.with_loops(
        Loop("square", "a", (0, 0, 0.2), "b", (0, 0, 0.4), **rod),
        Loop("ahead", "c", (0, 0, 0), "d", (0, 0, 0), **turn),
    )


RODS = rod_bar()[0]


@pytest.fixture(scope="module")
def machines(flat_browser, tmp_path_factory):
    """A page of a crank with too short a rod for its guide, a rod without mass, a parallelogram,
    and joints that functions of two frames keep.
    """
    folder = tmp_path_factory.mktemp("machines")
    plant = side_by_side(
        short=block_crank(crank=0.4, rod=0.3),
        light=rod_bar()[1],
        level=FourBar(ground=0.5, crank=0.4, coupler=0.5, rocker=0.4).robot(),
        string=by_functions(),
    )
    with leaving_pages():
        page = opened(
            flat_browser, written(plant, folder), folder / "page.html", "--tool", "short_block"
        )
        yield page, plant
        assert page.asked == [page.page.url]


def test_where_the_loops_close_no_farther_is_said_and_not_entered(machines):
    page, plant = machines
    short = np.array([name.startswith("short") for name in plant.joint_names])
    crank = plant.joint_names.index("short_crank_joint")
    begun = np.array(page.js("teaching.q"))  # at zero the rod is too short: some other pose
    turn = np.degrees(begun[crank])
    x, z = np.array(page.js("teaching.arm.pose()"))[[0, 2], 3]
    along, up = 0.4 * np.sin(begun[crank]), 0.4 * np.cos(begun[crank])
    assert abs(z) <= CLOSED
    assert np.hypot(x - along, up) == pytest.approx(0.3, abs=CLOSED)
    upright = 180 * np.rint(turn / 180) + 0.0  # no negative zero
    last = np.degrees(np.arccos(0.3 / 0.4))  # of the crank from upright; there the rod is upright
    end = upright + np.copysign(last, turn - upright)
    np.testing.assert_array_equal(slide(page, "short_crank_joint", upright), begun)
    assert page.page.inner_text("#teach-open") == (
        f"Loops cannot close beyond this pose: short_crank_joint reaches {end:.2f} ° "
        f"of {upright:.2f} °."
    ).replace(" -", " −")
    slide(page, "short_crank_joint", (turn + end) / 2)
    assert page.page.inner_text("#teach-open") == ""
    for sign in (1, -1):  # the mirrored pose is closed too, and beyond upright
        page.js("q => teaching.go(q)", np.where(short, sign * begun, begun).tolist())
        page.page.get_by_role("button", name="teach", exact=True).click()
    share = (abs(turn) - last) / (2 * abs(turn))
    assert page.page.inner_text("#teach-apart") == (
        f"From “pose 1” to “pose 2” the loops close only for the first {100 * share:.0f} % of the "
        "move: teach an intermediate pose."
    )
    assert (
        page.page.locator("#teach-copy").is_disabled()
        and not page.page.locator("#bar").is_visible()
    )


def test_a_rod_keeps_its_length(machines):
    page, plant = machines
    crank, rocker = (plant.joint_names.index(f"light_{name}_joint") for name in ("crank", "rocker"))
    for degrees in (-70.0, 160.0):
        q = slide(page, "light_crank_joint", degrees)[[crank, rocker]]
        x, z = ((RODS.crank, -RODS.rocker) @ f(q) for f in (np.sin, np.cos))
        assert np.hypot(x - RODS.ground, z) == pytest.approx(RODS.coupler, abs=CLOSED)


def test_functions_of_two_frames_stay_zero_over_whole_turns(machines):
    page, plant = machines
    rows = [plant.joint_names.index(f"string_{name}_joint") for name in "abcd"]
    for degrees in (-70.0, 160.0, 520.0):
        slide(page, "string_a_joint", degrees)
        a, b, c, d = slide(page, "string_c_joint", 3 * degrees)[rows]
        x, z = ((0.2, -0.4) @ f(np.array([a, b])) for f in (np.sin, np.cos))
        assert np.hypot(x - 0.45, z) == pytest.approx(0.5, abs=CLOSED)
        assert c == pytest.approx(np.radians(3 * degrees))
        assert d - c == pytest.approx(4.0, abs=CLOSED)


def test_a_pose_with_all_bars_in_one_line_is_passed_and_left(machines):
    page, plant = machines
    q = np.array(page.js("teaching.q"))
    names = [f"level_{name}_joint" for name in ("crank", "rocker", "coupler")]
    rows = [plant.joint_names.index(name) for name in names]
    q[rows] = 0.0, 0.0, np.pi / 2
    page.js("q => teaching.go(q)", q.tolist())
    for degrees in (30.0, 90.0, 91.0, 260.0, 269.7, 270.3):  # in one line at 90 and at 270
        q = slide(page, names[0], degrees)
        np.testing.assert_allclose(q[rows[:2]], np.radians(degrees), rtol=0, atol=1e-9)  # rad


def five_bar():
    """Two cranks of 0.3 m on feet 0.5 m apart, and two rods of 0.4 m that meet."""
    tree = robot(
        bar("left", 1.0, 0.3),
        bar("left_rod", 1.0, 0.4),
        bar("right", 1.0, 0.3),
        bar("right_rod", 1.0, 0.4),
        joint("left_joint", "revolute", "ground", "left", "0 1 0", at("0 0 0", "0 -0.5 0")),
        joint("right_joint", "revolute", "ground", "right", "0 1 0", at("0.5 0 0", "0 0.5 0")),
        joint("left_knee", "revolute", "left", "left_rod", "0 1 0", at("0 0 0.3", "0 1.2 0")),
        joint("right_knee", "revolute", "right", "right_rod", "0 1 0", at("0 0 0.3", "0 -1.2 0")),
    )
    ends = "left_rod", (0, 0, 0.4), "right_rod", (0, 0, 0.4)
    return tree.with_loops(Loop("tip", *ends, ACROSS, ("left_knee", "right_knee")))


def test_a_five_bar_is_taught_by_its_tool_and_runs_as_it_was_taught(
    flat_browser, tmp_path, monkeypatch
):
    plant = five_bar()
    source = written(plant, tmp_path)
    page = opened(flat_browser, source, tmp_path / "page.html", "--tool", "left_rod")
    model = load_robot(source, tool="left_rod")
    poses = [slide(page, "left_joint", -40.0), slide(page, "right_joint", 55.0)]
    T = frame_pose(model, poses[1])
    slide(page, "left_joint", -15.0)
    found = page.js("T => teaching.solutions(T)", T[:3].tolist())
    assert any(np.abs(np.array(one["q"]) - poses[1]).max() <= PLAYED for one in found)
    for one in found:
        q = np.array(one["q"])
        np.testing.assert_allclose(frame_pose(model, q), T, rtol=0, atol=PLAYED)
        assert loop_error(plant, plant.q_tree(q[:, None])).max() <= CLOSED
    poses.append(np.array(page.js("teaching.q")))
    for q in poses:
        page.js("q => teaching.go(q)", q.tolist())
        np.testing.assert_array_equal(page.js("teaching.q"), q)
        page.page.get_by_role("button", name="teach", exact=True).click()
    page.page.fill("#teach-move", "0.3")
    page.page.fill("#teach-hold", "0.05")
    (tmp_path / "taught.py").write_text(page.js("teaching.script()"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert status(["run", "taught.py", "--method", "ideal", "--no-report", "--out", "run"]) == 0
    table = Recording.read(tmp_path / "run").recorded
    some = table.iloc[::10]
    shown = page.js("t => t.map(s => teaching.player.motion.at(s))", some.index.tolist())
    ran = np.array([some[f"q.{name}"] for name in plant.joint_names]).T
    np.testing.assert_allclose(shown, ran, rtol=0, atol=PLAYED)
    page.js("teaching.player.seek(0.45)")
    assert (
        np.abs(page.js("teaching.q") - np.array(page.js("teaching.player.motion.at(0.45)"))).max()
        == 0
    )
    assert page.asked == [page.page.url]


def test_the_palletizer_with_rods_on_passive_joints_goes_where_a_pose_is_typed(
    flat_browser, tmp_path
):
    page = opened(flat_browser, "irb460_paper", tmp_path / "page.html")
    names = load_robot("irb460_paper").joint_names
    for name, degrees in (("swing", 20.0), ("lower_arm", 12.0), ("crank", -25.0)):
        q = slide(page, f"{name}_joint", degrees)
    at = dict(zip(names, np.degrees(q), strict=True))
    assert at["upper_arm_joint"] == pytest.approx(-25.0 - 12.0, abs=1e-8)  # parallelograms
    assert at["wrist_joint"] == pytest.approx(25.0, abs=1e-8)
    T = np.array(page.js("teaching.arm.pose()"))
    np.testing.assert_allclose(T[2, :3], [0, 0, 1], rtol=0, atol=CLOSED)  # the hand stays level
    told = [page.page.input_value(f"#teach-p{k}") for k in range(6)]
    page.page.get_by_role("button", name="home").click()
    page.page.locator("#teach-p0").fill(f"{1000 * T[0, 3]:.15g}")
    for k in (1, 2, 5):
        exact = 1000 * T[k, 3] if k < 3 else 20.0
        page.page.locator(f"#teach-p{k}").fill(f"{exact:.15g}")
    page.page.get_by_role("button", name="go", exact=True).click()
    assert [page.page.input_value(f"#teach-p{k}") for k in range(6)] == told
    np.testing.assert_allclose(page.js("teaching.q"), q, rtol=0, atol=1e-8)  # rad
    page.page.locator("#teach-p0").fill("9000")
    page.page.get_by_role("button", name="go", exact=True).click()
    assert "Not reached: out of reach" in page.page.inner_text("#teach-reached")
    np.testing.assert_allclose(page.js("teaching.q"), q, rtol=0, atol=1e-8)
    assert page.asked == [page.page.url]
