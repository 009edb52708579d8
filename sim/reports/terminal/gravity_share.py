"""Gravity share of each drive's torque, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.checks.gravity_share import gravity_shares
from sim.reports.terminal.tables import number, table
from sim.showing.shares import percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.recording import Recording

COLUMNS = ("gravity on", "peak", "at", "of peak\ntorque", "RMS", "of RMS\ntorque")
SPARE = ("at", "RMS")


def weight_of_drives(recording: Recording, most: int | None = None) -> list[RenderableType]:
    """One row per drive; nothing if no joint is driven or the run has no stored robot."""
    shares = () if recording.urdf is None else gravity_shares(recording)
    if not shares:
        return []
    rows = table(*COLUMNS, spare=SPARE, most=most)
    for one in shares:
        rows.add_row(
            one.joint,
            f"{number(one.peak)} {one.unit}",
            f"{one.at:.3f} s",
            percent(one.of_peak),
            f"{number(one.rms)} {one.unit}",
            percent(one.of_rms),
        )
    return [rows]
