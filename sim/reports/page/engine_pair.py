"""Verdicts and checks of the same scenario with another engine, for the page of a run."""

from __future__ import annotations

from dataclasses import dataclass

from sim.checks import judgements
from sim.comparison import Difference
from sim.comparison.between_engines import BetweenEngines
from sim.engine_names import ENGINES
from sim.recording.recording import Recording
from sim.reports.page.check_rows import CheckRow, check_rows
from sim.reports.page.quantity import number


@dataclass(frozen=True)
class PairedVerdict:
    """Verdict of the run of one engine.

    Parameters
    ----------
    title : str
        The engine.
    passed : bool
    checks, failed : int
    from_model : str
        Largest difference of a torque from the analytic model, relative to the joint's peak.
    """

    title: str
    passed: bool
    checks: int
    failed: int
    from_model: str


@dataclass(frozen=True)
class EnginePair:
    """Both runs of a scenario, for the page of the first.

    Parameters
    ----------
    verdicts : tuple of PairedVerdict
        Of the page's run, and of the other.
    between : BetweenEngines
    checks : tuple of CheckRow
        Checks of the other run, nearest to its limit first.
    """

    verdicts: tuple[PairedVerdict, ...]
    between: BetweenEngines
    checks: tuple[CheckRow, ...]

    @classmethod
    def of(cls, run: Recording, other: Recording, between: BetweenEngines) -> EnginePair:
        """Return the pair of judged runs."""
        verdicts = tuple(
            PairedVerdict(
                ENGINES[one.run.engine].title,
                one.run.verdict == "pass",
                len(one.run.checks),
                sum(not check.ok for check in one.run.checks),
                number(share, 2),
            )
            for one, share in zip((run, other), between.from_model, strict=True)
        )
        return cls(verdicts, between, tuple(check_rows(judgements(other))))

    @property
    def passed(self) -> bool:
        """Whether both runs pass and the engines agree."""
        return self.between.ok and all(one.passed for one in self.verdicts)

    @property
    def torque(self) -> str:
        """Largest difference of a torque between the engines, relative to the joint's peak."""
        return number(self.between.torque, 2)

    @property
    def furthest(self) -> Difference | None:
        """Channel with the largest difference relative to its limit."""
        return self.between.furthest

    @property
    def size(self) -> str:
        """Difference and limit of `furthest`."""
        return difference_text(self.furthest)


def difference_text(difference: Difference | None) -> str:
    """Return difference, limit and unit as text; empty for None."""
    if difference is None:
        return ""
    unit = "" if difference.unit == "1" else f" {difference.unit}"
    return f"{number(difference.worst, 2)} of {number(difference.limit, 2)}{unit}"
