"""A run on one screen of 24 lines and 80 columns for a terminal, ending with its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.checks import Judgement, without_curves
from sim.checks.unjudged import unjudged_forces
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.watched_facts import WatchedFacts
from sim.reports.causes import causes
from sim.reports.event_texts import event_texts
from sim.reports.nearest_limit import distance_to_end, nearness, share_of
from sim.reports.reproduced_claims import (
    claims_by_text,
    claims_title,
    is_reproduced,
    summary_of_claims,
)
from sim.reports.run_warnings import other_notes, warnings
from sim.reports.terminal.clearance_lines import clearance_lines
from sim.reports.terminal.measured_lines import measured_lines
from sim.reports.terminal.run_details import (
    NOTHING,
    failed_checks,
    failure,
    headline,
    model_errors,
    outcome,
    peak_effort,
    range_text,
)
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable, number
from sim.reports.verdict_numbers import effort_word, share_used
from sim.robots.payload import motor_of
from sim.showing.shares import percent

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run

NEAR = 0.9  # share of its limit from which a passed check is listed
MOST_FAILED = MOST_WARNINGS = 2  # listed one by one, before the number of others
ALL = "--verbose shows all"
MOST = 3  # listed one by one, before the number of others


def summary(
    recording: Recording,
    folder: Path | None,
    most: int | None = None,
    judgements: Sequence[Judgement] | None = None,
) -> list[RenderableType]:
    """Return joints, failures, checks close to a limit, warnings, claims, files and verdict.

    The table of joints has at most `most` rows.
    """
    run = recording.run
    judgements = without_curves(recording) if judgements is None else judgements
    passed = run.verdict == "pass"
    rows = 1 + passed  # a failed run has more important lines
    parts: list[RenderableType] = [Sentence(headline(run), rows), _joints(recording, most)]
    if passed:
        parts += [*_model(recording, judgements), *_closest_to_limit(judgements)]
    parts += [
        *control_lines(recording),
        *measured_lines(run),
        *clearance_lines(run),
        *event_lines(run),
        *issues(recording, judgements),
        *_notes(run, rows),
    ]
    parts += [*_claims(run, rows), *_robot(run)]
    if folder is not None:
        if run.page is not None:
            parts.append(Text(f"page     {folder / run.page}"))
        parts.append(Text(f"folder   {folder}"))
    return [*parts, outcome(run)]


def issues(recording: Recording, judgements: Iterable[Judgement]) -> list[RenderableType]:
    """Return causes, the first failures and warnings, and the number of others."""
    run = recording.run
    failed = [judged for judged in failed_checks(judgements) if judged.check.name != "causes"]
    bad = [Sentence(failure(judged), rows=2) for judged in failed]
    texts = [*unjudged_forces(recording), *warnings(run)]
    warned = [label_sentence("warning", text, "yellow") for text in texts]
    return [
        *(label_sentence("cause", text, "red") for text in causes(recording)),
        *_first(bad, MOST_FAILED, "failed", "red"),
        *_first(warned, MOST_WARNINGS, "warning", "yellow"),
    ]


def _first(
    lines: Sequence[RenderableType], most: int, label: str, style: str = ""
) -> list[RenderableType]:
    rest = [label_sentence(label, f"and {len(lines) - most} more: {ALL}", style)]
    return [*lines[:most], *(rest if len(lines) > most else [])]


def _joints(recording: Recording, most: int | None) -> FittedTable:
    """Return one row per joint: peak torque and speed with their shares of ratings; the range."""
    effort = effort_word(row.units.effort for row in recording.run.robot.coordinates)
    headings = ("joint", effort, f"rated {effort}", "speed", "rated speed", "range", "allowed")
    spare = (f"rated {effort}", "rated speed", "allowed", "range", "speed")
    rows = FittedTable(headings, spare, most=most, airy=False)
    for row in recording.run.robot.coordinates:
        name, limits = row.name, row.limits
        scale, unit = row.degrees_or_metres
        qd, q = (recording.known_values(f"{c}.{name}") for c in ("qd", "q"))
        peak, effort_unit, by = peak_effort(recording, name)
        torque, rating = _share(peak, limits.effort, 1.0, effort_unit)
        rows.add_row(
            name,
            f"{by} {torque}" if by else torque,
            rating,
            *_share(float(np.max(np.abs(qd))), limits.velocity, scale, f"{unit}/s"),
            f"{number(q.min() / scale)} … {number(q.max() / scale)} {unit}",
            "–" if (ends := range_text(limits, scale, unit)) == unit else ends.removeprefix("of "),
        )
    return rows


def _share(peak: float, rating: float, scale: float, unit: str) -> tuple[str, str]:
    """Return a peak with its share of the rating, and the rating."""
    if math.isinf(rating):
        return f"{number(peak / scale)} {unit}     –", "–"
    share = f"{percent(peak / rating):>5}"
    return f"{number(peak / scale)} {unit} {share}", f"{number(rating / scale)} {unit}"


def _model(recording: Recording, judgements: Iterable[Judgement]) -> list[RenderableType]:
    """Return the agreement of torques with the analytic model, relative to their peaks."""
    watched = recording.run.watched
    if isinstance(watched, WatchedFacts) and watched.causes and watched.left is not None:
        words = (
            f"torques agree within {watched.left:.0e} of their peak, including the noted effects"
        )
        return [label_sentence("model", words)]
    errors, worst = model_errors(judgements), ("", 0.0)
    for row in recording.run.robot.coordinates:
        channel = f"tau.{row.name}"
        peak = float(np.fmax.reduce(np.abs(numbers_in(recorded_of(recording), channel))))
        share = errors.get(channel, math.nan) / peak if peak > NOTHING else 0.0
        if share > worst[1]:
            worst = row.name, share
    if not worst[0]:
        return []
    words = f"torques agree within {worst[1]:.0e} of their peak (worst {worst[0]})"
    return [label_sentence("model", words)]


def _closest_to_limit(judgements: Iterable[Judgement]) -> list[RenderableType]:
    """Return the passed check closest to its limit, and the number of others from 90 % on."""
    same = [judged for judged in judgements if judged.check.ok and share_used(judged.check) >= NEAR]
    if not same:
        return []
    closest = max(same, key=nearness)
    check = closest.check
    more = f", and {len(same) - 1} more" if len(same) > 1 else ""
    how_close = distance_to_end(closest) or f"at {share_of(check)}"
    words = f"{check.name}: {check.channel} {how_close} ({check.at:.4g} s){more}"
    return [Sentence(Text(f"close to limit: {words}", style="yellow"))]


def _notes(run: Run, rows: int) -> list[RenderableType]:
    """Return the first note, or all of a watched loop, and the number of others."""
    if not (notes := other_notes(run)):
        return []
    most = len(run.notes) if isinstance(run.watched, WatchedFacts) else 1  # all of a watched loop
    shown: list[RenderableType] = [label_sentence("note", note, rows=rows) for note in notes[:most]]
    if len(notes) == most:
        return shown
    if most == 1:
        return [label_sentence("note", f"1 of {len(notes)}: {notes[0]}", rows=rows)]
    return [*shown, label_sentence("note", f"and {len(notes) - most} more: {ALL}")]


def _claims(run: Run, rows: int) -> list[RenderableType]:
    """Return the number of reproduced claims; yellow if not all are."""
    if not (claims := claims_by_text(run)):
        return []
    style = "" if all(map(is_reproduced, claims.values())) else "yellow"
    words = summary_of_claims(run)
    title = claims_title(run)
    if title == "claims":
        return [label_sentence(title, words, style, rows)]
    return [Sentence(Text(f"{title}: {words}", style=style), rows)]


def _robot(run: Run) -> list[RenderableType]:
    """Return the number of repairs and assumptions of the robot."""
    repairs, assumed = len(run.robot.repairs), len(run.robot.assumed)
    if not repairs + assumed:
        return []
    counts = ((repairs, "repair"), (assumed, "assumption"))
    listed = ", ".join(f"{n} {what}{'s' if n > 1 else ''}" for n, what in counts if n)
    words = f"{listed}: {ALL}"
    return [label_sentence("robot", words, "yellow" if repairs else "dim")]


def control_lines(recording: Recording) -> list[RenderableType]:
    """Return the largest tracking errors with their times, and the share of time in saturation."""
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
            continue  # the motor of an elastic gear, whose error is N times that of its joint
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


def event_lines(run: Run) -> list[RenderableType]:
    """Return the first events, a line each, and the number of others."""
    texts = [f"{when}: {what}" for when, what in event_texts(run)]
    rows: list[RenderableType] = [label_sentence("event", text, rows=2) for text in texts[:MOST]]
    if len(texts) > MOST:
        rows.append(label_sentence("event", f"and {len(texts) - MOST} more, in run.json"))
    return rows
