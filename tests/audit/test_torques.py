"""The table of torques beside numbers of Pinocchio, and beside a program that is wrong."""

import numpy as np
import pytest
from msgspec.structs import replace

from sim import shipped
from sim.audit import torques as module
from sim.audit.other_programs import pinocchio_torque
from sim.audit.states import states_of
from sim.audit.torques import SAME, disagreements, torques_of
from sim.dynamics import GRAVITY, newton_euler
from sim.errors import EngineError
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf

CLOSE = 1e-9  # of the largest torque: rounding of five programs, PyBullet's the largest


PROGRAMS = ("Lagrange", "Newton–Euler", "PyBullet", "Pinocchio", "MuJoCo", "MuJoCo engine")


@pytest.fixture(scope="module")
def ur10():
    robot = load_robot("ur10")
    return robot, torques_of(robot, states_of(robot))


def test_all_programs_are_asked_and_agree_with_pinocchio(ur10):
    robot, torques = ur10
    states = torques.states
    oracle = PinocchioModel(robot, GRAVITY).torque(states.q, states.qd, states.qdd)
    assert tuple(torques.by) == PROGRAMS
    for name, tau in torques.by.items():
        np.testing.assert_allclose(
            tau, oracle, rtol=0, atol=CLOSE * np.abs(oracle).max(), err_msg=name
        )
    assert torques.absent == {}
    assert list(disagreements(torques)) == []
    assert [torques.outlier(k) for k in range(6)] == [None] * 6


def test_states_are_the_same_each_time_and_within_limits(ur10):
    robot, torques = ur10
    again = states_of(robot)
    np.testing.assert_array_equal(again.q, torques.states.q)
    for joint, q in zip(robot.independent_joints, again.q, strict=True):
        assert joint.limits.lower <= q.min()
        assert q.max() <= joint.limits.upper
        assert np.ptp(q) > 1  # and they are no single pose [rad]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_trees_with_sliding_and_endless_joints_agree(seed):
    robot = read_urdf(random_urdf(np.random.default_rng(seed), 6))
    torques = torques_of(robot, states_of(robot))
    assert torques.disagreement().max() < SAME


def test_an_endless_joint_has_the_same_torque_in_pinocchio():
    """Pinocchio keeps cosine and sine of it, not the angle."""
    text = load_robot("ur10").text.replace('type="revolute"', 'type="continuous"')
    robot = read_urdf(text)
    states = states_of(robot)
    own = newton_euler.inverse_dynamics(robot, states.q, states.qd, states.qdd)
    np.testing.assert_allclose(pinocchio_torque(robot, states), own, rtol=0, atol=1e-9)  # N·m


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_one_that_is_wrong_is_named_with_joint_and_size(name, ur10):
    _, torques = ur10
    wrong = torques.by[name].copy()
    wrong[2] *= 1.01
    found = replace(torques, by={**torques.by, name: wrong})
    (one,) = disagreements(found)
    assert (one.code, one.link_or_joint) == ("torques-differ", "elbow_joint")
    assert one.severity == ("note" if name in ("Pinocchio", "MuJoCo") else "error")
    assert f"{name} is the outlier" in one.text
    # at the peak itself one hundredth of it is apart
    assert found.disagreement()[2] == pytest.approx(0.01, rel=1e-6)
    assert found.outlier(2) == name


def test_digits_that_an_engine_loses_are_no_fault_of_the_file(ur10):
    """As PyBullet does where bodies are points; the model's own two ways lose none."""
    _, torques = ur10
    for name, severity in (("PyBullet", "note"), ("Lagrange", "error")):
        wrong = torques.by[name] * np.array([[1], [1], [1 + 2e-5], [1], [1], [1]])
        (one,) = disagreements(replace(torques, by={**torques.by, name: wrong}))
        assert (one.severity, one.link_or_joint) == (severity, "elbow_joint")


def test_two_against_two_have_no_outlier(ur10):
    _, torques = ur10
    four = dict(list(torques.by.items())[:4])
    for name in ("PyBullet", "Pinocchio"):
        four[name] = four[name] * 1.1
    found = replace(torques, by=four)
    assert found.outlier(0) is None
    assert "no majority" in next(disagreements(found)).text


def test_three_that_differ_among_six_leave_no_majority(ur10):
    _, torques = ur10
    factors = (1.0, 1.0, 1.0, 1.1, 1.2, 1.3)
    by = {name: f * tau for f, (name, tau) in zip(factors, torques.by.items(), strict=True)}
    assert replace(torques, by=by).outlier(0) is None


def test_mujoco_leaves_no_log_in_the_folder_where_one_stands(tmp_path, monkeypatch):
    """It warns of equal limits, into a file of its own."""
    text = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    robot = read_urdf(text.replace('lower="-2.5" upper="2.5"', 'lower="1" upper="1"'))
    assert "MuJoCo" in torques_of(robot, states_of(robot)).by
    assert list(tmp_path.iterdir()) == []


def test_a_joint_without_load_is_no_disagreement():
    """An axis along gravity through the mass centre: its torque at rest is rounding only."""
    robot = load_robot("ur10")
    states = states_of(robot)
    still = replace(states, qd=0 * states.qd, qdd=0 * states.qdd)
    torques = torques_of(robot, still)
    assert torques.peaks[0] < 1e-9  # N·m: the pan axis stands upright
    assert list(disagreements(torques)) == []


def test_a_program_that_is_not_installed_is_said_and_no_finding(ur10, monkeypatch):
    robot, _ = ur10
    monkeypatch.setattr(module, "is_package_installed", lambda name: name != "mujoco")
    torques = torques_of(robot, states_of(robot))
    assert torques.absent == dict.fromkeys(("MuJoCo", "MuJoCo engine"), "not installed")
    assert "Pinocchio" in torques.by
    assert list(disagreements(torques)) == []


def test_a_program_that_refuses_the_robot_says_why():
    """MuJoCo takes no body without moments of inertia."""
    text = load_robot("ur10").text
    start = text.index('<inertia ixx="0.03408"')
    end = text.index("/>", start) + 2
    zero = " ".join(f'{key}="0"' for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    robot = read_urdf(f"{text[:start]}<inertia {zero}/>{text[end:]}")
    torques = torques_of(robot, states_of(robot))
    assert "MuJoCo" not in torques.by
    (one,) = disagreements(torques)
    assert (one.severity, one.code) == ("note", "program-refuses")
    assert "mjMINVAL" in one.text
    assert "MuJoCo engine" in torques.by  # which takes it, as the model and PyBullet do


@pytest.mark.parametrize(
    ("refused", "severity", "by"),
    [
        (["bullet"], "note", " by PyBullet"),
        (["mujoco"], "note", " by MuJoCo"),
        (["bullet", "mujoco"], "error", ""),
    ],
)
def test_a_robot_that_no_engine_takes_is_an_error(refused, severity, by, ur10, monkeypatch):
    """With another engine there are runs, and the file is none the worse for it."""
    robot, _ = ur10
    real = module.open_engine

    def refusing(name, *arguments):
        if name in refused:
            raise EngineError("MuJoCo read joint 'x' with another axis")
        return real(name, *arguments)

    monkeypatch.setattr(module, "open_engine", refusing)
    found = list(disagreements(torques_of(robot, states_of(robot))))
    assert len(found) == len(refused)
    for one in found:
        assert (one.severity, one.remedy) == (severity, f"no run{by} is possible")
        assert "another axis" in one.text


def test_what_pybullet_holds_is_what_the_file_says(ur10):
    _, torques = ur10
    held = torques.held[1].inertias["upper_arm_link"]
    assert held.mass == 12.7
    np.testing.assert_allclose(held.com, [-0.232, 0, 0.158], rtol=0, atol=1e-12)
