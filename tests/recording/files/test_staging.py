import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sim.errors import RecordingError
from sim.recording.files import leftovers, staging


def staged(folder, marker="run.json"):
    return staging.staging(folder, marker)


OLD = '{"files": {"figure.png": "its hash"}}'


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
    (target / "run.json").write_text(OLD)
    (target / "figure.png").write_text("old")
    with staged(target) as stage:
        (stage / "run.json").write_text("new")
        assert (target / "run.json").read_text() == OLD
    assert tree(tmp_path) == {Path("run"): None, Path("run/run.json"): b"new"}


def test_an_error_leaves_the_former_run_as_it_was(tmp_path):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text(OLD)
    before = tree(tmp_path)
    with pytest.raises(ValueError), staged(target) as stage:
        (stage / "run.json").write_text("new")
        raise ValueError
    assert tree(tmp_path) == before


def test_the_former_run_comes_back_when_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text(OLD)
    before, replace_path = tree(tmp_path), Path.replace

    def fails_for_the_stage(self, other):
        if other == target and self.name.endswith(".new"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return replace_path(self, other)

    monkeypatch.setattr(staging, "exchange_names", lambda one, other: False)
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
        pytest.raises(RecordingError, match=r"photos contains other files and no run\.json"),
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
    for content in (OLD, "second"):
        with staged(target) as stage:
            (stage / "run.json").write_text(content)
    assert (target / "run.json").read_text() == "second"


def test_parents_are_removed_when_the_disk_fails_after_they_were_made(tmp_path, monkeypatch):
    def full(folder, *arguments, **options):
        if folder.name.startswith("."):
            assert folder.parent.is_dir()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        make(folder, *arguments, **options)

    make = Path.mkdir
    monkeypatch.setattr(Path, "mkdir", full)
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


def test_of_a_former_run_only_what_it_wrote_goes_away(tmp_path):
    """A user's notes, folders, links and other runs stay, and so does what a kill left half."""
    target = tmp_path / "run"
    (target / "two_link").mkdir(parents=True)
    (target / "deep").mkdir()
    files = {"figure.png": "h", "deep/page.html": "h"}
    (target / "run.json").write_text(json.dumps({"files": files}))
    for name in ("figure.png", "deep/page.html", ".figure.png.partial"):
        (target / name).write_text("the program's")
    for name in ("notes.txt", "two_link/run.json", "deep/mine.txt", ".hidden"):
        (target / name).write_text("mine")
    (target / "link").symlink_to("notes.txt")
    with staged(target) as stage:
        (stage / "run.json").write_text("new")
        (target / "late.txt").write_text("mine")  # while the run goes on
    assert {path for path, content in tree(tmp_path).items() if content == b"mine"} == {
        Path("run") / name
        for name in (
            *("notes.txt", "late.txt", "two_link/run.json", "deep/mine.txt", ".hidden", "link"),
        )
    }
    assert (target / "link").is_symlink()
    assert {path.name for path in target.iterdir()} == {
        *("run.json", "notes.txt", "late.txt", "two_link", "deep", ".hidden", "link")
    }
    assert [path.name for path in (target / "deep").iterdir()] == ["mine.txt"]


def test_a_file_of_a_user_is_kept_under_another_name_where_the_new_run_has_that_name(tmp_path):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text(OLD)
    (target / "report.html").write_text("mine")
    (target / "report.html.kept").write_text("mine too")
    with staged(target) as stage:
        (stage / "run.json").write_text("new")
        (stage / "report.html").write_text("new")
    assert {name.name: content for name, content in tree(target).items()} == {
        "run.json": b"new",
        "report.html": b"new",
        "report.html.kept": b"mine",
        "report.html.kept.kept": b"mine too",
    }


@pytest.mark.parametrize("text", ["old", "{}", '{"files": 3}', "[" * 5000])
def test_a_marker_that_does_not_say_what_was_written_is_refused(tmp_path, text):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(text)
    before = tree(tmp_path)
    with (
        pytest.raises(RecordingError, match="does not list the files of its run"),
        staged(tmp_path / "run"),
    ):
        pass
    assert tree(tmp_path) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from sim.recording.files import leftovers, staging

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

moment = sys.argv[2]
if moment != "after":
    staging.exchange_names = lambda one, other: False if moment == "between" else die()
replace = Path.replace
def replaced(self, other):
    if moment == "between" and self.suffix == ".new" and other.name == "run":
        die()
    return replace(self, other)
Path.replace = replaced
staging.remove_previous = die
with staging.staging(Path(sys.argv[1]), "run.json") as stage:
    (stage / "run.json").write_text('{"files": []}')
    if moment == "inside":
        die()
"""


@pytest.mark.parametrize("moment", ["inside", "before", "between", "after"])
def test_after_a_kill_the_next_writer_finds_a_whole_run_and_tidies_up(tmp_path, moment):
    target = tmp_path / "run"
    target.mkdir()
    (target / "run.json").write_text(OLD)
    (target / "notes.txt").write_text("mine")
    done = subprocess.run([sys.executable, "-c", KILLED, target, moment], check=False)
    assert done.returncode == -signal.SIGKILL
    assert any(path.name.startswith(".run.sim-") for path in tmp_path.iterdir())
    assert target.exists() == (moment != "between")
    with pytest.raises(ValueError), staged(tmp_path / "other"):
        raise ValueError
    assert tree(tmp_path) == {
        Path("run"): None,
        Path("run/run.json"): b'{"files": []}' if moment == "after" else OLD.encode(),
        Path("run/notes.txt"): b"mine",
    }


def test_what_a_living_process_or_somebody_else_has_hidden_stays(tmp_path):
    (tmp_path / ".run.abcd1234").mkdir()
    (tmp_path / ".run.sim-00000000-abcd1234.lock").write_text("run")  # of another host
    (tmp_path / ".run.sim-00000000-abcd1234.new").mkdir()
    before = tree(tmp_path)
    with staged(tmp_path / "first") as first:
        with staged(tmp_path / "second") as second:
            (second / "run.json").write_text("2")
        assert first.is_dir()
        (first / "run.json").write_text("1")
    assert tree(tmp_path) == before | {
        Path("first"): None,
        Path("second"): None,
        Path("first/run.json"): b"1",
        Path("second/run.json"): b"2",
    }


def test_a_kill_while_a_former_run_is_removed_leaves_its_marker_to_the_last(tmp_path, monkeypatch):
    """Without it what is left would look like a user's files, and be kept."""
    old, folder = tmp_path / "old", tmp_path / "run"
    for each in (old, folder):
        each.mkdir()
    for name, text in (("run.json", OLD), ("figure.png", "old")):
        (old / name).write_text(text)
    left = []
    monkeypatch.setattr(
        leftovers.shutil,
        "rmtree",
        lambda path, **options: left.extend(each.name for each in path.iterdir()),
    )
    leftovers.remove_previous(old, folder, "run.json")
    assert left == ["run.json"]
    assert list(folder.iterdir()) == []
