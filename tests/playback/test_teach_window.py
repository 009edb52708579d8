from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from sim.kinematics import frame_pose
from sim.kinematics.forward import frame_of
from sim.playback.teach_window import poses_of, slider_ends, teach_in, tool_carrier
from sim.robots import load_robot, read_urdf
from sim.shapes import look_of
from tests.helpers.small_robots import joint, lift, link, robot
from tests.playback.fake_window import FakeWindow


def taught(plant, turns, act=lambda window, turn: None, start=None):
    """Window and states after some turns of the loop."""
    window = FakeWindow(act)
    start = poses_of(plant)["zero"] if start is None else np.asarray(start, dtype=float)
    teaching = teach_in(window, plant, look_of(plant), start, window.sleep)
    return window, [next(teaching) for _ in range(turns)]


@pytest.fixture(scope="module")
def arm():
    return load_robot("ur10")


def test_there_is_a_slider_for_each_joint_in_degrees_between_its_limits(arm):
    window, _ = taught(arm, 1, start=np.radians([10, -20, 30, 0, 0, 0]))
    sliders = [control for control in window.controls.values() if "[deg]" in control[0]]
    assert [label for label, *_ in sliders] == [f"{name} [deg]" for name in arm.joint_names]
    np.testing.assert_allclose([ends[1:3] for ends in sliders], [[-360, 360]] * 6, atol=1e-9)
    np.testing.assert_allclose([x[3] for x in sliders], [10, -20, 30, 0, 0, 0], atol=1e-9)


def test_a_slide_is_in_millimetres(tmp_path):
    window, states = taught(
        lift(1.0), 3, lambda w, turn: w.set("slide [mm]", 250.0) if turn == 1 else None
    )
    assert ("slide [mm]", -100_000.0, 100_000.0, 0.0) in window.controls.values()
    np.testing.assert_allclose(window.poses[1], [0.25])
    assert states[1].q[0] == 0.25


def test_moving_a_slider_moves_the_robot_and_tells_the_new_state(arm):
    def act(window, turn):
        if turn == 2:
            window.set("elbow_joint [deg]", 45.0)

    window, states = taught(arm, 5, act)
    assert [state is not None for state in states] == [True, False, True, False, False]
    q = np.array([0, 0, np.pi / 4, 0, 0, 0])
    np.testing.assert_allclose(states[2].q, q, atol=1e-15)
    np.testing.assert_allclose(states[2].T_0e, frame_pose(arm, q[:, None])[:, :, 0], atol=1e-15)
    np.testing.assert_allclose(window.poses[1], q, atol=1e-15)
    assert window.labels["dh3"].text.split()[1] == "+045.00"


def test_a_pose_that_single_precision_cannot_hold_is_kept_until_its_slider_is_moved(arm):
    start = np.full(6, 0.1)
    _, states = taught(
        arm, 3, lambda w, turn: w.set("elbow_joint [deg]", 1.0) if turn == 1 else None, start
    )
    np.testing.assert_array_equal(states[0].q, start)
    changed = states[1].q != start
    np.testing.assert_array_equal(changed, [False, False, True, False, False, False])


def test_a_button_brings_each_named_pose_and_the_sliders_with_it(arm):
    def act(window, turn):
        if turn == 2:
            window.press("pose: upright")

    window, states = taught(arm, 5, act)
    np.testing.assert_array_equal(states[2].q, arm.pose("upright"))
    assert window.panels == 2
    shown = {label: start for label, _, _, start in window.controls.values()}
    np.testing.assert_allclose(shown["shoulder_lift_joint [deg]"], -90.0, atol=1e-9)
    assert {"pose: home", "pose: upright", "pose: zero"} <= set(shown)


def test_the_followers_of_a_coupled_robot_follow():
    plant = load_robot("irb460")
    S, q_0 = plant.coupling
    window, states = taught(
        plant, 3, lambda w, turn: w.set("crank_joint [deg]", 20.0) if turn == 1 else None
    )
    np.testing.assert_allclose(window.poses[1], S @ states[1].q + q_0, atol=1e-15)
    assert len(window.poses[1]) > len(states[1].q)


def test_a_joint_without_limits_turns_once_each_way():
    plant = robot(
        link("arm", 1.0),
        joint("hinge", "continuous", "ground", "arm", "0 0 1"),
    )
    low, high = slider_ends(plant)
    np.testing.assert_allclose((low, high), [[-2 * np.pi], [2 * np.pi]])


def test_the_zero_pose_stays_inside_the_limits():
    text = lift(1.0).text.replace('lower="-100"', 'lower="0.5"')
    plant = read_urdf(text)
    np.testing.assert_array_equal(poses_of(plant)["zero"], [0.5])


def test_axes_are_drawn_at_the_tool_on_the_link_that_carries_it(arm):
    window, _ = taught(arm, 1)
    ((carrier, T_lf, length),) = window.axes
    assert carrier == "wrist_3_link"  # tool0 has no shape
    assert length > 0
    body, T_bt = frame_of(arm)
    assert frame_of(arm, carrier)[0] == body
    np.testing.assert_allclose(frame_of(arm, carrier)[1] @ T_lf, T_bt, atol=1e-12)


def test_a_tool_at_the_end_of_several_fixed_joints_has_its_axes_at_its_place():
    origin = '<origin xyz="{}" rpy="{}"/>'
    plant = robot(
        link("arm", 1.0, "0.1 0 0"),
        '<link name="flange"/><link name="tip"/>',
        joint("hinge", "revolute", "ground", "arm", "0 0 1"),
        joint("a", "fixed", "arm", "flange", "0 0 1", origin.format("0.3 0 0", "0 0 1.2")),
        joint("b", "fixed", "flange", "tip", "0 0 1", origin.format("0 0.2 0", "0.7 0 0")),
    )
    look = look_of(plant)
    bare = structs.replace(look, shapes=tuple(s for s in look.shapes if s.link == "arm"))
    carrier, T_lt = tool_carrier(plant, bare)
    assert carrier == "arm"
    np.testing.assert_allclose(frame_of(plant, "arm")[1] @ T_lt, frame_of(plant)[1], atol=1e-12)


def test_a_tool_that_no_shape_carries_has_no_axes(arm):
    look = look_of(arm)
    bare = structs.replace(look, shapes=tuple(s for s in look.shapes if s.link == "base_link"))
    assert tool_carrier(arm, bare) is None
    assert tool_carrier(replace(arm, tool=None), look) is None


def test_all_lines_are_ascii_and_stay_in_the_window(arm):
    from sim.engines.bullet.view.window import BOTTOM, HEIGHT, TOP

    window, _ = taught(replace(arm, name="Рука"), 1)
    assert all(label.text.isascii() for label in window.labels.values())
    assert all(0 < label.y < HEIGHT - TOP - BOTTOM for label in window.labels.values())
    heights = sorted(label.y for label in window.labels.values())
    assert min(np.diff(heights)) >= 14  # pixels; no line over another
