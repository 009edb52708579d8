"""Comparison of a run with a real robot's log, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint
from sim.reports.measured_rows import (
    cutoff_sentence,
    facts_of,
    joints_of,
    measured_rows,
    motion_sentence,
    share,
)
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.schema.description import Run

HEADINGS = ("joint", "measured\nRMS", "rigid model:\nunexplained", "with friction:\nunexplained",
            "sliding", "at rest",
            "Coulomb, viscous,\noffset", "scale of the\nrigid torque")  # fmt: skip


def measured_lines(run: Run) -> list[RenderableType]:
    """Return the unexplained torque of each joint as a table; none if the run follows no log."""
    joints, how = joints_of(run), facts_of(run)
    if not joints or how is None:
        return []
    torques = "synthetic" if how.is_synthetic else "measured"
    title = f"unexplained share of the {torques} torque below {how.cutoff:.3g} Hz, by joint:"
    table = FittedTable(("", *(one.joint.removesuffix("_joint") for one in joints)), airy=False)
    table.add_row("rigid model", *(share(one.rigid) for one in joints))
    table.add_row("with friction *", *(share(one.fitted) for one in joints))
    note = "* friction identified on the first half, evaluated on the second"
    return [Sentence(Text(title)), table, Sentence(Text(note))]


def measured_details(run: Run, most: int | None) -> list[RenderableType]:
    """Return the table of `measured_table`; none if the run follows no log."""
    joints, how = joints_of(run), facts_of(run)
    return [] if not joints or how is None else [measured_table(joints, most)]


def measured_table(joints: Sequence[MeasuredJoint], most: int | None = None) -> FittedTable:
    """Return one row per joint: shares of the measured RMS (second half), friction (first half)."""
    table = FittedTable(HEADINGS, ("at rest", HEADINGS[6]), most=most, airy=False)
    for row in measured_rows(joints):
        table.add_row(
            row.joint.removesuffix("_joint"),
            row.measured,
            row.rigid,
            row.fitted,
            row.sliding,
            row.at_rest,
            ", ".join(row.friction),
            row.slope,
        )
    return table


def compared_lines(
    run: Run, source: str, joints: Sequence[MeasuredJoint], how: MeasuredFacts, notes: Sequence[str]
) -> list[RenderableType]:
    """Return the comparison of a run with a log: title, filter, joints, notes."""
    return [
        Text(f"{run.scenario} compared with {source}"),
        label_sentence("filter", cutoff_sentence(how)),
        measured_table(joints),
        label_sentence("motion", motion_sentence(joints)),
        *(label_sentence("note", note) for note in notes),
    ]
