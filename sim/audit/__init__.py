"""All findings on a URDF file, whether it loads or not."""

from sim.audit.auditing import RobotAudit, audit, audit_text
from sim.audit.finding import Finding, Severity

__all__ = ["Finding", "RobotAudit", "Severity", "audit", "audit_text"]
