"""Pool: processes of this machine that compute cases in chunks.

They are started from a clean server process, so that they inherit nothing of this one; each uses
one thread, and a case depends on its plan only: the number of processes changes no bit.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from sim.studies.case_rows import CaseRow, row_without_run
from sim.studies.design import StudyCase
from sim.studies.study import Plan
from sim.studies.workers.case_work import compute_rows
from sim.studies.workers.execution import AddRows
from sim.studies.workers.server import CAN_SERVE, hide_program, limit_threads, start_server

CHUNK = 0.25  # [s] of work per chunk
MOST_IN_CHUNK = 64
AHEAD = 2  # chunks per worker that are submitted in advance


def default_worker_count() -> int:
    """Return the number of processors available to this process."""
    can = getattr(os, "sched_getaffinity", None)
    return len(can(0)) if can is not None else os.cpu_count() or 1


class Pool:
    """Workers for one plan; a context manager of their lifetime.

    Parameters
    ----------
    plan : Plan
    count : int
        Number of processes.
    """

    probe_size = 1

    def __init__(self, plan: Plan, count: int) -> None:
        self.plan, self.count = plan, count
        self._executor: ProcessPoolExecutor | None = None
        self._started: dict[Future[list[CaseRow]], list[StudyCase]] = {}

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def start(self, cases: list[StudyCase]) -> None:
        """Start computing cases; the next `compute` passes on their rows."""
        self._started[self._submit(cases)] = cases

    def compute(self, cases: Sequence[StudyCase], add_rows: AddRows) -> None:
        """Compute cases, and pass on their rows as they arrive.

        A case that kills its process has a row that reports it; the cases of its chunk are computed
        again, one by one.
        """
        out, self._started, seconds = self._started, {}, 0.0
        started = [case for chunk in out.values() for case in chunk]
        waiting = [case for case in reversed(cases) if case not in started]
        try:
            while waiting or out:
                try:
                    while waiting and len(out) < AHEAD * self.count:
                        chunk = next_chunk(waiting, seconds, self.count)
                        out[self._submit(chunk)] = chunk
                    done, _ = wait(out, return_when=FIRST_COMPLETED)
                    for future in done:
                        rows = future.result()
                        del out[future]
                        seconds = sum(row.seconds for row in rows) / len(rows)
                        add_rows(rows)
                except BrokenProcessPool:
                    add_rows(take_finished(out))
                    suspects = [case for chunk in out.values() for case in chunk]
                    out.clear()
                    for case in suspects:
                        add_rows([self._compute_alone(case)])
        finally:
            if rows := take_finished(out):
                add_rows(rows)

    def _compute_alone(self, case: StudyCase) -> CaseRow:
        """Return the row of a case, computed while no other is."""
        self._close()
        try:
            return self._submit([case]).result()[0]
        except BrokenProcessPool:
            self._close()
            reason = "the worker process ended: killed, or out of memory"
            return row_without_run(self.plan.fingerprint, case, reason)

    def _submit(self, chunk: list[StudyCase]) -> Future[list[CaseRow]]:
        """Submit a chunk; the first chunk of a worker starts its process."""
        with hide_program():
            return self._open().submit(compute_rows, self.plan, chunk)

    def _open(self) -> ProcessPoolExecutor:
        if self._executor is None:
            start_server()
            method = "forkserver" if CAN_SERVE else "spawn"
            with limit_threads():
                self._executor = ProcessPoolExecutor(
                    self.count,
                    mp_context=multiprocessing.get_context(method),
                    initializer=_start_worker,
                    initargs=(dict(os.environ),),
                )
                self._executor.submit(os.getpid).result()  # its server inherits the environment
        return self._executor

    def _close(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            for process in list((executor._processes or {}).values()):
                process.kill()
            executor.shutdown(cancel_futures=True)  # its threads end, too


def take_finished(out: dict[Any, list[StudyCase]]) -> list[CaseRow]:
    """Return the rows of finished futures, which are removed from `out`."""
    rows = []
    for future in list(out):
        if future.done() and not future.cancelled() and future.exception() is None:
            del out[future]
            rows += future.result()
    return rows


def next_chunk(waiting: list[StudyCase], seconds: float, workers: int) -> list[StudyCase]:
    """Return the next cases; chunks are small at the end, so that all workers finish together."""
    size = int(CHUNK / seconds) if seconds else 1
    size = max(1, min(size, MOST_IN_CHUNK, len(waiting) // (2 * workers)))
    return [waiting.pop() for _ in range(min(size, len(waiting)))]


def _start_worker(environment: dict[str, str]) -> None:
    """Initialise a worker: ignore Ctrl-C, and end with the parent process.

    It gets the current environment, since its server may come from an earlier study.
    """
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: object) -> None:
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)
