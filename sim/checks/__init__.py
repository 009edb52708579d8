"""Checks of a recording: functions of its files, independent of the engine that wrote them."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.checks.energy_balance import energy_balance
    from sim.checks.gravity_share import GravityShare, gravity_shares
    from sim.checks.judgement import Judgement
    from sim.checks.own_curves import own_curves
    from sim.checks.sizing import sizing
    from sim.checks.verdict import (
        check,
        judge,
        judge_claims,
        judge_recording,
        judge_recording_in_detail,
        judgements,
        verdict,
        without_curves,
    )
    from sim.recording.schema.verdicts import Check, ClaimResult, DriveSizing, EnergyBalance
else:
    load_names_on_use(__name__)
