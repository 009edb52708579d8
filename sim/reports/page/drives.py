"""Drives as typed, requirements on each with ratings and another run, and the energy balance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from sim.checks.gravity_share import gravity_shares
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.recording.schema.facts import DriveFacts
from sim.recording.schema.verdicts import DriveSizing, EnergyBalance, Margin
from sim.recording.schema.watched_facts import WatchedFacts
from sim.reports.page.overlay import Overlay
from sim.reports.page.poster import sparkline
from sim.reports.page.quantity import ShownQuantity, number
from sim.reports.verdict_numbers import number_or_nan
from sim.showing.shares import percent

NOTHING = 1e-9  # relative to the largest peak of its kind; a smaller peak is rounding

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


class Used(Struct, frozen=True):
    """A rating, its used share as text, and whether it is exceeded."""

    rated: ShownQuantity | None
    share: str
    beyond: bool


class SizingRow(Struct, frozen=True):
    """A drive: its peaks with their times [s] and channels, and its ratings."""

    joint: str
    torque: ShownQuantity
    torque_at: float
    torque_used: Used
    rms: ShownQuantity
    rms_share: str
    speed: ShownQuantity
    speed_at: float
    speed_used: Used
    power: str

    @property
    def plots(self) -> tuple[str, str]:
        """Channels of its torque and its speed."""
        return f"tau.{self.joint}", f"qd.{self.joint}"


def with_motors(run: Run, drives: Sequence[DriveSizing]) -> list[DriveSizing]:
    """The drives; of a watched loop those that give a torque; none moves a free base."""
    is_watched = isinstance(run.watched, WatchedFacts)
    return [one for one in drives if not is_watched or _magnitude(one.peak_torque.torque)]


def sizing_rows(drives: Sequence[DriveSizing]) -> list[SizingRow]:
    """Return one row per drive."""
    least = tuple(
        NOTHING * max(map(_magnitude, values), default=0.0)
        for values in (
            [drive.peak_torque.torque for drive in drives],
            [drive.peak_speed.speed for drive in drives],
            [drive.peak_power.power for drive in drives],
        )
    )
    return [_row(drive, *least) for drive in drives]


def _row(drive: DriveSizing, no_torque: float, no_speed: float, no_power: float) -> SizingRow:
    torque, rms = (
        ShownQuantity(_without_rounding(value, no_torque), drive.torque_unit)
        for value in (drive.peak_torque.torque, drive.rms_torque.value)
    )
    power = number_or_nan(drive.peak_power.power)
    return SizingRow(
        drive.joint,
        torque,
        drive.peak_torque.t,
        _used_share(drive.torque_margin, drive.torque_unit),
        rms,
        "" if drive.rms_margin is None else _share(drive.rms_margin),
        ShownQuantity(_without_rounding(drive.peak_speed.speed, no_speed), drive.speed_unit),
        drive.peak_speed.t,
        _used_share(drive.speed_margin, drive.speed_unit),
        f"{number(0.0 if abs(power) <= no_power else power)} W",
    )


class WeightRow(Struct, frozen=True):
    """Gravity load of a drive: its peak with time [s] and channel, and shares of torque."""

    joint: str
    peak: ShownQuantity
    at: float
    of_peak: str
    rms: ShownQuantity
    of_rms: str

    @property
    def plot(self) -> str:
        """Channel of its torque."""
        return f"tau.{self.joint}"


def weight_rows(recording: Recording) -> list[WeightRow]:
    """Return one row per drive; none if the run has no stored robot, or loops move joints."""
    shares = () if recording.urdf is None else gravity_shares(recording)
    moved = {drive.joint for drive in with_motors(recording.run, recording.run.sizing)}
    if isinstance(recording.run.watched, WatchedFacts):
        shares = tuple(one for one in shares if one.joint in moved)
    return [
        WeightRow(
            one.joint,
            ShownQuantity(one.peak, one.unit),
            one.at,
            percent(one.of_peak),
            ShownQuantity(one.rms, one.unit),
            percent(one.of_rms),
        )
        for one in shares
    ]


def _magnitude(value: float | None) -> float:
    return 0.0 if value is None or not math.isfinite(value) else abs(value)


def _without_rounding(value: float | None, least: float) -> float | None:
    """Return a magnitude, or zero if it is rounding relative to the largest of its kind."""
    if value is None or not math.isfinite(value):
        return value
    return abs(value) if abs(value) > least else 0.0


def _used_share(margin: Margin | None, unit: str) -> Used:
    if margin is None:
        return Used(None, "–", beyond=False)
    beyond = margin.used is None or not margin.used <= margin.rated
    return Used(ShownQuantity(margin.rated, unit), _share(margin), beyond)


def _share(margin: Margin) -> str:
    if margin.used is None or margin.percent is None:
        return "no number"
    used = margin.used / margin.rated if margin.rated else math.inf
    # 100.2 % exceeds the rating, and is shown as such
    return f"{100 * used:.4g} %" if f"{used:.2f}" == "1.00" and used != 1.0 else percent(used)


class PeakRow(Struct, frozen=True):
    """Peaks of a joint in another run and in this one, and their relative difference."""

    joint: str
    torques: tuple[ShownQuantity, ShownQuantity] | None
    torque_change: str
    speeds: tuple[ShownQuantity, ShownQuantity] | None
    speed_change: str


class PeakTable(Struct, frozen=True):
    """Peaks of another run next to those of the page's run, joint by joint."""

    label: str
    own: str
    rows: Sequence[PeakRow]


def peak_tables(recording: Recording, overlays: Iterable[Overlay], own: str) -> list[PeakTable]:
    """Return a table for each overlaid run that differs.

    Peaks are the largest samples, as in the motor sizing.
    """
    tables = []
    for overlay in overlays:
        same = overlay.comparison is not None and overlay.comparison.ok
        if not same and not overlay.is_reference:
            rows = _peak_rows(recording, recorded_of(overlay))
            tables.append(PeakTable(overlay.label, own, rows))
    return [table for table in tables if table.rows]


def _peak_rows(recording: Recording, other: Table) -> list[PeakRow]:
    joints = [row.name for row in recording.run.robot.coordinates]
    cells = {}
    for group in ("tau", "qd"):
        channels = [f"{group}.{name}" for name in joints]
        pairs = {
            channel: tuple(_peak(table, channel) for table in (other, recorded_of(recording)))
            for channel in channels
            if channel in other and channel in recorded_of(recording)
        }
        least = NOTHING * max((x for pair in pairs.values() for x in pair), default=0.0)
        for channel, pair in pairs.items():
            before, after = (0.0 if x <= least else x for x in pair)
            unit = recording.units.get(channel, "")
            peaks = ShownQuantity(before, unit), ShownQuantity(after, unit)
            cells[channel] = peaks, _change(before, after)
    nothing = None, ""
    return [
        PeakRow(name, *cells.get(f"tau.{name}", nothing), *cells.get(f"qd.{name}", nothing))
        for name in joints
        if f"tau.{name}" in cells or f"qd.{name}" in cells
    ]


def _peak(table: Table, channel: str) -> float:
    return float(np.nanmax(np.abs(numbers_in(table, channel)), initial=0.0))


def _change(before: float, after: float) -> str:
    """Return the relative increase, in per cent."""
    if before == after:
        return "same"
    if before == 0.0:
        return "from nothing"
    percent = 100.0 * (after - before) / before
    if abs(percent) < 0.01:
        return "< 0.01 %"
    text = f"{percent:+.0f}" if abs(percent) >= 10 else f"{percent:+.2g}"
    return text.replace("-", "−") + " %"


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
            shown = values if exact else map(_unless_rounding, values, audits)
            rows.append([title, *map(number, shown)])
    return PageTable(["Energy [J]", *(audit.table for audit in audits)], rows)


def _unless_rounding(value: float | None, audit: EnergyBalance) -> float | None:
    """Return an energy, or zero if it is rounding relative to the energy moved."""
    if value is None or audit.moved is None:
        return value
    return value if abs(value) > 1e-12 * audit.moved else 0.0
