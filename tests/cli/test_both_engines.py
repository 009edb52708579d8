import importlib.util
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from sim.engine_names import ENGINES
from sim.engines.mujoco.mujoco import Mujoco
from sim.recording import Recording
from tests.cli.command_runs import runs

SHORT = ("--set", "duration=0.05", "--method", "ideal")


def without(monkeypatch, package):
    """As if a package were not installed."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == package else real(name, *a)
    )


def test_a_run_is_by_the_engine_that_is_asked_for(sim_command, swing):
    done = sim_command("run", "swing.py", "--engine", "mujoco", "--no-report", "--json")
    assert (done.status, done.document["engine"]) == (0, "mujoco")
    versions = done.document["provenance"]["versions"]
    assert "mujoco-core" in versions
    again = sim_command("run", "--from", done.document["run"], "--no-report", "--json")
    assert (again.status, again.document["engine"]) == (0, "mujoco")
    assert again.document["repeats"]["same"]


def test_an_engine_that_there_is_not_is_misuse_with_the_list(sim_command, swing):
    done = sim_command("run", "swing.py", "--engine", "ode")
    assert done.status == 2
    assert "'ode'" in done.err
    for name in (*ENGINES, "both"):
        assert name in done.err


@pytest.mark.parametrize(
    ("asked", "package"), [("mujoco", "mujoco"), ("both", "mujoco"), ("both", "pybullet")]
)
def test_an_engine_that_is_not_installed_is_named_before_anything_runs(
    sim_command, swing, monkeypatch, asked, package
):
    without(monkeypatch, package)
    done = sim_command("run", "swing.py", "--engine", asked)
    assert done.status == 2
    other = "bullet" if package == "mujoco" else "mujoco"
    assert f"is not installed: pip install {package}" in done.err
    assert done.err.rstrip().endswith(f"--engine {other} is installed")
    assert not (swing / "results").exists()


def test_both_engines_leave_two_runs_and_one_page_with_one_verdict(sim_command, swing):
    done = sim_command("run", "swing.py", "--engine", "both", "--out", "b", *SHORT)
    assert (done.status, done.err) == (0, "")
    _, head, row, near, page, *_, tally = done.out.splitlines()
    assert head.split()[:4] == ["scenario", "verdict", "PyBullet,", "model"]
    assert row.split()[:3] == ["swing", "pass", "pass,"]
    assert near.startswith("  nearest to its limit: ")
    assert max(map(len, (head, row, near))) <= 80
    assert page == "page     b/engines.html"
    assert tally == "1 of 1 pass with both engines"
    for name in ("bullet", "mujoco"):
        assert Recording.read(swing / "b" / name).run.engine == name
    overview = (swing / "b" / "engines.html").read_text("utf-8")
    both = (swing / "b" / "bullet" / "report.html").read_text("utf-8")
    assert overview == both  # one file, with the runs of both engines
    assert not re.search(r'(href|src)="(?!#|data:)', both)
    assert "recorded (PyBullet)" in both
    assert ">MuJoCo</span></button>" in both
    checks = {name: len(Recording.read(swing / "b" / name).run.checks) for name in ENGINES}
    section = both[both.index('<section id="engines">') :]
    assert f"{checks['mujoco']} checks of the run by MuJoCo" in section
    for name, title in (("bullet", "PyBullet"), ("mujoco", "MuJoCo")):
        row = rf"<td>{title}</td><td>.*?</td><td class=\"n\">{checks[name]} of {checks[name]}</td>"
        assert re.search(row, section)
    alone = (swing / "b" / "mujoco" / "report.html").read_text("utf-8")
    assert "recorded (MuJoCo)" in alone


def test_the_torques_apart_are_those_of_the_tables_of_their_peaks(sim_command, swing):
    done = sim_command(
        "run", "swing.py", "--engine", "both", "--out", "b", "--no-report", "--json", *SHORT
    )
    assert done.document["verdict"] == "pass"
    assert set(done.document["engines"]) == {"bullet", "mujoco"}
    one, other = (Recording.read(swing / "b" / name).recorded for name in ("bullet", "mujoco"))
    shares = [
        (one[c] - other[c]).abs().max() / other[c].abs().max()
        for c in one.columns
        if c.startswith("tau.")
    ]
    assert done.document["between"]["torque"] == pytest.approx(max(shares), rel=1e-12)
    assert max(shares) < 1e-11
    assert not (swing / "b" / "engines.html").exists()


def test_the_newest_run_of_a_scenario_is_that_of_the_first_engine(sim_command, swing):
    sim_command("run", "swing.py", "--engine", "both", "--no-report", *SHORT)
    assert [Recording.read(folder).run.engine for folder in sorted(runs(swing))] == [
        "mujoco",
        "bullet",
    ]


def test_engines_that_differ_fail_and_the_channel_is_named(sim_command, swing, monkeypatch):
    """Each by itself is inside its limits: off by three quarters, one up and one down."""
    real = Mujoco.hybrid_dynamics

    def leaning(self, q, qd, qdd, held, effort, wrenches=()):
        qdd, tau = real(self, q, qd, qdd, held, effort, wrenches)
        return qdd, tau + 1e-6

    monkeypatch.setattr(Mujoco, "hybrid_dynamics", leaning)
    options = ("--engine", "both", "--out", "b", *SHORT)
    done = sim_command("run", "swing.py", *options, "--junit", "j.xml")
    assert done.status == 1
    assert "  tau.elbow differs by 1e-06 N·m at " in done.out
    assert done.out.splitlines()[-1] == "0 of 1 pass with both engines; failed: swing"
    suites = {s.get("name"): s for s in ET.parse(swing / "j.xml").getroot()}
    assert set(suites) == {"swing (PyBullet)", "swing (MuJoCo)"}
    failed = [c.get("name") for c in suites["swing (MuJoCo)"] if c.find("failure") is not None]
    assert any(name.startswith("MuJoCo beside PyBullet") for name in failed)
    assert all(c.find("failure") is None for c in suites["swing (PyBullet)"])
    page = (swing / "b" / "engines.html").read_text("utf-8")
    assert "✗ Fail" in page and "results differ" in page  # though each run alone passes


@pytest.mark.rotates(2)
def test_several_scenarios_are_a_row_each(sim_command, swing):
    options = ("--engine", "both", "--out", "b", "--method", "ideal", "--json")
    done = sim_command("run", "swing.py", "irb460_static", *options)
    assert done.status == 0
    assert [one["scenario"] for one in done.document] == ["swing", "irb460_static"]
    for name in ("bullet", "mujoco"):
        for scenario in ("swing", "irb460_static"):
            assert (swing / "b" / name / scenario / "run.json").is_file()
    page = (swing / "b" / "engines.html").read_text("utf-8")
    links = set(re.findall(r'href="([^"#]+\.html)', page))
    assert links == {"bullet/swing/report.html", "bullet/irb460_static/report.html"}
    for link in links:  # one file a pair
        text = (swing / "b" / link).read_text("utf-8")
        assert '<section id="engines">' in text and ">MuJoCo</span></button>" in text


def test_what_shows_one_run_does_not_go_with_both(sim_command, swing):
    done = sim_command("run", "swing.py", "--engine", "both", "--gui")
    assert (done.status, "--gui shows one run" in done.err) == (2, True)
    sim_command("run", "swing.py", "--no-report", "--out", "once", *SHORT)
    done = sim_command("run", "--from", "once", "--engine", "mujoco")
    assert done.status == 2
    assert "--engine" in done.err


def test_a_page_of_somebody_else_is_not_replaced_and_nothing_runs(sim_command, swing):
    (swing / "b").mkdir()
    (swing / "b" / "engines.html").write_text("mine", "utf-8")
    done = sim_command("run", "swing.py", "--engine", "both", "--out", "b", *SHORT)
    assert done.status == 2
    assert (swing / "b" / "engines.html").read_text("utf-8") == "mine"
    assert not (swing / "b" / "bullet").exists()


def test_where_no_motor_gives_a_torque_none_is_compared(sim_command, swing):
    options = ("--engine", "both", "--no-report", "--out", "b", "--json")
    done = sim_command("run", "adams_translational", *options)
    assert done.status == 0
    assert json.loads(json.dumps(done.document["between"]["torque"])) is None
    assert np.isfinite(done.document["between"]["differences"][0]["worst"])
