"""The action and the hooks of this repository: their commands are there, and do what they say."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from sim import shipped
from sim.cli.command import parser_of
from tests.helpers import rotation
from tools.action_check import STEPS, bash_of

ROOT = Path(__file__).parents[1]
SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")


def test_each_rotating_test_has_its_turn_and_two_of_three_wait(monkeypatch):
    class Item:
        def __init__(self, nodeid):
            self.nodeid = nodeid

        def get_closest_marker(self, name):
            return pytest.mark.rotates(3).mark

    items = [*map(Item, ("f.py::a[x]", "f.py::a[y]", "f.py::a[z]", "f.py::b", "f.py::c"))]
    monkeypatch.setattr(rotation, "EXPLORES", False)
    ran = []
    for number in range(6):
        monkeypatch.setattr(rotation, "drawn", lambda number=number: (number, ""))
        ran += {*items} - rotation.without_turn(items)
    assert {ran.count(item) for item in items} == {2}


def test_without_an_engine_all_else_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = (ROOT / "requirements-engine-free.txt").read_text("utf-8").splitlines()
    engines = ("pybullet", "mujoco")
    wanted = [one for one in project["dependencies"] if not one.startswith(engines)]
    assert [one for one in listed if not one.startswith("#")] == wanted


def test_hooks_are_commands():
    hooks = msgspec.yaml.decode((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        files = ["arm.urdf"] if hook.get("pass_filenames", True) else []
        assert program == "sim"
        assert parser_of(arguments).parse_args([*arguments, *files]).action


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository whose last commit spoils a robot, and adds a file that is none."""
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    for name in ("arm.urdf", "still.urdf"):
        Path(name).write_text(SOUND, encoding="utf-8")
    _commit()
    Path("arm.urdf").write_text(
        SOUND.replace('"-2.5" upper="2.5"', '"-150" upper="150"'), encoding="utf-8"
    )
    Path("notes.txt").write_text("x", encoding="utf-8")
    _commit()


def _commit():
    for line in ("init -q", "add arm.urdf still.urdf", "commit -q -m x"):
        subprocess.run(["git", *line.split()], check=True)


def audited(files):
    """The audit step of the action for its input `files`."""
    return subprocess.run(
        ["bash", "-c", bash_of(STEPS["Audit"])],
        env={**os.environ, "FILES": files, "BASE": "HEAD~1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_audit_of_the_action_is_of_changed_files_alone(repository):
    done = audited("changed")
    assert done.returncode not in (0, 127), done.stderr
    assert "::error file=arm.urdf,line=" in done.stdout
    assert "still.urdf" not in done.stdout


def test_without_files_the_action_audits_nothing(repository):
    done = audited("")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
