"""Drives as typed, the requirements on them, and the energy balance."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import analytic_of
from sim.recording.recording import Recording
from sim.recording.schema.facts import DriveFacts
from sim.recording.schema.verdicts import DriveSizing, EnergyBalance
from sim.reports.page.poster import sparkline
from sim.reports.page.quantity import number

LEVELS = {"displacement": "q", "velocity": "qd", "acceleration": "qdd"}

BALANCE = (
    ("motor_work", "Work of the drives"),
    ("external_work", "Work of external forces"),
    ("events", "Energy added by events"),
    ("friction_loss", "Friction loss"),
    ("kinetic", "Kinetic energy gained"),
    ("potential", "Potential energy gained"),
    ("stored", "Energy stored in force elements"),
    ("residual", "Largest imbalance at any time"),
    ("limit", "Allowed imbalance"),
)
OFTEN_NONE = ("external_work", "events", "friction_loss", "stored")


class DriveRow(Struct, frozen=True):
    """A drive as typed, its curve on the page, and its profile as SVG."""

    joint: str
    level: str
    function: str
    warnings: Sequence[str]
    plot: str | None
    spark: str


def drive_rows(recording: Recording) -> list[DriveRow]:
    """Return every drive of a run."""
    return [_drive_row(recording, drive) for drive in recording.run.drives]


def _drive_row(recording: Recording, drive: DriveFacts) -> DriveRow:
    channel = f"{LEVELS.get(drive.level, drive.level)}.{drive.joint}"
    if channel not in analytic_of(recording):
        _, _, component = drive.joint.rpartition(".")
        channel = f"tool.{component}"  # a drive of the tool
    there = channel in analytic_of(recording)
    return DriveRow(
        drive.joint,
        drive.level,
        drive.function,
        drive.warnings,
        plot=channel if there else None,
        spark=sparkline(numbers_in(analytic_of(recording), channel)) if there else "",
    )


class PageTable(Struct, frozen=True):
    """Cells as text, by the names of their columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def power_table(drives: Sequence[DriveSizing]) -> PageTable | None:
    """Return one row per drive: powers [W] and energies [J] of the run, taken as one cycle.

    None if there is no drive.
    """
    if not drives:
        return None
    columns = ["Drive", "Highest [W]", "Lowest [W]", "Mean [W]", "Delivered [J]", "Regenerated [J]"]
    return PageTable(columns, [_drive(drive) for drive in drives])


def _drive(drive: DriveSizing) -> list[str]:
    powers = drive.peak_power.power, drive.least_power.power, drive.mean_power.value
    energies = drive.delivered.value, drive.regenerated.value
    return [drive.joint, *map(number, (*powers, *energies))]


def audit_table(audits: Sequence[EnergyBalance]) -> PageTable | None:
    """Return the energies of the recorded table next to those of the analytic one [J].

    Rounding errors relative to the energy moved are shown as zero. None if there is no balance.
    """
    if not audits:
        return None
    rows = []
    for key, title in BALANCE:
        values: list[float | None] = [getattr(audit, key) for audit in audits]
        if key not in OFTEN_NONE or any(values):
            exact = key in ("residual", "limit")
            shown = values if exact else map(_without_rounding, values, audits)
            rows.append([title, *map(number, shown)])
    return PageTable(["Energy [J]", *(audit.table for audit in audits)], rows)


def _without_rounding(value: float | None, audit: EnergyBalance) -> float | None:
    """Return an energy, or zero if it is rounding relative to the energy moved."""
    if value is None or audit.moved is None:
        return value
    return value if abs(value) > 1e-12 * audit.moved else 0.0
