import json
import re

import numpy as np
import pytest

from sim.robots import load_robot
from sim.vibration import modes

SCENARIO = '''
"""A lift that takes up a load."""
import sim
from pathlib import Path
ROBOT = Path(__file__).with_name("lift.urdf")
def scenario() -> sim.Scenario:
    """A lift."""
    drive = sim.JointMotion.displacement({"slide": "0.1*time"})
    load = sim.PickUp(0.1, sim.Payload(2.0))
    return sim.Scenario(sim.load_robot(ROBOT), drive, duration=0.2, events=(load,))
'''


@pytest.fixture
def lift_run(sim_command, tmp_path):
    from tests.helpers.small_robots import lift

    (tmp_path / "lift.urdf").write_text(lift(3.0).text)
    (tmp_path / "lift.py").write_text(SCENARIO)
    assert sim_command("run", "lift.py", "--no-report", "--out", "run").status == 0
    return "run"


def test_a_robot_in_a_pose_with_an_engine_beside_it(sim_command):
    done = sim_command(
        "modes", "ur10", "--stiffness", "2e5", "wrist*=5e4", "--damping", "30", columns=80
    )
    assert (done.status, done.err) == (0, "")
    stiff = {name: 5e4 if "wrist" in name else 2e5 for name in load_robot("ur10").joint_names}
    found = modes(load_robot("ur10"), np.zeros(6), stiff, 30.0)
    assert f"1      {found.modes[0].frequency:.4g} Hz" in done.out
    assert "assumed  drives with 200000 N·m/rad, 30 N·m·s/rad in shoulder_pan_joint" in done.out
    assert "accelerations, differentiated, differ by " in done.out
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 80


def test_json_has_modes_load_and_second_answer(sim_command):
    done = sim_command(
        "modes", "irb460", "--stiffness", "crank_joint=1e6", "--load", "100", "--json"
    )
    document = json.loads(done.out)
    assert set(document["modes"][0]["shape"]) == {"crank_joint"}
    assert document["rigid"] == ["swing_joint", "lower_arm_joint", "flange_joint"]
    assert document["load"]["sag"][2] < 0
    assert document["load"]["settling_time"] is None  # never: nothing damps it
    assert document["second"]["apart"] < 1e-9


def test_a_run_has_its_load_from_when_it_is_there(sim_command, lift_run, tmp_path):
    done = sim_command("modes", lift_run, "--stiffness", "800", "--json", "--out", "f.csv")
    assert (done.status, done.err) == (0, "")
    light, heavy = (np.sqrt(800 / m) / (2 * np.pi) for m in (3.0, 5.0))
    t, frequency = (np.array(done.document["run"][key]) for key in ("t", "frequency"))
    wanted = np.where(t < 0.1 - 1e-9, light, heavy)
    np.testing.assert_allclose(frequency, [wanted], rtol=1e-12)
    assert done.document["second"]["apart"] < 1e-9
    rows = (tmp_path / "f.csv").read_text().splitlines()
    assert rows[0] == '"t [s]","mode 1 [Hz]"'
    assert len(rows) == t.size + 1
    before = sim_command("modes", lift_run, "--stiffness", "800", "--at", "0.05", "--load", "1")
    assert "lift" not in before.err and f"{light:.4g} Hz" in before.out
    assert before.status == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ur10",), "No joint of robot 'ur10' gives way"),
        (("ur10", "--stiffness", "knee=1"), "robot 'ur10' has no such joint; joints: shoulder_pan"),
        (("ur10", "--stiffness", "elbow_joint=much"), "'much' is no number"),
        (("ur10", "--stiffness", "-1"), "not negative; got -1.0"),
        (("ur10", "--stiffness", "1e5", "--at", "3"), "--at is for a run"),
        (("ur10", "--stiffness", "1e5", "--pose", "up"), "Pose 'up' is not in robot 'ur10'"),
        (("ur10", "--stiffness", "1e5", "--load", "-3"), "positive number [kg]; got -3.0"),
        (("nothing", "--stiffness", "1e5"), "There is no run 'nothing'"),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(sim_command, arguments, says):
    done = sim_command("modes", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_a_time_outside_of_the_run_is_refused(sim_command, lift_run):
    done = sim_command("modes", lift_run, "--stiffness", "800", "--at", "9")
    assert done.status == 2
    assert "The run is from 0 to 0.2 s; got 9 s" in done.err


def test_an_engine_with_another_answer_is_status_1(sim_command):
    done = sim_command("modes", "ur10", "--stiffness", "2e5", "--damping", "1e300", "--json")
    assert done.status == 1
    assert done.document["second"]["apart"] is None  # no number


def test_without_an_engine_it_says_that_there_is_no_second_answer(sim_command, monkeypatch):
    monkeypatch.setattr("sim.cli.modes_command.installed_engines", tuple)
    done = sim_command("modes", "ur10", "--stiffness", "2e5")
    assert (done.status, done.err) == (0, "")
    assert "engine   none is installed: no second answer\n" in done.out


def test_what_rounding_leaves_is_no_damping(sim_command):
    done = sim_command("modes", "ur10", "--stiffness", "2e5")
    assert len(re.findall(r" Hz +0 %  ", done.out)) == 6
    assert "e-" not in done.out.split("assumed")[0]
