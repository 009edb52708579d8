"""Audit of a robot file on a page: findings, and torques compared across programs, as text.

The audit itself is in a higher layer (`sim.audit`); here is only the content of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class FindingRow(Struct, frozen=True):
    """A finding: ``error``, ``warning`` or ``note``, its place and its remedy."""

    severity: str
    line: str
    where: str
    text: str
    remedy: str


class TorqueRow(Struct, frozen=True):
    """A joint: its peak, each program's deviation from the median, and the largest difference."""

    joint: str
    peak: str
    off: Sequence[str]
    apart: str
    outlier: str
    ok: bool


class TorqueTable(Struct, frozen=True):
    """Torques by several programs at the same states, and notes on the others."""

    programs: Sequence[str]
    rows: Sequence[TorqueRow]
    states: int
    notes: Sequence[str]


class ReadingRow(Struct, frozen=True):
    """A feature of the file: its reading by each program, and a remedy that all read alike.

    Parameters
    ----------
    feature, where : str
    cells : sequence of tuple of str, str and bool
        By program: its reading, the resulting torque change, and whether it is in the minority.
    remedy : str
    """

    feature: str
    where: str
    cells: Sequence[tuple[str, str, bool]]
    remedy: str


class ReadingTable(Struct, frozen=True):
    """Readings of the file by other programs."""

    programs: Sequence[str]
    rows: Sequence[ReadingRow]


class RobotFile(Struct, frozen=True):
    """A robot file, as shown on a page.

    Parameters
    ----------
    file : str
        File name.
    ok : bool
        Whether no error was found.
    counts : str
        Numbers of errors, warnings and notes, as text.
    findings : sequence of FindingRow
        Errors first.
    torques : TorqueTable or None
        None if the file does not load, or no mass moves.
    readings : ReadingTable or None
        None on the page of a run, where other programs are not run.
    """

    file: str
    ok: bool
    counts: str
    findings: Sequence[FindingRow]
    torques: TorqueTable | None
    readings: ReadingTable | None = None
