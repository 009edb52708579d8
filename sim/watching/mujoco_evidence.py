"""Evidence of a MuJoCo loop with what its replay shows: named forces, or another stepping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.watching.cause import Cause
from sim.watching.evidence import Evidence
from sim.watching.mujoco_causes import causes_of_the_loop, mujoco_causes
from sim.watching.mujoco_loop import Loop
from sim.watching.stepping import EXACT, FEW


def with_causes(loop: Loop) -> Evidence:
    """The evidence with MuJoCo's own causes; steps that are not its own are named as such."""
    e, other = loop.evidence, loop.replay.is_other
    if (e.steps != 1).any() or loop.time_back:
        return replace(e, named=tuple(causes_of_the_loop(loop)))
    if other.mean() > FEW:
        return replace(e, named=(_other_steps(loop),))
    named = tuple(mujoco_causes(loop.without(other)))
    return replace(e, named=named, set_by_hand=other if other.any() else None)


def _other_steps(loop: Loop) -> Cause:
    """How the loop steps, where it does not as ``mj_step`` does."""
    e, other = loop.evidence, loop.replay.is_other
    scale = EXACT * (1 + float(np.abs(e.q_next).max()))
    is_semi_implicit = np.abs(e.q_next - e.q - e.dt * e.qd_next).max() <= scale
    share = f"{other.mean():.0%} of the steps"
    if is_semi_implicit and e.held.settings["integrator"] == "RK4":
        text = "mj_step1 and mj_step2 cannot do RK4: the loop steps by Euler"
        return Cause("foreign step", text, "call mujoco.mj_step(model, data)")
    if is_semi_implicit:
        text = f"mj_step2 with forces of an earlier state in {share}: mj_step1 was not called"
        return Cause("foreign step", text, "call mj_step1 before each mj_step2, or mj_step")
    text = f"mj_step from the recorded state gives another one in {share}: a callback or plugin"
    return Cause("foreign step", text, "or a state or force that changes between the samples")
