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

# Of the environment, before NumPy is loaded: our products of matrices take microseconds, and a
# second thread that waits for the next one takes as much of a processor as the first.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")

# Of the environment, before Arrow is loaded: its default allocator keeps what it has freed, up to
# 70 MB while a run of 600 s is judged, and is no faster for our tables.
ARROW_ALLOCATOR = ("ARROW_DEFAULT_MEMORY_POOL", "system")

# New objects between two searches for cycles. Python's own 700 are 370 searches in a run of
# ur10_step, and these 28; either way some 3000 objects are freed.
OBJECTS_BETWEEN_SEARCHES = 20_000

AGAIN = 0.05  # [s] after which a signal is sent again whose exception was dropped
PATIENCE = 10.0  # [s] after which it is sent again to a block that goes on; clearing up is fast

_received: list[int] = []  # signals that requested the end of the block of `stoppable`


class Stopped(BaseException):
    """A signal requested the process to end; what it was writing is cleared away on the way out.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"stopped by {signal.Signals(number).name}")


def prepare() -> None:
    """Set up streams, warnings, threads and memory: no verdict and no time depends on them then."""
    _open_streams()
    os.environ.setdefault(*ONE_THREAD)
    os.environ.setdefault(*ARROW_ALLOCATOR)
    gc.set_threshold(OBJECTS_BETWEEN_SEARCHES)
    # As it ends Python searches all objects for cycles twice, for memory that the system takes back
    # anyway: 0.17 s after a run.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an ASCII terminal cannot encode m/s²
            stream.reconfigure(errors="replace" if stream is sys.stdout else "backslashreplace")
    if not sys.warnoptions:  # python -W shows them
        warnings.simplefilter("ignore")


def quieten_matplotlib() -> None:
    """Log no warnings of Matplotlib; help, which draws nothing, need not wait for `logging`."""
    if not sys.warnoptions:
        import logging

        logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _open_streams() -> None:
    """Standard streams that the caller has closed lead nowhere.

    Else the first file that is opened gets the number of stdout, and the engine's messages.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 as long as we live
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block by `Stopped`, unless the caller has them ignored (nohup).

    Python drops an exception that it raises within a destructor or a library's callback. A signal
    that comes just then is sent again a little later, and so is an interrupt. Until then the
    library may fail because its callback has failed: `end_requested` holds the reason. Where
    a library drops it in silence the block goes on, and it is sent again after `PATIENCE`.
    """
    from threading import Timer

    signals = [
        number
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None))  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL
    ]

    timers: list[Timer] = []
    began = [0.0]  # when the last of these signals came

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
        raise KeyboardInterrupt

    def stop(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        began[:] = [time.monotonic()]
        for each in signals:  # once is enough: let it clear up
            signal.signal(each, signal.SIG_IGN)
        signal.signal(number, stop_at_last)
        send_later(number, PATIENCE)
        raise Stopped(number)

    def stop_at_last(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - began[0] >= PATIENCE:
            stop(number, frame)

    def send_again(dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, Stopped):
            number = dropped.exc_value.number
            signal.signal(number, stop)
        elif isinstance(dropped.exc_value, KeyboardInterrupt):
            number = signal.SIGINT
        else:
            told(dropped)
            return
        send_later(number, AGAIN)

    told, sys.unraisablehook = sys.unraisablehook, send_again
    for number in signals:
        signal.signal(number, stop)
    own = signal.getsignal(signal.SIGINT)
    if own is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        _received.clear()
        if own is signal.default_int_handler:
            signal.signal(signal.SIGINT, own)
        sys.unraisablehook = told
        for number in signals:
            signal.signal(number, signal.SIG_DFL)


def end_requested() -> KeyboardInterrupt | Stopped | None:
    """The request of the first signal that came within `stoppable`; None where none came.

    An error that comes after it is one of its consequences, or is of no interest any more.
    """
    if not _received:
        return None
    number = _received[0]
    return KeyboardInterrupt() if number == signal.SIGINT else Stopped(number)


def fall_silent() -> None:
    """The reader of stdout has gone (`sim list | head`): write no more, but go on.

    The exit status is still that of the work.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush_status(status: int) -> int:
    """The exit status once all is written; where stdout cannot take it the work is not done."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        fall_silent()
    except OSError as error:
        fall_silent()
        if status == MISUSE:  # reported already
            return status
        sys.stderr.write(f"sim: Cannot write to stdout: {error.strerror or error}\n")
        return status or MISUSE
    return status
