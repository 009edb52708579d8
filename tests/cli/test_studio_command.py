"""`sim studio` where it cannot open its window, and how it ends."""

import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from sim.cli.command import status
from sim.cli.window import _show
from tests.helpers.heeding_signals import heeding_signals
from tests.helpers.studio_process import SIM


def refused(capsys, *arguments):
    assert status(["studio", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    return captured.err


def test_a_port_that_is_taken_is_named(capsys, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        text = refused(capsys, str(tmp_path), "--port", port)
    assert f"Port {port} cannot be used: Address already in use; omit --port" in text
    assert "must be 0-65535; omit --port" in refused(capsys, str(tmp_path), "--port", "99999")


def test_a_folder_that_cannot_be_one_is_named(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file: it is a file\n" in refused(capsys, str(tmp_path / "file"))


def test_without_its_packages_the_extra_is_named(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "sim.studio.server", raising=False)
    assert "pip install 'sim[studio]'" in refused(capsys, str(tmp_path))


def test_without_a_browser_the_address_is_printed_with_what_to_do(capsys, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda url, new: False)
    _show("http://127.0.0.1:1/key/", opens=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "window   http://127.0.0.1:1/key/"
    assert lines[-1] == "no browser found; open this address in one"


@pytest.mark.rotates(3)
@pytest.mark.parametrize("serves", [False, True], ids=["starts", "serves"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_it_ends_with_its_terminal_and_leaves_no_process(number, serves, tmp_path):
    process = subprocess.Popen(
        [*SIM, "studio", str(tmp_path / "new"), "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heeding_signals,  # noqa: PLW1509
    )  # fmt: skip
    label, address = process.stdout.readline().split()
    assert label == "window"
    assert process.stdout.readline() == "stop     Ctrl-C\n"
    if serves:  # the event loop waits for connections
        urllib.request.urlopen(address, timeout=20).close()
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode in (0, 128 + number)
    assert errors in ("", f"sim: stopped by {number.name}\n", "sim: interrupted\n")
