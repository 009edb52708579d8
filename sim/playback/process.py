"""A child process for code that can end its process: PyBullet's window and its renderers.

PyBullet calls ``exit`` if it cannot open a window, and X does if the frame of a window is closed.
In a child process either ends only the child.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from sim.errors import EngineError

Program = Callable[..., Iterator[Any]]

TOLD, FAILED, ENDED = "told", "failed", "ended"
PATIENCE = 5.0  # s for a child to end by itself


class ChildLostError(EngineError):
    """The child process ended without a message.

    Parameters
    ----------
    began : bool
        Whether it had sent anything before.
    crashed : bool
        Whether it was ended by a signal.
    """

    def __init__(self, message: str, *, began: bool, crashed: bool) -> None:
        self.began = began
        self.crashed = crashed
        super().__init__(message)


def in_child(program: Program, *arguments: object) -> Iterator[Any]:
    """Iterate over ``program(*arguments)`` in a process of its own.

    Program and arguments are pickled, so the program must be a module-level function. The child
    ends when its output is no longer read.

    Raises
    ------
    ChildLostError
        If the process ends before the end of the program.
    """
    if os.name == "nt":
        message = "Drawing in a separate process is not supported on Windows"
        raise ChildLostError(message, began=False, crashed=False)
    ours, theirs = Pipe()
    code = f"from sim.playback.process import child; child({theirs.fileno()})"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # PyBullet prints messages of its own
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
    )
    theirs.close()
    try:
        with ours:
            yield from _messages(ours, process, (program, arguments))
    finally:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _messages(ours: Connection, process: subprocess.Popen[bytes], task: object) -> Iterator[Any]:
    began = False
    try:
        ours.send(task)
        while True:
            kind, content = ours.recv()
            if kind == ENDED:
                return
            if kind == FAILED:
                raise content
            began = True
            yield content
    except (EOFError, ConnectionError):
        status = process.wait(PATIENCE)
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        message = f"PyBullet's process has ended {how}"
        raise ChildLostError(message, began=began, crashed=status < 0) from None


def child(descriptor: int) -> None:
    """Run the program received on a connection, and send back its output."""
    with Connection(descriptor) as parent:
        program, arguments = parent.recv()
        try:
            for value in program(*arguments):
                parent.send((TOLD, value))
            parent.send((ENDED, None))
        except (BrokenPipeError, KeyboardInterrupt):
            return  # the output is no longer read
        except Exception as error:
            error.add_note(_trace(error))
            parent.send((FAILED, error))


def _trace(error: Exception) -> str:
    import traceback

    return "in PyBullet's process:\n" + "".join(traceback.format_tb(error.__traceback__))
