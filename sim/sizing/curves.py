"""Torque, speed and power at the shafts of the chosen motors over time, as a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sim.recording.files.named_file import write_named
from sim.sizing.choice import MotorSizing
from sim.sizing.shaft import shaft_motion


def write_curves(sizing: MotorSizing, path: Path) -> None:
    """Write a row per sample: t, then torque [N·m], speed [rad/s] and power [W] of each motor.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    t = sizing.choices[0].duty.t
    headings, columns = ["t [s]"], [t]
    for choice in sizing.choices:
        shaft = shaft_motion(choice.duty, choice.pair)
        for name, unit, values in (
            ("motor_tau", "N·m", shaft.torque),
            ("motor_qd", "rad/s", shaft.speed),
            ("motor_power", "W", shaft.power),
        ):
            headings.append(f"{name}.{choice.joint} [{unit}]")
            columns.append(values[: t.size])
    lines = [",".join(f'"{heading}"' for heading in headings)]
    lines += [",".join(map(repr, row)) for row in np.stack(columns, axis=1).tolist()]
    write_named(path, ("\n".join(lines) + "\n").encode("utf-8"), ".csv")
