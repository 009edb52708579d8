import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.engines.bullet.suppress_c_output import suppress_c_output
from tests.cli.command_runs import process

C = ctypes.CDLL(None)


def test_what_c_and_the_descriptors_print_inside_is_gone_and_printing_works_again(capfd):
    sys.stdout.write("before\n")
    with suppress_c_output():
        os.write(1, b"to stdout\n")
        os.write(2, b"to stderr\n")
        C.printf(b"from C\n")
    sys.stdout.write("after\n")
    sys.stderr.write("errors work too\n")
    captured = capfd.readouterr()
    assert captured.out == "before\nafter\n"
    assert captured.err == "errors work too\n"


def test_what_c_prints_outside_is_not_lost(capfd):
    with suppress_c_output():
        C.printf(b"inside\n")
    C.printf(b"outside\n")
    C.fflush(None)
    assert capfd.readouterr().out == "outside\n"


def test_an_error_inside_comes_out_and_the_silence_ends(capfd):
    with pytest.raises(ZeroDivisionError), suppress_c_output():
        os.write(1, b"silent\n")
        _ = 1 / 0
    os.write(1, b"loud\n")
    assert capfd.readouterr().out == "loud\n"


def test_silences_nest(capfd):
    with suppress_c_output():
        with suppress_c_output():
            os.write(1, b"inner\n")
        os.write(1, b"still silent\n")
    os.write(1, b"loud\n")
    assert capfd.readouterr().out == "loud\n"


def test_no_file_descriptor_is_left_open():
    def count():
        return sum(1 for _ in Path("/dev/fd").iterdir())

    before = count()
    for _ in range(20):
        with suppress_c_output():
            pass
    assert count() == before


def test_a_process_without_streams_can_be_quiet_too(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with suppress_c_output():
        os.write(1, b"silent\n")


def test_text_that_waits_in_a_pipe_comes_before_and_after_the_silence_in_order():
    program = (
        "import ctypes, sys; from sim.engines.bullet.suppress_c_output import suppress_c_output\n"
        "print('before')\n"
        "with suppress_c_output(): ctypes.CDLL(None).puts(b'inside'); sys.stdout.flush()\n"
        "print('after')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("before\nafter\n", "")


def test_what_c_printed_before_comes_before(tmp_path):
    """Into a pipe the C library writes as its process ends: the last line was no answer."""
    program = (
        "import ctypes, sys\n"
        "from sim.engines.bullet.suppress_c_output import flush_c_output\n"
        "ctypes.CDLL(None).printf(b'first\\n')\n"
        "{}sys.stdout.write('last\\n')\nsys.stdout.flush()\n"
    )
    for call, order in (("flush_c_output()\n", ["first", "last"]), ("", ["last", "first"])):
        done = process(sys.executable, "-c", program.format(call), cwd=tmp_path)
        assert done.stdout.split() == order
