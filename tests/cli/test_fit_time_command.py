import json

import numpy as np
import pytest

import sim
from sim import shipped


def test_what_binds_is_named_and_the_run_meets_it(sim_command):
    done = sim_command("fit-time", "two_link", "--run", "--payload", columns=80)
    assert (done.status, done.err) == (0, "")
    scenario, _ = sim.load_script("two_link").build({})
    found, more = sim.fit_time(scenario), sim.largest_payload(scenario)
    assert f"fit time {found.scale:.6g} times as fast, {found.duration:.6g} s" in done.out
    assert "limited by shoulder" in done.out
    assert f"payload  +{more.mass:.6g} kg at (0, 0, 0) m of tip" in done.out
    assert "shoulder at 1.000000 of its" in done.out
    assert done.out.count("maximum utilisation 100.0000 %") == 2
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 80


def test_json_has_scale_bounds_and_payload(sim_command):
    done = sim_command(
        "fit-time", "ur10_step", "--speed", "9", "--power", "elbow*=100", "wrist_1_joint=200",
        "--payload", "--com", "0", "0", "0.1", "--set", "payload=5", "--json",
    )  # fmt: skip
    assert done.status == 0
    document = json.loads(done.out)
    assert document["scale"] == min(row["scale"] for row in document["bounds"])
    assert {row["joint"]: row["what"] for row in document["bounds"]}["elbow_joint"] == "power"
    assert document["payload"]["com"] == [0.0, 0.0, 0.1]
    assert document["payload"]["bounds"][-1] == {"joint": "wrist_3_joint", "mass": None}


def test_a_motion_beyond_its_torques_at_rest_is_found_wanting(sim_command):
    done = sim_command("fit-time", "two_link", "--set", "load=4", columns=80)
    assert done.status == 1
    assert "at any speed, shoulder exceeds its rated torque at t = 0.582 s" in done.out


def test_the_least_time_is_written_as_a_table(sim_command, tmp_path):
    pytest.importorskip("toppra")
    done = sim_command("fit-time", "two_link", "--optimal", "--out", "fast.csv", columns=80)
    assert (done.status, done.err) == (0, "")
    assert "along the same path, rest to rest, with 3 stops" in done.out
    assert "jerk" in done.out
    head, *rows = (tmp_path / "fast.csv").read_text().splitlines()
    assert head.split(",")[:3] == ["t", "q.shoulder", "q.elbow"]
    table = np.array([list(map(float, row.split(","))) for row in rows])
    assert (np.diff(table[:, 0]) > 0).all()
    assert 29.9 < np.abs(table[:, -2]).max() <= 30.0 * (1 + 1e-9)  # tau.shoulder


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("adams_pendulum",), "joint 'hinge' is free"),
        (("irb460_motion",), "closes a loop"),
        (("irb460_pick",), "payload 'box'"),
        (("nowhere",), "There is no scenario 'nowhere'"),
        (("two_link", "--torque", "knee=3"), "--torque knee=3: no joint matches"),
        (("two_link", "--torque", "1_0"), "is not a number"),
        (("two_link", "--speed", "-3"), "must be a number above 0"),
        (("two_link", "--com", "0", "0", "1"), "--com, --frame and --tcp require --payload"),
        (("two_link", "--payload", "--frame", "hand"), "hand"),
        (("two_link", "--out", "a.csv"), "--out requires --optimal"),
    ],
)
def test_bad_input_is_one_line(sim_command, words, named):
    done = sim_command("fit-time", *words)
    assert (done.status, done.out) == (2, "")
    assert named in done.err
    assert len(done.err.splitlines()) == 1


def test_the_name_of_a_scenario_that_does_not_ship_is_its_newest_run(sim_command, tmp_path):
    for name, copy in (("two_link.py", "lift.py"), ("two_link.urdf", "two_link.urdf")):
        (tmp_path / copy).write_bytes((shipped.scenarios() / name).read_bytes())
    made = sim_command("run", "lift.py", "--set", "load=0", "--method", "ideal", "--no-report")
    assert made.status == 0, made.err
    (folder,) = (tmp_path / "results/runs/lift").iterdir()
    by_name, by_folder = (
        sim_command("fit-time", subject, "--json") for subject in ("lift", str(folder))
    )
    assert by_name.status == 0 and by_name.document == by_folder.document
    refused = sim_command("fit-time", "lift", "--set", "load=2")
    assert refused.status == 2 and "--set requires a scenario; 'lift' is a run" in refused.err
