import os
import stat
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.errors import RecordingError
from sim.playback.film import write_film
from sim.recording.files.named_file import all_or_none, require_place, write_named
from sim.reports.exports.exporting import SUFFIXES
from tests.helpers.short_runs import short_run

OWN_XML = b"<?xml version='1.0'?><testsuites><testsuite/></testsuites>"


def special(path: Path, kind: str) -> int:
    """A pipe, a link to a device, a folder: what no file may take the place of; its file type."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(os.devnull)
    return stat.S_IFMT(path.lstat().st_mode)


def grey(count: int):
    """Pictures that are all alike, shape (48, 64, 3)."""
    return iter([np.full((48, 64, 3), 128, dtype=np.uint8)] * count)


@pytest.mark.parametrize(("kind", "name"), [(".html", "page.txt"), (".pdf", "report.html")])
def test_a_page_and_a_pdf_have_the_ending_by_which_they_are_shown(tmp_path, kind, name):
    with pytest.raises(RecordingError, match=rf"{name}: its ending must be \{kind}"):
        require_place(tmp_path / name, kind)
    require_place((tmp_path / name).with_suffix(kind.upper()), kind)


@pytest.mark.parametrize(
    ("refused", "left"), [("write_bytes", [b"old"]), ("replace", [b"new", b"old"])]
)
def test_an_old_file_survives_any_failure_and_the_first_error_is_reported(
    tmp_path, monkeypatch, refused, left
):
    """Where it cannot be moved back, a copy of it stays."""
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[1].write_bytes(b"old")

    def refuse(*_):
        raise OSError(28, "another")

    def write():
        with all_or_none(paths):
            for path in paths:
                path.write_bytes(b"new")
            monkeypatch.setattr(Path, refused, refuse)
            raise OSError(28, "first")

    with pytest.raises(OSError, match="first"):
        write()
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == left
    with all_or_none(paths):
        pass
    assert list(tmp_path.iterdir()) == paths[1:]


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_stays(tmp_path, kind):
    path = tmp_path / "out.xml"
    before = special(path, kind)
    with pytest.raises(RecordingError, match=r"it is a (folder|device or a pipe)"):
        write_named(path, OWN_XML)
    assert stat.S_IFMT(path.lstat().st_mode) == before


def test_a_file_that_somebody_else_wrote_stays_and_ones_own_is_replaced(tmp_path):
    path = tmp_path / "out.xml"
    path.write_text("<robot/>")
    with pytest.raises(RecordingError, match="sim did not write it; move it away"):
        write_named(path, OWN_XML)
    assert path.read_text() == "<robot/>"
    for before in (b"", OWN_XML):
        path.write_bytes(before)
        write_named(path, OWN_XML + b"\n")
        assert path.read_bytes() == OWN_XML + b"\n"


def test_a_link_is_followed_and_one_in_a_circle_refused(tmp_path):
    (tmp_path / "link.xml").symlink_to(tmp_path / "far.xml")
    write_named(tmp_path / "link.xml", OWN_XML)
    assert (tmp_path / "far.xml").read_bytes() == OWN_XML
    assert (tmp_path / "link.xml").is_symlink()
    (tmp_path / "a.xml").symlink_to(tmp_path / "b.xml")
    (tmp_path / "b.xml").symlink_to(tmp_path / "a.xml")
    with pytest.raises(RecordingError, match="Cannot write"):
        require_place(tmp_path / "a.xml")


@pytest.mark.parametrize(
    ("marker", "text", "name"),
    [
        ("run.json", "no json", "run.json"),
        ("run.json", "no json", "recording.parquet"),
        ("run.json", '{"files": {"figures/torque.html": "0"}}', "figures/torque.html"),
        ("baseline.json", '{"files": ["curves.parquet"]}', "curves.parquet"),
        ("study.json", '{"files": {"cases.csv": "0"}}', "cases.csv"),
        ("study.json", "{}", "cases.jsonl"),
    ],
)
def test_a_file_of_a_run_a_baseline_or_a_study_is_refused(tmp_path, marker, text, name):
    (tmp_path / marker).write_text(text)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    with pytest.raises(RecordingError, match="it is a file of the"):
        require_place(tmp_path / name)
    require_place(tmp_path / "mine.xml")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_export_takes_the_place_of_an_earlier_one_and_of_nothing_else(tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    recording = short_run()
    for _ in range(2):
        sim.export(recording, path)
    path.write_bytes(b"measured by hand, never to be lost")
    with pytest.raises(RecordingError, match="sim did not write it"):
        sim.export(recording, path)
    assert path.read_bytes() == b"measured by hand, never to be lost"


@pytest.mark.parametrize("suffix", [".mp4", ".gif", ".png"])
def test_a_film_takes_the_place_of_an_earlier_one_and_of_nothing_else(tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    for _ in range(2):
        write_film(path, grey(3), 25)
    path.write_bytes(b"a holiday")
    with pytest.raises(RecordingError, match="sim did not write it"):
        write_film(path, grey(3), 25)
    assert path.read_bytes() == b"a holiday"
