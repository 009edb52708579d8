from dataclasses import replace

import numpy as np
import pytest

from sim.playback.teach_state import joint_line, lines_of, teach_state
from sim.robots import load_robot
from tests.helpers.small_robots import lift


@pytest.fixture(scope="module")
def arm():
    return load_robot("weld5")


def test_the_lines_carry_the_numbers_of_paper_004_s_pose(arm):
    """Paper 004, table 1: at zero, x = a1 + a2 + a3 and |z| = d5."""
    state = teach_state(arm, np.zeros(5))
    lines = lines_of(arm, state)
    x, y, z = 0.085 + 0.56 + 0.63, 0.0, -0.24
    np.testing.assert_allclose(np.abs(state.T_0e[:3, 3]), np.abs([x, y, z]), atol=1e-9)
    assert lines["tool"].text.startswith(f"tool0:  x {x:+.4f}   y +0.0000   z ")
    assert lines["dh2"].text.split() == ["2", "+000.00", "+0.0000", "+0.5600", "+000.00"]
    assert lines["dh5"].text.split() == ["5", "+000.00", "+0.2400", "+0.0000", "+000.00"]


def test_a_joint_variable_shows_in_its_row_and_in_no_other(arm):
    before = lines_of(arm, teach_state(arm, np.zeros(5)))
    after = lines_of(arm, teach_state(arm, np.radians([0, 0, 12.5, 0, 0])))
    changed = [key for key in before if key.startswith("dh") and before[key] != after[key]]
    assert changed == ["dh3"]
    assert "+012.50" in after["dh3"].text


def test_a_singular_position_is_a_warning_that_names_the_motion(arm):
    line = lines_of(arm, teach_state(arm, arm.pose("home")))["singular"]
    assert line.tone == "warning"
    assert line.text.startswith("NEAR SINGULAR (0.0000): the tool can hardly move along (")
    good = lines_of(arm, teach_state(arm, np.radians([0, -60, 80, -20, 0])))["singular"]
    assert good.tone == "good"


def test_limits_are_a_warning_with_the_first_joint_and_the_number_of_others(arm):
    state = teach_state(arm, np.radians([300, 0, 300, 0, 0]))
    line = lines_of(arm, state)["limits"]
    assert line.tone == "warning"
    assert line.text == (
        "OUTSIDE LIMITS: joint_1 is at 300.0 deg, allowed -170.0 to 170.0 (and 1 more)"
    )


def test_lines_keep_their_names_while_the_robot_moves(arm):
    keys = {tuple(lines_of(arm, teach_state(arm, q))) for q in np.eye(5)}
    assert len(keys) == 1


def test_no_number_is_a_negative_zero(arm):
    state = teach_state(arm, np.full(5, -1e-9))
    texts = " ".join(line.text for line in lines_of(arm, state).values())
    assert "-0.00 " not in texts
    assert "-0.0000" not in texts


def test_a_robot_without_card_has_fewer_lines():
    arm = replace(load_robot("ur10"), card=None)
    lines = lines_of(arm, teach_state(arm, np.zeros(6)))
    assert "dh" not in lines
    assert lines["branch"].text.startswith("branch: shoulder ")


def test_joints_are_told_in_degrees_and_millimetres():
    assert joint_line(lift(1.0), [0.1234]) == "slide +123.40 mm"
    assert joint_line(load_robot("weld5"), np.radians([90, 0, 0, 0, -1.5])).startswith(
        "joint_1 +90.00 deg   joint_2 +0.00 deg"
    )
