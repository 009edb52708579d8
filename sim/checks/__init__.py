"""Verdicts on a recording: functions of its files, whatever engine wrote them."""

from sim.checks.claims import ClaimResult, judge_claims
from sim.checks.verdict import Check, check, verdict

__all__ = ["Check", "ClaimResult", "check", "judge_claims", "verdict"]
