import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sim.identification import summary
from sim.recording import Recording
from sim.robots import load_robot
from tests.helpers.robot_logs import clean_log, columns_of, csv_text, noisy

UR10 = load_robot("ur10")


@pytest.fixture(scope="module")
def log():
    return noisy(clean_log(UR10, rate=50.0), 0.3)


@pytest.fixture
def log_file(log, tmp_path):
    (tmp_path / "log.csv").write_text(csv_text(columns_of(log)))
    return "log.csv"


def test_json_has_what_is_promised_and_no_number_that_is_not_told(sim_command, log_file):
    done = sim_command("identify", log_file, "--robot", "ur10", "--json", "--page")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert set(found) == {"urdf", "friction", "parameters"}
    assert set(found["friction"]) == set(UR10.joint_names)
    assert all(set(law) == {"coulomb", "viscous", "offset"} for law in found["friction"].values())
    for parameter in found["parameters"]:
        assert set(parameter) == {"name", "value", "interval", "told"}
        assert (parameter["value"] is None) == (not parameter["told"])
    robot = load_robot(found["urdf"])
    elbow = robot.joint("elbow_joint")
    assert elbow.friction == pytest.approx(found["friction"]["elbow_joint"]["coulomb"], rel=1e-9)
    page = Path(found["urdf"]).with_name("identification.html").read_text(encoding="utf-8")
    assert "Friction and inertias of ur10" in page
    assert len(re.findall(r"<td[^>]*>[^<]* %</td>", page.split('id="cutoffs"')[1])) >= 5 * 6
    assert "http" not in page.replace("http-equiv", "")


def test_the_summary_fits_a_terminal(sim_command, log_file):
    done = sim_command("identify", log_file, "--robot", "ur10", "--out", "o.urdf", columns=80)
    assert done.status == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "shoulder_pan" in done.out
    assert done.out.splitlines()[-2:] == ["written  o.urdf", "written  o.toml"]
    assert "written by sim" in Path("o.urdf").read_text(encoding="utf-8")


def test_friction_with_many_digits_fits_a_terminal(monkeypatch):
    cells = ["11.995 ± 0.034", "3.0006 ± 0.0071", "-0.0027 ± 0.0074"]
    monkeypatch.setattr(summary, "friction_cells", lambda identification, joint: cells)
    score = SimpleNamespace(joint="shoulder_lift_joint", seen=0.003, unseen=0.003, sliding=0.002)
    lines = summary._joint_table(SimpleNamespace(scores=[score])).lines(80)
    assert max(len(line.plain) for line in lines) <= 80
    assert "0.3 %" in lines[-3].plain


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: {k: v for k, v in c.items() if "tau" not in k}, "no torque of shoulder_pan"),
        (lambda c: {k: v[:40] for k, v in c.items()}, "40 samples"),
        (lambda c: {k: v[::-1] for k, v in c.items()}, "times must ascend"),
        (
            lambda c: {k: np.degrees(v) if k[:2] == "q." else v for k, v in c.items()},
            "is in degrees",
        ),
    ],
)
def test_bad_logs_are_one_line_and_write_nothing(sim_command, log, tmp_path, change, says):
    (tmp_path / "bad.csv").write_text(csv_text(change(columns_of(log))))
    done = sim_command("identify", "bad.csv", "--robot", "ur10", "--out", "o.urdf")
    assert done.status == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert not Path("o.urdf").exists()


@pytest.mark.parametrize("word", ["elbow=x", "finger=3", "0"])
def test_gains_that_are_none_are_refused(sim_command, log_file, word):
    done = sim_command("identify", log_file, "--robot", "ur10", "--gain", word)
    assert done.status == 2
    assert f"--gain {word}" in done.err


def test_the_card_beside_the_urdf_has_source_intervals_and_offsets_and_a_run_has_them(
    sim_command, log_file
):
    done = sim_command("identify", log_file, "--robot", "ur10", "--out", "arm.toml")
    assert (done.status, done.err) == (0, "")
    arm = load_robot("arm.urdf")
    assert (arm.tool, arm.pose("home").shape) == ("tool0", (6,))
    for name in ("friction_offset", "urdf.identified_coulomb", "urdf.identified_inertias"):
        group = arm.card.groups()[name]
        assert (group.status, group.source) == ("identified", ("LOG",))
    assert "log.csv: 1000 samples" in arm.card.sources["LOG"]
    note = arm.card.urdf["identified_coulomb"].note
    elbow, half = map(float, re.search(r"elbow_joint\.coulomb (\S+) ± (\S+)", note).groups())
    assert abs(elbow - 2.0) < 2 * half < 0.2  # N·m: four deviations
    offset = arm.card.friction_offset.values[0]
    assert offset == pytest.approx(0.5, abs=0.2)  # N·m, FRICTION of the helper
    Path("still.py").write_text(
        "import sim\n\n\ndef scenario():\n"
        '    """Hold still."""\n'
        '    arm = sim.load_robot("arm.urdf")\n'
        "    motion = sim.JointMotion.displacement({}, q0=arm.pose('home'))\n"
        "    return sim.Scenario(arm, motion, duration=0.02)\n"
    )
    done = sim_command("run", "still.py", "--no-report", "--out", "still")
    assert done.status == 0, done.err
    recording = Recording.read("still")
    pan = recording.recorded["tau.shoulder_pan_joint"].to_numpy()
    np.testing.assert_allclose(pan, offset, atol=1e-6)  # its axis is along gravity
    again = sim_command("identify", log_file, "--robot", "arm.urdf", "--payload", "--out", "b.urdf")
    assert again.status == 0, again.err
    card = load_robot("b.urdf").card
    assert card.friction_offset.source == ("LOG2",)
    assert {"LOG", "LOG2"} <= set(card.sources)


def test_a_part_of_the_log_is_read_from_one_time_to_another(sim_command, log_file):
    words = ("identify", log_file, "--robot", "ur10", "--out", "o.urdf")
    done = sim_command(*words, "--from", "2", "--to", "17.5")
    assert done.status == 0, done.err
    assert "776 samples in 15.5 s" in done.out
    done = sim_command(*words, "--from", "25")
    assert done.status == 2
    assert "no samples from 25 to inf s; it lasts from 0 to 19.98 s" in done.err


def test_a_mounting_is_stated_in_words_or_numbers_and_held_against_the_log(sim_command, log_file):
    words = ("identify", log_file, "--robot", "ur10", "--out", "o.urdf", "--mount")
    done = sim_command(*words, "ceiling")
    assert done.status == 2
    assert "gravity is (0, 0, 1) in the base's frame, ceiling" in done.err
    assert "show (0, 0, -1) in the base's frame, floor" in done.err
    assert not Path("o.urdf").exists()
    done = sim_command(*words, "0 0 1 0 0 0.5")
    assert done.status == 0, done.err
    assert "floor, as stated" in done.out
    assert sim_command(*words, "0 0 1").status == 2


def test_the_first_line_names_what_was_done_to_the_log(sim_command, log, tmp_path):
    columns = columns_of(log)
    wrapped = {name: np.mod(row, 2 * np.pi) for name, row in columns.items() if name[:2] == "q."}
    (tmp_path / "wrapped.csv").write_text(csv_text(columns | wrapped))
    done = sim_command("identify", "wrapped.csv", "--robot", "ur10", "--out", "o.urdf")
    assert done.status == 0, done.err
    assert "no gap, wrapped angles unwrapped" in " ".join(done.out.split("filter")[0].split())
