"""CaseRow: record of one case of a study."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from sim.errors import EngineError, SimError, in_one_line
from sim.recording.files.whole_files import json_text
from sim.recording.schema.verdicts import Check
from sim.studies.design import StudyCase
from sim.studies.responses import RATINGS, Responses

Status = Literal["pass", "fail", "error", "engine"]


class Worst(msgspec.Struct, frozen=True, array_like=True):
    """The channel closest to its limit, or furthest beyond, in one kind of check.

    `used` is the fraction of the limit, None if there is none; `at` is a time [s].
    """

    used: float | None
    channel: str
    at: float
    ok: bool

    @property
    def nearness(self) -> tuple[bool, float]:
        """Sort key for closeness to the limit: failures and missing fractions come first."""
        return not self.ok, float("inf") if self.used is None and not self.ok else self.used or 0.0


class Rating(msgspec.Struct, frozen=True, array_like=True):
    """Utilisation of one rating of a joint, or of its range, in a case.

    `used` is the fraction of `limit`, None if there is none; `limit` is in `unit`.
    """

    used: float | None
    limit: float | None
    unit: str
    ok: bool


class CaseRow(msgspec.Struct, frozen=True):
    """One case: parameter values and results.

    Parameters
    ----------
    key : str
        Hash of the scenario and of the values; equal keys have equal results.
    parameters : dict
        Values of the varied parameters.
    status : str
        ``pass`` or ``fail`` by the run's own checks; ``error`` if there is no run, ``engine`` if
        the engine is the reason.
    reason : str
        Reason for a missing run, or the first failed check.
    checks, failed : int
    worst : dict of str to Worst
        By name of the check.
    ratings : dict of str to dict of str to Rating
        By name of the check and channel: every rating of every joint.
    responses : dict of str to tuple
        Value and unit by name.
    draw : int or None
        Draw of the tolerances.
    factors : dict of str to float
        Factors of the tolerances on the robot, such as ``mass.upper_arm: 1.01``.
    seconds : float
        Computing time; it is in no table, which must be bitwise reproducible.
    inputs : dict of str to str
        Files, modules and environment variables that it depends on, with their hashes.
    run : str
        Folder of the run below that of the study, if it was kept.
    """

    key: str
    parameters: dict[str, object]
    status: Status
    reason: str = ""
    checks: int = 0
    failed: int = 0
    worst: dict[str, Worst] = {}
    ratings: dict[str, dict[str, Rating]] = {}
    responses: Responses = {}
    draw: int | None = None
    factors: dict[str, float] = {}
    seconds: float = 0.0
    run: str = ""
    inputs: dict[str, str] = {}

    @property
    def is_run(self) -> bool:
        """Whether there is a run, passed or not."""
        return self.status in ("pass", "fail")

    def response(self, name: str) -> float | None:
        """Return the value of a response; None if missing."""
        return self.responses[name][0] if name in self.responses else None


def key_of(fingerprint: str, case: StudyCase) -> str:
    """Return the hash of a scenario and one case of it."""
    text = f"[{json_text(fingerprint)}, {case.text[1:]}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def row_without_run(
    fingerprint: str, case: StudyCase, reason: str, status: Status = "error"
) -> CaseRow:
    """Return the row of a case without a run."""
    return CaseRow(
        key=key_of(fingerprint, case),
        parameters=dict(case.parameters),
        status=status,
        reason=reason,
        draw=case.draw,
    )


def row_of_error(fingerprint: str, case: StudyCase, error: Exception) -> CaseRow:
    """Return the row of a case that could not be computed, with the error as its reason."""
    text = str(error) if isinstance(error, SimError) else f"{type(error).__name__}: {error}"
    status: Status = "engine" if isinstance(error, EngineError) else "error"
    return row_without_run(fingerprint, case, in_one_line(text), status)


def row_of_checks(
    fingerprint: str,
    case: StudyCase,
    checks: Sequence[Check],
    responses: Responses,
    *,
    like: CaseRow | None = None,
    own: Sequence[Check] = (),
) -> CaseRow:
    """Return the row of a case with a run, from the run's checks and responses.

    Parameters
    ----------
    like : CaseRow, optional
        Row whose checks differ only in those of the names in `own`.
    own : sequence of Check
        Checks of this case with these names.
    """
    failed = [check for check in checks if not check.ok]
    return CaseRow(
        key=key_of(fingerprint, case),
        parameters=dict(case.parameters),
        status="fail" if failed else "pass",
        reason=f"{failed[0].name} {failed[0].channel}" if failed else "",
        checks=len(checks),
        failed=len(failed),
        worst=worst_of(checks) if like is None else like.worst | worst_of(own),
        ratings=ratings_of(checks) if like is None else like.ratings | ratings_of(own),
        responses={
            name: one if (value := one[0]) is None or math.isfinite(value) else (None, one[1])
            for name, one in responses.items()
        },
        draw=case.draw,
    )


def worst_of(checks: Sequence[Check]) -> dict[str, Worst]:
    """Return the check closest to its limit, by name of the check."""
    worst: dict[str, Worst] = {}
    for check in checks:
        one = Worst(check.used, check.channel, check.at, check.ok)
        if check.name not in worst or one.nearness > worst[check.name].nearness:
            worst[check.name] = one
    return worst


def ratings_of(checks: Sequence[Check]) -> dict[str, dict[str, Rating]]:
    """Return the utilisation of every rating, by name of the check and channel."""
    ratings: dict[str, dict[str, Rating]] = {}
    for check in checks:
        if check.name in RATINGS:
            one = Rating(check.used, check.limit, check.unit, check.ok)
            ratings.setdefault(check.name, {})[check.channel] = one
    return ratings


def response_units(rows: Sequence[CaseRow]) -> dict[str, str]:
    """Return the units of all responses by name, in the order of the request."""
    units: dict[str, str] = {}
    for row in rows:
        if not units.keys() >= row.responses.keys():
            units |= {name: unit for name, (_, unit) in row.responses.items()}
    return units


def missing_values(rows: Sequence[CaseRow]) -> dict[str, str]:
    """Return responses missing in some runs, with their number: ``3 of 24 cases have no value``."""
    runs = [row for row in rows if row.is_run]
    texts = {}
    for name in response_units(runs):
        if lacking := sum(row.response(name) is None for row in runs):
            verb = "have" if lacking > 1 else "has"
            texts[name] = f"{lacking} of {len(rows)} cases {verb} no value"
    return texts


def check_names(rows: Sequence[CaseRow]) -> list[str]:
    """Return the names of all checks, without duplicates."""
    return list(dict.fromkeys(name for row in rows for name in row.worst))
