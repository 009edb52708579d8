"""Candidates for torques of a step that a loop may pass instead of the acting ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from sim.dynamics import newton_euler
from sim.maths.arrays import Array
from sim.watching.candidate import (
    Candidate,
    LoopStates,
    Wording,
    candidate_of_torques,
    constant_wording,
)
from sim.watching.cause import number
from sim.watching.evidence import Evidence

LARGEST = 1e4  # steps of a filter
ZERO = 1e-6  # of a part of the torques: one that is missing
WHOLE = "pass M a + C v + g + D v, with a = (v' - v)/dt and the state before the step"


def torques_of_other_steps(at: LoopStates) -> Iterator[Candidate]:
    """Torques that belong to another step."""
    for when, other, remedy in (
        ("before", at.earlier, "read the torque after each step, and no later"),
        ("before the last", at.second, "read the torque after each step, and no later"),
        ("after", at.later, "lay a torque beside the state before the step that it moved"),
    ):
        text = f"the torques are those of the step {when}"
        yield candidate_of_torques(f"torque of the step {when}", other, at, text, remedy)


def passed_torques(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    """Candidates that apply only to a loop that passes its own torques."""
    change = (at.tau_before - at.tau)[None]
    yield Candidate("filtered torque", "", change, _filter, lambda x: 0 < float(x[0]) < LARGEST)
    yield _other_order(e.robot.row_names, at)
    if at.tau.any():
        yield from _parts(e, at)


def _parts(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    """M a, C v, g and D v, each left out or by a factor, and all at the state after the step."""
    robot, gravity, zero = e.held.robot, e.held.gravity, np.zeros_like(at.q)
    rigid = newton_euler.inverse_dynamics(robot, at.q, at.qd, at.qdd, gravity)
    after = newton_euler.inverse_dynamics(robot, at.q_next, at.qd_next, at.qdd, gravity)
    bias = newton_euler.inverse_dynamics(robot, at.q, at.qd, zero, gravity)
    weight = newton_euler.inverse_dynamics(robot, at.q, zero, zero, gravity)
    text = "the torques are of the state after each step, q' and v'"
    yield candidate_of_torques("state after the step", at.expected + after - rigid, at, text, WHOLE)
    for kind, what, part in (
        ("inertia part", "M a", rigid - bias),
        ("velocity part", "C v", bias - weight),
        ("weight part", "the weight g(q)", weight),
        ("damping part", "joint damping D v", e.held.damping[:, None] * at.qd),
    ):
        yield Candidate(kind, "", part[None], _factor(what))


def _factor(what: str) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        factor = 1 + float(x[0])
        if abs(factor) < ZERO:
            return f"{what} is missing in the torques", WHOLE
        return f"{what} is in the torques {number(factor, float(within[0]))} times", WHOLE

    return say


def _other_order(names: Sequence[str], at: LoopStates) -> Candidate:
    """Torques in a different order: each is assigned to the closest one of the model."""
    cost = np.sum((at.tau[:, None] - at.expected) ** 2, axis=2)
    order: list[int] = linear_sum_assignment(cost)[1].tolist()
    pairs = [(names[row], names[other]) for row, other in enumerate(order) if row != other]
    text = "; ".join(f"the torque of {row} is that of {other}" for row, other in pairs)
    if len(pairs) == 2:
        text = f"the torques of {' and '.join(pairs[0])} are swapped"
    remedy = f"pass them in the order {', '.join(names)}"
    swapped = at.tau - at.tau[np.argsort(order)]
    return Candidate("torques in another order", "", swapped[None], constant_wording(text, remedy))


def _filter(x: Array, within: Array) -> tuple[str, str]:
    share = number(1 / (1 + float(x[0])), float(within[0]) / (1 + float(x[0])) ** 2)
    text = f"the torques are filtered: each is the last one and {share} of the change to that of"
    return f"{text} the model", "pass watch.sample the torque before the filter"
