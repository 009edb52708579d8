"""run_cases: compute the unfinished cases of a study and store them as they arrive."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.case_rows import CaseRow, key_of
from sim.studies.design import StudyCase
from sim.studies.request import ExecutionOptions
from sim.studies.responses import OPTION
from sim.studies.study import Study

HOUR = 3600.0  # [s] longer studies require confirmation
PROBES = 4  # cases tried to find one that can be computed
FOLDER_OF_RUNS = "runs"

AddRows = Callable[[list[CaseRow]], None]
# Receives a sentence.
Message = Callable[[str], None]
# Receives the numbers of finished and of all cases.
Progress = Callable[[int, int], None]


class Workers(Protocol):
    """A way to compute cases: processes of this machine, a cluster, the model only.

    Attributes
    ----------
    count : int
        Number of cases computed at a time.
    probe_size : int
        Number of cases needed to estimate the time per case.
    """

    count: int
    probe_size: int

    def compute(self, cases: Sequence[StudyCase], add_rows: AddRows) -> None:
        """Compute cases, and pass on their rows as they arrive."""


@dataclass(frozen=True)
class ProgressCallbacks:
    """Functions called while a study is computed; by default they do nothing.

    Parameters
    ----------
    message : callable
        Receives a sentence.
    progress : callable
        Receives the study's name; returns a context that yields a function of both counts.
    interrupted : callable
        Receives the folder and the number of stored cases, if a study is interrupted.
    """

    message: Message = lambda _: None
    progress: Callable[[str], AbstractContextManager[Progress]] = lambda _: nullcontext(
        lambda done, total: None
    )
    interrupted: Callable[[Path, int], None] = lambda folder, n_rows: None


@dataclass(frozen=True)
class StudyRun:
    """A study while its cases are computed.

    Parameters
    ----------
    study : Study
    log : CaseLog
        Stores finished and new rows.
    workers : Workers
    options : ExecutionOptions
    callbacks : ProgressCallbacks
    """

    study: Study
    log: CaseLog
    workers: Workers
    options: ExecutionOptions = field(default_factory=ExecutionOptions)
    callbacks: ProgressCallbacks = field(default_factory=ProgressCallbacks)

    def row(self, case: StudyCase) -> CaseRow:
        """Return the row of a computed case."""
        return self.log.rows[key_of(self.study.plan.fingerprint, case)]

    def is_done(self, case: StudyCase, key: str = "") -> bool:
        """Whether a case has its row, and its run if it is to be kept; `key` is its known key."""
        row = self.log.rows.get(key or key_of(self.study.plan.fingerprint, case))
        return row is not None and (not case.folder or not row.is_run or bool(row.run))


def run_cases(run: StudyRun) -> list[CaseRow]:
    """Return the rows of all cases, in the order of the design.

    Raises
    ------
    ScenarioError
        If the estimate exceeds one hour, and the options do not allow it.
    """
    study, log = run.study, run.log
    cases = study.design.cases()
    keys = [key_of(study.plan.fingerprint, case) for case in cases]
    if study.facts.request.keep == "all":
        cases = [_with_folder(case, k, len(cases)) for k, case in enumerate(cases)]
    different = dict(zip(keys, cases, strict=True))  # a design may contain a case twice
    missing = {key: case for key, case in different.items() if not run.is_done(case, key)}
    done, total = len(different) - len(missing), len(different)
    with run.callbacks.progress(study.name) as progress:
        if done:
            run.callbacks.message(f"{done} of {total} cases are already finished")

        def add_rows(rows: list[CaseRow]) -> None:
            nonlocal done
            log.add(rows)
            done += len(rows)
            progress(done, total)

        if missing:
            _estimate_duration(run, list(missing.values()), add_rows)
            rest = [case for key, case in missing.items() if not run.is_done(case, key)]
            run.workers.compute(rest, add_rows)
    return [log.rows[key] for key in keys]


def _with_folder(case: StudyCase, index: int, count: int) -> StudyCase:
    """Return a case whose run is kept, with its number as folder."""
    return replace(case, folder=f"{FOLDER_OF_RUNS}/{index + 1:0{len(str(count))}}")


def _estimate_duration(run: StudyRun, missing: Sequence[StudyCase], add_rows: AddRows) -> None:
    """Compute one case to estimate the total time, two if the first takes hours.

    A case that cannot be computed gives no estimate of the others: a few are tried.

    Raises
    ------
    ScenarioError
        If the estimate exceeds one hour, and the options do not allow it.
    """
    workers = run.workers
    computed: list[CaseRow] = []

    def add_probes(rows: list[CaseRow]) -> None:
        require_responses(rows)
        computed.extend(rows)
        add_rows(rows)

    size = workers.probe_size
    for probe in range(PROBES):
        workers.compute(missing[probe * size : (probe + 1) * size], add_probes)
        runs = [row.seconds for row in computed if row.is_run]
        each = min(runs or [row.seconds for row in computed])
        remaining = each * (len(missing) - len(computed)) / workers.count
        if len(computed) >= len(missing) or (runs and (remaining < HOUR or probe)):
            break
    if len(computed) >= len(missing):
        return
    on = f"{workers.count} worker{'s' * (workers.count != 1)}"
    text = (
        f"{run.study.name}: {len(missing):,} cases of about {duration_text(each)} on {on}: "
        f"about {duration_text(remaining)}"
    )
    if remaining > HOUR and not run.options.yes:
        raise ScenarioError(f"{text}; use --yes to start, or vary less")
    run.callbacks.message(text)


def require_responses(rows: list[CaseRow]) -> list[CaseRow]:
    """Return the first rows of a study, if one of them has the responses.

    Raises
    ------
    ScenarioError
        If none has: no channel has that name, or a user's function fails.
    """
    lacking = [row.status == "error" and row.reason.startswith(OPTION) for row in rows]
    if lacking and all(lacking):
        raise ScenarioError(f"{rows[0].reason} (seen at the first case)")
    return rows


def duration_text(seconds: float) -> str:
    """Return text such as ``3 ms``, ``12 s``, ``3 min`` or ``2 h 10 min``."""
    if seconds < 0.01:
        return f"{1e3 * seconds:.2g} ms"
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60:,} h {minutes % 60} min"


def keep_runs(run: StudyRun, rows: Sequence[CaseRow]) -> list[CaseRow]:
    """Keep the requested number of runs closest to their limits and return the updated rows."""
    keep = run.study.facts.request.keep
    order = sorted((k for k, row in enumerate(rows) if row.is_run), key=lambda k: _room(rows[k]))
    indices = order[: keep if isinstance(keep, int) else len(rows)]
    cases = [
        _with_folder(StudyCase(rows[k].parameters, rows[k].draw), k, len(rows))
        for k in indices
        if not rows[k].run
    ]
    run.workers.compute(cases, run.log.add)
    return [run.log.rows[row.key] for row in rows]


def _room(row: CaseRow) -> tuple[bool, float]:
    """Return the sort key of a case by its margin: failures come first."""
    shares = [one.used or 0.0 for one in row.worst.values()]
    return row.status == "pass", -max(shares, default=0.0)
