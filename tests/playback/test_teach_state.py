from dataclasses import replace

import numpy as np
import pytest

from sim.errors import ModelError, ScenarioError
from sim.kinematics import chain_length, frame_pose
from sim.kinematics.dh import forward
from sim.kinematics.inverse import inverse_kinematics
from sim.playback.teach_state import NEAR_SINGULAR, outside_limits, reach_of, teach_state
from sim.robots import load_robot, read_urdf, shipped_robots
from tests.helpers.small_robots import lift, robot

RANDOM = np.random.default_rng(11)
ROUNDING = 1e-12


def inside(plant, count=5):
    ends = np.array([(j.limits.lower, j.limits.upper) for j in plant.independent_joints])
    ends = np.clip(ends, -np.pi, np.pi)
    return RANDOM.uniform(ends[:, 0], ends[:, 1], (count, len(ends)))


def screwed(reach, bend):
    """A 2R arm of two links of `reach` / 2 with its joints at z; the tip is its tool."""
    half = reach / 2
    body = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        "</inertial>"
    )
    joint = (
        '<joint name="{n}" type="continuous"><parent link="{p}"/><child link="{c}"/>'
        '<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
    )
    plant = read_urdf(
        '<robot name="rr"><link name="o"/>'
        f'<link name="a">{body}</link><link name="b">{body}</link><link name="tip"/>'
        + joint.format(n="one", p="o", c="a", x=0)
        + joint.format(n="two", p="a", c="b", x=half)
        + f'<joint name="end" type="fixed"><parent link="b"/><child link="tip"/>'
        f'<origin xyz="{half} 0 0"/></joint></robot>'
    )
    return teach_state(plant, [0.3, bend])


def scipy_rpy(T):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(T[:3, :3]).as_euler("xyz")


@pytest.mark.parametrize("name", [n for n in shipped_robots() if n != "irb460_paper"])
def test_pose_angles_and_branch_are_those_of_the_position(name):
    plant = load_robot(name)
    for q in inside(plant):
        state = teach_state(plant, q)
        np.testing.assert_allclose(state.T_0e, frame_pose(plant, q[:, None])[:, :, 0], atol=0)
        np.testing.assert_allclose(state.rpy, scipy_rpy(state.T_0e), atol=1e-9)
        found = inverse_kinematics(plant, state.T_0e, near=q).solutions
        there = [s.branch for s in found if np.abs(np.sin((s.q - q) / 2)).max() < 1e-7]
        assert state.branch in there


def test_a_robot_with_passive_joints_has_a_pose_and_no_branch():
    plant = load_robot("irb460_paper")
    state = teach_state(plant, plant.pose("paper"))
    np.testing.assert_allclose(state.T_0e[:3, 3], [1.1869, 2.0558, 0.3385], atol=5e-5)  # printed
    assert state.branch is None


@pytest.mark.parametrize("name", [n for n in shipped_robots() if load_robot(n).card.dh])
def test_the_product_of_the_rows_is_the_pose_of_the_tool(name):
    plant = load_robot(name)
    for q in inside(plant):
        state = teach_state(plant, q)
        product = forward(state.dh, np.zeros((state.dh.n, 1)))[:, :, 0]
        np.testing.assert_allclose(product, state.T_0e, atol=1e-9)  # the card's printed digits


def test_a_robot_without_a_card_has_no_rows_and_one_without_a_family_no_branch():
    state = screwed(1.0, 0.5)
    assert state.dh is None
    assert state.branch is None


@pytest.mark.parametrize("bend", [0.0, np.pi, 0.03, 0.9])
def test_the_singular_value_of_a_planar_arm_is_that_of_its_jacobian_by_hand(bend):
    a, b = 0.3, 0.3 + bend  # angles of the two links of 0.5 each; lengths count in reaches of 1
    J = (
        np.array(
            [
                [-np.sin(a) - np.sin(b), -np.sin(b)],
                [np.cos(a) + np.cos(b), np.cos(b)],
                [2.0, 2.0],
            ]
        )
        / 2
    )
    expected = np.sqrt(np.linalg.eigvalsh(J.T @ J)[0])
    state = screwed(1.0, bend)
    assert state.sigma == pytest.approx(expected, abs=ROUNDING)


def test_the_measure_does_not_depend_on_the_size_of_the_arm():
    assert screwed(1.0, 0.7).sigma == pytest.approx(screwed(25.0, 0.7).sigma, rel=1e-9)


def test_an_upright_ur10_is_singular_and_a_bent_one_is_not():
    plant = load_robot("ur10")
    assert teach_state(plant, plant.pose("upright")).is_near_singular
    bent = teach_state(plant, np.radians([0, -60, 90, -120, -90, 0]))
    assert not bent.is_near_singular
    assert bent.sigma > NEAR_SINGULAR


def test_what_is_lost_at_a_wrist_singularity_is_a_turn_about_the_axis_across_the_wrist():
    plant = load_robot("kr210")
    state = teach_state(plant, np.radians([0, 40, -60, 0, 0, 0]))
    assert state.is_near_singular
    # Axes 4 and 6 coincide; then no joint turns the hand about the axis across them and axis 5.
    axis_5 = np.array([0.0, 1.0, 0.0])
    along = state.T_0e[:3, 2]
    across = np.cross(axis_5, along)
    lost = state.lost[3:] / np.linalg.norm(state.lost[3:])
    assert abs(lost @ across) > 0.99


def test_the_lost_motion_is_the_one_that_needs_most():
    """|J qd| over all |qd| = 1 is smallest along the lost direction (definition, by sampling)."""
    from sim.kinematics import jacobian

    plant = load_robot("ur10")
    q = np.radians([10, -70, 100, -60, -80, 20])
    state = teach_state(plant, q)
    J = jacobian(plant, q[:, None])[:, :, 0]
    J[:3] /= chain_length(plant)
    rates = np.linalg.solve(J, state.lost)
    assert np.linalg.norm(rates) == pytest.approx(1 / state.sigma, rel=1e-9)
    others = RANDOM.standard_normal((6, 2000))
    others /= np.linalg.norm(others, axis=0)
    assert np.linalg.norm(np.linalg.solve(J, others), axis=0).max() <= 1 / state.sigma


def test_limits_are_told_by_joint_in_degrees_or_millimetres():
    plant = load_robot("ur10")
    assert outside_limits(plant, np.full(6, 2 * np.pi)) == ()
    over = outside_limits(plant, np.array([0, 7.0, 0, 0, 0, -6.5]))
    assert over == (
        "shoulder_lift_joint is at 401.1 deg, allowed -360.0 to 360.0",
        "wrist_3_joint is at -372.4 deg, allowed -360.0 to 360.0",
    )
    assert outside_limits(lift(1.0), np.array([100.5])) == (
        "slide is at 100500.0 mm, allowed -100000.0 to 100000.0",
    )


def test_the_card_says_the_reach_or_else_the_length_does():
    assert reach_of(load_robot("ur10")) == 1.3
    assert reach_of(replace(load_robot("ur10"), card=None)) > 1.3


@pytest.mark.parametrize("q", [[0.0], [0.0] * 7, [0, 0, 0, 0, 0, np.nan], [[0.0] * 6]])
def test_a_position_must_be_one_finite_number_a_joint(q):
    with pytest.raises(ScenarioError, match=r"needs one finite number .*shoulder_pan_joint"):
        teach_state(load_robot("ur10"), q)


def test_a_robot_that_cannot_move_says_so():
    with pytest.raises(ScenarioError, match="it has none that moves"):
        teach_state(robot(), [])


def test_a_robot_without_a_tool_says_which_frames_there_are():
    plant = replace(load_robot("ur10"), tool=None)
    with pytest.raises(ModelError, match="has no tool frame: its links are base_link, "):
        teach_state(plant, np.zeros(6))
