import argparse

import numpy as np

from sim.cli.teach_command import teach_robot
from sim.playback.teach_state import teach_state
from sim.robots import load_robot
from tests.cli.command_runs import assert_refused_without_display


def test_the_last_taught_position_is_printed(monkeypatch, capsys):
    arm = load_robot("ur10")
    monkeypatch.delenv("COLUMNS", raising=False)
    state = teach_state(arm, np.radians([0, -90, 45, 0, 0, 0]))
    asked = []
    monkeypatch.setattr(
        "sim.playback.teach", lambda robot, **how: asked.append((robot.name, how)) or state
    )
    taught = argparse.Namespace(robot="ur10", tool=None, pose="upright")
    assert teach_robot(taught) == 0
    ((name, how),) = asked
    assert name == "ur10"
    np.testing.assert_array_equal(how["start"], arm.pose("upright"))
    out = capsys.readouterr().out
    assert "elbow_joint +45.00 deg" in out
    assert "tool0:  x" in out
    assert "NEAR SINGULAR" in out
    assert "+045.00" in out


def test_without_a_display_one_line_says_so(tmp_path):
    assert_refused_without_display("teach", "ur10", cwd=tmp_path)
