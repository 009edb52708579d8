"""Folders that may not be written to: the home, that for temporary files, those of runs."""

import json
import os
import tempfile

import pytest

from sim.cli.doctor import machine
from sim.engines.bullet.temporary_file import temporary_file
from sim.errors import SimError
from tests.cli.command_runs import REPOSITORY, SIM, process
from tests.helpers.command_scripts import write_swing

# root writes everywhere, but not without this capability
PLAINLY = ("setpriv", "--bounding-set", "-dac_override") if os.geteuid() == 0 else ()
RUN = ("run", "swing.py", "--set", "duration=0.05")


@pytest.fixture
def locked_folder(tmp_path):
    """A folder ``locked`` that nothing can be written to."""
    write_swing(tmp_path)
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.rotates(3)
def test_a_run_needs_no_home_no_cache_and_no_letters(locked_folder):
    above, nowhere = locked_folder.parent, str(locked_folder)
    words = ("env", "-i", "PATH=/usr/bin:/bin", f"PYTHONPATH={REPOSITORY}", f"HOME={nowhere}",
             f"XDG_CACHE_HOME={nowhere}", f"MPLCONFIGDIR={nowhere}", f"TMPDIR={nowhere}",
             "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0")  # fmt: skip
    done = process(*PLAINLY, *words, *SIM, *RUN, "--figures", "--out", "x", cwd=above)
    assert (done.returncode, done.stderr) == (0, "")
    assert (above / "x" / "report.html").is_file()
    assert (above / "x" / "velocity.png").is_file()
    accepted = process(
        *PLAINLY, "env", "-i", f"PYTHONPATH={REPOSITORY}", *SIM, "accept", "x", "--reason", "r",
        cwd=above,
    )  # fmt: skip
    assert (accepted.returncode, accepted.stderr) == (0, "")
    ledger = json.loads((above / "results/baselines/swing/baseline.json").read_bytes())["ledger"]
    assert ledger[0]["who"]


def test_a_folder_without_right_is_one_line_with_a_remedy(locked_folder):
    above = locked_folder.parent
    done = process(*PLAINLY, *SIM, *RUN, "--out", "locked/x", cwd=above)
    assert done.returncode == 2
    assert done.stderr == (
        f"sim: Cannot write to {locked_folder / 'x'}: Permission denied; "
        "choose a folder that you may write to (--out DIR)\n"
    )


def test_a_run_that_is_locked_is_not_replaced(locked_folder):
    """Once it lost its files, and the new run said that it could not be written."""
    above = locked_folder.parent
    assert process(*SIM, *RUN, "--no-report", "--out", "x", cwd=above).returncode == 0
    (above / "x").chmod(0o555)
    before = {path.name: path.read_bytes() for path in (above / "x").iterdir()}
    done = process(*PLAINLY, *SIM, *RUN, "--no-report", "--out", "x", cwd=above)
    (above / "x").chmod(0o755)
    assert done.returncode == 2
    assert done.stderr.startswith(f"sim: Cannot write to {above / 'x'}: Permission denied; choose")
    assert {path.name: path.read_bytes() for path in (above / "x").iterdir()} == before
    assert not list(above.glob(".*"))


def test_no_folder_for_temporary_files_is_told_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with (
        pytest.raises(SimError, match=r"robot\.urdf .* set TMPDIR"),
        temporary_file("robot.urdf", ""),
    ):
        pass
    (finding,) = machine.temporary()
    assert (finding.works, finding.needed) == (False, True)
    assert "TMPDIR" in finding.remedy
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (finding,) = machine.temporary()
    assert finding.works
