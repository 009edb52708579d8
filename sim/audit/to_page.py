"""Audit for a page: the same text and numbers as in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sim.audit.reading_facts import MEASURED
from sim.audit.readings import FeatureReading
from sim.audit.robot_audit import RobotAudit
from sim.audit.states import COUNT
from sim.audit.torques import SAME, Torques
from sim.reports.page.robot_file import (
    FindingRow,
    ReadingRow,
    ReadingTable,
    RobotFile,
    TorqueRow,
    TorqueTable,
)


def to_page(audit: RobotAudit) -> RobotFile:
    """Return the content of an audit's page."""
    return RobotFile(
        file=audit.file,
        ok=audit.ok,
        counts=audit.counts,
        findings=[
            FindingRow(
                one.severity,
                "–" if one.line is None else str(one.line),
                one.link_or_joint,
                one.text,
                one.remedy,
            )
            for one in audit.findings
        ],
        torques=None if audit.torques is None else _torques(audit.torques),
        readings=_readings(audit.readings) if audit.readings else None,
    )


def _torques(torques: Torques) -> TorqueTable:
    size, off = torques.disagreement(), {name: torques.off(name) for name in torques.by}
    rows = [
        TorqueRow(
            joint,
            peak=f"{torques.peaks[k]:.4g} {torques.units[k]}",
            off=[f"{off[name][k]:.0e}" for name in torques.by],
            apart=f"{size[k]:.0e}",
            outlier=torques.outlier(k) or "–",
            ok=bool(size[k] <= SAME),
        )
        for k, joint in enumerate(torques.joints)
    ]
    notes = [f"{name}: {why}" for name, why in torques.not_asked.items()]
    return TorqueTable(tuple(torques.by), rows, COUNT, notes)


def _readings(readings: Sequence[FeatureReading]) -> ReadingTable:
    names = tuple(readings[0].feature.by_program)
    programs = [f"{program} {MEASURED[program][1]}" for program in names]
    return ReadingTable(programs, [_reading(one) for one in readings])


def _reading(one: FeatureReading) -> ReadingRow:
    most, _ = one.groups[-1]
    cells = [
        (reading, one.at_stake([program]), reading != most)
        for program, reading in one.feature.by_program.items()
    ]
    return ReadingRow(one.feature.title, one.places, cells, one.feature.remedy)
