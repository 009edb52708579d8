"""Causes from MuJoCo's data: forces other than the motors', and effects of its integrator."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import mujoco
import numpy as np

from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import pose
from sim.robots.mjcf.compiled import compiled_of, link_offset
from sim.watching.cause import SERVO_WITHIN, SHARED_FRICTION, Cause, misplaced_link
from sim.watching.mujoco_actuators import AT_JOINT, believed_causes, late_control
from sim.watching.mujoco_applied import added_forces, forces_on_bodies
from sim.watching.mujoco_edits import stale_constants
from sim.watching.mujoco_laws import ends_of_equality
from sim.watching.mujoco_loop import MujocoLoop
from sim.watching.mujoco_within_step import within_step

OF_JOINT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
COARSE = 2e-3  # of the largest torque: a time step whose own error is worth a note
SAME_PLACE = 1e-6  # [m] and of a rotation
LISTED = 4  # joints that are named
TOLERATED = 1e-2  # of the largest torque: allowed residual of the constraint solver


def mujoco_causes(loop: MujocoLoop) -> Iterator[Cause]:
    """Causes whose torques sum to the loop's minus those of MuJoCo's rigid bodies."""
    yield from causes_of_the_loop(loop)
    included, causes = believed_causes(loop)
    yield from causes
    has_damping = False
    for name, cause in (
        ("damper", _damper),
        ("spring", _spring),
        ("gravcomp", _gravcomp),
        ("fluid", _fluid),
        ("callback", added_forces),
        ("friction", _friction),
        ("limit", _limit),
        ("equality", _equality),
        ("contact", _contact),
        ("external", forces_on_bodies),
    ):
        torque = -loop.replay.forces[name]
        if name in included:
            continue
        if name == "damper":
            torque = torque - loop.evidence.held.damping[:, None] * loop.evidence.qd
            is_other = not loop.shares(name) and loop.is_noticeable(torque)
            if loop.damps_at_the_end and is_other and "integrator" not in included:
                torque = torque + loop.replay.forces["integrator"]
        if name == "friction":
            is_shared = loop.evidence.shares_friction[:, None]
            shared = np.where(is_shared, torque, 0.0)
            yield Cause(SHARED_FRICTION, "", "", "", shared, is_error=False)
            torque = torque - shared
        if loop.is_noticeable(torque):
            found, is_in_file = cause(loop, torque), loop.shares(name)
            if name == "limit":  # which arms keep away from, and legs do not
                is_in_file = is_in_file and bool(loop.evidence.carried_mask.any())
            yield _counted_in(found) if is_in_file else found
            has_damping |= name == "damper" and not is_in_file
    yield from _armature(loop)
    yield from stale_constants(loop)
    if not ((has_damping and loop.damps_at_the_end) or "integrator" in included):
        yield from _integrator(loop, has_damping)


def _counted_in(cause: Cause) -> Cause:
    """Note on an engine force in the robot's file that a `Robot` cannot represent."""
    return replace(cause, text=f"{cause.text}: included", remedy="", is_error=False)


def causes_of_the_loop(loop: MujocoLoop) -> Iterator[Cause]:
    """Yield causes that times and positions reveal, independently of the torques."""
    if loop.has_late_control and not loop.has_own_torque:
        yield replace(late_control(None), remedy="", is_error=False)
    if (reset := loop.replay.own_reset) is not None:
        yield Cause(
            "reset",
            f"MuJoCo reset a motion that diverged, in step {reset + 1}",
            "a smaller time step, or less stiffness",
        )
    if loop.replay.halved > COARSE:
        h = loop.evidence.dt
        yield Cause(
            "time step",
            f"the time step of {h:g} s is coarse: two halves of it change torques by "
            f"{loop.replay.halved:.1g} of the largest",
            f"model.opt.timestep = {h / 4:g}",
            is_error=False,
        )
    yield from _geometry(loop)


def _geometry(loop: MujocoLoop) -> Iterator[Cause]:
    """Yield the first link at a different pose than in the file."""
    model, e, scratch = loop.model, loop.evidence, mujoco.MjData(loop.model)
    scratch.qpos[:] = loop.recorded.qpos[0]
    mujoco.mj_kinematics(model, scratch)
    for joint in e.robot.tree_joints:
        body = e.held.numbers.get(joint.child)
        if body is None:
            continue
        here = frame_pose(e.held.robot, e.q[:, 0], joint.child)
        R = scratch.xmat[body].reshape(3, 3)
        there = pose(R, scratch.xpos[body] + R @ link_offset(model, body))
        if np.abs(there - here).max() > SAME_PLACE:
            yield misplaced_link(joint, there, here)
            return


def _damper(loop: MujocoLoop, torque: Array) -> Cause:
    model, v = loop.model, loop.places.v
    plain = model.dof_damping[v]
    parts, arrays = [], []
    if plain.any():
        parts.append(f"damping {loop.per_joint(plain, 'damping')}")
        arrays.append("dof_damping")
    if (poly := model.dof_dampingpoly[v]).any():
        parts.append(f"damping v|v| {loop.per_joint(poly[:, 0], 'quadratic damping')}")
        arrays.append("dof_dampingpoly")
    if model.actuator_damping.any():
        parts.append(f"damping of actuators up to {model.actuator_damping.max():.4g}")
        arrays.append("actuator_damping")
    if tendons := loop.tendons_with(model.tendon_damping):
        parts.append(f"damping of tendon {tendons}")
        arrays.append("tendon_damping")
    typed_text = loop.per_joint(loop.evidence.held.damping, "damping") or "none"
    text = ", ".join(parts) or "no damping"
    if not loop.shares("damper"):
        text += f" in MuJoCo, {typed_text} in the file"
    zeroed = "; ".join(f"model.{name}[:] = 0" for name in arrays or ["dof_damping"])
    return Cause("joint damping", text, f"{zeroed}, or <dynamics damping>", "", torque)


def _spring(loop: MujocoLoop, torque: Array) -> Cause:
    model = loop.model
    stiff = model.jnt_stiffness[loop.places.joint]
    parts = [f"joint springs {loop.per_joint(stiff, 'spring')}"] if stiff.any() else []
    if tendons := loop.tendons_with(model.tendon_stiffness):
        parts.append(f"stiffness of tendon {tendons}")
    text = f"{' and '.join(parts) or 'springs'}: up to {loop.largest_of(torque)}"
    return Cause("spring", text, "take stiffness out, or give the model springs", "", torque)


def _gravcomp(loop: MujocoLoop, torque: Array) -> Cause:
    model = loop.model
    bodies = [f"{model.body(k).name} ({model.body_gravcomp[k]:g})"
              for k in np.flatnonzero(model.body_gravcomp)]  # fmt: skip
    text = f"gravcomp of {', '.join(bodies)} carries up to {loop.largest_of(torque)}"
    return Cause("gravcomp", text, "model.body_gravcomp[:] = 0", "", torque)


def _fluid(loop: MujocoLoop, torque: Array) -> Cause:
    opt = loop.model.opt
    text = f"a fluid of density {opt.density:g} and viscosity {opt.viscosity:g} acts"
    remedy = "model.opt.density = model.opt.viscosity = 0"
    return Cause("fluid", text, remedy, "", torque)


def _friction(loop: MujocoLoop, torque: Array) -> Cause:
    loss = np.where(loop.evidence.shares_friction, 0.0, loop.model.dof_frictionloss[loop.places.v])
    parts = [f"frictionloss {loop.per_joint(loss)}"] if loss.any() else []
    if tendons := loop.tendons_with(loop.model.tendon_frictionloss):
        parts.append(f"frictionloss of tendon {tendons}")
    arrays = [k for k in ("dof", "tendon") if getattr(loop.model, f"{k}_frictionloss").any()]
    remedy = "; ".join(f"model.{kind}_frictionloss[:] = 0" for kind in arrays)
    return Cause("frictionloss", " and ".join(parts), remedy, "", torque)


def _limit(loop: MujocoLoop, torque: Array) -> Cause:
    compiled = compiled_of(loop.model)
    names = [
        compiled.joints[k] if kind == OF_JOINT else f"tendon {compiled.name('tendon', k)}"
        for kind, k in sorted(loop.replay.rows["limit"])
    ]
    where = ", ".join(names)
    if len(names) > LISTED:
        names[LISTED - 1 :] = [f"{len(names) - LISTED + 1} more"]
    held = int((np.abs(torque) > 0).any(axis=0).sum())
    text = (
        f"{' and '.join(names)} at a limit in {held} of {loop.evidence.count} steps, with up to "
        f"{loop.largest_of(torque)}"
    )
    remedy = "keep the path inside the range, or limited=false"
    return Cause("joint limit", text, remedy, where, torque)


def _equality(loop: MujocoLoop, torque: Array) -> Cause:
    model, kinds = loop.model, ("connect", "weld", "joint", "tendon")
    compiled = compiled_of(model)
    names = []
    for _, k in sorted(loop.replay.rows["equality"]):
        kind = int(model.eq_type[k])
        what = kinds[kind] if kind < len(kinds) else "flex"
        ends = " and ".join(ends_of_equality(compiled, k))
        names.append(f"{what} {model.equality(k).name or ends}")
    text = f"equality constraint {', '.join(names)}: up to {loop.largest_of(torque)}"
    remedy = "data.eq_active[:] = 0, or sim.watch(…, robot=FILE) with the file that has it"
    return Cause("equality", text, remedy, "", torque)


def _contact(loop: MujocoLoop, torque: Array) -> Cause:
    """Yield contacts: supports of a free base are notes, contacts of two links are errors."""
    model, parts, own = loop.model, list[str](), list[str]()
    known, met = compiled_of(model).bodies, dict[tuple[int, ...], Mask]()
    for pair, steps in loop.replay.pairs.items():
        bodies = tuple(model.geom_bodyid[list(pair)].tolist())
        met[bodies] = met.get(bodies, False) | steps
    for bodies, steps in met.items():
        first = np.argmax(steps) * loop.evidence.dt
        names = " with ".join(known[k] for k in bodies)
        parts.append(f"{names} in {int(steps.sum())} steps from {first:.4g} s")
        if model.body_rootid[bodies[0]] == model.body_rootid[bodies[1]]:
            own.append(parts[-1])
    is_carried = bool(loop.evidence.carried_mask.any())
    shown = own if is_carried and own else parts
    more = f"; and {len(shown) - 2} more" if len(shown) > 2 else ""
    text = f"contact of {'; '.join(shown[:2])}{more}, of {loop.evidence.count} steps"
    remedy = "move it away, or set contype = conaffinity = 0"
    if is_carried and not own:
        return Cause("contact", f"{text}: included", "", "", torque, is_error=False)
    return Cause("self-contact" if is_carried else "contact", text, remedy, "", torque)


def _armature(loop: MujocoLoop) -> Iterator[Cause]:
    """Rotor inertia of joints, and of actuators by their gear."""
    model, e = loop.model, loop.evidence
    own = model.dof_armature[loop.places.v]
    whole = np.array(own)
    for k in range(model.nu):
        if model.actuator_trntype[k] == AT_JOINT and model.actuator_armature[k]:
            rows = loop.places.joint == model.actuator_trnid[k, 0]
            whole[rows] += model.actuator_armature[k] * model.actuator_gear[k, 0] ** 2
    is_in_file = loop.shares("armature")
    if tendons := loop.tendons_with(model.tendon_armature):
        text, torque = f"armature of tendon {tendons}", _tendon_armature(loop)
        missing = Cause("armature", text, "model.tendon_armature[:] = 0", "", torque)
        yield _counted_in(missing) if is_in_file else missing
    if not whole.any():
        return
    where = "armature" if np.array_equal(own, whole) else "armature (of actuators: × gear²)"
    arrays = [name for name in ("dof_armature", "actuator_armature") if getattr(model, name).any()]
    zeroed = "; ".join(f"model.{name}[:] = 0" for name in arrays)
    # M of a body that is alone, with its mass centre at its origin, is kept as compiled until then.
    set_constants = "mujoco.mj_setConst(model, mujoco.MjData(model))"
    remedy = f"{zeroed}; {set_constants}, or a drive train in the model"
    is_shared = np.isclose(whole, e.robot.rotor_inertia, rtol=1e-12, atol=0)  # cancels
    for part in (np.where(is_shared, 0.0, whole), np.where(is_shared, whole, 0.0)):
        if part.any():
            text, torque = f"{where} {loop.per_joint(part, 'inertia')}", part[:, None] * e.qdd
            missing = Cause("armature", f"{text}, none in the file", remedy, "", torque)
            yield _counted_in(replace(missing, text=text)) if is_in_file else missing


def _tendon_armature(loop: MujocoLoop) -> Array:
    """Return the part of M a + c due to the armature of tendons, (n, N) [N·m or N]."""
    r, v, without = loop.recorded, loop.places.v, copy(loop.model)
    without.tendon_armature[:] = 0.0
    torque, moved = np.zeros_like(loop.evidence.q), np.empty(without.nv)
    for sign, model in ((1.0, loop.model), (-1.0, without)):
        data = mujoco.MjData(model)
        for k in range(loop.evidence.count):
            data.qpos[:], data.qvel[:] = r.qpos[k], r.qvel[k]
            mujoco.mj_forward(model, data)
            mujoco.mj_mulM(model, data, moved, (r.qvel[k + 1] - r.qvel[k]) / r.lengths[k])
            torque[:, k] += sign * (moved + data.qfrc_bias)[v]
    return torque


def _servos_within_step(loop: MujocoLoop, integrator: str, torque: Array) -> Iterator[Cause]:
    """Yield a note on servos whose torque read differs from the acting one."""
    if loop.is_noticeable(torque):
        at = "stage 4" if integrator == "RK4" else "the start"
        text = f"servos act with the state within a step ({integrator}): qfrc_actuator, that of "
        text += f"{at} of the step, differs by up to {loop.largest_of(torque)} from what acts, "
        text += "M a + c with a = (v' - v)/h: included"
        yield Cause(SERVO_WITHIN, text, "", "", torque, is_error=False)


def _integrator(loop: MujocoLoop, has_damping: bool) -> Iterator[Cause]:
    """Yield the difference of M a + c from the sum of all forces, due to the end of a step."""
    settings = loop.evidence.held.settings
    name = str(settings["integrator"])
    torque = loop.replay.forces["integrator"]
    if loop.is_noticeable(torque):
        shared = within_step(loop, has_other_damping=has_damping)
        text = "MuJoCo lets the end of a step act too, the model's torque is that of its start"
        yield Cause("end of step", text, "", "", shared, is_error=False)
        if loop.has_servos and name != "Euler" and not loop.has_own_torque:
            whole = within_step(loop, has_other_damping=has_damping, has_servos=True)
            yield from _servos_within_step(loop, name, whole - shared)
            shared = whole
        torque = torque - shared
    rows = any(loop.replay.rows[kind] for kind in ("friction", "equality", "limit", "contact"))
    size = float(np.abs(torque).max())
    if not loop.is_noticeable(torque):
        return
    if name == "RK4" and not loop.is_noticeable(torque[:, ~loop.is_constrained]):
        text = "contacts, limits and friction act in each of the four stages of RK4"
        yield Cause("end of step", text, "", "", torque, is_error=False)
        return
    m = loop.model
    dampings = m.dof_damping, m.dof_dampingpoly, m.actuator_damping
    is_implicit = name != "Euler" or (loop.damps_at_the_end and any(x.any() for x in dampings))
    if rows and not is_implicit:
        is_large = size > TOLERATED * loop.largest
        text = (
            f"the constraint solver leaves up to {size / loop.largest:.1g} of the largest torque "
            f"at tolerance {settings['tolerance']:g} and at most {settings['iterations']:g} "
            "iterations; every step is MuJoCo's own"
        )
        remedy = "model.opt.iterations = 100; model.opt.tolerance = 1e-12"
        yield Cause("solver", text, remedy, "", torque, is_error=is_large)
        return
    how = {
        "Euler": "damping acts with the velocity at the end of a step, which adds h D a",
        "RK4": "a step has four stages, and the torque that is read is that of the last",
    }.get(name, "damping and servos act with the state at the end of a step")
    remedy = {
        "Euler": "model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP",
    }.get(name, 'integrator="Euler"')
    yield Cause(
        "integrator",
        f"integrator {name}: {how}: up to {loop.largest_of(torque)}",
        f"{remedy}, or compare M a + c with a = (v' - v)/h",
        name,
        torque,
    )
