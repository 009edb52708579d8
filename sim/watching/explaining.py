"""explain: the fewest causes that explain a loop's residual torques down to rounding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.watching.candidate import Candidate, Steps, states_at
from sim.watching.candidates import candidates
from sim.watching.cause import Cause
from sim.watching.differences import engine_torque
from sim.watching.evidence import Evidence
from sim.watching.fitting import Fit, explanations
from sim.watching.own_torques import OWN_TORQUES
from sim.watching.sudden import (
    held_at_end,
    jump,
    sudden_causes,
    with_inner_ends,
    with_reached_ends,
)

STEPS = 400  # steps of the loop used by a regression
OF_OTHER_STEPS = (
    *(f"torque of the step {when}" for when in ("before", "before the last", "after")),
    "filtered torque",
)
OTHERS = 3  # alternatives that are named


@dataclass(frozen=True, eq=False)
class Judged:
    """Judged steps (N,), peaks (n,) and rounding (n,)."""

    steps: Mask
    peaks: Array
    allowed: Array

    def is_wrong(self, rows: Array) -> Mask:
        """Return the steps in which a residual (n, N) exceeds rounding."""
        return np.asarray((np.abs(rows) > self.allowed[:, None]).any(axis=0) & self.steps)

    def without(self, steps: Mask) -> Judged:
        """Return the same without some of the steps."""
        return replace(self, steps=self.steps & ~steps)


Explained = tuple[list[Cause], Array]  # causes, and the part of the residual that they leave (n, N)


def explain(e: Evidence, rest: Array, judged: Judged) -> Explained:
    """Return causes of the residual (n, N), and the rest; none that do not explain it fully."""
    if not judged.is_wrong(rest).any():
        return [], rest
    for attempt in (
        *(_turn_at_contacts, _regress, _are_of_other_steps, _are_asleep, _act_at_ends),
        *(_act_at_inner_ends, _act_in_some_steps, _act_at_reached_ends),
    ):
        if (explanation := attempt(e, rest, judged)) is not None:
            return explanation
    seen = [
        (cause, steps)
        for cause, steps in sudden_causes(e, rest, judged.is_wrong(rest))
        if cause.kind in ("contact", "velocity clamp")
    ]
    causes = [cause for cause, _ in seen]
    for cause, steps in seen:
        if cause.kind == "contact":
            causes += _held_meanwhile(e, rest, judged, cause, steps)
        rest = np.where(steps, 0.0, rest)
    return causes, rest


def _are_asleep(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return steps in which PyBullet's body sleeps, and causes that explain the others."""
    wrong = judged.is_wrong(rest)
    still = wrong & (e.q_next == e.q).all(axis=0) & (e.qd_next == e.qd).all(axis=0)
    still &= (e.tau == np.roll(e.tau, 1, axis=1)).all(axis=0)
    still |= wrong & np.append(still[1:], False) & (e.qd_next == 0).all(axis=0)  # it falls asleep
    if e.engine != "bullet" or not still.any():
        return None
    left = np.where(still, 0.0, rest)
    causes, rest_of_others = explain(e, left, judged.without(still))
    text = f"the body sleeps in {int(still.sum())} of {e.count} steps, the first is step "
    text += f"{e.number(np.argmax(still)) + 1}: states and torques stand still"
    remedy = "p.changeDynamics(body, -1, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING), "
    remedy += "and load it without p.URDF_ENABLE_SLEEPING"
    asleep = Cause("asleep", text, remedy, torque=rest - left)
    return [asleep, *causes], np.where(still, 0.0, rest_of_others)


def _are_of_other_steps(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return torques of other steps: those at the ends of a loop may then be of none."""
    if e.torque_from != OWN_TORQUES:
        return None
    ends = np.isin(np.arange(e.count), (0, 1, e.count - 1))
    fitted = _regress(e, rest, judged.without(ends))
    if fitted is None or not any(cause.kind in OF_OTHER_STEPS for cause in fitted[0]):
        return None
    return fitted[0], np.where(ends, 0.0, fitted[1])


def _act_in_some_steps(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return contacts, limits and jumps, together with causes that act in all steps."""
    explained: list[Cause] = []
    wrong = judged.is_wrong(rest)
    for cause, steps in (*sudden_causes(e, rest, wrong), *jump(e, rest, wrong)):
        if not (judged.is_wrong(rest) & steps).any():
            continue
        left = np.where(steps, 0.0, rest)
        explained.append(replace(cause, torque=rest - left))
        if cause.kind == "contact":
            explained += _held_meanwhile(e, rest, judged, cause, steps)
        rest, judged = left, judged.without(steps)
        if not judged.is_wrong(rest).any():
            return explained, rest
        fitted = _regress(e, rest, judged) or _act_at_ends(e, rest, judged)
        if fitted is not None:
            return [*explained, *fitted[0]], np.where(judged.steps, fitted[1], 0.0)
    return None


def _held_meanwhile(
    e: Evidence, rest: Array, judged: Judged, contact: Cause, steps: Mask
) -> list[Cause]:
    """Report joints beyond limits of the file that are pushed back in steps of a contact (N,).

    The forces of limit and contact cannot be separated there.
    """
    if e.held.ends is None:
        return []
    low, high = e.held.ends.T
    is_outside = (e.q[:, 0] < low) | (e.q[:, 0] > high)
    held = _is_held(e, rest, judged) & steps & is_outside[:, None]
    causes = (held_at_end(e, rest, int(k), held[k]) for k in np.flatnonzero(held.any(axis=1)))
    none = np.zeros_like(rest)
    return [replace(one, torque=none, alternatives=(contact.text,)) for one in causes]


def _turn_at_contacts(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return spinning and rolling friction of contacts, and causes that explain the rest.

    In the steps of the contacts, joints may also be held at their limits.
    """
    if not e.spins:
        return None
    causes, columns = list[Cause](), np.stack(e.spins, axis=1)
    may_turn = np.asarray(columns.any(axis=(0, 1)))
    others = judged.without(may_turn)
    if others.is_wrong(rest).any():
        fitted = _regress(e, rest, others) or _act_at_ends(e, rest, others)
        if fitted is None:
            return None
        causes, rest = fitted
    left, weight, ends = rest.copy(), 1 / judged.peaks, np.zeros_like(rest)
    for step in np.flatnonzero(judged.is_wrong(rest) & may_turn):
        at_ends = np.flatnonzero(e.at_ends[:, step])
        here = np.concatenate([columns[:, :, step], np.eye(len(rest))[:, at_ends]], axis=1)
        x, *_ = np.linalg.lstsq(here * weight[:, None], rest[:, step] * weight, rcond=1e-10)
        left[:, step] -= here @ x
        ends[at_ends, step] = x[columns.shape[1] :]
    ends[np.abs(ends) <= judged.allowed[:, None]] = 0.0
    if judged.is_wrong(left).any() or (ends * e.at_ends < 0).any():
        return None
    held_rows = np.flatnonzero(ends.any(axis=1))
    causes += [held_at_end(e, ends, int(row), ends[row] != 0) for row in held_rows]
    text = "spinning or rolling friction of contacts, of which getContactPoints gives no moment"
    remedy = "p.changeDynamics(body, link, spinningFriction=0, rollingFriction=0)"
    turning = np.where(may_turn, rest - left - ends, 0.0)
    note = Cause("contact friction", text, remedy, torque=turning, is_error=False)
    return [*causes, note], left


def _act_at_reached_ends(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return joints held where their motion ends, and causes that explain the rest."""
    if e.engine != "bullet":  # MuJoCo states its forces of limits
        return None
    return _act_at_ends(with_reached_ends(e), rest, judged, are_reached=True)


def _act_at_inner_ends(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    """Return joints that limits push back without stopping them, and causes of the rest.

    Other causes are those of all joints but the one with the largest residual.
    """
    if e.engine != "bullet":
        return None
    if (explanation := _at_inner_ends(e, rest, judged)) is not None:
        return explanation
    blind = np.zeros_like(rest, dtype=bool)
    size = np.where(judged.steps, np.abs(rest), 0.0).max(axis=1) / judged.peaks
    blind[np.argmax(size)] = True
    fitted = _regress(e, rest, judged, blind=blind)
    if fitted is None or (at_ends := _at_inner_ends(e, fitted[1], judged)) is None:
        return None
    return [*fitted[0], *at_ends[0]], at_ends[1]


def _at_inner_ends(e: Evidence, rest: Array, judged: Judged) -> Explained | None:
    wrong = (np.abs(rest) > judged.allowed[:, None]) & judged.steps
    inner = with_inner_ends(e, rest, wrong, judged.steps & ~wrong)
    is_held = _is_held(inner, rest, judged)
    left = np.where(is_held, 0.0, rest)
    if judged.is_wrong(left).any():
        return None
    rows = np.flatnonzero(is_held.any(axis=1))
    return [held_at_end(inner, rest, int(k), is_held[k], are_reached=True) for k in rows], left


def _act_at_ends(
    e: Evidence, rest: Array, judged: Judged, *, are_reached: bool = False
) -> Explained | None:
    """Return joints held at their limits, and causes that explain the rest."""
    is_held = _is_held(e, rest, judged)
    if not is_held.any():
        return None
    causes: list[Cause] = []
    if judged.is_wrong(np.where(is_held, 0.0, rest)).any():
        if (fitted := _regress(e, rest, judged, blind=e.at_ends != 0)) is None:
            return None
        causes, rest = fitted
        is_held = _is_held(e, rest, judged)
    left = np.where(is_held, 0.0, rest)
    if judged.is_wrong(left).any():
        return None
    for row in np.flatnonzero(is_held.any(axis=1)):
        causes.append(held_at_end(e, rest, int(row), is_held[row], are_reached=are_reached))
    return causes, left


def _is_held(e: Evidence, rest: Array, judged: Judged) -> Mask:
    """Return where a joint is at a limit and the residual (n, N) pushes it back."""
    is_pushed = rest * e.at_ends > 0
    if e.held.ends is not None:  # equal limits push both ways
        is_pushed |= (e.at_ends != 0) & (np.diff(e.held.ends, axis=1) == 0)
    is_pushed &= np.abs(rest) > judged.allowed[:, None]
    return np.asarray(is_pushed & judged.steps)


def _regress(
    e: Evidence, rest: Array, judged: Judged, *, blind: Mask | None = None
) -> Explained | None:
    """Return the fewest causes that explain the residual, and the rest; None if none do.

    The residual need not be explained where `blind` (n, N) is true.
    """
    peaks, allowed = judged.peaks, judged.allowed
    steps = _chosen_steps(rest, judged.steps, peaks)
    if steps.size < 3:
        return None
    expected = engine_torque(e)
    at = states_at(e, expected, steps)
    pool = list(candidates(e, at))
    seen, shown = rest[:, steps], pool
    if blind is not None:
        is_hidden = blind[:, steps]
        seen = np.where(is_hidden, 0.0, seen)
        shown = [replace(c, columns=np.where(is_hidden, 0.0, c.columns)) for c in pool]
    fits = explanations(seen, peaks, shown, allowed)
    if not fits:
        return None
    best = fits[0]
    ties = [fit for fit in fits[1:] if fit.parameters <= best.parameters]
    every = list(candidates(e, states_at(e, expected, np.arange(e.count))))
    places = [next(k for k, c in enumerate(shown) if c is one) for one in best.chosen]
    causes, left = [], rest
    for place, numbers, within in zip(places, best.numbers, best.within, strict=True):
        candidate = every[place]
        torque = np.tensordot(numbers, candidate.columns, axes=1)
        causes.append(_cause(candidate, pool[place], numbers, within, torque, best, ties))
        left = left - torque
    return causes, left


def _cause(
    candidate: Candidate,
    sampled: Candidate,
    numbers: Array,
    within: Array,
    torque: Array,
    best: Fit,
    ties: list[Fit],
) -> Cause:
    text, remedy = sampled.wording(numbers, within)
    own = {one.title for one in best.chosen}
    others = [one.title for fit in ties for one in fit.chosen if one.title not in own]
    also = tuple(dict.fromkeys(others))[:OTHERS]
    return Cause(candidate.kind, text, remedy, candidate.where, torque, alternatives=also)


def _chosen_steps(rest: Array, usable: Mask, peaks: Array) -> Steps:
    """Return the steps of a regression: evenly over the loop, and those of largest residuals."""
    rows = np.flatnonzero(usable)
    if rows.size <= STEPS:
        return rows
    even = rows[np.linspace(0, rows.size - 1, STEPS).astype(int)]
    size = (np.abs(rest[:, rows]) / peaks[:, None]).max(axis=0)
    return np.union1d(even, rows[np.argsort(size)[-STEPS // 8 :]])
