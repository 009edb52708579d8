"""The command as a process: streams that are closed or full, signals, disks, and company."""

import hashlib
import json
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.command_runs import REPOSITORY, SIM, process
from tests.helpers.command_scripts import script_text, write_swing
from tests.helpers.heeding_signals import heeding_signals

ENVIRONMENT = {"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"}
QUIET = ("--no-report", "--set", "duration=0.05")


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A folder with the short run ``first``."""
    folder = tmp_path_factory.mktemp("process")
    write_swing(folder)
    done = process(*SIM, "run", "swing.py", *QUIET, "--out", "first", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def shell(line, cwd, **environment):
    """A line of bash with the command as $SIM."""
    words = " ".join(f"'{word}'" for word in SIM)
    script = f"set -o pipefail\n{line.replace('$SIM', words)}\n"
    return process("bash", "-c", script, cwd=cwd, **environment)


@pytest.mark.parametrize(
    "line",
    [
        "$SIM check first >&-",
        "$SIM check first <&- >&- 2>&-",
        "$SIM check first | true",
        "$SIM check first --json | true",
    ],
)
def test_a_verdict_does_not_hang_on_who_can_read_it(run_folder, line):
    done = shell(line, run_folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_ascii_says_as_much_as_it_can(run_folder):
    table = shell("PYTHONIOENCODING=ascii $SIM check first", run_folder)
    assert "rated torque" in table.stdout
    assert table.stdout.isascii()
    document = shell("PYTHONIOENCODING=ascii $SIM check first --json", run_folder)
    wide = shell("PYTHONIOENCODING=utf-8 $SIM check first --json", run_folder)
    assert [one.returncode for one in (table, document)] == [0, 0]
    assert document.stdout.isascii()
    assert not wide.stdout.isascii()
    assert json.loads(document.stdout) == json.loads(wide.stdout)


def test_a_closed_stdout_does_not_put_messages_into_files(run_folder, tmp_path):
    write_swing(tmp_path)
    done = shell(f"$SIM run swing.py {' '.join(QUIET)} --out x <&- >&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert process(*SIM, "check", "x", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("words", ["check first", "--help"])
def test_a_stdout_that_is_full_is_no_pass(run_folder, words):
    done = shell(f"$SIM {words} >/dev/full", run_folder)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


def started(folder, *more):
    """A run that is in the middle of its work."""
    write_swing(folder)
    command = [*SIM, "run", "swing.py", "--set", "duration=50", "--out", "x/run", *more]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding_signals,  # noqa: PLW1509 - no other thread runs here
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob("x/.run.sim-*.new")):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return running


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (signal.SIGINT, "sim: interrupted\n"),
        (signal.SIGTERM, "sim: stopped by SIGTERM\n"),
        (signal.SIGHUP, "sim: stopped by SIGHUP\n"),
    ],
)
def test_a_signal_ends_a_run_and_leaves_nothing(tmp_path, number, says):
    running = started(tmp_path)
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (128 + number, says)
    assert not (tmp_path / "x").exists()


def test_what_a_kill_leaves_goes_with_the_next_run(tmp_path):
    running = started(tmp_path)
    running.kill()
    running.communicate(timeout=60)
    assert len(list((tmp_path / "x").iterdir())) == 2  # lock and half a run
    done = process(*SIM, "run", "swing.py", *QUIET, "--out", "x/other", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["other"]


def started_all(folder, *lines):
    """Exit status and stderr of commands that go on at the same time."""
    going = [
        subprocess.Popen(
            [*SIM, *line.split()], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )
        for line in lines
    ]  # fmt: skip
    said = [each.communicate(timeout=120)[1] for each in going]
    return [(each.returncode, err) for each, err in zip(going, said, strict=True)]


@pytest.mark.rotates(3)
def test_runs_and_pages_into_one_folder_at_once_leave_one_whole_run(tmp_path):
    """Every file is that of the description: no page of one run beside the tables of another."""
    write_swing(tmp_path)
    run = f"run swing.py {' '.join(QUIET)} --out x"
    assert started_all(tmp_path, f"{run} --set load=1", f"{run} --set load=2") == [(0, "")] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf", "swing.py", "x"]
    ended = started_all(tmp_path, f"{run} --set load=1", "report x", f"{run} --set load=2")
    assert [ended[0], ended[2]] == [(0, ""), (0, "")]
    refused = ("changed since", "a different run than the one that was read", "does not exist")
    status, err = ended[1]  # of the page, whose run may go away
    assert (status, err) == (0, "") or (status, err.count("\n")) == (2, 1)
    assert not err or any(reason in err for reason in refused)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf", "swing.py", "x"]
    told = json.loads((tmp_path / "x" / "run.json").read_bytes())["files"]
    there = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (tmp_path / "x").iterdir()
        if path.name != "run.json"
    }
    assert there == told


@pytest.mark.rotates(3)
def test_acceptances_at_once_are_all_in_the_ledger(run_folder, tmp_path):
    (tmp_path / "x").symlink_to(run_folder / "first")
    ended = started_all(tmp_path, *(f"accept x --reason {name}" for name in "abc"))
    assert ended == [(0, "")] * 3
    kept = tmp_path / "results" / "baselines" / "swing"
    ledger = json.loads((kept / "baseline.json").read_bytes())["ledger"]
    assert sorted(entry["reason"] for entry in ledger) == ["a", "b", "c"]
    assert len(list(kept.iterdir())) == 4  # curves, instants, robot, and what describes them


def test_a_full_disk_is_one_line_and_the_earlier_run_stays(tmp_path):
    write_swing(tmp_path)
    done = process(*SIM, "run", "swing.py", *QUIET, "--out", "x", cwd=tmp_path)
    assert done.returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    longer = "ulimit -f 64; $SIM run swing.py --set duration=2 --no-report --out x"
    done = shell(longer, tmp_path)  # 64 KiB a file; two seconds take some hundred
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sim: Cannot write the run to ")
    assert done.stderr.endswith("File too large\n")
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command_is_quiet_where_libraries_warn(tmp_path):
    write_swing(tmp_path)
    text = "import warnings\nimport logging\n" + script_text()
    warn = (
        "    warnings.warn('of a library', RuntimeWarning)\n"
        "    logging.getLogger('matplotlib.font_manager').warning('building the font cache')\n"
        "    motion ="
    )
    (tmp_path / "swing.py").write_text(text.replace("    motion =", warn), encoding="utf-8")
    done = process(*SIM, "run", "swing.py", *QUIET, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    loud = process(sys.executable, "-W", "default", *SIM[1:], "run", "swing.py", *QUIET,
                   cwd=tmp_path)  # fmt: skip
    assert "of a library" in loud.stderr


def test_nohup_is_obeyed(run_folder):
    done = shell("trap '' HUP; $SIM check first & kill -HUP $!; wait $!", run_folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_search_for_cycles_as_the_process_ends():
    code = (
        "import atexit, gc, sim.cli.process_setup as surroundings\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0))\n"
        "surroundings.prepare()"
    )
    assert process(sys.executable, "-c", code, cwd=REPOSITORY).stdout == "True\n"


DROPPED = """
import os, signal, sys, time
from sim.cli.process_setup import Stopped, end_on_signals

class Late:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(0.01)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
try:
    with end_on_signals():
        late = Late()
        del late
        time.sleep(30)
except (Stopped, KeyboardInterrupt) as ended:
    print(type(ended).__name__.replace('_Interrupted', 'KeyboardInterrupt'), ended)
"""


@pytest.mark.parametrize(
    ("number", "says"),
    [(signal.SIGINT, "KeyboardInterrupt \n"), (signal.SIGHUP, "Stopped stopped by SIGHUP\n")],
)
def test_a_signal_that_comes_within_a_destructor_ends_the_block_all_the_same(number, says):
    """Python drops what is raised there: a run once went on to its end."""
    done = process(sys.executable, "-c", DROPPED.format(number=int(number)), cwd=REPOSITORY)
    assert (done.stdout, done.stderr) == (says, "")


# As an event loop of asyncio: it is interrupted in its constructor, and its destructor then fails.
HALF_BUILT = """
import os, signal
import sim.cli.command as command

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)

class Loop:
    def __init__(self):
        os.kill(os.getpid(), {number})
        self.socket = None

    def __del__(self):
        self.socket

command.parser_of = lambda words: type("P", (), {{"parse_args": lambda self, words: type(
    "O", (), {{"action": staticmethod(lambda options: Loop())}})}})()
command.main(argv=["list"])
"""


@pytest.mark.parametrize(
    ("number", "says"),
    [(signal.SIGINT, "sim: interrupted\n"), (signal.SIGTERM, "sim: stopped by SIGTERM\n")],
)
def test_an_object_that_a_signal_leaves_half_built_does_not_print_a_traceback(number, says):
    done = process(sys.executable, "-c", HALF_BUILT.format(number=int(number)), cwd=REPOSITORY)
    assert (done.returncode, done.stderr) == (128 + number, says)


# As numba and llvmlite: a callback of a library is interrupted, and what it should have made lacks.
CONSEQUENCE = """
import ctypes, os, signal, sys
import sim.cli.command as command

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)

def made():
    os.kill(os.getpid(), {number})
    return 1

def library(options):
    if not ctypes.CFUNCTYPE(ctypes.c_int)(made)():
        raise {error}

sys.argv = ["sim", "list"]
command.parser_of = lambda words: type("P", (), {{"parse_args": lambda self, words: type(
    "O", (), {{"action": staticmethod(library)}})}})()
command.main()
"""


@pytest.mark.rotates(3)
@pytest.mark.parametrize("error", ["RuntimeError('no object')", "SystemError()", "sim.SimError()"])
@pytest.mark.parametrize(
    ("number", "says"),
    [(signal.SIGINT, "sim: interrupted\n"), (signal.SIGTERM, "sim: stopped by SIGTERM\n")],
)
def test_what_fails_in_a_library_because_of_a_signal_is_no_mistake(number, says, error):
    code = "import sim.errors as sim\n" + CONSEQUENCE.format(number=int(number), error=error)
    done = process(sys.executable, "-c", code, cwd=REPOSITORY)
    assert (done.returncode, done.stderr) == (128 + number, says)


SWALLOWED = """
import os, signal, time
import sim.cli.process_setup as setup

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
setup.PATIENCE = 0.3
try:
    with setup.end_on_signals():
        try:
            os.kill(os.getpid(), {number})
            time.sleep(5)
        except BaseException:  # a library that drops it
            pass
        for _ in range(3):
            os.kill(os.getpid(), {other})  # others do not disturb what clears up
        time.sleep(30)
except (setup.Stopped, KeyboardInterrupt) as ended:
    print(type(ended).__name__.replace('_Interrupted', 'KeyboardInterrupt'), ended)
"""


@pytest.mark.parametrize(
    ("number", "other", "says"),
    [
        (signal.SIGINT, 0, "KeyboardInterrupt \n"),
        (signal.SIGTERM, signal.SIGHUP, "Stopped stopped by SIGTERM\n"),
        (signal.SIGTERM, signal.SIGTERM, "Stopped stopped by SIGTERM\n"),
    ],
)
def test_a_signal_that_a_library_swallows_is_sent_again(number, other, says):
    began = time.monotonic()
    code = SWALLOWED.format(number=int(number), other=int(other))
    done = process(sys.executable, "-c", code, cwd=REPOSITORY)
    assert (done.stdout, done.stderr) == (says, "")
    assert time.monotonic() - began < 20


def test_an_interrupt_within_a_string_of_code_ends_with_a_status(tmp_path):
    """Python ends by SIGINT where a plain KeyboardInterrupt passes `exec`, as of a dataclass."""
    code = """
import os, signal, sys
from sim.cli import command
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupted(options, function=None):
    try:
        exec("os.kill(os.getpid(), signal.SIGINT)", {"os": os, "signal": signal})
    except KeyboardInterrupt:
        return 130
command.status = interrupted
command.main()
"""
    (tmp_path / "program.py").write_text(code)
    done = process(sys.executable, "-m", "program", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
