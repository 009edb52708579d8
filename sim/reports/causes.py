"""Probable causes of a failed run, where one cause explains many failed checks."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import analytic_of
from sim.recording.schema.watched_facts import WatchedFacts

if TYPE_CHECKING:
    from sim.recording.recording import Recording

# Motor ratings, or results of other programs: these checks fail for reasons of their own.
OF_RATINGS = frozenset(
    {
        "rated speed", "rated torque", "lower position limit", "upper position limit",
        "peak torque of motor", "continuous torque of motor", "motor torque at speed",
        "peak torque of gear", "mean torque of gear",
    }
)  # fmt: skip
OF_OTHERS = frozenset({"reference", "reference RMS", "tool path"})
OF_RATES = frozenset({"position from velocity", "velocity from acceleration"})

FAST = 0.4  # largest oscillation of a drive in a step [rad] before the step is reported as too long
SLOW = 0.2  # the same, for the step that is suggested
LIGHT = 1e-6  # [kg]; PyBullet's solver leaves some 1e-14 N·m, whatever the torque


def causes(recording: Recording) -> list[str]:
    """Return sentences on probable causes; empty if the run passes or fails by ratings alone."""
    run = recording.run
    if isinstance(run.watched, WatchedFacts):
        return [cause.sentence for cause in run.watched.errors]
    failed = [one for one in run.checks if not one.ok]
    if not (wrong := [one for one in failed if one.name not in OF_RATINGS | OF_OTHERS]):
        return []
    hidden = {one.channel.partition(".")[2] for one in wrong if one.name in OF_RATES}
    return [*_fast_drives(recording, hidden), *_light_links(recording)]


def _fast_drives(recording: Recording, hidden: set[str]) -> Iterator[str]:
    """Report drives that vary faster than the step; `hidden`: joints undersampled in the table."""
    run, rates = recording.run, dict[str, float]()
    dt = run.settings.dt
    for row in run.driven:
        qd, qdd = (_peak(recording, group, row.name) for group in ("qd", "qdd"))
        rate = qdd / qd if qd > 0 else 0.0  # exact for a sine
        if (run.solved_by.is_discretised and rate * dt > FAST) or row.name in hidden:
            rates[row.name] = rate
    if not rates:
        return
    fastest = max(*rates.values(), FAST / dt)
    power = 10.0 ** floor(log10(SLOW / fastest))
    step = floor(SLOW / fastest / power) * power
    names = ", ".join(rates)
    word = "drive varies" if len(rates) == 1 else "drives vary"
    yield (
        f"{names}: the {word} faster than the step of {dt:g} s resolves; use --dt {step:.1g} "
        "or less"
    )


def _peak(recording: Recording, group: str, joint: str) -> float:
    """Return the peak magnitude of a channel; 0 if the table lacks it, a failure in itself."""
    channel = f"{group}.{joint}"
    if channel not in analytic_of(recording):
        return 0.0
    return float(np.max(np.abs(numbers_in(analytic_of(recording), channel)), initial=0.0))


def _light_links(recording: Recording) -> Iterator[str]:
    """Report links so light that PyBullet's rounding matters."""
    run = recording.run
    masses = {name: mass for name, mass in run.robot.masses.items() if mass > 0}
    if run.engine != "bullet" or not masses:
        return
    link = min(masses, key=lambda name: masses[name])
    if masses[link] < LIGHT:
        other = f"use --method {'stepped' if run.method == 'ideal' else 'ideal'}"
        if run.settings.free:  # which no other method solves
            other = "give it more mass"
        yield (
            f"link {link} of {masses[link]:g} kg is too light for PyBullet, whose rounding is "
            f"larger than its torques; use --engine mujoco, or {other}"
        )
