"""All findings on a URDF file, whether it loads or not."""

from sim.audit.auditing import RobotAudit, audit, audit_text
from sim.audit.finding import Finding, Severity
from sim.audit.workflow_commands import workflow_commands

__all__ = ["Finding", "RobotAudit", "Severity", "audit", "audit_text", "workflow_commands"]
