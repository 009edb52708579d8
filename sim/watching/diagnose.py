"""diagnose: named causes of the difference between the torques of a loop and of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sim.dynamics import newton_euler
from sim.errors import EngineError
from sim.maths.arrays import Array, Mask
from sim.simulation.resource_limits import FARTHEST_DRIVE
from sim.watching.cause import (
    CHANGED,
    GEOMETRY,
    MOVING_BASE,
    SERVO_WITHIN,
    Cause,
    join_causes,
)
from sim.watching.differences import differences, model_torque
from sim.watching.episodes import in_pieces, is_at_ends
from sim.watching.evidence import Evidence
from sim.watching.explaining import Judged, explain
from sim.watching.free_base import loads_of
from sim.watching.motor_causes import brakes, saturation
from sim.watching.own_torques import OWN_TORQUES
from sim.watching.stepping import step_lengths, stepping_causes
from sim.watching.wrongly_passed import as_passed, wrongly_passed

RIGHT = 1e-9  # of a joint's peak
LOWEST = 1e-3  # of the largest peak: the smallest that a joint's peak counts as
FEWEST = 2  # steps that make a run
LIKE_TIES = (  # as a constraint may act
    *("constant torque", "dry friction", "spring", "force", "armature", "quadratic damping"),
)
REMOVE_TIES = "p.removeConstraint, or give the model what is tied to it"
IN_JOINTS = ("armature", "spring", "frictionloss")  # of an engine, that a model may have as well
# notes on forces that the robot bears
COUNTED_IN = (
    *(*IN_JOINTS, "joint damping", "joint limit", "contact", "equality"),
    *("gravcomp", "fluid", "passive callback", "external force", "applied torque", SERVO_WITHIN),
)


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Causes of a loop, and the residual.

    Parameters
    ----------
    evidence : Evidence
        With accelerations by the actual length of each step.
    model : ndarray, shape (n, N)
        Torques of the user's model [N·m or N].
    causes : tuple of Cause
        In descending order of their effect.
    peaks : ndarray, shape (n,)
        Scales of relative differences.
    residual, left : float
        Largest difference of a torque relative to its joint's peak, before and after the causes;
        NaN after them if no step can be judged.
    allowance : ndarray, shape (n,)
        Torque error by the engine's storage of the robot: rounded tensors, frames that it cannot
        have without mass.
    """

    evidence: Evidence
    model: Array
    causes: tuple[Cause, ...]
    peaks: Array
    residual: float
    left: float
    allowance: Array


def diagnose(evidence: Evidence) -> Diagnosis:
    """Explain the difference between the torques of a loop and those of the model.

    First the causes visible in times, counts and positions, then differences of the robot read back
    from the engine, then forces in some steps only; finally the smallest sets of causes that
    explain the residual down to rounding.
    """
    divergence = list(_divergence(evidence))
    if divergence:
        evidence = evidence.part(slice(evidence.first_not_finite or 0))
    evidence, notes = in_pieces(evidence)
    divergence += notes
    e = evidence.with_step_lengths(step_lengths(evidence))
    model = model_torque(e)
    causes, usable = stepping_causes(e, e.step_lengths)
    causes = [*divergence, *causes]
    if e.torque_from == OWN_TORQUES:  # which may be those of other steps
        usable &= ~is_at_ends(e)
    peaks = joint_peaks(loads_of(e.robot, e.q, model, e.gravity), e.tau)
    causes += [c for c in e.named if c.torque is None]
    differs = [*brakes(e), *(c for c in e.named if c.torque is not None)]
    differs += differences(e, model) if _has_fixed_base(causes) else ()
    allowed = RIGHT * peaks + _rounding(e)
    differs = _without_shared(differs, allowed)
    if _is_whole(e, causes) or not usable.any():  # what MuJoCo has of the model's own is unknown
        differs = [one for one in differs if one.kind != "model friction"]
    rest = e.tau - model - sum((c.torque for c in differs if c.torque is not None), 0.0 * model)
    explained: list[Cause] = []
    judged = Judged(usable, peaks, allowed)
    passed, is_certain = wrongly_passed(e, rest, judged)
    if _is_whole(e, causes):
        passed = None
    elif passed is not None and passed.torque is not None and is_certain:
        explained, rest = [passed], rest - passed.torque
    else:
        explained, rest = explain(e, rest, judged)
        explained = [as_passed(e, c) for c in explained] if passed else explained
        if e.ties and any(c.kind in LIKE_TIES for c in explained):
            explained = [_of_ties(e, c) if c.kind in LIKE_TIES else c for c in explained]
    is_small = {c.kind for c in differs if not c.is_error}
    shown = [c for c in differs if (c.is_error or c.kind in COUNTED_IN) and c.share(allowed) > 1]
    notes = [*(c for c in differs if c.kind in is_small), *(c for c in explained if not c.is_error)]
    stored = [c.torque for c in notes if c.torque is not None]
    every = [*causes, *join_causes([*shown, *explained], peaks)]
    every += () if _is_whole(e, causes) else join_causes(saturation(e), peaks)
    residual = _largest(e.tau - model, peaks)
    left = _largest(rest[:, usable], peaks) if usable.any() else np.nan
    is_open = bool(np.any(np.abs(rest[:, usable]) > allowed[:, None]))
    is_tied = any(c.kind == "constraint" for c in explained)
    if is_open and left > RIGHT and not (is_tied or _is_whole(e, causes)):
        every.append(passed or _unexplained(e, rest, usable, peaks, left))
    allowance = np.abs(np.sum(stored, axis=0)).max(axis=1) if stored else np.zeros(len(model))
    return Diagnosis(e, model, tuple(every), peaks, residual, left, allowance)


def _divergence(e: Evidence) -> Iterator[Cause]:
    """Yield a motion that ends in NaN or infinity.

    Raises
    ------
    EngineError
        If it does so within its first steps.
    """
    if (step := e.first_not_finite) is None:
        return
    if step < FEWEST:
        raise EngineError(
            f"The states or torques of the loop are not finite from step {step + 1} on; nothing "
            "can be judged"
        )
    yield Cause(
        "divergence",
        f"the motion is beyond {FARTHEST_DRIVE:g} rad or m (per second), or no finite number, from "
        f"step {step + 1} on, and judged up to there",
        "look for a target, mass or gain that is not finite; then a smaller time step",
    )


def joint_peaks(peaks: Array, tau: Array) -> Array:
    """Return the peaks of the joints (n,), but at least a share of the largest."""
    largest = max(float(peaks.max()), LOWEST * float(np.abs(tau).max()), 1e-9)
    return np.maximum(peaks, LOWEST * largest)


def _rounding(e: Evidence) -> Array:
    """Return the torque error by rounding of the velocities, (n,) [N·m or N]."""
    eps = float(np.finfo(np.float64).eps)
    a = 4 * eps * np.abs(e.qd).max(axis=1) / e.dt
    at = np.linspace(0, e.count - 1, 5).astype(int)
    q, zero = e.q[:, at], np.zeros((len(a), at.size))
    total = np.zeros_like(zero)
    for row, size in enumerate(a):
        unit = zero.copy()
        unit[row] = size
        total += np.abs(newton_euler.inverse_dynamics(e.held.robot, q, zero, unit, (0.0, 0.0, 0.0)))
    return np.asarray(total.max(axis=1))


def _without_shared(causes: list[Cause], allowed: Array) -> list[Cause]:
    """Return the causes without springs, rotors and friction common to model and engine."""
    acting = [c for c in causes if c.torque is not None]
    torques = [np.array(c.torque) for c in acting]
    of_engine = [t for c, t in zip(acting, torques, strict=True) if c.kind in IN_JOINTS]
    counted_in = [t for c, t in zip(acting, torques, strict=True) if not c.is_error]
    for cause, torque in zip(acting, torques, strict=True):
        for row in _rows_of(torque) if cause.kind == "model friction" else ():
            parts = [one for one in of_engine if one[row].any()]
            for some in _subsets(parts):
                if np.all(np.abs(torque[row] + sum(one[row] for one in some)) <= allowed[row]):
                    for one in (torque, *some):
                        one[row] = 0.0
                    break
            else:
                noted = [one for one in parts if any(one is each for each in counted_in)]
                for one in noted[:1]:  # of which the model has a part only
                    one[row], torque[row] = one[row] + torque[row], 0.0
    rest = {c: replace(c, torque=t) for c, t in zip(acting, torques, strict=True) if t.any()}
    return [rest.get(c, c) for c in causes if c.torque is None or c in rest]


def _rows_of(torque: Array) -> list[int]:
    """Return the rows of the joints in which a torque acts."""
    return [int(row) for row in np.flatnonzero(torque.any(axis=1))]


def _subsets(parts: list[Array]) -> Iterator[tuple[Array, ...]]:
    for size in range(1, len(parts) + 1):
        yield from combinations(parts, size)


def _is_whole(e: Evidence, causes: list[Cause]) -> bool:
    """Whether nothing can be judged until a cause is removed."""
    kinds = ["substeps", "foreign step", "torque unseen", GEOMETRY, MOVING_BASE, CHANGED]
    if e.set_by_hand is None:  # the steps of a reset are not known
        kinds.append("reset")
    return any(c.kind in kinds for c in causes)


def _has_fixed_base(causes: list[Cause]) -> bool:
    return all(c.kind != MOVING_BASE for c in causes)


def _largest(rows: Array, peaks: Array) -> float:
    return float(np.max(np.abs(rows) / peaks[:, None])) if rows.size else 0.0


def _of_ties(e: Evidence, like: Cause) -> Cause:
    """Return the cause of constraints whose forces resemble those of another cause."""
    text, remedy = f"{'; '.join(e.ties)}: the model has none", REMOVE_TIES
    return replace(like, kind="constraint", text=text, remedy=remedy, alternatives=(like.text,))


def _unexplained(e: Evidence, rest: Array, usable: Mask, peaks: Array, left: float) -> Cause:
    size = np.where(usable, np.abs(rest) / peaks[:, None], 0.0)
    row, step = np.unravel_index(int(np.argmax(size)), size.shape)
    if e.ties:
        return Cause(
            "constraint",
            f"{'; '.join(e.ties)}: the model has none, and {left:.1e} of the peak is left",
            REMOVE_TIES,
            torque=np.where(usable, rest, 0.0),
        )
    if e.changes:
        return Cause(
            CHANGED,
            f"the loop calls {'; '.join(e.changes)}: no single robot fits all steps, {left:.1e} of "
            "the peak is left",
            "call it before sim.watch, or save() before it and start a new watch",
            torque=np.where(usable, rest, 0.0),
        )
    return Cause(
        "unexplained",
        f"{left:.1e} of the peak is not explained, most at {e.robot.row_names[row]} in step "
        f"{e.number(step) + 1} ({e.number(step) * e.dt:.4g} s)",
        "",
        e.robot.row_names[row],
        np.where(usable, rest, 0.0),
    )
