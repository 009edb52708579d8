import csv
import json
import re

import numpy as np
import pytest

from sim import shipped
from sim.recording import Recording
from tests.helpers.short_runs import short_run

ONE_GEAR = """# torque N·m; speed rpm; inertia kg·m2
name,ratio,torque_peak,inertia,efficiency,source
wave,100,{peak},1e-5,0.7,a sheet
"""


@pytest.fixture
def swing(tmp_path):
    short_run("ideal").write(tmp_path / "swing")
    return "swing"


def test_a_row_a_joint_fits_a_terminal(sim_command, swing):
    done = sim_command("size", swing, columns=80)
    assert (done.status, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert {row[0] for row in rows if row} >= {"shoulder", "elbow", "rank", "note", "model"}
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 80
    assert "by mass; total " in done.out
    assert "RMS" in done.out.partition("───")[0]  # the continuous load stays at 80 columns
    assert "run      the run has no verdict: do not rely on these loads" in done.out


def test_json_page_and_curves_say_the_same(sim_command, swing, tmp_path):
    done = sim_command("size", swing, "--json", "--page", "p.html", "--out", "shaft.csv")
    assert (done.status, done.err) == (0, "")
    first = done.document["joints"][0]
    assert first["margins"][first["binds"]] == 1 - first["shares"][first["binds"]]
    assert 0 <= first["model_differs"] < 1e-9
    with (tmp_path / "shaft.csv").open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads[:3] == ["t [s]", "motor_tau.shoulder [N·m]", "motor_qd.shoulder [rad/s]"]
    tau, power = np.array(rows, dtype=float)[:, [1, 3]].T
    t = Recording.read(tmp_path / swing).t
    rms = np.sqrt(np.trapezoid(tau**2, t) / (t[-1] - t[0]))
    assert first["load"]["rms_torque"]["value"] == pytest.approx(rms, rel=1e-12)
    assert first["load"]["least_power"] == pytest.approx(power.min(), rel=1e-12)
    page = (tmp_path / "p.html").read_text("utf-8")
    assert page.count('<svg class="chart shaft"') == 2
    assert "default-src &#39;none&#39;" in page
    assert re.search(r"<script|http://|https://", page) is None
    assert f"{first['motor']['name']} with {first['gear']['name']}" in page
    again = sim_command("size", swing, "--page", "p.html")  # it may replace its own
    assert again.status == 0


def test_one_when_nothing_holds(sim_command, swing, tmp_path):
    (tmp_path / "gears.csv").write_text(ONE_GEAR.format(peak=0.1), encoding="utf-8")
    done = sim_command("size", swing, "--gears", "gears.csv", "--page", "p.html")
    assert (done.status, done.err) == (1, "")
    assert "no pair in the catalogues; " in done.out
    assert "gear peak torque" in done.out
    assert "exceeds a rating; closest pair" in (tmp_path / "p.html").read_text("utf-8")


def test_bad_input_is_two_with_one_line_and_nothing_written(sim_command, swing, tmp_path):
    (tmp_path / "gears.csv").write_text("name,ratio\nwave,100\n", encoding="utf-8")
    (tmp_path / "notes.html").write_text("mine", encoding="utf-8")
    for arguments, words in (
        (["size", swing, "--gears", "gears.csv"], "gears.csv, line 1: 'name,ratio' names no units"),
        (["size", swing, "--motors", "none.csv"], "none.csv"),
        (["size", swing, "--reserve", "1.5"], "reserve 1.5 must be"),
        (["size", swing, "--page", "notes.html"], "notes.html"),
        (["size", "no_run"], "no_run"),
    ):
        done = sim_command(*arguments)
        assert (done.status, done.out) == (2, ""), arguments
        assert words in done.err
        assert done.err.count("\n") == 1
    assert (tmp_path / "notes.html").read_text("utf-8") == "mine"


def test_the_rotor_counts_in_the_fast_scenario(shipped_run, sim_command):
    """Peak of what the motor gives at the joint, by the drive trains that the run has."""
    folder = shipped_run("puma560_pick")
    recorded = Recording.read(folder).recorded
    motor = 62.6111 * recorded["motor_tau.joint_1"].abs().max()
    assert (round(motor), round(recorded["tau.joint_1"].abs().max())) == (142, 88)
    document = json.loads(sim_command("size", str(folder), "--json").out)
    assert document["joints"][5]["load"]["rotor_share"] > 0.3
    assert shipped.scenarios().joinpath("made_up_motors.csv").is_file()


def test_the_rows_of_motors_take_what_is_known_between_samples(shipped_run, sim_command):
    done = sim_command("check", str(shipped_run("puma560_pick")), "--verbose")
    assert done.status == 0
    assert "-62.61" in done.out
