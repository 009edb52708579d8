"""What is confined reads files below its folder, and writes and starts nothing."""

import json
import subprocess
import sys

import pytest

from sim.errors import ModelError
from sim.robots.confinement import _require_reading
from sim.robots.xacro_file import expand

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">{}<link name="base"/></robot>'
LINK = "<link name=\"${{xacro.load_yaml('{}') and 1}}\"/>"
PROGRAM = """
import json, os, socket, subprocess, sys
from pathlib import Path
from sim.robots.confinement import confine
folder = Path(sys.argv[1])
confine([folder / "inside"])
def is_refused(action):
    try:
        action()
    except PermissionError:
        return True
    return False
print(json.dumps([is_refused(one) for one in (
    lambda: open(folder / "inside/v.yaml").read(),
    lambda: open(folder / "secret.yaml").read(),
    lambda: open(folder / "inside/../secret.yaml").read(),
    lambda: open(folder / "inside/linked.yaml").read(),
    lambda: open(folder / "inside/v.yaml", "a"),
    lambda: os.open(folder / "inside/made", os.O_CREAT | os.O_WRONLY),
    lambda: os.remove(folder / "inside/v.yaml"),
    lambda: subprocess.run(["true"]),
    lambda: socket.socket(),
)]))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/v.yaml").write_text("a: 3")
    (tmp_path / "secret.yaml").write_text("a: 5")
    (tmp_path / "inside/linked.yaml").symlink_to(tmp_path / "secret.yaml")
    return tmp_path


def test_a_confined_process_reads_its_folder_only_and_writes_and_starts_nothing(folder):
    words = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False] + 8 * [True]
    assert sorted(one.name for one in (folder / "inside").iterdir()) == ["linked.yaml", "v.yaml"]


def test_a_file_is_below_a_folder_and_not_only_named_alike(folder):
    allowed = [str(folder / "inside")]
    _require_reading((str(folder / "inside/v.yaml"), "r", 0), allowed)
    for outside in ("secret.yaml", "inside.yaml", "inside/../secret.yaml"):
        with pytest.raises(PermissionError, match="outside the folder"):
            _require_reading((str(folder / outside), "r", 0), allowed)


def test_a_confined_template_loads_files_of_its_folder_only(folder):
    template = folder / "inside/arm.xacro"
    template.write_text(HEAD.format(LINK.format("v.yaml")))
    assert 'name="1"' in expand(template, {}, below=(template.parent,))
    template.write_text(HEAD.format(LINK.format(folder / "secret.yaml")))
    assert 'name="1"' in expand(template, {})
    with pytest.raises(ModelError, match="outside the folder"):
        expand(template, {}, below=(template.parent,))
