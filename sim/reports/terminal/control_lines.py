"""How a controller tracks, in a line of the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.recording.schema.control_facts import ControllerFacts
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import number
from sim.robots.rotor_body import motor_of
from sim.showing.shares import percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.recording import Recording


def control_lines(recording: Recording) -> list[RenderableType]:
    """The largest tracking errors with their times, and the share of time in saturation."""
    facts = recording.run.controller
    if not isinstance(facts, ControllerFacts):
        return []
    worst: dict[str, tuple[float, str]] = {}  # by unit
    cut = np.zeros(recording.t.size)
    for row in recording.run.robot.coordinates:
        if row.name in facts.idle:
            continue
        cut = np.maximum(cut, recording.known_values(f"saturated.{row.name}"))
        if motor_of(row.name) != row.name:
            continue  # the motor of an elastic gear, N times as far off as its joint
        error = np.abs(recording.known_values(f"tracking.{row.name}"))
        scale, unit = row.degrees_or_millimetres
        k = int(np.argmax(error))
        size = float(error[k]) / scale
        text = f"{number(size)} {unit} ({row.name} at {recording.t[k]:.6g} s)"
        worst[unit] = max(worst.get(unit, (-1.0, "")), (size, text))
    limited = f"saturated {percent(float(np.mean(cut)))} of the time"
    commands = limited if cut.any() else "not saturated"
    errors = " and ".join(text for _, text in worst.values())
    return [label_sentence("control", f"tracking error at most {errors}; commands {commands}")]
