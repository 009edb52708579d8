"""An audit for a page: the same text and numbers as in the terminal."""

from __future__ import annotations

from sim.audit.auditing import RobotAudit
from sim.audit.states import COUNT
from sim.audit.torques import SAME, Torques
from sim.reports.page.robot_file import FindingRow, RobotFile, TorqueRow, TorqueTable


def to_page(audit: RobotAudit) -> RobotFile:
    """Content of an audit's page."""
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
