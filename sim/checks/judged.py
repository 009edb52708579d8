"""judged: a recording with everything that can be said of it in its description."""

from __future__ import annotations

import numpy as np

from sim.checks.audit import audit
from sim.checks.claims import judge_claims
from sim.checks.run_view import RunView
from sim.checks.sizing import sizing
from sim.checks.verdict import check, verdict
from sim.recording.channels import group_of
from sim.recording.recording import Recording


def judged(recording: Recording) -> Recording:
    """The recording with checks, verdict, claims, peaks, sizing and audit in its description."""
    checks = check(recording)
    return recording.described(
        verdict=verdict(checks),
        checks=checks,
        claim_results=judge_claims(recording),
        peaks=_peaks(RunView(recording)),
        sizing=sizing(recording),
        audit=tuple(audit(recording, analytic=analytic) for analytic in (False, True)),
    )


def _peaks(view: RunView) -> dict[str, float | None]:
    """Largest magnitude of each channel that has a peak."""
    return {
        channel: float(np.max(np.abs(view.recorded(channel))))
        for channel in view.recording.recorded.columns
        if group_of(channel).has_peak
    }
