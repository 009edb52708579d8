"""A disk without room under each command that writes: one line, and everything is as it was.

The limit of a file's size stands for the disk: the system refuses the same call, and no test has to
mount anything. `make full-disk` does it with a disk.
"""

import resource
import shutil
import sys
from pathlib import Path

import pytest

from sim.cli.command import status
from tests.helpers.command_scripts import write_swing

ROOM = 4096  # bytes a file: a robot's URDF has room, what is written of a run does not
RUN = "run swing.py --set duration=0.05"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the run ``x``, the same without a page as ``plain``, and a baseline."""
    folder = tmp_path_factory.mktemp("made")
    write_swing(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert status([*RUN.split(), "--out", "x"]) == 0
        assert status([*RUN.split(), "--out", "plain", "--no-report"]) == 0
        assert status(["accept", "x", "--reason", "first"]) == 0
    return folder


@pytest.fixture
def little_room(monkeypatch):
    # Python itself would keep compiled files that are cut off
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.rotates(3)
@pytest.mark.parametrize(
    ("words", "file"),
    [
        (f"{RUN} --out x", "/x"),
        (f"{RUN} --no-report --out x", "/x"),
        (f"{RUN} --out deep/er", "/deep/er"),
        (f"{RUN}", "results/runs/swing/"),
        ("run --from x --trust --out again", "/again"),
        ("report x", "x/report.html"),
        ("report plain", "plain/scene.glb"),
        ("report x --out page.html", "page.html"),
        ("accept x --reason again", "results/baselines/swing"),
        ("check x --junit checks.xml", "checks.xml"),
        ("export x table.csv", "table.csv"),
        ("export x table.xlsx", "temporary file"),
        ("export x table.mat", "table.mat"),
        ("export x table.parquet", "table.parquet"),
        ("export x table.tab", "table.tab"),
        ("plot x tau.* --out curves.csv", "curves.csv"),
        ("compare --all --runs . --out compared", "/compared"),
        ("play x --video still.png", "still.png"),
        ("play x --sheet 2 --size 400x400 --out poses.png", "poses.png"),
        ("play x --video film.gif --fps 10", "film.gif"),
    ],
)
def test_a_disk_without_room(made, words, file, sim_command, tmp_path, request):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    before = content(tmp_path)
    request.getfixturevalue("little_room")
    if words.startswith("play"):  # PyBullet gets floor and pedestal by files
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (3 * ROOM, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        )
    done = sim_command(*words.split())
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert "File too large" in done.err
    assert file in done.err
    assert ".sim-" not in done.err
    assert content(tmp_path) == before


def test_a_page_without_room_for_its_description_stays_as_it_was(
    made, sim_command, tmp_path, monkeypatch
):
    """Else the folder would hold a page that its description does not know."""
    from sim.recording import recording

    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    before = content(tmp_path)

    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(recording, "write_bytes", full)
    for run in ("x", "plain"):
        done = sim_command("report", run)
        assert done.status == 2
        assert done.err == f"sim: {run}/run.json: No space left on device\n"
        assert content(tmp_path) == before


def test_a_converted_file_without_room_for_its_certificate_stays_as_it_was(
    made, sim_command, tmp_path, monkeypatch
):
    """Else a file without a certificate, or with that of another, looks like a certified one."""
    shutil.copy(made / "arm.urdf", tmp_path)
    for _ in ("new", "there"):
        before = content(tmp_path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "write_bytes", _full_for_documents)
            done = sim_command("convert", "arm.urdf", "out.sdf")
        place = "out.sdf.certificate.json"
        reason = f"No space left on device in {tmp_path}"
        assert (done.status, done.err) == (2, f"sim: Cannot write {place}: {reason}\n")
        assert content(tmp_path) == before
        assert sim_command("convert", "arm.urdf", "out.sdf").status == 0
        (tmp_path / "arm.urdf").write_text((tmp_path / "arm.urdf").read_text() + "<!-- new -->")


def _full_for_documents(path, data, write=Path.write_bytes):
    if ".json" in path.name:
        raise OSError(28, "No space left on device")
    return write(path, data)


def test_a_compiled_file_that_a_full_disk_cut_off_is_told_with_the_remedy(sim_command, monkeypatch):
    """CPython keeps it (a short write is not seen) and fails at each import that follows."""
    import marshal

    from sim.cli import list_command

    def cut_off(options):
        marshal.loads(marshal.dumps(compile("a = 1", "a", "exec"))[:-9])

    def add_arguments(parser):
        parser.set_defaults(action=cut_off)

    monkeypatch.setattr(list_command, "add_arguments", add_arguments)
    done = sim_command("list")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "__pycache__" in done.err
