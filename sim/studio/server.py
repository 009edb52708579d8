"""Server of the window: for this machine only, at an unguessable address."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from sim import shipped
from sim.errors import PlaybackError
from sim.robots.mesh_places import only_meshes_below
from sim.studio.actions import Actions
from sim.studio.folder import Folder
from sim.studio.guard import Guard, Keys
from sim.studio.routes import Routes
from sim.studio.worker_link import WorkerLink

HOST = "127.0.0.1"
MOST_REQUESTS = 64  # at once


def serve(
    path: Path,
    command: list[str],
    worker: list[str],
    ready: Callable[[str], None],
    port: int = 0,
    *,
    page: Path | None = None,
    meshes: Sequence[Path] = (),
) -> None:
    """Serve the window of a folder until the process is stopped.

    Parameters
    ----------
    path : Path
        The folder; it is created if it does not exist.
    command, worker : list of str
        Command lines of `sim`, and of the process that runs a script.
    ready : callable
        Called with the address of the window.
    port : int
        0 for any free port.
    page : Path, optional
        A page of runs that the window shows too.
    meshes : sequence of Path
        Folders other than `path` from which meshes are read.

    Raises
    ------
    PlaybackError
        If the folder cannot be created, or the port cannot be used.
    """
    folder = _make_folder(path)
    keys = Keys.draw()
    with _listen(port) as listener, only_meshes_below(folder.path, shipped.root(), *meshes):
        number = listener.getsockname()[1]
        link = WorkerLink(worker, folder.path)
        routes = Routes(folder, keys, link, Actions(folder, link, command), page)
        hosts = {f"{name}:{number}" for name in (HOST, "localhost")}
        guard = Guard(routes.application(), hosts, keys)
        ready(f"http://{HOST}:{number}/{keys.window}/")
        _run(guard, listener)


def _make_folder(path: Path) -> Folder:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if path.is_file() else error.strerror
        raise PlaybackError(f"Cannot use {path}: {why}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise PlaybackError(f"Cannot use {path}: no right to write there")
    return Folder(path)


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    try:
        if os.name == "posix":  # on other systems another program could then take the port too
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()  # the address must be valid when it is printed
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or str(error).removesuffix(".")
        raise PlaybackError(
            f"Port {port} cannot be used: {why}; omit --port for one that is free"
        ) from error
    return listener


def _run(guard: Guard, listener: socket.socket) -> None:
    config = uvicorn.Config(
        guard,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=MOST_REQUESTS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt), _shut_down_on_signals(server):
        server.run(sockets=[listener])


@contextlib.contextmanager
def _shut_down_on_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let signals shut the server down, and send the first of them again after that.

    An exception raised by a signal within the event loop would leave the process of the next run.
    uvicorn handles SIGINT and SIGTERM while the loop runs, but not while it is created, nor SIGHUP.
    """
    received: list[int] = []

    def shut_down(number: int, frame: FrameType | None) -> None:
        received.append(number)
        server.should_exit = True

    numbers = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
    handlers = {number: signal.getsignal(number) for number in numbers}
    heeded = {number: each for number, each in handlers.items() if each is not signal.SIG_IGN}
    for number in heeded:
        signal.signal(number, shut_down)
    try:
        yield
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
