"""Accounts of a run for a terminal: lines of every account, and the full one, ``--verbose``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.checks import Judgement, without_curves
from sim.checks.gravity_share import gravity_shares
from sim.checks.peaks import peak_times
from sim.checks.unjudged import unjudged_notes
from sim.engine_names import ENGINES
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.schema.channels import joint_forces
from sim.recording.schema.horizon import horizon
from sim.recording.schema.verdicts import ClaimResult
from sim.reports.causes import causes
from sim.reports.nearest_limit import by_nearness, nearness
from sim.reports.reproduced_claims import (
    claims_by_text,
    share_reproduced,
    why_not_evaluated,
)
from sim.reports.run_warnings import other_notes, warnings
from sim.reports.terminal.clearance_lines import clearance_table
from sim.reports.terminal.measured_lines import measured_details
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.sizing_and_energy import drive_sizing, energy_balance_lines
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable, number, table
from sim.reports.verdict_numbers import effort_word, number_or_nan
from sim.robots.repair import verb_of
from sim.showing.one_line import span_text
from sim.showing.shares import percent

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run
    from sim.robots.coordinate import Limits


MOTORS = ("motor", "ratio", "peak\ntorque", "RMS\ntorque", "peak speed", "peak\npower", "lost")
RPM = np.pi / 30  # rad/s

NOTHING = 1e-9  # [N·m, N]; a smaller torque is rounding, without a peak to compare with

SPARE = ("at", "RMS")
SPARE_OF_MOTORS = ("ratio", "peak\npower", "lost")

COLUMNS = ("gravity on", "peak", "at", "of peak\n{}", "RMS", "of RMS\n{}")


def motors(recording: Recording, most: int | None = None) -> list[RenderableType]:
    """Return one row per motor, at most `most`; nothing if there is none.

    Torques are at the shaft; energies lost in motor and gear are from the start.
    """
    trains = {one.name: one.drive for one in recording.run.robot.joints if one.drive is not None}
    if not (every := [name for name in recording.units if name.startswith("motor_tau.")]):
        return []
    rows, t = table(*MOTORS, spare=SPARE_OF_MOTORS, most=most), recording.t
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


def details(
    recording: Recording,
    folder: Path | None,
    most: int | None = None,
    judgements: Sequence[Judgement] | None = None,
) -> list[RenderableType]:
    """Return joints, energies, checks, claims, warnings, files and verdict of a judged run.

    A table has at most `most` rows; the checks nearest to their limits come first.
    """
    run = recording.run
    judgements = without_curves(recording) if judgements is None else judgements
    errors = model_errors(judgements)
    parts: list[RenderableType] = [Sentence(headline(run)), _joints(recording, errors, most)]
    parts += [_links(recording, errors, most), *drive_sizing(run, most)]
    parts += [*motors(recording, most), *weight_of_drives(recording, most)]
    parts += [*energy_balance_lines(run)]
    parts += [
        *measured_details(run, most),
        _counts_and_nearest(judgements, most),
        *clearance_table(run, most),
    ]
    parts += [label_sentence("cause", text, "red") for text in causes(recording)]
    parts += [Sentence(failure(judged)) for judged in failed_checks(judgements)]
    parts += _claims(run)
    parts += [label_sentence("warning", text, "yellow") for text in warnings(run)]
    parts += [
        label_sentence(verb_of(repair.kind), repair.text, "yellow") for repair in run.robot.repairs
    ]
    parts += [label_sentence("unchecked", text, "yellow") for text in unjudged_notes(recording)]
    parts += [label_sentence("note", text) for text in other_notes(run)]
    parts += [label_sentence("assumed", text, "dim") for text in run.robot.assumed]
    if folder is not None:
        figures = ", ".join(run.figures)
        parts.append(Text(f"files    {folder}" + (f"  ({figures})" if figures else "")))
        if run.page is not None:
            parts.append(Text(f"page     {folder / run.page}"))
    return [*parts, outcome(run)]


def _joints(recording: Recording, errors: Mapping[str, float], most: int | None) -> FittedTable:
    """Return one row per joint: agreement with the analytic model, then use of the ratings."""
    word = effort_word(row.units.effort for row in recording.run.robot.coordinates)
    columns = ("joint", f"{word} error", "speed error", f"peak {word}", "peak speed", "range used")
    rows = table(*columns, spare=("speed error", "range used", "peak speed"), most=most)
    for row in recording.run.robot.coordinates:
        name, limits = row.name, row.limits
        scale, unit = row.degrees_or_metres
        tau, qd, q = (recording.known_values(f"{c}.{name}") for c in ("tau", "qd", "q"))
        peak, effort = float(np.max(np.abs(tau))), recording.units[f"tau.{name}"]
        rated_peak, _, by = peak_effort(recording, name)
        error = errors.get(f"tau.{name}", math.nan)
        lag = errors.get(f"qd.{name}", math.nan)
        rows.add_row(
            name,
            f"{error / peak:.0e} of peak" if peak > NOTHING else f"{error:.0e} {effort}",
            f"{lag:.0e} {recording.units[f'qd.{name}']}",
            f"{by} {rated_text(rated_peak, limits.effort, 1.0, effort)}".lstrip(),
            rated_text(float(np.max(np.abs(qd))), limits.velocity, scale, f"{unit}/s"),
            f"{number(q.min() / scale)} … {number(q.max() / scale)} "
            f"{range_text(limits, scale, unit)}",
        )
    return rows


def _links(recording: Recording, errors: Mapping[str, float], most: int | None) -> FittedTable:
    """Return one row per link: error of its kinetic energy, and its peak."""
    columns = ("link", "kinetic energy error", "peak", "at")
    rows = table(*columns, spare=("at", "peak"), most=most)
    for channel in recorded_of(recording).columns:
        if channel.startswith("ke."):
            values = numbers_in(recorded_of(recording), channel)
            at = peak_times(recording.t, values)
            flat = f" to {at[-1]:.2f}" if at[-1] - at[0] > 0.02 else ""
            rows.add_row(
                channel.removeprefix("ke."),
                f"{errors.get(channel, math.nan):.0e} J",
                f"{number(values.max())} J",
                f"{at[0]:.2f}{flat} s",
            )
    return rows


def _counts_and_nearest(judgements: Iterable[Judgement], most: int | None) -> RenderableType:
    """Return the number of passed checks of each kind, and the check nearest to its limit."""
    columns = ("check", "channels", "closest to limit", "worst", "limit", "at")
    rows = table(*columns, spare=("at", "channels", "closest to limit"), most=most)
    kinds: dict[str, list[Judgement]] = {}
    for judged in judgements:
        kinds.setdefault(judged.check.name, []).append(judged)
    groups = list(kinds.items())
    if most is not None and most < len(groups):  # the remaining rows are the most important
        groups.sort(key=lambda group: max(map(nearness, group[1])), reverse=True)
    for name, same in groups:
        worst = max(same, key=nearness).check
        passed = sum(judged.check.ok for judged in same)
        unit = "" if worst.unit == "1" else f" {worst.unit}"
        rows.add_row(
            name,
            f"{passed} of {len(same)} passed",
            worst.channel,
            f"{number_or_nan(worst.worst):.3g}{unit}",
            f"{number_or_nan(worst.limit):.3g}",
            f"{worst.at:.3f} s",
            style=None if passed == len(same) else "red",
        )
    return rows


def _claims(run: Run) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for (text, source), results in claims_by_text(run).items():
        whole = bool(results) and all(result.ok for result in results)
        if not results:
            why = why_not_evaluated(run, text) or "the run has no such channel"
            outcome_text = f"not evaluated: {why}"
        else:
            outcome_text = "reproduced" if whole else f"reproduced for {share_reproduced(results)}"
        line = Text(f"{'claim':8} “{text}” ({source}): ")
        line.append(outcome_text, style="green" if whole else "yellow")
        lines.append(Sentence(line))
        lines += [_difference(result) for result in results if not result.ok]
    return lines


def _difference(result: ClaimResult) -> Sentence:
    at = "" if result.at is None else f" at {result.at:.3f} s"
    return label_sentence(
        "",
        f"{result.channel}: {number_or_nan(result.found):.4g} {result.unit} here{at}, "
        f"{result.expected:.4g} {result.unit} in the source",
    )


def weight_of_drives(recording: Recording, most: int | None = None) -> list[RenderableType]:
    """Return one row per drive; nothing if no joint is driven or the run has no stored robot."""
    shares = () if recording.urdf is None else gravity_shares(recording)
    if not shares:
        return []
    word = effort_word(one.unit for one in shares)
    rows = table(*(text.format(word) for text in COLUMNS), spare=SPARE, most=most)
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
