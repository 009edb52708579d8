"""Rows of a page about a controller: tracking errors, commands, and saturation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array, Mask
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.control_facts import ControllerFacts
from sim.reports.page.quantity import number
from sim.robots.coordinate import DEGREE, Coordinate
from sim.showing.shares import percent

WIDTH, HEIGHT, MARGIN = 240, 72, 3
POINTS = 240  # points of a curve
ROUNDING = 1e-9  # relative to the largest value of a figure


class Drawn(Struct, frozen=True):
    """A small figure: its SVG, and the range of its values as text."""

    title: str
    svg: str
    span: str


class ControlRow(Struct, frozen=True):
    """A controlled joint; all as text but the times to jump to [s]."""

    joint: str
    error: str
    error_at: float
    rms: str
    last: str
    command: str
    command_at: float
    limit: str
    used: str
    cut_off: str
    figures: tuple[Drawn, ...]

    @property
    def plots(self) -> tuple[str, str]:
        """Channels of its error and its command."""
        return f"tracking.{self.joint}", f"command.{self.joint}"


class ControlTable(Struct, frozen=True):
    """Control law with its clock and sensors, and a row per joint."""

    about: str
    rows: tuple[ControlRow, ...]
    times: tuple[str, str]  # ends of the time axis [s]


def control_table(recording: Recording) -> ControlTable | None:
    """Return the table of a run under a controller, by the engine; None if drives move the run."""
    facts = recording.run.controller
    if not isinstance(facts, ControllerFacts):
        return None
    every = recording.run.robot.coordinates
    rows = (_row(recording, facts, row) for row in every if row.name not in facts.idle)
    times = (number(float(recording.t[0])), number(float(recording.t[-1])))
    return ControlTable(_about(facts), tuple(rows), times)


def _about(facts: ControllerFacts) -> str:
    """Return a line with the law, its numbers, clock and sensors."""
    one_each = {name: x[0] for name, x in facts.parameters.items() if len(x) == 1}
    numbers = [f"{name.replace('_', ' ')} {number(x)}" for name, x in one_each.items()]
    parts = [
        " ".join([facts.law, f"({', '.join(numbers)})" if numbers else ""]).strip(),
        f"sample time {number(1e3 * facts.sample_time)} ms",
        f"{facts.delay}-sample delay" if facts.delay > 1 else "",
        "one-sample delay" if facts.delay == 1 else "",
        f"{facts.encoder_bits}-bit encoders" if facts.encoder_bits else "",
        f"noise {number(facts.noise)} rad or m, seed {facts.seed}" if facts.noise else "",
        f"source {facts.source_sha256[:12]}" if facts.source_sha256 else "",
    ]
    return ", ".join(part for part in parts if part)


def _row(recording: Recording, facts: ControllerFacts, row: Coordinate) -> ControlRow:
    table, t, name = recorded_of(recording), recording.t, row.name
    scale, unit = (1 / DEGREE, "°") if row.is_angle else (1e3, "mm")
    wanted, error, command, cut = (
        numbers_in(table, f"{group}.{name}")
        for group in ("reference", "tracking", "command", "saturated")
    )
    answer = numbers_in(table, f"q.{name}")
    k, j = int(np.argmax(np.abs(error))), int(np.argmax(np.abs(command)))
    limit = facts.limits.get(name)
    peak = float(np.abs(command[j]))

    def angle(value: float) -> str:
        return f"{number(scale * value, 3)} {unit}"

    figures = (
        _figure("response and reference", [(answer, "is"), (wanted, "wanted")], scale, unit),
        _figure("error", [(error, "is")], scale, unit),
        _figure("command", [(command, "is")], 1.0, row.units.effort, limit, cut > 0),
    )
    return ControlRow(
        name,
        angle(float(np.abs(error[k]))),
        float(t[k]),
        angle(float(np.sqrt(np.mean(np.square(error))))),
        angle(float(error[-1])),
        f"{number(peak)} {row.units.effort}",
        float(t[j]),
        "none" if limit is None else f"{number(limit)} {row.units.effort}",
        "–" if limit is None else percent(peak / limit),
        percent(float(np.mean(cut > 0))),
        figures,
    )


def _figure(
    title: str,
    curves: Sequence[tuple[Array, str]],
    scale: float,
    unit: str,
    limit: float | None = None,
    cut: Mask | None = None,
) -> Drawn:
    """Draw curves over the whole run, a limit near them, and the intervals of saturation."""
    size = curves[0][0].size
    k = np.unique(np.linspace(0, size - 1, min(size, POINTS)).round().astype(int))
    values = np.concatenate([rows for rows, _ in curves])
    low, high = float(np.min(values)), float(np.max(values))
    least = ROUNDING * max(abs(low), abs(high))
    ends_shown = [0.0 if abs(end) <= least else scale * end for end in (low, high)]
    span = f"{' … '.join(number(end, 3) for end in ends_shown)} {unit}"
    edges = [side for side in (-1.0, 1.0) if limit and np.max(side * values) > 0.5 * limit]
    ends = [low, high, *(side * (limit or 0.0) for side in edges)]
    bottom, top = min(ends), max(ends)
    room = (top - bottom) or 1.0

    def y(rows: Array) -> Array:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (rows - bottom) / room

    x = MARGIN + (WIDTH - 2 * MARGIN) * k / (size - 1)
    parts = []
    if cut is not None:
        parts += [
            f'<rect class="cut" x="{a:.1f}" y="0" width="{b - a:.1f}" height="{HEIGHT}"/>'
            for a, b in _stretches(cut, size)
        ]
    if bottom < 0 < top:
        at = float(y(np.zeros(1))[0])
        parts.append(f'<path class="zero" d="M{MARGIN} {at:.1f}H{WIDTH - MARGIN}"/>')
    for side in edges:
        at = float(y(np.array([side * (limit or 0.0)]))[0])
        parts.append(f'<path class="most" d="M{MARGIN} {at:.1f}H{WIDTH - MARGIN}"/>')
    for rows, kind in curves:
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y(rows[k]), strict=True))
        parts.append(f'<polyline class="{kind}" points="{points}"/>')
    svg = (
        f'<svg class="loop" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{title}, {span}">{"".join(parts)}</svg>'
    )
    return Drawn(title, svg, span)


def _stretches(cut: Mask, size: int) -> list[tuple[float, float]]:
    """Return the intervals in which a command is saturated, in pixels of the figure."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], cut.astype(int), [0]])))
    across = MARGIN + (WIDTH - 2 * MARGIN) * edges / max(size - 1, 1)
    return [(float(a), max(float(b), float(a) + 0.5)) for a, b in across.reshape(-1, 2)]
