"""Audit for a terminal: findings, torques, and a summary line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.audit.readings import FeatureReading, versions
from sim.audit.robot_audit import RobotAudit
from sim.audit.states import COUNT
from sim.audit.torques import SAME, SECOND_CHOICES, TITLES, Torques
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable

if TYPE_CHECKING:
    from rich.console import RenderableType

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
_HEADINGS = {"Newton–Euler": "Newton–\nEuler"} | {
    title: title.replace(" ", "\n") for title in TITLES.values()
}
_SPARE = ("outlier", *(_HEADINGS[TITLES[x]] for x in SECOND_CHOICES), "Newton–\nEuler")


def to_terminal(audit: RobotAudit) -> list[RenderableType]:
    """Return findings with their remedies, a table of torques, and the summary last."""
    parts: list[RenderableType] = []
    for one in audit.findings:
        places = ("" if one.line is None else f"line {one.line}", one.link_or_joint)
        place = ", ".join(filter(None, places))
        style = _STYLES[one.severity]
        text = f"{place}: {one.text}" if place else one.text
        parts.append(label_sentence(one.severity, text, style))
        parts.append(label_sentence("remedy", one.remedy, style))
    if audit.torques is not None:
        parts += _torques(audit.torques)
    if audit.readings:
        parts += _readings(audit.readings)
    style = "green" if audit.ok else "red"
    parts.append(Text(f"{audit.file}: {audit.counts}", style=style))
    return parts


def _torques(torques: Torques) -> list[RenderableType]:
    """Return a row per joint: its peak, deviations of programs from the median, and the spread."""
    programs = {_HEADINGS.get(name, name): name for name in torques.by}
    off = {name: torques.off(name) for name in programs.values()}
    headings = ("joint", "peak", *programs, "max.\ndiff.", "outlier")
    spare = [one for one in _SPARE if one in headings]  # of installed programs
    table = FittedTable(headings, spare, left=("outlier",))
    size = torques.disagreement()
    for k, joint in enumerate(torques.joints):
        peak = f"{torques.peaks[k]:.4g} {torques.units[k]}"
        shares = (f"{off[name][k]:.0e}" for name in programs.values())
        who = torques.outlier(k) or "–"
        style = None if size[k] <= SAME else "red"
        table.add_row(joint, peak, *shares, f"{size[k]:.0e}", who, style=style)
    text = (
        f"torques by all programs at the same {COUNT} states, without friction;\n"
        "deviation from the median, relative to the joint's peak"
    )
    lines: list[RenderableType] = [Text(text), table]
    if missing := [f"{name} {why}" for name, why in torques.not_asked.items()]:
        lines.append(Text(f"skipped: {'; '.join(missing)}", style="dim"))
    if torques.held is not None:
        engine, held = torques.held
        links, joints = len(held.inertias), len(held.axes)
        text = f"{engine} holds the file's masses, centres and tensors of {links} links,"
        text += f"\naxes, origins and limits of {joints} joints (listed by --json)"
        if held.welded:
            bodies = "links on fixed joints merged with the body that moves them"
            text += f";\nit has more joints than {engine} allows: it received {bodies}"
        lines.append(Text(text))
    return lines


def _readings(readings: Sequence[FeatureReading]) -> list[RenderableType]:
    """Return a row per reading of each feature, with its programs; then a common notation."""
    headings = ("in this file", "read as", "by", "torque\nchanges by")
    table = FittedTable(headings, left=headings[:3], prose=headings[:3])
    remedies = FittedTable(("", "so that all agree"), left=("",), prose=("", "so that all agree"))
    for one in readings:
        title = one.feature.title + (f": {one.places}" if one.is_local else "")
        groups = one.groups
        for row, (reading, programs) in enumerate(groups):
            is_rest = row and row == len(groups) - 1 and len(programs) > 1
            by = "all others" if is_rest else "all" if len(groups) == 1 else ", ".join(programs)
            table.add_row("" if row else title, reading, by, one.at_stake(programs))
        remedies.add_row(one.feature.title, one.feature.remedy)
    head = "how other programs read this file by their simplest call, measured with"
    return [Text(f"{head}\n{versions(tuple(readings[0].feature.by_program))}"), table, remedies]
