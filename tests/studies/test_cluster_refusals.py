"""What a cluster and its workers must be, without a cluster."""

import contextlib
import socket
import threading

import pytest

from sim.errors import ScenarioError
from sim.studies.study import versions
from sim.studies.workers import cluster
from sim.studies.workers.cluster import _client, _require_same


def test_versions_that_differ_are_both_named():
    ours = {"python": "3.11.2", "numpy": "2.1.0", "code": "0123456789ab"}
    _require_same("tcp://a:1", dict(ours), ours)
    for name, own in ours.items():
        theirs = {**ours, name: "9"}
        with pytest.raises(
            ScenarioError,
            match=rf"Worker tcp://a:1 has a different version of {name}: 9 there, {own} here",
        ):
            _require_same("tcp://a:1", theirs, ours)
    with pytest.raises(ScenarioError, match="a different version of code: None there"):
        _require_same("tcp://a:1", {k: v for k, v in ours.items() if k != "code"}, ours)


def test_the_versions_are_those_that_can_change_a_number():
    assert set(versions()) >= {"python", "sim", "numpy", "scipy", "pybullet", "code"}


@pytest.mark.parametrize("address", ["host", "http//host", "tcp://host", "tcp:// host:1", ""])
def test_what_is_no_address_is_refused_at_once(address):
    pytest.importorskip("distributed")
    with pytest.raises(
        ScenarioError, match="requires the address of a Dask scheduler, such as tcp:"
    ):
        _client(address)


@contextlib.contextmanager
def listening(says):
    """The address of a server that says something to whoever connects, and no more."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    there.append(server.accept()[0])
                    there[-1].sendall(says)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for line in there:
                line.close()


@pytest.mark.parametrize(
    ("says", "said"),
    [
        (b"", "does not respond within 0.2 s"),
        (b"\x40\0\0\0\0\0\0\0half", "does not respond within 0.2 s"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is not a Dask scheduler"),
        (b"\xff" * 4096, "is not a Dask scheduler"),  # a length of 16 EiB
        (b"\x08\0\0\0\0\0\0\0garbage!" * 9, "is not a Dask scheduler"),
    ],
)
def test_what_is_no_scheduler_is_refused_and_never_waited_for(monkeypatch, says, said):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ANSWERS_WITHIN", 0.2)
    with listening(says) as address, pytest.raises(ScenarioError, match=said):
        _client(address)


def test_a_port_where_nobody_listens_is_told_at_once():
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ScenarioError, match="does not respond"):
        _client(f"tcp://127.0.0.1:{port}")
