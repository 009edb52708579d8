"""Files that other files name: no pipe, no device, no gigabyte, no key without an end."""

import os

import pytest

from sim import shipped
from sim.errors import ModelError
from sim.robots import load_robot
from sim.robots.guarded_file import MOST_DOTS, read_regular_file, read_toml


def test_a_regular_file_is_read_up_to_its_bound(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_regular_file(path, 100) == b"x" * 100
    with pytest.raises(ModelError, match="has more than the 99 bytes"):
        read_regular_file(path, 99)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ModelError, match="is not a regular file"):
            read_regular_file(type(tmp_path)(path), 100)
    os.mkfifo(tmp_path / "arm.toml")
    (tmp_path / "arm.urdf").write_text((shipped.scenarios() / "two_link.urdf").read_text("utf-8"))
    with pytest.raises(ModelError, match=r"arm\.toml is not a regular file"):
        load_robot(tmp_path / "arm.urdf")


def test_keys_of_very_many_parts_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("a." * MOST_DOTS + "a = 1\n")
    assert read_toml(path)
    path.write_text("b = 1\n" + "a." * (MOST_DOTS + 1) + "a = 1\n")
    with pytest.raises(ModelError, match=r"arm\.toml, line 2: has 1001 dots"):
        read_toml(path)
    path.write_text("# " + "x" * 1_000_000)
    with pytest.raises(ModelError, match="has more than the 1000000 bytes"):
        read_toml(path)
