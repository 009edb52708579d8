"""Audit of a robot file, whether it loads or not."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.audit.auditing import audit, audit_text
    from sim.audit.finding import Finding, Severity
    from sim.audit.robot_audit import RobotAudit
    from sim.audit.workflow_commands import workflow_commands
else:
    load_names_on_use(__name__)
