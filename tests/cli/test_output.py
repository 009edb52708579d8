import io
import subprocess
import sys

import pytest

from sim.cli.output import WIDTH_OF_FILES, console, progress
from tests.cli.command_runs import FAST, REPOSITORY, SIM
from tests.helpers.command_scripts import write_swing


def test_a_pipe_whose_reader_has_gone_does_not_change_the_exit_status(swing):
    write_swing(swing, drives=FAST)
    for output in ([], ["--json"]):
        gone = subprocess.Popen(
            [*SIM, "run", "swing.py", "--no-report", *output],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=swing,
            env={"PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
        gone.stdout.close()
        with gone.stderr:
            assert gone.stderr.read() == b""
        assert gone.wait(timeout=60) == 1


class Screen(io.StringIO):
    """A terminal that somebody looks at."""

    def isatty(self):
        return True


def test_progress_is_shown_on_stderr_where_somebody_looks(monkeypatch):
    screen = Screen()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with progress("ur10_step") as tick:
        tick(1, 2)
        tick(2, 2)
    assert "ur10_step" in screen.getvalue()
    assert "100 %" in screen.getvalue()


def test_progress_says_nothing_into_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress("ur10_step") as tick:
        tick(1, 2)
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize(
    ("columns", "width"),
    [("100", 100), (None, WIDTH_OF_FILES), ("", WIDTH_OF_FILES), ("0", WIDTH_OF_FILES),
     ("wide", WIDTH_OF_FILES), ("-5", WIDTH_OF_FILES)],
)  # fmt: skip
def test_a_file_is_as_wide_as_columns_says_or_wide(monkeypatch, columns, width):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert console().width == width
