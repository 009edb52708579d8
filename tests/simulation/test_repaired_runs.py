"""Runs of robots whose URDF requires repairs: the engine uses the same values as the model."""

import io

import msgspec
import numpy as np
import pytest
from rich.console import Console

from sim.checks import check, judge, judge_recording
from sim.dynamics import GRAVITY
from sim.engines.bullet.bullet import Bullet
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.recording import Recording
from sim.reports.page.html_tables import repair_rows
from sim.reports.terminal.printing import show
from sim.reports.terminal.run_details import details
from sim.robots import read_urdf
from sim.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import joint, link

TURN = "STEP(time, 0, 0, 0.1, 30d)"


def urdf(*parts, head='name="arm"'):
    return f'<robot {head}><link name="ground"/>{"".join(parts)}</robot>'


def weld(name, parent, child):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="fixed">{ends}</joint>'


ARM = (
    link("upper", 2.0, "0 0.1 0.3", "0.2 0.2 0.1"),
    joint("shoulder", "revolute", "ground", "upper", "1 0 0"),
    joint("elbow", "continuous", "upper", "fore", "0 1 0", '<origin xyz="0 0 0.5"/>'),
)
FORE = link("fore", 1.0, "0.1 0 0.2", "0.1 0.1 0.05")
BEYOND = link("fore", 1.0, "0.1 0 0.2", "0.1 0.1 0.35").replace('ixy="0"', 'ixy="0.01"')
COVER = link("cover", 0.5, moments="0.1 -0.2 0.1") + weld("w", "ground", "cover")
NO_ENDS = joint("shoulder", "prismatic", "ground", "upper", "0 0 2").replace("lower", "lowest")
TIP = '<link name="tip"/>' + joint("finger", "revolute", "fore", "tip", "0 0 1")
WITH_ENDS = 'lowest="-100" upper="100"'

REPAIRED = {
    "a tensor beyond flat": urdf(*ARM, BEYOND),
    "a cover of negative moments": urdf(*ARM, FORE, COVER),
    "a slide without ends along a long axis": urdf(
        ARM[0], ARM[2], FORE, NO_ENDS.replace(WITH_ENDS, "")
    ),
    "a hinge without a limit": urdf(
        ARM[0],
        ARM[2],
        FORE,
        '<joint name="shoulder" type="revolute"><parent link="ground"/><child link="upper"/>'
        '<axis xyz="1 0 0"/></joint>',
    ),
    "a principal moment below zero by its print": urdf(
        *ARM, FORE.replace('ixy="0"', 'ixy="0.1005"', 1)
    ),
    "commas and an axis twice": urdf(
        ARM[0],
        ARM[1].replace("1 0 0", "1, 0, 0").replace("<axis", '<axis xyz="1 0 0"/><axis'),
        ARM[2],
        FORE,
    ),
    "a fingertip without mass": urdf(*ARM, FORE, TIP),
    "no name": '<?xml version="0.0"?>' + urdf(*ARM, FORE, head=""),
    "a flat body that has all digits": urdf(
        *ARM,
        link("fore", 1.0, "0.1 0 0.2", "0.2125 0.205 0.0125").replace('ixy="0"', 'ixy="-0.005"'),
    ),
}


def scenario(text, duration=0.1, **settings):
    robot = read_urdf(text)
    motion = JointMotion.displacement(dict.fromkeys(robot.joint_names, TURN))
    return Scenario(robot, motion, duration, **settings)


def told(recording):
    out = io.StringIO()
    show(Console(file=out, width=400, color_system=None), details(recording, None))
    return out.getvalue()


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED)
def test_the_engine_answers_as_pinocchio_does(text):
    robot = read_urdf(text)
    n = len(robot.joint_names)
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, n, 3))
    clean = text.replace('type="continuous"', 'type="revolute"').replace('"0 0 2"', '"0 0 1"')
    if "<limit" not in clean.split('name="shoulder"')[1].split("</joint>")[0]:
        clean = clean.replace('<axis xyz="1 0 0"/></joint>', '<axis xyz="1 0 0"/>LIMIT</joint>')
        clean = clean.replace("LIMIT", '<limit lower="-1" upper="1" effort="1" velocity="1"/>')
    clean = clean.replace('<?xml version="0.0"?>', "").replace("<robot >", '<robot name="arm">')
    wanted = PinocchioModel(read_urdf(clean), GRAVITY).torque(q, qd, qdd)
    with Bullet(robot, GRAVITY) as engine:
        _, tau = engine.hybrid_dynamics(q, qd, qdd, np.ones(n, dtype=bool), np.zeros_like(q))
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-10)  # [N·m, N]


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED)
@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_a_repaired_robot_runs_and_passes(text, method):
    recording = judge_recording(run(scenario(text), method=method))
    assert {check.name for check in recording.run.checks if not check.ok} <= {
        "upper position limit"
    }


def test_repairs_are_told_in_description_terminal_and_page(tmp_path):
    recording = judge_recording(run(scenario(REPAIRED["a tensor beyond flat"]), method="ideal"))
    recording.write(tmp_path)
    (kept,) = Recording.read(tmp_path).run.robot.repairs
    assert (kept.part, kept.joints) == ("link 'fore'", ("shoulder", "elbow"))
    assert f"repaired {kept.text}" in told(recording)
    assert repair_rows(recording.run.robot) == [
        (kept.part, kept.says, kept.taken, "shoulder, elbow", kept.why)
    ]


def test_a_robot_without_repairs_has_nothing_of_them_in_its_description():
    recording = run(scenario(urdf(*ARM, FORE)), method="ideal")
    assert b"repairs" not in msgspec.json.encode(recording.run.robot)
    assert "repaired" not in told(judge_recording(recording))


@pytest.mark.parametrize("change", ["left out", "invented", "other joints"])
def test_a_repair_that_is_told_otherwise_than_it_was_made_fails_the_run(change):
    text = urdf(*ARM, FORE) if change == "invented" else REPAIRED["a tensor beyond flat"]
    recording = run(scenario(text), method="ideal")
    real = run(scenario(REPAIRED["a tensor beyond flat"]), method="ideal").run.robot.repairs
    lie = {
        "left out": (),
        "invented": real,
        "other joints": (msgspec.structs.replace(real[0], joints=()),),
    }[change]
    lied = recording.with_description(
        robot=msgspec.structs.replace(recording.run.robot, repairs=lie)
    )
    assert "robot" in {one.check.name for one in judge(lied) if not one.check.ok}


POINT = link("fore", 1.0)  # a point mass on the axis of the elbow


def on_axis():
    return urdf(ARM[0], ARM[1], ARM[2].replace('"0 1 0"', '"0 0 1"'), POINT)


def test_a_driven_joint_that_moves_nothing_is_named_with_what_to_give():
    with pytest.raises(ScenarioError, match=r"'elbow' is driven .* give link 'fore' inertia, such"):
        run(scenario(on_axis()), method="stepped")


def test_a_joint_whose_limits_were_repaired_is_named_no_less():
    """Only a joint that moves no mass at all gets some of the engine."""
    text = on_axis().replace(
        '<child link="fore"/>', '<child link="fore"/><axis xyz="0 0 1"/><axis xyz="0 0 1"/>', 1
    )
    kinds = {repair.kind for repair in read_urdf(text).repairs if "elbow" in repair.part}
    assert kinds == {"repeated"}
    with pytest.raises(ScenarioError, match="'elbow' is driven"):
        run(scenario(text), method="stepped")


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_a_joint_that_would_move_less_than_nothing_is_refused(method):
    """Products that are too large for the moments: about the diagonal the moment is -0.1 kg m2."""
    fore = link("fore", 1.0, "0 0 0", "0.1 0.1 0.2").replace('ixy="0"', 'ixy="-0.2"')
    assert 'ixy="-0.2"' in fore
    axis = f"{np.sqrt(0.5)} {np.sqrt(0.5)} 0"
    elbow = joint("elbow", "continuous", "upper", "fore", axis)
    text = urdf(ARM[0], ARM[1], elbow, fore)
    assert [repair.kind for repair in read_urdf(text).repairs] == ["impossible body"]
    with pytest.raises(ScenarioError, match="'elbow' has a negative effective inertia"):
        run(scenario(text), method=method)


@pytest.mark.parametrize("method", ["stepped", "ideal", "adaptive"])
def test_a_link_with_a_moment_below_zero_is_refused_though_its_joint_carries_more(method):
    """Principal moments -0.48, 0.6 and 1.48 kg m2; the joint itself moves 2 kg m2 and more."""
    fore = link("fore", 10.0, "1 0 1", "0.5 0.5 0.6").replace('ixy="0"', 'ixy="0.98"')
    text = urdf(*ARM, fore)
    assert [repair.kind for repair in read_urdf(text).repairs] == ["impossible body"]
    with pytest.raises(
        ScenarioError, match=r"Link 'fore' .* \(-0\.48, 0\.6, 1\.48\) kg·m², one of them"
    ):
        run(scenario(text), method=method)


def test_of_the_present_state_alone_it_needs_no_torque():
    recording = run(scenario(on_axis()), method="ideal")
    np.testing.assert_allclose(recording.recorded["tau.elbow"], 0, atol=1e-12)  # [N·m]


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_two_joints_on_one_line_with_a_point_between_are_named(method):
    fore = joint("elbow", "continuous", "upper", "fore", "1 0 0")  # on the shoulder's own axis
    text = urdf(link("upper", 1e-14), ARM[1], fore, link("fore", 1.0, "0 0 1"))
    with pytest.raises(ScenarioError, match=r"is driven and can move .* start from another pose"):
        run(scenario(text), method=method)


def test_a_robot_of_frames_is_refused_by_a_run_not_by_its_reader():
    text = urdf('<link name="upper"/><link name="fore"/>', *ARM[1:])
    assert len(read_urdf(text).repairs) == 2
    with pytest.raises(ScenarioError, match=r"No link of robot 'arm' that moves has mass"):
        run(scenario(text))


def test_a_robot_of_more_links_than_pybullet_holds_runs_with_its_frames_welded():
    """Frames weigh nothing: the torques are those of the arm without them."""
    extra = "".join(f'<link name="f{k}"/>' + weld(f"w{k}", "fore", f"f{k}") for k in range(126))
    alone, welded = (run(scenario(urdf(*ARM, FORE, more)), method="ideal") for more in ("", extra))
    assert all(one.ok for one in check(welded))
    for name in ("tau.shoulder", "tau.elbow"):
        a, b = (each.recorded[name].to_numpy() for each in (alone, welded))
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-10 * np.abs(a).max())
