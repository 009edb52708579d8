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
class ReadingRow:
    """A feature of the file: what each program makes of it, and how all would agree.

    Parameters
    ----------
    feature, where : str
    cells : sequence of tuple of str, str and bool
        By program: its reading, how much torque that changes, and whether most read it otherwise.
    remedy : str
    """

    feature: str
    where: str
    cells: Sequence[tuple[str, str, bool]]
    remedy: str


@dataclass(frozen=True)
class ReadingTable:
    """How other programs read the file."""

    programs: Sequence[str]
    rows: Sequence[ReadingRow]


@dataclass(frozen=True)
class RobotFile:
    """A robot file, as a page shows it.

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
    readings : ReadingTable or None
        None on the page of a run, where other programs are not consulted.
    """

    file: str
    ok: bool
    counts: str
    findings: Sequence[FindingRow]
    torques: TorqueTable | None
    readings: ReadingTable | None = None
