"""History of a run: errors against limits, peaks, its cost, and who accepted it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sim.errors import RecordingError
from sim.recording.schema.description import Run

CHECK, PEAK = "check", "peak"


def seconds_of(date: str) -> float:
    """Seconds since 1970 of a date in ISO 8601, in UTC where it has no offset.

    Raises
    ------
    RecordingError
        If it is no date of the years 1 to 9999 in UTC.
    """
    try:
        read = datetime.fromisoformat(date)
        seconds = (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
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
        Of a peak the name is empty.
    value, limit : float or None
        In `unit`; a peak has no limit.
    unit : str
    used : float or None
        Share of its limit, 1 at the limit.
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
        """``torque tau.elbow_joint``, ``peak of tau.elbow_joint``."""
        return f"{self.name} {self.channel}" if self.kind == CHECK else f"peak of {self.channel}"


@dataclass(frozen=True)
class RunConditions:
    """Conditions that two runs of a scenario must share to be expected alike."""

    engine: str = ""
    method: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    urdf_sha256: str = ""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryEntry:
    """A run that is kept, or an acceptance from before history was kept.

    Parameters
    ----------
    scenario : str
    made : str
        When the run was made, ISO 8601.
    commit : str
        Of git, at which it was made; empty where none is known.
    commit_is_whole : bool
        The working tree had no other content than the commit when the run was kept.
    accepted, who, reason : str
        When, by whom and why it became the baseline; empty where it did not.
    verdict : str
        ``pass``, ``fail``, or empty of a run that is not judged.
    conditions : RunConditions
    cpu : float or None
        Processor time of engine and model [s].
    numbers : tuple of Measured
        None of an acceptance from before.

    Raises
    ------
    RecordingError
        If it was neither made nor accepted at a date.
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
        """Time at which the run was made, or accepted where that alone is known."""
        return self.made or self.accepted

    @property
    def kind(self) -> str:
        """Engine and method, such as ``bullet ideal``; empty where they are not known."""
        return f"{self.conditions.engine} {self.conditions.method}".strip()

    @property
    def commit_text(self) -> str:
        """Commit as git abbreviates it, ``+`` with uncommitted changes, ``–`` if unknown."""
        if not self.commit:
            return "–"
        return self.commit[:8] + ("" if self.commit_is_whole else "+")

    @property
    def checks(self) -> tuple[Measured, ...]:
        """Judged quantities."""
        return tuple(one for one in self.numbers if one.kind == CHECK)

    @property
    def nearest(self) -> Measured | None:
        """The check that uses most of its limit."""
        judged = [one for one in self.checks if one.used is not None]
        return max(judged, key=lambda one: one.used or 0.0, default=None)


def entry_of(run: Run, commit: str = "", *, commit_is_whole: bool = True) -> HistoryEntry:
    """History entry of a run that was judged."""
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
