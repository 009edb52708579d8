"""Every output that a user names: nothing of a run, a machine or another program is lost."""

import os
import stat
from pathlib import Path

import pytest

from tests.helpers.command_scripts import write_swing

COMMANDS = {
    "run": ("run", "swing.py", "--out", "r", "--no-report", "--junit"),
    "check": ("check", "r", "--junit"),
    "compare --all": ("compare", "--all", "--runs", ".", "--junit"),
    "report": ("report", "r", "--out"),
    "audit": ("audit", "swing.urdf", "--html"),
    "mass": ("mass", "swing.urdf", "--material", "pla", "--replace", "--out"),
    "export": ("export", "r"),
    "plot": ("plot", "r", "tau.*", "--out"),
    "play": ("play", "r", "--video"),
}
ENDINGS = {"export": ".csv", "plot": ".png", "play": ".gif", "report": ".html", "audit": ".html",
           "mass": ".urdf"}  # fmt: skip


@pytest.fixture
def judged(swing, sim_command):
    """A folder with a run, ``r``, and its page."""
    assert sim_command("run", "swing.py", "--out", "r").status == 0
    (urdf,) = swing.glob("*.urdf")
    urdf.rename(swing / "swing.urdf")
    write_swing(swing)
    return swing


def content(folder: Path) -> dict[Path, bytes]:
    """Every plain file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_output_takes_the_place_of_what_is_not_its_own(sim_command, judged, command):
    ending = ENDINGS.get(command, ".xml")
    os.mkfifo(judged / f"pipe{ending}")
    (judged / f"device{ending}").symlink_to(os.devnull)
    (judged / f"notes{ending}").write_text("mine")
    places = [f"pipe{ending}", f"device{ending}", f"notes{ending}"]
    if ending == ".xml":  # any name will do for it
        places += ["r/run.json", "r/recording.parquet", "r/robot.urdf", "r/report.html"]
    elif ending == ".html" and command != "report":
        places.append("r/report.html")
    before = content(judged)
    for place in places:
        done = sim_command(*COMMANDS[command], place)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), place
        assert f"Cannot write {place}: it is" in done.err
        assert content(judged) == before
    assert stat.S_ISFIFO((judged / f"pipe{ending}").lstat().st_mode)
    assert (judged / f"device{ending}").is_symlink()
