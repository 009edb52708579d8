"""What a machine without PyBullet can do: everything but its engine, its windows and videos.

A finder that hides the package stands first in a new process, as if it were not installed.
"""

import json
import sys

import pytest

from tests.cli.command_runs import process
from tests.helpers.command_scripts import write_swing

HIDE = """
import importlib.abc, sys

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pybullet":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
import importlib.util
true = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pybullet" else true(name, *rest)
from sim.cli import main
sys.argv[0] = "sim"
sys.exit(main())
"""


def without_pybullet(folder, *arguments, status=0):
    done = process(sys.executable, "-c", HIDE, *map(str, arguments), cwd=folder)
    assert done.returncode == status, done.stderr
    return done


@pytest.mark.rotates(2)
def test_a_run_is_judged_by_mujoco(tmp_path):
    write_swing(tmp_path)
    done = without_pybullet(tmp_path, "run", "swing.py", "--out", "run")
    first, *_, last = done.stdout.strip().splitlines()
    assert "stepped by MuJoCo" in first
    assert "pass" in last
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["engine"] == "mujoco"
    assert "mujoco-core" in told["provenance"]["versions"]
    assert "pybullet" not in told["provenance"]["versions"]
    assert (tmp_path / "run" / "report.html").exists()
    without_pybullet(tmp_path, "check", "run")
    without_pybullet(tmp_path, "compare", "run", "swing", status=2)


def test_an_audit_asks_the_engine_that_is_there(tmp_path):
    told = json.loads(without_pybullet(tmp_path, "audit", "ur10", "--json").stdout)
    assert told["torques"]["absent"]["PyBullet"] == "not installed"
    assert told["torques"]["held"]["engine"] == "MuJoCo"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "two_link", "--engine", "bullet"), "pip install pybullet; --engine mujoco is"),
        (("run", "two_link", "--engine", "both"), "'bullet' (PyBullet) is not installed"),
        (("run", "two_link", "--gui"), "report.html in a browser"),
        (("play", "run", "--video", "run.gif"), "report.html in a browser"),
    ],
)
def test_what_needs_pybullet_says_what_does_instead(tmp_path, arguments, says):
    done = without_pybullet(tmp_path, *arguments, status=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_robot_is_taught_in_a_page(tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER", "true")  # a command that does nothing
    told = without_pybullet(tmp_path, "teach", "ur10", "--out", "arm.html").stdout
    assert told.splitlines()[0] == "page     arm.html"
    assert "<!doctype html>" in (tmp_path / "arm.html").read_text("utf-8")[:99]
