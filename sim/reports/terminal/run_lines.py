"""Lines common to the short and the full account of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from sim.checks import Judgement
from sim.engine_names import ENGINES
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.schema.channels import joint_forces
from sim.recording.schema.horizon import horizon
from sim.reports.nearest_limit import by_nearness
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import number
from sim.reports.verdict_numbers import number_or_nan
from sim.showing.one_line import span_text
from sim.showing.shares import percent

if TYPE_CHECKING:
    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run
    from sim.robots.coordinate import Limits

NOTHING = 1e-9  # [N·m, N]; a smaller torque is rounding, without a peak to compare with


def headline(run: Run) -> Text:
    """Return scenario, robot, method, time and parameters of a run."""
    settings = run.settings
    values = {k: v for k, v in run.parameters.items() if v != ""}
    parameters = "".join(f", {k} = {_value_text(v)}" for k, v in values.items())
    line = Text()
    line.append(run.scenario, style="bold")
    engine = "" if run.engine == "bullet" else f" by {ENGINES[run.engine].title}"
    line.append(f"  {run.robot.name}, {run.method}{engine}, ")
    line.append(f"{span_text(settings.duration, settings.dt)}{parameters}")
    return line


def _value_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_value_text(part) for part in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def outcome(run: Run) -> Text:
    """Return the verdict: the number of passed checks and the time of the first failure."""
    line = Text()
    line.append(run.scenario, style="bold")
    line.append(f"  {run.verdict}", style="bold green" if run.verdict == "pass" else "bold red")
    bad = [check for check in run.checks if not check.ok]
    line.append(f"   {len(run.checks) - len(bad)} of {len(run.checks)} checks passed")
    if bad:
        line.append(f"; first failure at {min(check.at for check in bad):.4g} s")
    if (until := horizon(run)) is not None:
        line.append(f"; compared up to {until:.4g} of {run.settings.duration:g} s")
    return line


def model_errors(judgements: Iterable[Judgement]) -> dict[str, float]:
    """Return the error of each curve that a check compares with the model."""
    held = (judged.check for judged in judgements if judged.bounds == "error")
    return {check.plot: number_or_nan(check.worst) for check in held}


def failed_checks(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return failed checks, the farthest beyond its limit first."""
    return [judged for judged in by_nearness(judgements) if not judged.check.ok]


def failure(judged: Judgement) -> Text:
    """Return a failed check: its channel, size, unit, time and limit."""
    check = judged.check
    unit = "" if check.unit == "1" else f" {check.unit}"
    return Text(
        f"failed   {check.name} {check.channel}: {number_or_nan(check.worst):.4g}{unit} "
        f"at {check.at:.4g} s, limit {number_or_nan(check.limit):.4g}{unit}"
        + (f" ({judged.note})" if judged.note else ""),
        style="red",
    )


def peak_effort(recording: Recording, joint: str) -> tuple[float, str, str]:
    """Return the largest torque or force of a joint's motor, its unit, and its other source.

    If a free joint has no motor, the force of its spring or stop is compared with the rating.
    """
    unit, motor = recording.units[f"tau.{joint}"], recording.known_values(f"tau.{joint}")
    elements = joint_forces(list(map(str, recorded_of(recording).columns)), joint)
    if joint not in recording.run.settings.free or motor.any() or not elements:
        return float(abs(motor).max()), unit, ""
    rows = [numbers_in(recorded_of(recording), channel) for channel in elements]
    by = " and ".join(channel.partition(".")[0] for channel in elements)
    return float(np.abs(np.sum(rows, axis=0)).max()), unit, by


def rated_text(peak: float, rating: float, scale: float, unit: str) -> str:
    """Return a peak, its rating and the share used; both are divided by `scale`."""
    if math.isinf(rating):
        return f"{number(peak / scale)} {unit}, not rated"
    share = f"{percent(peak / rating):>5}"
    return f"{number(peak / scale)} of {number(rating / scale)} {unit} {share}"


def range_text(limits: Limits, scale: float, unit: str) -> str:
    """Return the range of these limits, or the unit alone without limits."""
    if not limits.has_range:
        return unit
    low, high = limits.lower / scale, limits.upper / scale
    if low == -high:
        return f"of ±{number(high)} {unit}"
    return f"of {number(low)} … {number(high)} {unit}"
