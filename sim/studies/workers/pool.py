"""Pool: processes of this machine that compute cases in chunks.

They start from a clean server process, so that nothing of this one is in them; each computes with
one thread, and a case is a function of its plan alone: how many there are changes no bit.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import ModuleType
from typing import Any

from sim.studies.case_row import CaseRow, key_of
from sim.studies.plan import Plan
from sim.studies.workers.case_work import Item, rows_of

CHUNK = 0.25  # s of work that are handed out at once
MOST_IN_CHUNK = 64
AHEAD = 2  # chunks for each worker that are handed out

# Rows that have come.
Took = Callable[[list[CaseRow]], None]

# What every case needs: loaded once, and there in each worker.
READY = (
    "sim.studies.workers.case_work",
    "sim.engines.bullet",
    "pandas",
    "pyarrow.compute",
    "pyarrow.pandas_compat",
    "lark",
    "lxml.etree",
)

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def usual_workers() -> int:
    """As many as this process may use processors."""
    can = getattr(os, "sched_getaffinity", None)
    return len(can(0)) if can is not None else os.cpu_count() or 1


class Pool:
    """Workers for one plan; a context in which they live.

    Parameters
    ----------
    plan : Plan
    workers : int
    """

    at_once = 1

    def __init__(self, plan: Plan, workers: int) -> None:
        self.plan, self.workers = plan, workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def work(self, items: Sequence[Item], took: Took) -> None:
        """Compute cases, and hand on their rows as they come.

        A case that ends its process is told in its row; those that were handed out with it are
        computed again, one after the other.
        """
        waiting, seconds = list(reversed(items)), 0.0
        out: dict[Future[list[CaseRow]], list[Item]] = {}
        try:
            while waiting or out:
                try:
                    while waiting and len(out) < AHEAD * self.workers:
                        chunk = chunk_of(waiting, seconds, self.workers)
                        out[self._submitted(chunk)] = chunk
                    done, _ = wait(out, return_when=FIRST_COMPLETED)
                    for future in done:
                        rows = future.result()
                        del out[future]
                        seconds = sum(row.seconds for row in rows) / len(rows)
                        took(rows)
                except BrokenProcessPool:
                    took(finished(out))
                    suspects = [item for chunk in out.values() for item in chunk]
                    out.clear()
                    for item in suspects:
                        took([self._alone(item)])
        finally:
            if rows := finished(out):
                took(rows)

    def _alone(self, item: Item) -> CaseRow:
        """The row of a case that nothing else is computed beside."""
        self._end()
        try:
            return self._submitted([item]).result()[0]
        except BrokenProcessPool:
            self._end()
            return CaseRow(
                key=key_of(self.plan.fingerprint, item.case),
                parameters=dict(item.case.parameters),
                status="error",
                reason="the process that computed it ended: killed, or out of memory",
                draw=item.case.draw,
            )

    def _submitted(self, chunk: list[Item]) -> Future[list[CaseRow]]:
        """A chunk handed out; where it is the first of a worker, that begins here."""
        with _no_program():
            return self._pool().submit(rows_of, self.plan, chunk)

    def _pool(self) -> ProcessPoolExecutor:
        if self._executor is None:
            can_serve = "forkserver" in multiprocessing.get_all_start_methods()
            context = multiprocessing.get_context("forkserver" if can_serve else "spawn")
            if can_serve:
                context.set_forkserver_preload(list(READY))
            with _one_thread():
                self._executor = ProcessPoolExecutor(
                    self.workers,
                    mp_context=context,
                    initializer=_begin,
                    initargs=(dict(os.environ),),
                )
                self._executor.submit(os.getpid).result()  # its server inherits the environment
        return self._executor

    def _end(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            processes = list((executor._processes or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()


def finished(out: dict[Any, list[Item]]) -> list[CaseRow]:
    """Rows of those that are done; they are taken away."""
    rows = []
    for future in list(out):
        if future.done() and not future.cancelled() and future.exception() is None:
            del out[future]
            rows += future.result()
    return rows


def chunk_of(waiting: list[Item], seconds: float, workers: int) -> list[Item]:
    """The next items; small chunks at the end, so that all workers end together."""
    size = int(CHUNK / seconds) if seconds else 1
    size = max(1, min(size, MOST_IN_CHUNK, len(waiting) // (2 * workers)))
    return [waiting.pop() for _ in range(min(size, len(waiting)))]


@contextlib.contextmanager
def _no_program() -> Iterator[None]:
    """Processes that start now do not run the program again that this one runs.

    They would as modules of its own are looked for there, and a program that begins a study
    without asking for its name would begin it once more in each.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Libraries of processes that start now compute with one thread."""
    kept = {name: os.environ.get(name) for name in THREADS}
    os.environ |= dict.fromkeys(THREADS, "1")
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _begin(environment: dict[str, str]) -> None:
    """A worker leaves Ctrl-C to the process that it works for, and ends with it.

    Its environment is that of now: the server that it comes from may be of an earlier study.
    """
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: object) -> None:
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)
