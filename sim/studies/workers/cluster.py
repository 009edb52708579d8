"""Cluster: computation of a study's cases by the workers of a Dask scheduler.

Each worker must have the version of this process; others are refused. If a worker dies nothing is
lost: its chunk is given to another. Dask is installed by the extra ``cluster``.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow, row_without_run
from sim.studies.design import StudyCase
from sim.studies.study import Plan, versions
from sim.studies.workers.case_work import compute_rows
from sim.studies.workers.execution import AddRows
from sim.studies.workers.pool import AHEAD, next_chunk, take_finished

if TYPE_CHECKING:
    from distributed import Client, Future

ANSWERS_WITHIN = 10.0  # [s] timeout for a cluster
LONGEST_GREETING = 65536  # bytes; the versions sent by Dask take about a hundred
GREETING = b"pickle-protocol"  # part of the greeting

_ONE_AT_A_TIME = threading.Lock()  # a worker may have several threads, the engine only one


class Cluster:
    """Workers of a scheduler for one plan; a context manager of the connection.

    Parameters
    ----------
    plan : Plan
    address : str
        Address of the scheduler, such as ``tcp://host:8786``.

    Raises
    ------
    ScenarioError
        If Dask is not installed, nothing responds, there is no worker, or one has another version.
    """

    probe_size = 1

    def __init__(self, plan: Plan, address: str) -> None:
        self.plan, self.address = plan, address
        self._expected = versions()
        self._client: Client = _client(address)
        try:
            self.count = self._require_workers()
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=2)

    def compute(self, cases: Sequence[StudyCase], add_rows: AddRows) -> None:
        """Compute cases, and pass on their rows as they arrive.

        Raises
        ------
        ScenarioError
            If the cluster is lost, or a new worker has another version.
        """
        from distributed import as_completed

        waiting, seconds = list(reversed(cases)), 0.0
        out: dict[Future, list[StudyCase]] = {}
        coming = as_completed(loop=self._client.loop)

        def submit(chunk: list[StudyCase]) -> None:
            args = (self.plan, chunk, self._expected)
            future = self._client.submit(_compute_in_worker, *args, pure=False)
            out[future] = chunk
            coming.add(future)

        try:
            while waiting or out:
                while waiting and len(out) < AHEAD * self.count:
                    submit(next_chunk(waiting, seconds, self.count))
                future = next(coming)
                chunk = out.pop(future)
                if future.status == "finished":
                    rows = future.result()
                    seconds = sum(row.seconds for row in rows) / len(rows)
                    add_rows(rows)
                elif isinstance(error := self._reason(future), _OtherVersionError):
                    raise ScenarioError(str(error))
                elif len(chunk) > 1:
                    for case in chunk:
                        submit([case])
                else:
                    add_rows([self._row_of_loss(chunk[0], error)])
        finally:
            with contextlib.suppress(Exception):
                add_rows(take_finished(out))
                self._client.cancel(list(out), force=True)

    def _reason(self, future: Future) -> BaseException:
        if future.status == "lost" or self._client.status != "running":
            raise ScenarioError(f"The cluster {self.address} no longer responds")
        return future.exception() or RuntimeError(f"it was {future.status}")

    def _row_of_loss(self, case: StudyCase, error: BaseException) -> CaseRow:
        text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        reason = f"the workers that computed it ended ({text})"
        return row_without_run(self.plan.fingerprint, case, reason)

    def _require_workers(self) -> int:
        """Return the number of cases computed at a time: one per worker."""
        answers: Mapping[str, Any] = self._client.run(versions, on_error="return")
        if not answers:
            raise ScenarioError(
                f"The cluster {self.address} has no workers; start one: "
                f"dask worker {self.address} --nthreads 1"
            )
        for worker, theirs in answers.items():
            if isinstance(theirs, BaseException):
                raise ScenarioError(
                    f"Worker {worker} of the cluster cannot compute: {type(theirs).__name__}: "
                    f"{theirs}; install the same version of sim there"
                )
            _require_same(worker, theirs, self._expected)
        return len(answers)


class _OtherVersionError(Exception):
    """Error for a later worker with another version."""


def _client(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise ScenarioError(
            f"--cluster requires Dask, which is not installed: pip install 'sim[cluster]' ({error})"
        ) from None
    if not re.fullmatch(r"([a-z]+://)?[^/\s]+:\d+", address):
        raise ScenarioError(
            f"--cluster requires the address of a Dask scheduler, such as tcp://host:8786, "
            f"got {address!r}"
        )
    _require_greeting(address)
    try:
        return Client(address, timeout=ANSWERS_WITHIN, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise _no_answer(address, error) from None


def _require_greeting(address: str) -> None:
    """Check that a Dask scheduler responds: it first sends a length and as many bytes.

    Dask itself waits without a timeout, and allocates any length encoded by other programs' bytes.

    Raises
    ------
    ScenarioError
        If nothing responds in time, or the response is different.
    """
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    until = time.monotonic() + ANSWERS_WITHIN

    def receive(count: int) -> bytes:
        block = b""
        while len(block) < count:
            line.settimeout(max(until - time.monotonic(), 1e-3))
            if not (more := line.recv(count - len(block))):
                raise ConnectionError("connection closed")
            block += more
        return block

    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWERS_WITHIN) as line:
            if scheme not in ("", "tcp"):
                return
            length = int.from_bytes(receive(8), "little")
            if length <= LONGEST_GREETING and GREETING in receive(length):
                return
    except (OSError, OverflowError) as error:
        raise _no_answer(address, error) from None
    raise ScenarioError(
        f"{address} is not a Dask scheduler; give the port of the scheduler (8786), "
        "not that of its dashboard"
    )


def _no_answer(address: str, error: Exception) -> ScenarioError:
    why = " ".join(str(error).split())
    return ScenarioError(
        f"The cluster {address} does not respond within {ANSWERS_WITHIN:g} s; is a scheduler "
        f"running (dask scheduler)? ({why})"
    )


def _require_same(worker: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> None:
    for name in sorted({*theirs, *ours}):
        if theirs.get(name) != ours.get(name):
            raise ScenarioError(
                f"Worker {worker} has a different version of {name}: {theirs.get(name)} there, "
                f"{ours.get(name)} here; results would not be identical"
            )


@cache
def _worker_versions() -> dict[str, str]:
    return versions()


def _compute_in_worker(
    plan: Plan, cases: Sequence[StudyCase], expected: Mapping[str, str]
) -> list[CaseRow]:
    """Return the rows of cases, in a worker."""
    from distributed import get_worker

    try:
        _require_same(get_worker().address, _worker_versions(), expected)
    except ScenarioError as error:
        raise _OtherVersionError(str(error)) from None
    with _ONE_AT_A_TIME:
        return compute_rows(plan, cases)
