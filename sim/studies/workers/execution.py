"""carried_out: the unfinished cases of a study, computed and written as they come."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow, key_of
from sim.studies.design import Case
from sim.studies.responses import OPTION
from sim.studies.study import Study
from sim.studies.workers.case_work import Item

HOUR = 3600.0  # s; a study that takes longer asks first
PROBES = 4  # cases that are tried for one that can be computed
FOLDER_OF_RUNS = "runs"


class Workers(Protocol):
    """Whoever computes cases: processes of this machine, or a cluster."""

    workers: int
    at_once: int  # cases that tell how long one takes

    def work(self, items: Sequence[Item], took: Callable[[list[CaseRow]], None]) -> None:
        """Compute cases, and hand on their rows as they come."""


# (cases done, cases in all)
Tick = Callable[[int, int], None]
# A sentence before it starts.
Tell = Callable[[str], None]


def carried_out(
    study: Study,
    log: CaseLog,
    workers: Workers,
    *,
    keep_all: bool = False,
    yes: bool = False,
    tell: Tell = lambda _: None,
    tick: Tick = lambda done, total: None,
) -> list[CaseRow]:
    """The rows of all cases, in the order of the design.

    Parameters
    ----------
    log : CaseLog
        Holds what is finished already, and takes what comes.
    keep_all : bool
        Whether each run is kept.
    yes : bool
        Begin even if it takes more than an hour.
    tell, tick : callable
        Told how many cases there are and how long they take; told how many are done.

    Raises
    ------
    ScenarioError
        If it would take more than an hour, and nobody has said yes.
    """
    cases = [study.design.case(k) for k in range(study.design.count)]
    keys = [key_of(study.plan.fingerprint, case) for case in cases]
    digits = len(str(len(cases)))
    wanted = {
        key: Item(case, f"{FOLDER_OF_RUNS}/{k + 1:0{digits}}" if keep_all else "")
        for k, (key, case) in enumerate(zip(keys, cases, strict=True))
        if key not in log.rows or (keep_all and log.rows[key].is_run and not log.rows[key].run)
    }
    missing = list(wanted.values())  # a design may come to the same case twice
    done, total = len(set(keys)) - len(missing), len(set(keys))
    if done:
        tell(f"{done} of {total} cases are finished already")

    def took(rows: list[CaseRow]) -> None:
        nonlocal done
        log.add(rows)
        done += len(rows)
        tick(done, total)

    if missing:
        _say_how_long(study, missing, workers, took, tell, yes=yes)
        workers.work([item for item in missing if not _is_in(study, item, log)], took)
    return [log.rows[key] for key in keys]


def _is_in(study: Study, item: Item, log: CaseLog) -> bool:
    row = log.rows.get(key_of(study.plan.fingerprint, item.case))
    return row is not None and (not item.keep or not row.is_run or bool(row.run))


def _say_how_long(
    study: Study,
    missing: Sequence[Item],
    workers: Workers,
    took: Callable[[list[CaseRow]], None],
    tell: Tell,
    *,
    yes: bool,
) -> None:
    """Compute one case to know how long all take, two where the first says hours.

    One that cannot be computed says nothing of the others: a few are tried.

    Raises
    ------
    ScenarioError
        If it is more than an hour, and nobody has said yes.
    """
    tried: list[CaseRow] = []

    def tried_too(rows: list[CaseRow]) -> None:
        require_responses(rows)
        tried.extend(rows)
        took(rows)

    size = workers.at_once
    for probe in range(PROBES):
        workers.work(missing[probe * size : (probe + 1) * size], tried_too)
        runs = [row.seconds for row in tried if row.is_run]
        each = min(runs or [row.seconds for row in tried])
        left = each * (len(missing) - len(tried)) / workers.workers
        if len(tried) >= len(missing) or (runs and (left < HOUR or probe)):
            break
    if len(tried) >= len(missing):
        return
    on = f"{workers.workers} worker{'s' * (workers.workers != 1)}"
    words = (
        f"{study.name}: {len(missing):,} cases of about {duration_text(each)} on {on}: "
        f"about {duration_text(left)}"
    )
    if left > HOUR and not yes:
        raise ScenarioError(f"{words}; say --yes to begin, or vary less")
    tell(words)


def require_responses(rows: list[CaseRow]) -> list[CaseRow]:
    """The first rows of a study, if one of them has what is asked of each.

    Raises
    ------
    ScenarioError
        If none has: no channel is called so, or a user's function fails.
    """
    lacking = [row.status == "error" and row.reason.startswith(OPTION) for row in rows]
    if lacking and all(lacking):
        raise ScenarioError(f"{rows[0].reason} (seen at the first case)")
    return rows


def duration_text(seconds: float) -> str:
    """Such as ``3 ms``, ``12 s``, ``3 min`` or ``2 h 10 min``."""
    if seconds < 0.01:
        return f"{1e3 * seconds:.2g} ms"
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60:,} h {minutes % 60} min"


def kept_runs(
    study: Study,
    log: CaseLog,
    workers: Workers,
    rows: Sequence[CaseRow],
    count: int,
) -> list[CaseRow]:
    """The rows again, after the runs of the `count` cases nearest to their limits were kept."""
    order = sorted((k for k, row in enumerate(rows) if row.is_run), key=lambda k: _room(rows[k]))
    digits = len(str(len(rows)))
    wanted = [k for k in order[:count] if not rows[k].run]
    items = [
        Item(Case(rows[k].parameters, rows[k].draw), f"{FOLDER_OF_RUNS}/{k + 1:0{digits}}")
        for k in wanted
    ]
    workers.work(items, log.add)
    return [log.rows[row.key] for row in rows]


def _room(row: CaseRow) -> tuple[bool, float]:
    """How far a case is from its limits: those that fail first."""
    used = [one.used or 0.0 for one in row.worst.values()]
    return row.status == "pass", -max(used, default=0.0)
