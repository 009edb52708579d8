"""Evidence of a MuJoCo loop with the result of its replay: named forces, or other stepping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

from sim.maths.arrays import Mask
from sim.robots.mjcf.compiled import BALL, FREE, joints_of
from sim.watching.cause import MOVING_BASE, UNREAD, Cause
from sim.watching.evidence import Evidence
from sim.watching.mujoco_causes import causes_of_the_loop, mujoco_causes
from sim.watching.mujoco_edits import changed_model
from sim.watching.mujoco_loop import MujocoLoop
from sim.watching.mujoco_replay import SAME, apart
from sim.watching.stepping import EXACT, FEW


def with_causes(loop: MujocoLoop) -> Evidence:
    """The evidence with MuJoCo's own causes; steps that are not its own are named as such."""
    e = loop.evidence
    skipped = e.steps != 1
    unread = loop.replay.is_other & ~skipped & loop.unread
    other = loop.replay.is_other & ~skipped & ~unread
    episodes = loop.resets.episodes(other)
    other &= ~episodes
    if (carried := _moving_base(loop)) is not None:
        return replace(e, named=(carried,))
    judged = ~(skipped | episodes)
    if not judged.any() or loop.replay.own_reset is not None:
        return replace(e, named=tuple(causes_of_the_loop(loop)))
    if other[judged].mean() > FEW:
        return replace(e, named=(changed_model(loop) or _other_steps(loop),))
    left_out = other | skipped | unread | episodes
    named = *mujoco_causes(loop.without(left_out)), *_unread(unread, other)
    other = other | unread
    return replace(e, named=named, set_by_hand=other if other.any() else None, episodes=episodes)


def _unread(steps: Mask, other: Mask) -> Iterator[Cause]:
    """Yield a note on steps with forces or equalities that were not yet read in each sample."""
    if steps.any() and not other.any():
        text = f"{int(steps.sum())} steps from step {int(np.argmax(steps)) + 1} on are left out: "
        text += "data.xfrc_applied and eq_active are read in each sample once they have changed, "
        text += "before in every 32nd"
        yield Cause(UNREAD, text, is_error=False)


def is_foreign(e: Evidence) -> bool:
    """Return whether MuJoCo's steps from the samples do not lead to the next ones."""
    return bool((e.steps > 1).any()) or any(cause.kind == "foreign step" for cause in e.named)


def warnings_of_resets(data: mujoco.MjData) -> int:
    """Return how often MuJoCo has reset diverging motions since the loop did so itself."""
    of = mujoco.mjtWarning
    kinds = of.mjWARN_BADQPOS, of.mjWARN_BADQVEL, of.mjWARN_BADQACC
    return sum(int(data.warning[kind].number) for kind in kinds)


def own_resets(e: Evidence, count: int) -> Iterator[Cause]:
    """Yield resets of MuJoCo that its warnings show: they clear the controls that caused them."""
    if count > 0 and all(cause.kind != "reset" for cause in e.named):
        times = "once" if count == 1 else f"{count} times"
        text = f"MuJoCo reset a motion that diverged {times} (data.warning): it looks like a new "
        text += "state that the loop sets"
        remedy = "look for a control that is not finite or huge; then a smaller time step"
        yield Cause("reset", text, remedy)


def left_out(bodies: tuple[str, ...]) -> Iterator[Cause]:
    """Yield a note on free bodies of the model that are not part of the robot."""
    if bodies:
        text = f"free bodies are no part of the robot and not judged: {', '.join(bodies)}"
        yield Cause("left out", text, is_error=False)


def _moving_base(loop: MujocoLoop) -> Cause | None:
    """Joints of the model that move the base of the robot, and are none of the robot's."""
    model, places = loop.model, loop.places
    body = int(model.jnt_bodyid[places.joint[0]])
    above = []
    while body:
        above += [j for j in joints_of(model, body) if j not in places.joint]
        body = int(model.body_parentid[body])
    for joint in above:
        first = int(model.jnt_qposadr[joint])
        count = {FREE: 7, BALL: 4}.get(int(model.jnt_type[joint]), 1)
        moved = float(np.ptp(loop.recorded.qpos[:, first : first + count], axis=0).max())
        if moved > EXACT:
            name = model.joint(joint).name or f"of body {model.body(model.jnt_bodyid[joint]).name}"
            return Cause(
                MOVING_BASE,
                f"joint {name} moves the base of the robot by up to {moved:.3g} in its "
                "coordinates, and the model's base is fixed: nothing else is judged",
                "lock that joint, or pass a robot that has it",
                name,
            )
    return None


def _other_steps(loop: MujocoLoop) -> Cause:
    """Yield ways in which the loop's steps differ from ``mj_step``."""
    e, other = loop.evidence, loop.replay.is_other
    scale = EXACT * (1 + float(np.abs(e.q_next).max()))
    is_semi_implicit = np.abs(e.position_change - e.dt * e.qd_next).max() <= scale
    share = f"{other.mean():.0%} of the steps"
    if is_semi_implicit and e.held.settings["integrator"] == "RK4":
        text = "mj_step1 and mj_step2 cannot do RK4: the loop steps by Euler"
        return Cause("foreign step", text, "call mujoco.mj_step(model, data)")
    if is_semi_implicit and _is_without_step1(loop):
        text = f"mj_step2 with forces of an earlier state in {share}: mj_step1 was not called"
        return Cause("foreign step", text, "call mj_step1 before each mj_step2, or mj_step")
    text = f"mj_step from the recorded state gives another one in {share}: a callback or plugin, "
    text += (
        "or a state, force (xfrc_applied, eq_active) or number of the model that changes between "
    )
    text += "the samples"
    return Cause("foreign step", text, "call watch.sample() right after each mj_step")


def _is_without_step1(loop: MujocoLoop) -> bool:
    """Whether mj_step2 used forces of no state, of the first state or of the previous one."""
    r, model, k = loop.recorded, loop.model, int(np.argmax(loop.replay.is_other))
    for before in (None, *((0, k - 1) if k else ())):
        data = mujoco.MjData(model)
        mujoco.mj_setState(model, data, r.start, int(mujoco.mjtState.mjSTATE_INTEGRATION))
        if before is not None:
            r.put(data, before)
            mujoco.mj_forward(model, data)
        r.put(data, k)
        mujoco.mj_step2(model, data)
        if apart(data.qvel, r.qvel[k + 1]) <= SAME:
            return True
    return False
