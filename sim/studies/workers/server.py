"""The server of a study's processes: a clean process that has loaded what each of them needs.

It needs half a second for it, so that a command starts it before its own modules are loaded.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from types import ModuleType

# Imports of every case: loaded once by the server, and inherited by each worker.
READY = (
    "sim.studies.workers.case_work",
    "sim.engines.bullet",
    "pandas",
    "pyarrow.compute",
    "pyarrow.pandas_compat",
    "lxml.etree",
)

CAN_SERVE = "forkserver" in multiprocessing.get_all_start_methods()
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def start_server() -> None:
    """Start the server, unless it runs; returns before it is ready."""
    if CAN_SERVE:
        from multiprocessing import resource_tracker
        from multiprocessing.forkserver import ensure_running

        resource_tracker.ensure_running()  # started in the block, it would unblock SIGINT
        multiprocessing.get_context("forkserver").set_forkserver_preload(list(READY))
        with hide_program(), limit_threads(), block_interrupts():
            ensure_running()


@contextlib.contextmanager
def block_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from processes started in the block, and from theirs; it reaches this one after.

    A terminal sends it to all of them, and one that is still loading would print its traceback.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def hide_program() -> Iterator[None]:
    """Keep processes started in the block from running this program again.

    They would do so because its own modules are looked up there, and a program that starts a study
    without `if __name__ == "__main__"` would start it again in each.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


@contextlib.contextmanager
def limit_threads() -> Iterator[None]:
    """Limit libraries of processes started in the block to one thread."""
    settings = {name: os.environ.get(name) for name in THREADS}
    os.environ |= dict.fromkeys(THREADS, "1")
    try:
        yield
    finally:
        for name, value in settings.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
