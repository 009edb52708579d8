"""Requirements on the drives and energy balance, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sim.checks.sizing import RATING_NOTE
from sim.recording.schema.verdicts import DriveSizing, EnergyBalance, Margin
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import number, table
from sim.reports.verdict_numbers import effort_word, number_or_nan

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.schema.description import Run


SIZING = (
    "drive",
    "peak\n{}",
    "RMS\n{}",
    "mean\n{}",
    "peak\npower",
    "mean\npower",
    "delivered",
    "regenerated",
    "peak\nmargin",
    "RMS\nmargin",
    "speed\nmargin",
)
# Columns left out in a narrow terminal, the least important first.
SPARE_SIZING = (
    "mean\n{}",
    "mean\npower",
    "regenerated",
    "delivered",
    "peak\npower",
    "speed\nmargin",
)

STORED = "stored"  # column of energy stored in force elements
BALANCE = (
    "energy",
    "motor work",
    "friction",
    "external",
    "events",
    "kinetic",
    "potential",
    STORED,
    "residual",
    "of moved",
    "limit",
)
# The residual is also in the table of checks; partial sums are not shown.
SPARE_BALANCE = ("limit", "of moved", "residual", "events", "external", "friction")


def drive_sizing(run: Run, most: int | None = None) -> list[RenderableType]:
    """Return one row per drive, the accuracy of its integrals, and the meaning of a rating.

    At most `most` rows; nothing if no joint is driven.
    """
    if not (drives := run.sizing):
        return []
    word = effort_word(drive.torque_unit for drive in drives)
    headings, spare = ([text.format(word) for text in texts] for texts in (SIZING, SPARE_SIZING))
    rows = table(*headings, spare=spare, most=most)
    for drive in drives:
        rows.add_row(*_needs(drive), *map(_factor, _margins(drive)))
    energy = max(number_or_nan(e.error) for d in drives for e in (d.delivered, d.regenerated))
    torque = max(number_or_nan(d.rms_torque.error) for d in drives)
    words = (
        f"delivered and regenerated energy within {energy:.1g} J, RMS {word} within {torque:.1g}"
    )
    parts: list[RenderableType] = [
        rows,
        label_sentence("sizing", f"{words} (integrals over samples)"),
    ]
    if any(margin for drive in drives for margin in _margins(drive)):
        text = f"Margin = rating / requirement. {RATING_NOTE}"
        parts.append(label_sentence("rating", text, "dim"))
    return parts


def _needs(drive: DriveSizing) -> list[str]:
    unit = drive.torque_unit
    return [
        drive.joint,
        f"{number(abs(number_or_nan(drive.peak_torque.torque)))} {unit}",
        f"{number(drive.rms_torque.value)} {unit}",
        f"{number(drive.mean_torque.value)} {unit}",
        f"{number(drive.peak_power.power)} W",
        f"{number(drive.mean_power.value)} W",
        f"{number(drive.delivered.value)} J",
        f"{number(drive.regenerated.value)} J",
    ]


def _margins(drive: DriveSizing) -> tuple[Margin | None, ...]:
    return drive.torque_margin, drive.rms_margin, drive.speed_margin


def _factor(margin: Margin | None) -> str:
    if margin is None:
        return "-"
    # A factor without a finite number is infinite: the rating is not used.
    return f"×{margin.factor:.3g}" if margin.factor and margin.factor < 1000 else ">1000"


def energy_balance_lines(run: Run) -> list[RenderableType]:
    """Return one row per table of the run: energy in, energy out, and the residual."""
    stores = any(one.stored for one in run.audit)
    headings = [name for name in BALANCE if stores or name != STORED]
    rows = table(*headings, spare=SPARE_BALANCE)
    for one in run.audit:
        cells = zip(BALANCE, _balance(one), strict=True)
        shown = (cell for name, cell in cells if name in headings)
        rows.add_row(*shown, style=None if one.ok else "red")
    return [rows, *_events(run), *_balance_lost_since(run.audit)]


def _balance(one: EnergyBalance) -> list[str]:
    return [
        one.table,
        f"{number(one.motor_work)} J",
        f"{number(-number_or_nan(one.friction_loss))} J",
        f"{number(one.external_work)} J",
        f"{number(one.events)} J",
        f"= {number(one.kinetic)} J",
        f"+ {number(one.potential)} J",
        f"+ {number(one.stored)} J",
        f"{number_or_nan(one.residual):.1e} J at {one.at:.3f} s",
        f"{number_or_nan(one.relative):.1e}",
        f"{number_or_nan(one.limit) / number_or_nan(one.moved):.1e}",
    ]


def _events(run: Run) -> list[RenderableType]:
    return [
        Text(
            f"event    {event.kind} of {event.payload} ({number(event.mass)} kg) at "
            f"{event.t:.3f} s: kinetic energy {event.ke:+.4g} J, potential {event.pe:+.4g} J"
        )
        for event in run.events
    ]


def _balance_lost_since(audits: Iterable[EnergyBalance]) -> list[RenderableType]:
    """Return the time from which an energy balance fails."""
    return [
        Text(f"energy   the {a.table} run is out of balance from {a.since:.4g} s on", style="red")
        for a in audits
        if a.since is not None
    ]
