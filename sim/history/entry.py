"""History of a run: errors against limits, peaks, cost, and reviewer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sim.errors import RecordingError
from sim.recording.schema.description import Run

CHECK, PEAK = "check", "peak"


def seconds_of(date: str) -> float:
    """Return seconds since 1970 of a date in ISO 8601, in UTC if it has no offset.

    Raises
    ------
    RecordingError
        If it is not a date of the years 1 to 9999 in UTC.
    """
    try:
        moment = datetime.fromisoformat(date)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise RecordingError(
            f"{date[:40]!r} is not a date in ISO 8601, such as 2026-03-01T12:00:00+00:00"
        ) from None
    return seconds


@dataclass(frozen=True)
class Measured:
    """One number of a run.

    Parameters
    ----------
    kind : str
        ``check`` or ``peak``.
    name, channel : str
        For a peak the name is empty.
    value, limit : float or None
        In `unit`; a peak has no limit.
    unit : str
    used : float or None
        Used share of its limit, 1 at the limit.
    """

    kind: str
    name: str
    channel: str
    value: float | None
    limit: float | None
    unit: str
    used: float | None

    @property
    def key(self) -> tuple[str, str]:
        """Key of the quantity that is followed from run to run."""
        return self.name, self.channel

    @property
    def label(self) -> str:
        """Text such as ``torque tau.elbow_joint`` or ``peak of tau.elbow_joint``."""
        return f"{self.name} {self.channel}" if self.kind == CHECK else f"peak of {self.channel}"


@dataclass(frozen=True)
class RunConditions:
    """Conditions that two runs of a scenario must share to be comparable."""

    engine: str = ""
    method: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    urdf_sha256: str = ""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryEntry:
    """A recorded run, or an acceptance from before history was recorded.

    Parameters
    ----------
    scenario : str
    made : str
        Time of the run, ISO 8601.
    commit : str
        Git commit of the run; empty if unknown.
    commit_is_whole : bool
        Whether the working tree was unchanged from the commit when the run was recorded.
    accepted, who, reason : str
        Time, reviewer and reason of its acceptance as baseline; empty if there was none.
    verdict : str
        ``pass``, ``fail``, or empty if not judged.
    conditions : RunConditions
    cpu : float or None
        Processor time of engine and model [s].
    numbers : tuple of Measured
        Empty for an acceptance from before.

    Raises
    ------
    RecordingError
        If it has no date of a run or acceptance.
    """

    scenario: str
    made: str
    commit: str = ""
    commit_is_whole: bool = True
    accepted: str = ""
    who: str = ""
    reason: str = ""
    verdict: str = ""
    conditions: RunConditions = field(default_factory=RunConditions)
    cpu: float | None = None
    numbers: tuple[Measured, ...] = ()

    def __post_init__(self) -> None:
        seconds_of(self.when)

    @property
    def when(self) -> str:
        """Time of the run, or of the acceptance if only that is known."""
        return self.made or self.accepted

    @property
    def kind(self) -> str:
        """Engine and method, such as ``bullet ideal``; empty if unknown."""
        return f"{self.conditions.engine} {self.conditions.method}".strip()

    @property
    def commit_text(self) -> str:
        """Commit as git abbreviates it, ``+`` with uncommitted changes, ``–`` if unknown."""
        if not self.commit:
            return "–"
        return self.commit[:8] + ("" if self.commit_is_whole else "+")

    @property
    def checks(self) -> tuple[Measured, ...]:
        """Checked quantities."""
        return tuple(one for one in self.numbers if one.kind == CHECK)

    @property
    def nearest(self) -> Measured | None:
        """Check that uses the largest share of its limit."""
        judged = [one for one in self.checks if one.used is not None]
        return max(judged, key=lambda one: one.used or 0.0, default=None)


def entry_of(run: Run, commit: str = "", *, commit_is_whole: bool = True) -> HistoryEntry:
    """Return the history entry of a judged run."""
    cpu = run.provenance.cpu
    checks = (
        Measured(CHECK, c.name, c.channel, c.worst, c.limit, c.unit, c.used) for c in run.checks
    )
    peaks = (
        Measured(PEAK, "", channel, value, None, run.units.get(channel, ""), None)
        for channel, value in run.peaks.items()
    )
    return HistoryEntry(
        scenario=run.scenario,
        made=run.provenance.created,
        commit=commit,
        commit_is_whole=commit_is_whole,
        verdict=run.verdict or "",
        conditions=RunConditions(
            engine=run.engine,
            method=run.method,
            parameters=run.parameters,
            urdf_sha256=run.robot.urdf_sha256,
            versions={"python": run.provenance.python, **run.provenance.versions},
        ),
        cpu=cpu if isinstance(cpu, float) else None,
        numbers=(*checks, *peaks),
    )
