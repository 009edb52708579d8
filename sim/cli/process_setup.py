"""Streams, signals and warnings of the command's process."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from types import FrameType

from sim.cli.exit_status import MISUSE

# Set in the environment before NumPy is loaded: our matrix products take microseconds, and a
# second thread that spins for the next one uses as much CPU as the first.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")

# Set in the environment before Arrow is loaded: its default allocator keeps freed memory, up to
# 70 MB while a run of 600 s is judged, and is no faster for our tables.
ARROW_ALLOCATOR = ("ARROW_DEFAULT_MEMORY_POOL", "system")

# Another allocator of Arrow, which is not used, would have a thread, and no process with threads is
# copied to a second processor.
NO_THREAD_OF_ARROW = ("JE_ARROW_MALLOC_CONF", "background_thread:false")

# New objects between two cycle collections. Python's own 700 are 370 collections in a run of
# ur10_step, and 20 000 are five that take 20 ms and free 3000 objects; these are none.
OBJECTS_BETWEEN_SEARCHES = 150_000
# As many of them until older objects are looked at too: more than any command needs that only
# imports and reads, and half of what collections took of `sim compare`.
SEARCHES_OF_THE_YOUNG = 20

AGAIN = 0.05  # [s] until a signal is sent again whose exception was dropped
PATIENCE = 10.0  # [s] until it is sent again to a block that continues; cleaning up is fast

_received: list[int] = []  # signals that requested the end of the block of `end_on_signals`


class Stopped(BaseException):
    """A signal requested the end of the process; partial output is removed on the way out.

    Parameters
    ----------
    number : int
        Number of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"stopped by {signal.Signals(number).name}")


class _Interrupted(KeyboardInterrupt):
    """Ctrl-C; Python itself ends by SIGINT if a plain one passes a string that it executes."""


def prepare() -> None:
    """Set up streams, warnings, threads and memory, independently of the user's environment."""
    _open_streams()
    os.environ.setdefault(*ONE_THREAD)
    os.environ.setdefault(*ARROW_ALLOCATOR)
    os.environ.setdefault(*NO_THREAD_OF_ARROW)
    gc.set_threshold(OBJECTS_BETWEEN_SEARCHES, SEARCHES_OF_THE_YOUNG)
    # Python's final cycle collections over all objects, 0.17 s after a run, free memory that the
    # system reclaims anyway.
    atexit.register(gc.freeze)
    # The status of the command counts; from here on, Python would end by SIGINT.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an ASCII terminal cannot encode m/s²
            stream.reconfigure(errors="replace" if stream is sys.stdout else "backslashreplace")
    if not sys.warnoptions:  # unless python -W shows them
        warnings.simplefilter("ignore")


def quieten_matplotlib() -> None:
    """Disable Matplotlib's log warnings; what draws nothing need not import `logging`."""
    if not sys.warnoptions:
        import logging

        logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _open_streams() -> None:
    """Open standard streams that the caller has closed, without a destination.

    Otherwise the first opened file would get the number of stdout, and the engine's messages.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 as long as we live
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


@contextlib.contextmanager
def end_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block by `Stopped`, unless the caller ignores them (nohup).

    Python drops an exception that is raised in a destructor or a library's callback. A signal or an
    interrupt at such a time is sent again shortly afterwards. Until then the library may fail
    because its callback failed: `end_requested` holds the reason. If a library drops it silently,
    the block continues, and the signal is sent again after `PATIENCE`.
    """
    from threading import Timer

    signals = [
        number
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None))  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL
    ]

    timers: list[Timer] = []
    began = [0.0]  # time of the last of these signals

    def send_later(number: int, seconds: float) -> None:
        def send() -> None:
            os.kill(os.getpid(), number)

        again = Timer(seconds, send)
        again.daemon = True
        timers.append(again)
        again.start()

    def interrupt(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        send_later(number, PATIENCE)
        raise _Interrupted

    def stop(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        began[:] = [time.monotonic()]
        for each in signals:  # once is enough: let it clean up
            signal.signal(each, signal.SIG_IGN)
        signal.signal(number, stop_at_last)
        send_later(number, PATIENCE)
        raise Stopped(number)

    def stop_at_last(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - began[0] >= PATIENCE:
            stop(number, frame)

    def send_again(dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, Stopped):
            signal.signal(dropped.exc_value.number, stop)
            send_later(dropped.exc_value.number, AGAIN)
        elif isinstance(dropped.exc_value, KeyboardInterrupt):
            send_later(signal.SIGINT, AGAIN)
        elif not _received:  # otherwise it may be of an object that the signal left half built
            previous_hook(dropped)

    previous_hook, sys.unraisablehook = sys.unraisablehook, send_again
    for number in signals:
        signal.signal(number, stop)
    previous_handler = signal.getsignal(signal.SIGINT)
    if previous_handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        _received.clear()
        if previous_handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, previous_handler)
        sys.unraisablehook = previous_hook
        for number in signals:
            signal.signal(number, signal.SIG_DFL)


def end_requested() -> KeyboardInterrupt | Stopped | None:
    """Return the first signal's request within `end_on_signals`; None if there was none.

    A later error is one of its consequences, or no longer relevant.
    """
    if not _received:
        return None
    number = _received[0]
    return KeyboardInterrupt() if number == signal.SIGINT else Stopped(number)


def fall_silent() -> None:
    """Continue without output after the reader of stdout has closed it (`sim list | head`).

    The exit status is still that of the work.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush_status(status: int) -> int:
    """Return the exit status after all output is flushed; a failing stdout is an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        fall_silent()
    except OSError as error:
        fall_silent()
        if status == MISUSE:  # already reported
            return status
        sys.stderr.write(f"sim: Cannot write to stdout: {error.strerror or error}\n")
        return status or MISUSE
    return status
