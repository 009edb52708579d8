"""Motor loads of drive trains over a run, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.reports.terminal.tables import number, table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.recording import Recording

MOTORS = ("motor", "ratio", "peak\ntorque", "RMS\ntorque", "peak speed", "peak\npower", "lost")
SPARE = ("ratio", "peak\npower", "lost")
RPM = np.pi / 30  # rad/s


def motors(recording: Recording, most: int | None = None) -> list[RenderableType]:
    """Return one row per motor, at most `most`; nothing if there is none.

    Torques are at the shaft; energies lost in motor and gear are from the start.
    """
    trains = {one.name: one.drive for one in recording.run.robot.joints if one.drive is not None}
    every = [name for name in recording.units if name.startswith("motor_tau.")]
    if not every:
        return []
    rows, t = table(*MOTORS, spare=SPARE, most=most), recording.t
    for name in (channel.removeprefix("motor_tau.") for channel in every):
        torque, speed, power, loss = (
            recording.known_values(f"{group}.{name}")
            for group in ("motor_tau", "motor_qd", "motor_power", "gear_loss")
        )
        # values between samples are known for peaks only
        rms = np.sqrt(np.trapezoid(torque[: t.size] ** 2, t) / (t[-1] - t[0]))
        rows.add_row(
            name,
            number(trains[name].get("ratio") or np.nan) if name in trains else "–",
            f"{number(np.abs(torque).max())} N·m",
            f"{number(float(rms))} N·m",
            f"{number(np.abs(speed).max() / RPM)} 1/min",
            f"{number(power.max())} W",
            f"{number(float(np.trapezoid(loss[: t.size], t)))} J",
        )
    return [rows]
