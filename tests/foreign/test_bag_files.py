import os

import pytest

from sim.errors import ForeignError
from sim.foreign.ros_log import DEEPEST, require_bag_files


@pytest.mark.parametrize(
    "text",
    ["[" * (DEEPEST + 1), "a: " + "{a: " * (DEEPEST + 1), "- " * (DEEPEST + 1), "  " * 101 + "a"],
)
def test_a_list_of_contents_that_is_nested_without_an_end_is_refused(tmp_path, text):
    (tmp_path / "metadata.yaml").write_text(f"version: 5\n{text}\n")
    with pytest.raises(ForeignError, match=r"nested 10[0-9] levels deep; 100 are allowed"):
        require_bag_files(tmp_path)
    (tmp_path / "metadata.yaml").write_text("files: [{path: a.db3}, {path: b.db3}]\n" * 1000)
    require_bag_files(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system")
def test_a_pipe_in_a_bag_or_in_its_place_is_refused(tmp_path):
    (tmp_path / "metadata.yaml").write_text("version: 5\n")
    os.mkfifo(tmp_path / "log.db3")
    for path in (tmp_path, tmp_path / "log.db3"):
        with pytest.raises(ForeignError, match=r"log\.db3 is not a regular file"):
            require_bag_files(path)


def test_a_list_of_contents_of_many_megabytes_is_refused(tmp_path):
    with (tmp_path / "metadata.yaml").open("wb") as file:
        file.truncate(10_000_001)
    with pytest.raises(ForeignError, match="has more than the 10000000 bytes"):
        require_bag_files(tmp_path)
