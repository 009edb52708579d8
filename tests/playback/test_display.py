import socket
import sys
from pathlib import Path

import pytest

from sim.errors import PlaybackError
from sim.playback.display import FIRST_PORT, addresses, require_display

UNIX, INET = socket.AF_UNIX, socket.AF_INET


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (":0", [(UNIX, "/tmp/.X11-unix/X0"), (UNIX, "\0/tmp/.X11-unix/X0")]),
        (":12.0", [(UNIX, "/tmp/.X11-unix/X12"), (UNIX, "\0/tmp/.X11-unix/X12")]),
        ("unix:3", [(UNIX, "/tmp/.X11-unix/X3"), (UNIX, "\0/tmp/.X11-unix/X3")]),
        ("localhost:10.0", [(INET, ("localhost", FIRST_PORT + 10))]),
        ("nonsense", []),
        (":", []),
        (":123456", []),
        ("host:99999", []),
    ],
)
def test_a_display_is_where_x_documents_it(name, expected):
    assert addresses(name) == expected


@pytest.fixture
def linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ""}])
def test_no_display_is_one_clear_sentence(environment, linux):
    with pytest.raises(PlaybackError) as caught:
        require_display(environment)
    said = str(caught.value)
    assert "There is no display" in said
    assert "--video" in said
    assert "xvfb-run" in said
    assert "\n" not in said


@pytest.mark.parametrize("name", [":8765", "nonsense", "localhost:59000"])
def test_a_display_that_does_not_answer_is_named(name, linux):
    with pytest.raises(PlaybackError, match=f"No display answers at DISPLAY='{name}'"):
        require_display({"DISPLAY": name})


def test_a_server_that_listens_is_a_display(linux):
    with socket.create_server(("localhost", 0)) as server:
        number = server.getsockname()[1] - FIRST_PORT
        require_display({"DISPLAY": f"localhost:{number}"})
    with pytest.raises(PlaybackError):
        require_display({"DISPLAY": f"localhost:{number}"})


def test_a_server_on_a_socket_of_the_machine_is_a_display(linux):
    number = 47219  # nobody's display
    with socket.socket(UNIX, socket.SOCK_STREAM) as server:
        server.bind(f"\0/tmp/.X11-unix/X{number}")
        server.listen()
        require_display({"DISPLAY": f":{number}"})
    assert not Path(f"/tmp/.X11-unix/X{number}").exists()


def test_other_systems_need_no_x(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    require_display({})
