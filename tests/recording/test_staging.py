import errno
import os
import tempfile
from pathlib import Path

import pytest

from sim.errors import RecordingError
from sim.recording import staging


def staged(folder, marker="run.json"):
    return staging.staged(folder, marker)


def tree(folder):
    """Everything in a folder, hidden files too, with the content of the files."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_a_staged_folder_appears_complete_with_its_parents(tmp_path):
    target = tmp_path / "results" / "runs" / "x"
    with staged(target) as stage:
        (stage / "run.json").write_text("{}")
        assert not target.exists()
        assert stage.parent == target.parent
    assert tree(tmp_path).keys() == {
        Path("results"),
        Path("results/runs"),
        Path("results/runs/x"),
        Path("results/runs/x/run.json"),
    }
    assert target.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_after_an_error_nothing_is_left_not_even_the_parents(tmp_path, error):
    (tmp_path / "other").mkdir()
    before = tree(tmp_path)
    with pytest.raises(error), staged(tmp_path / "results" / "runs" / "x") as stage:
        (stage / "half").write_text("written")
        raise error
    assert tree(tmp_path) == before


def test_parents_that_were_there_stay_after_an_error(tmp_path):
    (tmp_path / "results").mkdir()
    with pytest.raises(ValueError), staged(tmp_path / "results" / "runs" / "x"):
        raise ValueError
    assert tree(tmp_path).keys() == {Path("results")}


def test_a_former_run_is_replaced_as_a_whole(tmp_path):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text("old")
    (target / "figure.png").write_text("old")
    with staged(target) as stage:
        (stage / "run.json").write_text("new")
        assert (target / "run.json").read_text() == "old"
    assert tree(tmp_path) == {Path("run"): None, Path("run/run.json"): b"new"}


def test_an_error_leaves_the_former_run_as_it_was(tmp_path):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text("old")
    before = tree(tmp_path)
    with pytest.raises(ValueError), staged(target) as stage:
        (stage / "run.json").write_text("new")
        raise ValueError
    assert tree(tmp_path) == before


def test_the_former_run_comes_back_when_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text("old")
    before, replace_path = tree(tmp_path), Path.replace

    def fails_for_the_stage(self, other):
        if other == target and not self.name.endswith(".old"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return replace_path(self, other)

    monkeypatch.setattr(Path, "replace", fails_for_the_stage)
    with pytest.raises(RecordingError, match="Input/output error"), staged(target) as stage:
        (stage / "run.json").write_text("new")
    assert tree(tmp_path) == before


def test_an_empty_folder_is_used_and_another_marker_is_respected(tmp_path):
    (tmp_path / "empty").mkdir()
    with staged(tmp_path / "empty") as stage:
        (stage / "run.json").write_text("{}")
    assert (tmp_path / "empty" / "run.json").is_file()
    with (
        pytest.raises(RecordingError, match=r"no baseline\.json"),
        staged(tmp_path / "empty", "baseline.json"),
    ):
        pass


def test_a_folder_with_other_things_in_it_is_refused_and_kept(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("miaow")
    before = tree(tmp_path)
    with (
        pytest.raises(RecordingError, match=r"photos holds other files and no run\.json"),
        staged(tmp_path / "photos"),
    ):
        pass
    assert tree(tmp_path) == before


@pytest.mark.parametrize("place", ["file", "file/run", "file/deep/run"])
def test_a_file_in_the_way_is_named_and_kept(tmp_path, place):
    (tmp_path / "file").write_text("precious")
    before = tree(tmp_path)
    with pytest.raises(RecordingError) as caught, staged(tmp_path / place):
        pass
    assert str(caught.value).endswith(f"{tmp_path / 'file'} is not a folder")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("place", ["/dev/null/run", "/proc/run", "/proc/self/deep/run"])
def test_a_place_where_nobody_can_write_is_refused(place):
    with pytest.raises(RecordingError) as caught, staged(Path(place)):
        pass
    assert str(caught.value).startswith("Cannot write to /")
    assert "None" not in str(caught.value)


def test_a_name_too_long_for_the_disk_leaves_no_parents(tmp_path):
    with (
        pytest.raises(RecordingError, match="File name too long"),
        staged(tmp_path / "new" / ("x" * 300)),
    ):
        pass
    assert tree(tmp_path) == {}


def test_the_longest_possible_name_can_be_written_and_overwritten(tmp_path):
    target = tmp_path / ("x" * 255)
    for content in ("first", "second"):
        with staged(target) as stage:
            (stage / "run.json").write_text(content)
    assert (target / "run.json").read_text() == "second"


def test_parents_are_removed_when_the_disk_fails_after_they_were_made(tmp_path, monkeypatch):
    def full(**options):
        assert options["dir"].is_dir()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with (
        pytest.raises(RecordingError, match="No space left on device"),
        staged(tmp_path / "results" / "runs" / "x"),
    ):
        pass
    assert tree(tmp_path) == {}


def test_a_circle_of_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(RecordingError, match="Cannot write to"), staged(tmp_path / "a" / "run"):
        pass


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    with staged(tmp_path / "link") as stage:
        (stage / "run.json").write_text("{}")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "disk" / "run.json").is_file()


def test_the_working_folder_is_refused_because_a_shell_stands_in_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecordingError, match="is the working folder"), staged(Path()):
        pass
    assert tree(tmp_path) == {}
