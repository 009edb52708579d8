import argparse

import numpy as np
import pytest

from sim.cli.teach_command import teach_robot
from sim.errors import ModelError
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
    taught = argparse.Namespace(robot="ur10", tool=None, pose="upright", strict=False)
    assert teach_robot(taught) == 0
    ((name, how),) = asked
    assert name == "ur10"
    np.testing.assert_array_equal(how["start"], arm.pose("upright"))
    out = capsys.readouterr().out
    assert "elbow_joint +45.00 deg" in out
    assert "tool0:  x" in out
    assert "NEAR SINGULAR" in out
    assert "+045.00" in out


def test_repairs_are_said_and_refused_where_strictness_is_asked_for(tmp_path, monkeypatch, capsys):
    path = tmp_path / "arm.urdf"
    path.write_text(load_robot("ur10").text.replace(' name="ur10"', ""))
    monkeypatch.setattr("sim.playback.teach", lambda robot, **how: None)
    taught = argparse.Namespace(robot=path, tool=None, pose=None, strict=False)
    assert teach_robot(taught) == 0
    assert "sim: repaired robot: <robot> needs the attribute 'name'" in capsys.readouterr().err
    taught.strict = True
    with pytest.raises(ModelError, match="needs the attribute 'name'"):
        teach_robot(taught)


def test_without_a_display_one_line_says_so(tmp_path):
    assert_refused_without_display("teach", "ur10", cwd=tmp_path)
