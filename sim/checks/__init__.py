"""Verdicts on a recording: functions of its files, whatever engine wrote them."""

from sim.checks.audit import audit
from sim.checks.claims import judge_claims
from sim.checks.judged import judged, judged_in_detail
from sim.checks.judgement import Judgement
from sim.checks.own_curves import own_curves
from sim.checks.sizing import sizing
from sim.checks.verdict import check, judge, judgements, settled, verdict
from sim.recording.verdicts import Audit, Check, ClaimResult, DriveSizing

__all__ = [
    "Audit",
    "Check",
    "ClaimResult",
    "DriveSizing",
    "Judgement",
    "audit",
    "check",
    "judge",
    "judge_claims",
    "judged",
    "judged_in_detail",
    "judgements",
    "own_curves",
    "settled",
    "sizing",
    "verdict",
]
