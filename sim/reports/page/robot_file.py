"""The robot file on a page: findings, and torques compared across programs, as text.

The audit that computes it is in a higher layer (`sim.audit`); here is only what a page shows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FindingRow:
    """One finding: ``error``, ``warning`` or ``note``, where it is and what to do."""

    severity: str
    line: str
    where: str
    text: str
    remedy: str


@dataclass(frozen=True)
class TorqueRow:
    """A joint: its peak, how far each program is off the median, and all from each other."""

    joint: str
    peak: str
    off: Sequence[str]
    apart: str
    outlier: str
    ok: bool


@dataclass(frozen=True)
class TorqueTable:
    """Torques at the same states by each of some programs, and notes on the others."""

    programs: Sequence[str]
    rows: Sequence[TorqueRow]
    states: int
    notes: Sequence[str]


@dataclass(frozen=True)
class RobotFile:
    """What a page shows of a robot file.

    Parameters
    ----------
    file : str
        Its name.
    ok : bool
        No error was found.
    counts : str
        How many errors, warnings and notes, as text.
    findings : sequence of FindingRow
        Errors first.
    torques : TorqueTable or None
        None where the file does not load, or nothing with mass moves.
    """

    file: str
    ok: bool
    counts: str
    findings: Sequence[FindingRow]
    torques: TorqueTable | None
