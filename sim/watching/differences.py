"""Differences between the engine's robot and the user's model, with the resulting torques."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.drive_torque import inverse_dynamics
from sim.maths.arrays import Array
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.robot import Robot
from sim.watching.bare_robot import bare_robot, with_links
from sim.watching.cause import SHARED_FRICTION, Cause, unit_of
from sim.watching.evidence import LIGHTEST, Evidence

DRY_FRICTION = "dry friction"
TURNED = 1e-12  # of gravity: rounding of a base's pose
SAME = 1e-9  # relative: parsing and printing of a mass or a length
LIGHT = 1e-6  # [kg] of a frame that an engine cannot have without mass
STORED = 1e-6  # of the tensor: loss in PyBullet's search for the principal axes


def engine_torque(evidence: Evidence) -> Array:
    """Return the motor torques by the engine's own robot, damping and gravity, (n, N)."""
    held, e = evidence.held, evidence
    tau = newton_euler.inverse_dynamics(held.robot, e.q, e.qd, e.qdd, held.gravity)
    return np.asarray(tau + held.damping[:, None] * e.qd)


def differences(evidence: Evidence, model: Array) -> Iterator[Cause]:
    """Yield causes that sum to `engine_torque` minus the model's torque `model` (n, N)."""
    e, held = evidence, evidence.held
    states = e.q, e.qd, e.qdd
    bare = bare_robot(e.robot)
    frictionless = e.robot.with_joints(
        replace(joint, friction=0.0)
        for joint, is_shared in zip(e.robot.tree_row_joints, e.shares_friction, strict=True)
        if is_shared
    )
    rubbing = model - inverse_dynamics(frictionless, *states, e.gravity)
    rigid = newton_euler.inverse_dynamics(bare, *states, e.gravity)
    damping = np.array([joint.damping for joint in e.robot.tree_row_joints])
    yield from _not_simulated(e, model - rigid - damping[:, None] * e.qd, rubbing)
    yield from _damping(e, damping)
    placed = _move_base(bare, held.robot)
    upright = newton_euler.inverse_dynamics(placed, *states, e.gravity)
    yield from _base(e, upright - rigid)
    torque_at_pose = newton_euler.inverse_dynamics(placed, *states, held.gravity)
    yield from _gravity(e, torque_at_pose - upright)
    whole = with_links(bare, [link.name for link in held.robot.links])
    yield from _links(e, _move_base(whole, held.robot), torque_at_pose)


def _move_base(robot: Robot, held: Robot) -> Robot:
    return replace(robot, T_0b=held.T_0b)


def _not_simulated(e: Evidence, missing: Array, shared: Array) -> Iterator[Cause]:
    """Yield rotors, dry friction and springs of the model that the engine lacks.

    Of the torques `missing` (n, N) some are of dry friction that both have, `shared` (n, N).
    """
    if shared.any():
        yield Cause(SHARED_FRICTION, "", "", "", -shared, is_error=False)
    missing = missing - shared
    for row, joint in enumerate(e.robot.tree_row_joints):
        rotor = e.robot.rotor_inertia[row] * e.qdd[row]
        for what, remedy, values in (
            ("a rotor", "sim.watch(…, robot=robot.without_drives())", rotor),
            (*_losses_of(joint), missing[row] - rotor),
        ):
            if np.any(values):
                torque = np.zeros_like(missing)
                torque[row] = -values
                text = f"the model has {what} in {joint.name}, up to {np.abs(values).max():.4g} "
                text += f"{joint.coordinates[0].units.effort}, which the engine does not simulate"
                mend = f"{remedy}, or apply it as a torque in the loop"
                yield Cause("model friction", text, mend, joint.name, torque)


def _losses_of(joint: Joint) -> tuple[str, str]:
    """Return forces in a joint besides inertia and damping, and how to omit them."""
    if joint.drive is not None and (joint.forces or not joint.friction):
        return "a drive train", "sim.watch(…, robot=robot.without_drives())"
    if joint.forces:
        return "a spring or stop", "pass a robot that has none"
    return DRY_FRICTION, "take <dynamics friction> out of the file"


def _damping(e: Evidence, typed: Array) -> Iterator[Cause]:
    for row, joint in enumerate(e.robot.tree_row_joints):
        value = float(e.held.damping[row])
        if value == typed[row]:
            continue
        torque = np.zeros_like(e.qd)
        torque[row] = (value - typed[row]) * e.qd[row]
        yield Cause(
            "joint damping",
            f"joint damping of {joint.name} is {value:g} in the engine, {typed[row]:g} "
            f"{unit_of(e.robot.tree_coordinates[row], 'damping')} in the file",
            f"p.changeDynamics(body, {e.held.numbers[joint.child]}, jointDamping={typed[row]:g})"
            if e.engine == "bullet"
            else f"model.joint({joint.name!r}).damping = {typed[row]:g}",
            joint.name,
            torque,
        )


def _base(e: Evidence, torque: Array) -> Iterator[Cause]:
    """Yield a base that is rotated with respect to gravity."""
    there, here = (robot.T_0b[:3, :3].T @ np.array(e.gravity) for robot in (e.held.robot, e.robot))
    size = float(np.linalg.norm(here))
    if np.abs(there - here).max() <= TURNED * size:
        return
    angle = np.degrees(np.arccos(np.clip(here @ there / size**2, -1, 1)))
    yield Cause(
        "tilted base",
        f"the base is tilted by {angle:.6g}° in the engine, and not in the model",
        "load the body upright, or pass sim.watch(…, robot=robot.mounted(rpy=…))",
        e.robot.links[0].name,
        torque,
    )


def _gravity(e: Evidence, torque: Array) -> Iterator[Cause]:
    held, wanted = e.held.gravity, ", ".join(f"{x:g}" for x in e.gravity)
    if np.allclose(held, e.gravity, rtol=0, atol=1e-12):
        return
    value = ", ".join(f"{x:.6g}" for x in held)
    text = f"gravity is ({value}) m/s² in the engine, ({wanted}) in the model"
    if not np.any(held):
        text = f"no gravity in the engine; the model has ({wanted}) m/s²"
    mend = "model.opt.gravity[:] = " + f"[{wanted}]"
    if e.engine == "bullet":
        mend = f"p.setGravity({wanted})"
    yield Cause("gravity", text, f"{mend}, or sim.watch(…, gravity=…)", "gravity", torque)


def _links(e: Evidence, robot: Robot, before: Array) -> Iterator[Cause]:
    """Yield each link whose mass, mass centre or tensor differs."""
    held = {link.name: link for link in e.held.robot.links}
    links = list(robot.links)
    for number, link in enumerate(robot.links[1:], 1):
        there = held.get(link.name, Link(link.name))
        if _is_same(link.inertia, there.inertia):
            continue
        links[number] = there
        changed = replace(robot, links=tuple(links))
        after = newton_euler.inverse_dynamics(changed, e.q, e.qd, e.qdd, e.held.gravity)
        torque, before = after - before, after
        yield _link_cause(e, number, link, there, torque)


def _is_same(here: Inertia | None, there: Inertia | None) -> bool:
    if here is None or there is None:
        return here is there
    return bool(
        here.mass == there.mass
        and np.array_equal(here.com, there.com)
        and np.array_equal(here.tensor, there.tensor)
    )


def _link_cause(e: Evidence, number: int, link: Link, there: Link, torque: Array) -> Cause:
    here, held, name = link.inertia, there.inertia, link.name
    if here is None or held is None:
        return _with_or_without_mass(e, number, link, there, torque)
    scale = float(np.abs(here.tensor).max()) or 1.0
    parts = []
    if abs(held.mass - here.mass) > SAME * here.mass:
        parts.append(f"mass {held.mass:.6g} kg, {here.mass:.6g} in the file")
    if np.abs(held.com - here.com).max() > SAME:
        parts.append(f"mass centre {_vector(held.com)} m, {_vector(here.com)} in the file")
    if np.abs(held.tensor - here.tensor).max() > STORED * scale:
        there_and_here = _vector(np.diag(held.tensor)), _vector(np.diag(here.tensor))
        parts.append("inertia {} kg·m², {} in the file".format(*there_and_here))
    if not parts:
        return Cause("stored tensor", f"{name}: rounding of the engine", "", name, torque, False)
    if e.engine == "bullet" and not held.tensor.any():
        text = (
            f"PyBullet set the inertia of link {name} to zero: no body has the tensor of the file"
        )
        return Cause("link tensor", text, _set_inertia(e, number, here, name), name, torque)
    tensor_only = len(parts) == 1 and parts[0].startswith("inertia")
    mend = (
        "loadURDF(…, flags=p.URDF_USE_INERTIA_FROM_FILE)"
        if tensor_only and e.engine == "bullet"
        else _set_inertia(e, number, here, name)
    )
    merged = [j.child for j in e.robot.joints if j.parent == name and j.child not in e.held.numbers]
    if merged and e.engine == "bullet":
        mend = f"load without URDF_MERGE_FIXED_LINKS, which merges {merged[0]} into it"
    kind = "link tensor" if tensor_only else "link mass"
    return Cause(kind, f"link {name} in the engine: {'; '.join(parts)}", mend, name, torque)


def _with_or_without_mass(
    e: Evidence, number: int, link: Link, there: Link, torque: Array
) -> Cause:
    name = link.name
    if there.inertia is not None:
        held = there.inertia
        moments = _vector(np.diag(held.tensor))
        text = f"link {name} has {held.mass:g} kg and inertia {moments} kg·m² in the engine, no "
        text += "<inertial> in the file"
        if held.mass == LIGHTEST:
            text = f"link {name} has no mass, and inertia {moments} kg·m² in the engine; the model "
            text += "takes it for a frame"
        mend = _set_inertia(e, number, Inertia(1e-12, np.zeros(3), np.zeros((3, 3))), name)
        if held.mass > LIGHT and held.mass != 1.0:
            mend = f"robot.with_payload({held.mass:g}, frame={name!r}), or {mend}"
        if held.mass <= LIGHT and held.tensor.max() <= LIGHT:
            return Cause("light frame", text, mend, name, torque, False)
        if held.mass == 1.0 and e.engine == "bullet":
            text = f"link {name} has no <inertial>: PyBullet made it 1 kg, inertia {moments} kg·m²"
        return Cause("massless link", text, mend, name, torque)
    return Cause(
        "merged link",
        f"link {name} is no link of its own in the engine (merged, or without mass)",
        "load without URDF_MERGE_FIXED_LINKS" if e.engine == "bullet" else "fusestatic = False",
        name,
        torque,
    )


def _set_inertia(e: Evidence, number: int, here: Inertia, name: str) -> str:
    moments = ", ".join(f"{x:.6g}" for x in np.diag(here.tensor))
    if e.engine == "bullet":
        link = e.held.numbers.get(name, number - 1)
        return (
            f"p.changeDynamics(body, {link}, mass={here.mass:g}) and then "
            f"localInertiaDiagonal=[{moments}]"
        )
    return f"model.body({name!r}): mass = {here.mass:g}, inertia = [{moments}]"


def _vector(values: Array) -> str:
    return " ".join(f"{x:.4g}" for x in values)


def model_torque(evidence: Evidence) -> Array:
    """Return the motor torques by the user's model, (n, N)."""
    e = evidence
    return np.asarray(inverse_dynamics(e.robot, e.q, e.qd, e.qdd, e.gravity))
