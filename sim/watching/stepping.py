"""Causes visible in times, counts and positions: missed steps, substeps, changed time steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.watching.cause import CHANGED, SET_BY_HAND, UNREAD, Cause
from sim.watching.evidence import Evidence

EXACT = 1e-12  # of a position [rad or m]: rounding of q' - q - dt qd' in a semi-implicit step
SAME_STEP = 1e-7  # relative: tolerance of equal time steps
BEGAN = "a force on bodies or an equality (xfrc_applied, eq_active) that began or ended there"
SHORTEST = 1e-3  # of the engine's time step: shortest step that positions can show
FEW = 0.02  # share of the steps up to which a state counts as set by the user

# Kinds of an engine's own causes that account for positions other than those of one step.
EXPLAINED_BY = ("foreign step", "reset", "integrator", CHANGED)


def step_lengths(e: Evidence) -> Array:
    """Return the length of each step by the positions, (N,) [s]; `Evidence.dt` if undetermined."""
    if _has_stages(e):
        return np.full(e.count, e.dt)
    change, rate = e.position_change, e.qd_next
    square = np.sum(rate * rate, axis=0)
    length = np.sum(change * rate, axis=0) / np.where(square > 0, square, 1.0)
    fits = np.abs(change - length * rate).max(axis=0) <= EXACT * (1 + np.abs(e.q_next).max(axis=0))
    is_other = (
        fits
        & (length > SHORTEST * e.dt)
        & (square > 1e-12)
        & (np.abs(length / e.dt - 1) > SAME_STEP)
    )
    return np.where(is_other, length, e.dt)


def _has_stages(e: Evidence) -> bool:
    """Whether positions change by a mean of velocities other than those after a step."""
    if int(e.held.settings.get("numSubSteps", 0)) > 1:
        return True
    return e.held.settings.get("integrator") == "RK4"


def stepping_causes(e: Evidence, lengths: Array) -> tuple[list[Cause], Mask]:
    """Return causes, and the steps (N,) in which the discrete law can be judged."""
    usable = e.steps <= 1
    missed = np.abs(e.position_change - lengths * e.qd_next).max(axis=0)
    off = (missed > EXACT * (1 + np.abs(e.q_next).max(axis=0))) & usable & (not _has_stages(e))
    causes = [*_counts(e), *_lengths(e, lengths, usable), *_substeps(e)]
    known = np.zeros(e.count, dtype=bool) if e.set_by_hand is None else e.set_by_hand & usable
    by_hand = known | off
    is_open = off.any() and not (causes or any(c.kind in EXPLAINED_BY for c in e.named))
    if known.any() or (is_open and off.mean() <= FEW):
        if not any(cause.kind in ("reset", UNREAD) for cause in e.named):  # which account for it
            causes += _set_by_hand(e, by_hand)
        usable = usable & ~by_hand
    elif is_open:
        causes.append(_foreign_step(e, off, float(missed[off].max())))
    return causes, usable


def _foreign_step(e: Evidence, off: Mask, worst: float) -> Cause:
    explicit = np.abs(e.position_change - e.dt * e.qd).max(axis=0)
    text, remedy = (
        f"positions miss q + dt qd' by up to {worst:.1e} rad in {off.mean():.0%} of the steps: not "
        "one step of the engine a sample",
        "call watch.sample() after each step, and change no state between",
    )
    if (explicit <= EXACT * (1 + np.abs(e.q_next).max(axis=0))).all():
        text = "positions move with the velocities before each step: a custom explicit Euler step"
        remedy = "let the engine step: mujoco.mj_step, p.stepSimulation"
    return Cause("foreign step", text, remedy)


def _counts(e: Evidence) -> Iterator[Cause]:
    if e.repeated:
        yield Cause(
            "sampled twice",
            f"{e.repeated} samples without a step before them are left out",
            "call watch.sample() once after each step",
            is_error=False,
        )
    if (more := e.steps > 1).any():
        each = "/".join(map(str, np.unique(e.steps[more]).tolist()))
        yield Cause(
            "steps between samples",
            f"{each} engine steps a sample in {int(more.sum())} of {e.count} samples, the first is "
            f"sample {e.number(np.argmax(more)) + 1}: a torque that is read belongs to the last of "
            "them",
            "call watch.sample() after each step",
        )


def _lengths(e: Evidence, lengths: Array, single: Mask) -> Iterator[Cause]:
    changes = np.flatnonzero(np.abs(np.diff(lengths[single])) > SAME_STEP * e.dt)
    rows = np.flatnonzero(single)
    if changes.size:
        at = e.number(rows[changes[0] + 1])
        before, after = lengths[single][changes[0]], lengths[single][changes[0] + 1]
        yield Cause(
            "time step changed",
            f"the time step changes at sample {at}, from {before:.6g} to {after:.6g} s",
            "set it once, before the loop",
        )


def _substeps(e: Evidence) -> Iterator[Cause]:
    count = int(e.held.settings.get("numSubSteps", 0))
    if count > 1:
        yield Cause(
            "substeps",
            f"numSubSteps = {count}: the torque that is read is 1/{count} of that of the last "
            "substep",
            f"p.setPhysicsEngineParameter(numSubSteps=0) and p.setTimeStep({e.dt / count:.6g})",
        )


def _set_by_hand(e: Evidence, steps: Mask) -> Iterator[Cause]:
    first = int(np.argmax(steps))
    jump = np.abs(e.position_change - e.dt * e.qd_next)[:, first]
    row = int(np.argmax(jump))
    name, more = e.robot.row_names[row], int(steps.sum()) - 1
    size = f": {name} jumps by {jump[row]:.4g}" if jump[row] > EXACT else ""
    yield Cause(
        SET_BY_HAND,
        f"a state is set by hand before step {e.number(first) + 1}"
        + (f" and {more} more" if more else "")
        + f"{size}, which no torque makes",
        "set the states of all joints, or call watch.restart() where a new episode begins",
        name,
        alternatives=(BEGAN,) if e.engine == "mujoco" and not size else (),
    )
