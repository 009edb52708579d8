"""The summary of a run and of a comparison, for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.checks import Judgement, settled
from sim.checks.peaks import peak_times
from sim.recording.verdicts import ClaimResult
from sim.reports.terminal.sizing_and_energy import drive_sizing, energy_audit
from sim.reports.terminal.tables import FittedTable, number, table
from sim.reports.verdict_numbers import known, used_of

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType

    from sim.recording.description import Run
    from sim.recording.facts import JointFacts
    from sim.recording.recording import Recording

DEGREE = math.pi / 180
NOTHING = 1e-9  # [N·m, N]; a torque that is only rounding has no peak to compare with


def summary(
    recording: Recording, folder: Path | None, most: int | None = None
) -> list[RenderableType]:
    """Verdict, joints, energies, claims, warnings and files of a judged run.

    A table has at most `most` rows, the checks nearest to their limits among them.
    """
    from rich.text import Text

    run = recording.run
    judgements = settled(recording)
    errors = _errors(judgements)
    parts: list[RenderableType] = [_headline(run), _joints(recording, errors, most)]
    parts += [_links(recording, errors, most), *drive_sizing(run, most), *energy_audit(run)]
    parts += [_worst(judgements, most), *_failures(judgements), *_claims(run), *_warnings(run)]
    parts += [Text(f"note     {text}") for text in run.notes]
    parts += [Text(f"assumed  {text}", style="dim") for text in run.robot.assumed]
    if folder is not None:
        figures = ", ".join(run.figures)
        parts.append(Text(f"files    {folder}" + (f"  ({figures})" if figures else "")))
        if run.page is not None:
            parts.append(Text(f"page     {folder / run.page}"))
    return parts


def _errors(judgements: Iterable[Judgement]) -> dict[str, float]:
    """How far each curve that is held against the model is from it, as its check says."""
    held = (judged.check for judged in judgements if judged.bounds == "error")
    return {check.plot: known(check.worst) for check in held}


def _headline(run: Run) -> RenderableType:
    from rich.text import Text

    settings = run.settings
    parameters = "".join(f", {k} = {_shown(v)}" for k, v in run.parameters.items())
    line = Text()
    line.append(run.scenario, style="bold")
    line.append(f"  {run.verdict}", style="bold green" if run.verdict == "pass" else "bold red")
    line.append(f"   {run.method}, {settings.duration:g} s at {1e3 * settings.dt:g} ms{parameters}")
    return line


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_shown(part) for part in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _joints(recording: Recording, errors: Mapping[str, float], most: int | None) -> FittedTable:
    """One row a joint: agreement with the model on the left, ratings on the right."""
    columns = ("joint", "torque error", "speed error", "peak torque", "peak speed", "range used")
    rows = table(*columns, spare=("speed error", "range used", "peak speed"), most=most)
    for joint in recording.run.robot.own_joints:
        name = joint.name
        scale, unit = (1.0, "m") if joint.is_prismatic else (DEGREE, "°")
        tau, qd, q = (recording.recorded[f"{c}.{name}"].to_numpy() for c in ("tau", "qd", "q"))
        peak, effort = float(np.max(np.abs(tau))), recording.units[f"tau.{name}"]
        error = errors.get(f"tau.{name}", math.nan)
        lag = errors.get(f"qd.{name}", math.nan)
        rows.add_row(
            name,
            f"{error / peak:.0e} of peak" if peak > NOTHING else f"{error:.0e} {effort}",
            f"{lag:.0e} {recording.units[f'qd.{name}']}",
            _rated(peak, joint.effort, 1.0, effort),
            _rated(float(np.max(np.abs(qd))), joint.velocity, scale, f"{unit}/s"),
            f"{number(q.min() / scale)} … {number(q.max() / scale)} {_range(joint, scale, unit)}",
        )
    return rows


def _rated(peak: float, rating: float | None, scale: float, unit: str) -> str:
    if rating is None:
        return f"{number(peak / scale)} {unit}, not rated"
    share = f"{100 * peak / rating:3.0f} %"
    return f"{number(peak / scale)} of {number(rating / scale)} {unit} {share}"


def _range(joint: JointFacts, scale: float, unit: str) -> str:
    if joint.lower is None or joint.upper is None:
        return unit
    low, high = joint.lower / scale, joint.upper / scale
    if low == -high:
        return f"of ±{number(high)} {unit}"
    return f"of {number(low)} … {number(high)} {unit}"


def _links(recording: Recording, errors: Mapping[str, float], most: int | None) -> FittedTable:
    """One row a link: how well its kinetic energy agrees, and when it peaks."""
    columns = ("link", "kinetic energy error", "peak", "at")
    rows = table(*columns, spare=("at", "peak"), most=most)
    for channel in recording.recorded.columns:
        if channel.startswith("ke."):
            values = recording.recorded[channel].to_numpy()
            at = peak_times(recording.t, values)
            flat = f" to {at[-1]:.2f}" if at[-1] - at[0] > 0.02 else ""
            rows.add_row(
                channel.removeprefix("ke."),
                f"{errors.get(channel, math.nan):.0e} J",
                f"{number(values.max())} J",
                f"{at[0]:.2f}{flat} s",
            )
    return rows


def _worst(judgements: Iterable[Judgement], most: int | None) -> RenderableType:
    """How many checks of each kind there were, and the one nearest to its limit."""
    columns = ("check", "channels", "nearest to its limit", "worst", "limit", "at")
    rows = table(*columns, spare=("at", "channels", "nearest to its limit"), most=most)
    kinds: dict[str, list[Judgement]] = {}
    for judged in judgements:
        kinds.setdefault(judged.check.name, []).append(judged)
    groups = list(kinds.items())
    if most is not None and most < len(groups):  # the rows that are left are those that matter
        groups.sort(key=lambda group: max(map(_nearness, group[1])), reverse=True)
    for name, same in groups:
        worst = max(same, key=_nearness).check
        passed = sum(judged.check.ok for judged in same)
        rows.add_row(
            name,
            f"{passed} of {len(same)} ok",
            worst.channel,
            f"{known(worst.worst):.3g} {worst.unit}",
            f"{known(worst.limit):.3g}",
            f"{worst.at:.3f} s",
            style=None if passed == len(same) else "red",
        )
    return rows


def _nearness(judged: Judgement) -> tuple[float, float]:
    """How near to its limit a check is; of two ranges that are used alike, how near to an end."""
    check = judged.check
    left = abs(known(check.limit) - known(check.worst)) if judged.bounds == "end" else 0.0
    return used_of(check), -left


def _failures(judgements: Iterable[Judgement]) -> list[RenderableType]:
    from rich.text import Text

    return [
        Text(
            f"failed   {check.name} {check.channel}: {known(check.worst):.4g} {check.unit} "
            f"at {check.at:.4g} s, limit {known(check.limit):.4g} {check.unit}"
            + (f" ({judged.note})" if judged.note else ""),
            style="red",
        )
        for judged in judgements
        if not (check := judged.check).ok
    ]


def _claims(run: Run) -> list[RenderableType]:
    from rich.text import Text

    by_text: dict[tuple[str, str], list[ClaimResult]] = {(c.text, c.source): [] for c in run.claims}
    for result in run.claim_results:
        by_text.setdefault((result.text, result.source), []).append(result)
    lines: list[RenderableType] = []
    for (text, source), results in by_text.items():
        shown = sum(result.ok for result in results)
        if not results:
            word = "no channel of this run to judge it by"
        else:
            word = "shown" if shown == len(results) else f"shown for {shown} of {len(results)}"
        line = Text(f"claim    “{text}” ({source}): ")
        line.append(word, style="green" if word == "shown" else "yellow")
        line.append("".join(_not_shown(result) for result in results if not result.ok))
        lines.append(line)
    return lines


def _not_shown(result: ClaimResult) -> str:
    at = "" if result.at is None else f" at {result.at:.3f} s"
    return (
        f"\n           {result.channel}: {known(result.found):.4g} {result.unit} here{at}, "
        f"{result.expected:.4g} {result.unit} claimed"
    )


def _warnings(run: Run) -> list[RenderableType]:
    """Each warning once, with the drives it is about; and each repair of the robot."""
    from rich.text import Text

    drives: dict[str, list[str]] = {}
    for drive in run.drives:
        for warning in drive.warnings:
            drives.setdefault(warning, []).append(drive.joint)
    lines: list[RenderableType] = [
        Text(f"warning  {', '.join(names)}: {warning}", style="yellow")
        for warning, names in drives.items()
    ]
    lines += [Text(f"repaired {repair.text}", style="yellow") for repair in run.robot.repairs]
    return lines


def show(console: Console, parts: Sequence[RenderableType]) -> None:
    """Print the parts one below the other.

    Lines of text are not broken, so paths stay whole; nothing is cut at the edge of the terminal.
    """
    from rich.text import Text

    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text), highlight=False, crop=False)
