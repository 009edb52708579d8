"""CaseRow: what is kept of one case of a study."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from sim.recording.files import json_text
from sim.studies.design import Case

Status = Literal["pass", "fail", "error", "engine"]


class Worst(msgspec.Struct, frozen=True, array_like=True):
    """Of all channels of one kind of check, the one nearest to its limit or beyond.

    `used` is the share of the limit, None where there is none; `at` a time [s].
    """

    used: float | None
    channel: str
    at: float
    ok: bool

    @property
    def nearness(self) -> tuple[bool, float]:
        """By which the nearest to its limit is found: what fails, and what has no share, first."""
        return not self.ok, float("inf") if self.used is None and not self.ok else self.used or 0.0


class Rating(msgspec.Struct, frozen=True, array_like=True):
    """How much a case uses of one rating of a joint, or of its range.

    `used` is the share of `limit`, None where there is none; `limit` is in `unit`.
    """

    used: float | None
    limit: float | None
    unit: str
    ok: bool


class CaseRow(msgspec.Struct, frozen=True):
    """One case: its values and what became of them.

    Parameters
    ----------
    key : str
        Hash of the scenario and of the values: who has it has the result.
    parameters : dict
        Values of the varied parameters.
    status : str
        ``pass`` or ``fail`` by the run's own checks; ``error`` where there is no run, ``engine``
        where the engine is the reason.
    reason : str
        Why there is no run, or the first check that fails.
    checks, failed : int
    worst : dict of str to Worst
        By the name of the check.
    ratings : dict of str to dict of str to Rating
        By the name of the check and the channel: every rating of every joint.
    responses : dict of str to tuple
        Value and unit by name.
    draw : int or None
        Of the tolerances.
    factors : dict of str to float
        What the tolerances have made of the robot, such as ``mass.upper_arm: 1.01``.
    seconds : float
        Of computing; it is in no table, which must be the same to the bit however it was made.
    inputs : dict of str to str
        Files, modules and variables of the environment that it was built from, and their hashes.
    run : str
        Folder of the run below that of the study, where it was kept.
    """

    key: str
    parameters: dict[str, object]
    status: Status
    reason: str = ""
    checks: int = 0
    failed: int = 0
    worst: dict[str, Worst] = {}
    ratings: dict[str, dict[str, Rating]] = {}
    responses: dict[str, tuple[float | None, str]] = {}
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
        """The value of a response; None where there is none."""
        return self.responses[name][0] if name in self.responses else None


def key_of(fingerprint: str, case: Case) -> str:
    """Hash of a scenario and one case of it."""
    text = json_text([fingerprint, dict(sorted(case.parameters.items())), case.draw])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
