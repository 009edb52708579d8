"""Verdicts on a recording: functions of its files, whatever engine wrote them."""

from sim.checks.audit import Audit, audit
from sim.checks.claims import ClaimResult, judge_claims
from sim.checks.judged import judged
from sim.checks.outcome import Check
from sim.checks.sizing import DriveSizing, sizing
from sim.checks.verdict import check, verdict

__all__ = [
    "Audit",
    "Check",
    "ClaimResult",
    "DriveSizing",
    "audit",
    "check",
    "judge_claims",
    "judged",
    "sizing",
    "verdict",
]
