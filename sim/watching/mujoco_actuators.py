"""Torques of MuJoCo's actuators: assumed by a loop, and actual."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from sim.maths.arrays import Array
from sim.watching.cause import Cause
from sim.watching.mujoco_loop import MujocoLoop

AT_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
EQUAL = 1e-9  # of the largest torque: tolerance of two equal torques
AT_END = 1e-9  # of a range: tolerance of a control or force at its end


def believed_causes(loop: MujocoLoop) -> tuple[frozenset[str], list[Cause]]:
    """Forces that the loop already includes, and causes of other wrongly assumed torques."""
    forces, tau = loop.replay.forces, loop.evidence.tau
    actual = forces["actuator"] + forces["applied"]
    if _same(loop, tau, actual):
        return frozenset(), list(_applied_torques(loop, None))
    if _same(loop, tau, forces["actuator"]):
        return frozenset(), list(_applied_torques(loop, -forces["applied"]))
    for names in (
        (), ("damper",), ("spring",), ("gravcomp",), ("fluid",), ("friction",),
        ("spring", "damper", "gravcomp", "fluid"),
        ("friction", "limit", "equality", "contact"),
        ("spring", "damper", "gravcomp", "fluid", "friction", "limit", "equality", "contact"),
    ):  # fmt: skip
        torque = actual + sum(forces[name] for name in names)
        for others in ((), ("integrator",)):  # with it M a + c, what acts, instead of what is read
            if _same(loop, tau, torque - sum(forces[name] for name in others)):
                return frozenset(names + others), []
    if loop.has_late_control:
        return frozenset(), [late_control(tau - actual)]
    return frozenset(), list(_find_causes(loop, actual))


def late_control(torque: Array | None) -> Cause:
    """Return the cause of controls that are written before a sample, and act after it."""
    return Cause(
        "control late",
        "each control acts in the step after its sample: data.ctrl is written after mj_step, or "
        "watch.sample() called before it",
        "set data.ctrl before mj_step, and call watch.sample() after it",
        "",
        torque,
    )


def _same(loop: MujocoLoop, one: Array, other: Array) -> bool:
    return bool(np.max(np.abs(one - other)) <= EQUAL * loop.largest)


def _applied_torques(loop: MujocoLoop, torque: Array | None) -> Iterator[Cause]:
    """Yield a note on torques that a user applies in addition to the motors."""
    forces = loop.replay.forces
    peak = np.abs(forces["applied"]).max(axis=1)
    if peak.any() and (torque is not None or forces["actuator"].any()):
        text = f"qfrc_applied acts next to the actuators, up to {loop.per_joint(peak)}: included"
        yield Cause("applied torque", text, "", "", torque, is_error=False)


def _find_causes(loop: MujocoLoop, actual: Array) -> Iterator[Cause]:
    tau = loop.evidence.tau
    for when, lag in (("before", 1), ("after", -1)):
        part = slice(2, -2)
        if _same(loop, tau[:, part], np.roll(actual, lag, axis=1)[:, part]):
            yield Cause(
                f"torque of the step {when}",
                f"the torques are those of the step {when}",
                "read qfrc_actuator right after mj_step: it belongs to the state before the step",
                "",
                tau - actual,
            )
            return
    controls, gains, forces = _by_joint(loop)
    for taken, values in (("ctrl", controls), ("gain × ctrl", gains), ("actuator_force", forces)):
        if _same(loop, tau, values):
            yield from _of_actuators(loop, taken, tau - actual)
            return


def _by_joint(loop: MujocoLoop) -> tuple[Array, Array, Array]:
    """Controls, controls by their gains, and actuator forces, at the joint of each actuator."""
    model, shape = loop.model, loop.evidence.tau.shape
    forces = tuple(np.zeros(shape) for _ in range(3))
    for k, row in _rows(loop):
        ctrl = loop.recorded.ctrl[:, k]
        for sum_, values in zip(
            forces,
            (ctrl, model.actuator_gainprm[k, 0] * ctrl, loop.replay.actuators[k]),
            strict=True,
        ):
            sum_[row] += values
    return forces[0], forces[1], forces[2]


def _rows(loop: MujocoLoop) -> Iterator[tuple[int, int]]:
    """Each actuator of a joint, and the row of its joint."""
    model = loop.model
    for k in range(model.nu):
        row = loop.places.row_of(model.actuator_trnid[k, 0])
        if row is not None and model.actuator_trntype[k] == AT_JOINT:
            yield k, row


def _of_actuators(loop: MujocoLoop, taken: str, torque: Array) -> Iterator[Cause]:
    """Reasons why actuator torques differ from the assumed ones; the first has the torque."""
    reasons = list(_reasons(loop, taken))
    for number, (kind, text, remedy) in enumerate(reasons):
        yield Cause(
            kind,
            f"{taken} is not the torque of the motors: {text}",
            f"{remedy}, or read data.qfrc_actuator",
            "",
            torque if number == 0 else np.zeros_like(torque),
        )


def _reasons(loop: MujocoLoop, taken: str) -> Iterator[tuple[str, str, str]]:
    model, own = loop.model, [k for k, _ in _rows(loop)]
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION):
        yield "actuation off", "actuation is disabled by a flag", "clear mjDSBL_ACTUATION"
        return
    if taken != "actuator_force":
        yield from _laws(loop, own)
        yield from _at_ranges(loop, own)
    gears = sorted({float(model.actuator_gear[k, 0]) for k in own} - {1.0})
    if gears:
        yield "gear", f"gear {', '.join(f'{g:g}' for g in gears)}", "multiply by the gear"
    joints = loop.places.joint[model.jnt_actfrclimited[loop.places.joint].astype(bool)]
    limits = [(loop.names[int(np.flatnonzero(loop.places.joint == j)[0])], model.jnt_actfrcrange[j])
              for j in joints]  # fmt: skip
    force = loop.replay.forces["actuator"]
    for name, (low, high) in limits:
        row = force[loop.names.index(name)]
        if _stands(row, low, high) > 1:
            yield (
                "actuatorfrcrange",
                f"actuatorfrcrange {low:g} … {high:g} of {name} cuts it off",
                ("widen actuatorfrcrange"),
            )
            return


def _laws(loop: MujocoLoop, own: list[int]) -> Iterator[tuple[str, str, str]]:
    model = loop.model
    filtered = [k for k in own if model.actuator_dyntype[k] != int(mujoco.mjtDyn.mjDYN_NONE)]
    if filtered:
        times = model.actuator_dynprm[filtered[0], 0]
        text = f"actuators have dynamics, time constant {times:g} s"
        yield "actuator dynamics", text, 'dyntype="none"'
    servo = [k for k in own if model.actuator_biasprm[k, :3].any()]
    if servo:
        k = servo[0]
        kp, kv = -model.actuator_biasprm[k, 1], -model.actuator_biasprm[k, 2]
        text = f"actuators are servos, kp {kp:.6g} and kv {kv:.6g} of the first"
        yield "servo", text, "take kp (ctrl - q) - kv v for the torque"
    elif any(model.actuator_gainprm[k, 0] != 1 for k in own):
        yield "gain", f"gain {model.actuator_gainprm[own[0], 0]:g}", "multiply by the gain"


def _at_ranges(loop: MujocoLoop, own: list[int]) -> Iterator[tuple[str, str, str]]:
    model = loop.model
    for kind, is_limited, ranges, values in (
        ("ctrlrange", model.actuator_ctrllimited, model.actuator_ctrlrange, loop.recorded.ctrl.T),
        ("forcerange", model.actuator_forcelimited, model.actuator_forcerange,
         loop.replay.actuators),
    ):  # fmt: skip
        for k in own:
            low, high = ranges[k]
            beyond = int(((values[k] < low) | (values[k] > high)).sum())
            count = beyond if kind == "ctrlrange" else _stands(values[k], low, high)
            if is_limited[k] and count > 1:
                text = f"{kind} {low:g} … {high:g} cuts it off in {count} steps of actuator {k}"
                yield kind, text, f"widen {kind}"
                break


def _stands(values: Array, low: float, high: float) -> int:
    near = AT_END * max(abs(low), abs(high))
    return int(((np.abs(values - low) <= near) | (np.abs(values - high) <= near)).sum())
