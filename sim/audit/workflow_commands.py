"""Findings as workflow commands of GitHub Actions, for file and line of a pull request.

References
----------
GitHub Docs, Workflow commands for GitHub Actions, "Setting an error message".
"""

from __future__ import annotations

from sim.audit.robot_audit import RobotAudit

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def workflow_commands(audit: RobotAudit) -> list[str]:
    """Return a line per finding: ``::error file=arm.urdf,line=12,title=no-mass::text; remedy``."""
    lines = []
    for one in audit.findings:
        place = {
            "file": audit.file,
            "line": one.line,
            "title": f"{one.code} of {one.link_or_joint}",
        }
        known = ",".join(f"{k}={_property(str(v))}" for k, v in place.items() if v is not None)
        lines.append(f"::{_COMMANDS[one.severity]} {known}::{_data(f'{one.text}; {one.remedy}')}")
    return lines


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
