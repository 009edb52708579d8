"""judged: a recording with everything that can be said of it in its description."""

from __future__ import annotations

from dataclasses import asdict

from sim.checks.audit import audit
from sim.checks.claims import judge_claims
from sim.checks.sizing import sizing
from sim.checks.verdict import check, verdict
from sim.recording import Recording

# Groups of channels whose peaks stand in the description.
PEAKS = ("tau", "power", "qd", "ke")


def judged(recording: Recording) -> Recording:
    """The recording with checks, verdict, claims, peaks, sizing and audit in its description."""
    checks = check(recording)
    peaks = {
        channel: float(recording.recorded[channel].abs().max())
        for channel in recording.recorded.columns
        if channel.partition(".")[0] in PEAKS
    }
    return recording.with_info(
        verdict=verdict(checks),
        checks=[asdict(one) for one in checks],
        claim_results=[asdict(one) for one in judge_claims(recording)],
        peaks=peaks,
        sizing=[asdict(one) for one in sizing(recording)],
        audit=[asdict(audit(recording, analytic=analytic)) for analytic in (False, True)],
    )
