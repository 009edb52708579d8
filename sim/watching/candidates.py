"""Candidates: causes that are linear in a few parameters, as columns of joint torques."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.regressor import regressor
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.robot import Robot
from sim.watching.candidate import SCALE, Candidate, LoopStates, Wording
from sim.watching.cause import Law, number, unit_of
from sim.watching.evidence import Evidence
from sim.watching.own_torques import OWN_TORQUES
from sim.watching.passed_torques import passed_torques, torques_of_other_steps

NO_TORQUE = 1e-9  # of the largest expected torque
NONE = 1e-6  # of a torque: a factor that is zero


def candidates(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    """All causes that a regression looks for."""
    yield from torques_of_other_steps(at)
    if e.torque_from == OWN_TORQUES:
        yield from passed_torques(e, at)
    has_torque = np.abs(at.tau).max() > NO_TORQUE * np.abs(at.expected).max()
    scaled = at.expected if has_torque else np.zeros_like(at.expected)  # none is no scale of any
    yield Candidate(SCALE, "all joints", scaled[None], _scale, _is_scale)
    moved = np.abs(at.tau).max(axis=1) > NO_TORQUE * np.abs(at.expected).max()  # no free base
    each = _rows_apart(moved[:, None] * scaled)
    yield Candidate(SCALE, "", each, _scales(e), _is_scale)
    yield Candidate("link damping", "", _link_damping_torques(e.held.robot, at), _link_damping)
    yield from _in_joints(e, at)
    yield Candidate("gravity", "", _gravity(e, at), _gravity_wording(e))
    yield from _bodies(e, at)
    yield from _forces(e, at)


def _in_joints(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    """Laws of single joints, with one number per joint."""
    one = np.where(e.free_rows[:, None], 0.0, np.ones_like(at.q))  # there is no joint
    laws: tuple[tuple[str, Array, Law, str], ...] = (
        ("joint damping", at.qd, "damping", _damping_remedy(e)),
        ("armature", at.qdd, "inertia", "set the armature of the engine's joints to zero"),
        ("constant torque", one, "torque", "look for a torque that was not switched off"),
        ("dry friction", np.sign(at.qd_next), "torque", "remove it, or give the model friction"),
        ("quadratic damping", at.qd * np.abs(at.qd), "quadratic damping", "take it out"),
    )
    for kind, rows, law, remedy in laws:
        is_more = kind == "joint damping" and e.held.damping.any()
        wording = _more_damping(e) if is_more else _each(e, kind, law, remedy)
        yield Candidate(kind, "", _rows_apart(one * rows), wording)
    columns = np.concatenate([_rows_apart(one * at.q), _rows_apart(one)])
    yield Candidate("spring", "", columns, _spring(e))


def _rows_apart(rows: Array) -> Array:
    """Return each row in a separate column, (n, n, K)."""
    return np.asarray(np.eye(len(rows))[:, :, None] * rows)


def _link_damping_torques(robot: Robot, at: LoopStates) -> Array:
    """Torques of linear and angular damping of all links, for one unit of each, (2, n, K).

    Bullet damps each link by ``c m v (1 + |v|)`` at its mass centre and by ``c I w (1 + |w|)``,
    see ``btMultiBody::computeAccelerationsArticulatedBodyAlgorithmMultiDof``.
    """
    moving = Kinematics(robot, at.q, at.qd)
    none = np.zeros((3, 1))
    linear, angular = [], []
    for link in robot.links[1:]:
        if (inertia := link.inertia) is None:
            continue
        frame = moving.frame(link.name)
        R, w = frame.R, frame.w
        v = frame.v + np.cross(w, np.einsum("ijk,j->ik", R, inertia.com), axis=0)
        spin = np.einsum("ijk,jl,mlk,mk->ik", R, inertia.tensor, R, w)
        force = inertia.mass * v * (1 + np.linalg.norm(v, axis=0))
        moment = spin * (1 + np.linalg.norm(w, axis=0))
        linear.append(AppliedWrench(link.name, inertia.com, force, none))
        angular.append(AppliedWrench(link.name, inertia.com, none, moment))
    return np.stack([joint_torque(robot, at.q, one) for one in (linear, angular)])


def _gravity(e: Evidence, at: LoopStates) -> Array:
    """Torques of 1 m/s² along each axis of the world, (3, n, K)."""
    zero = np.zeros_like(at.q)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    return np.stack(
        [newton_euler.inverse_dynamics(e.held.robot, at.q, zero, zero, g) for g in axes]
    )


def _bodies(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    Y = np.asarray(regressor(e.held.robot, at.q, at.qd, at.qdd, e.held.gravity))
    for k, joint in enumerate(e.robot.tree_joints):
        if joint.child in e.robot.lone_frames:
            continue
        columns = np.moveaxis(Y[:, 10 * k : 10 * k + 10], 1, 0)
        yield Candidate("inertia", joint.child, columns, _inertia(joint.child, columns))


def _forces(e: Evidence, at: LoopStates) -> Iterator[Candidate]:
    """A constant force and moment at the mass centre of each moving link.

    In PyBullet, which states no external force, also along the axes of the link, and a drag.
    PyBullet has these axes from the step before.
    """
    moving = Kinematics(e.held.robot, at.q, at.qd)
    before = Kinematics(e.held.robot, at.q_before, at.qd)
    for joint in e.robot.tree_joints:
        if (link := joint.child) in e.robot.lone_frames:
            continue
        inertia = e.held.robot.link(link).inertia
        point = np.zeros(3) if inertia is None else inertia.com
        units = np.eye(6)[:, :, None]
        wrenches = [AppliedWrench(link, point, unit[:3], unit[3:]) for unit in units]
        columns = np.stack([-joint_torque(e.held.robot, at.q, [one]) for one in wrenches])
        yield Candidate("force", link, columns, _force(link, "world axes"))
        if e.engine != "bullet":
            continue
        frame, parts = moving.frame(link), columns.reshape(2, 3, *at.q.shape)
        turned = np.einsum("baK,pbnK->panK", before.frame(link).R, parts).reshape(columns.shape)
        yield Candidate("force in link axes", link, turned, _force(link, "its own axes"))
        v = frame.v + cross(frame.w, np.einsum("abK,b->aK", frame.R, point))
        laws = [
            -np.einsum("bK,bnK->nK", of, part) for of, part in ((v, parts[0]), (frame.w, parts[1]))
        ]
        yield Candidate("drag", link, np.stack(laws), _drag(link))


def _is_scale(x: Array) -> bool:
    """Whether each torque has a remainder."""
    return bool((np.abs(1 + x) > NONE).all())


def _scale(x: Array, within: Array) -> tuple[str, str]:
    factor = number(1 + float(x[0]), float(within[0]))
    return f"torques are {factor} times those of the model", "look for a gear ratio, or substeps"


def _scales(e: Evidence) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        parts = [
            f"{number(1 + float(v), float(w))} at {row.name}"
            for row, v, w in zip(e.robot.tree_coordinates, x, within, strict=True)
            if v
        ]
        text = f"torques are those of the model, times {', '.join(parts)}"
        return text, "look for a gear ratio or unit of these joints"

    return say


def _link_damping(x: Array, within: Array) -> tuple[str, str]:
    linear, angular = (number(float(v), float(w)) for v, w in zip(x, within, strict=True))
    return (
        f"damping of the links: linear {linear}, angular {angular} 1/s (PyBullet's default: 0.04)",
        "p.changeDynamics(body, link, linearDamping=0, angularDamping=0) for every link, -1 too",
    )


def _each(e: Evidence, kind: str, law: Law, remedy: str) -> Wording:
    """One number a joint; those that are zero are not named."""

    def say(x: Array, within: Array) -> tuple[str, str]:
        parts = [
            f"{number(float(v), float(w))} {unit_of(row, law)} at {row.name}"
            for row, v, w in zip(e.robot.tree_coordinates, x, within, strict=True)
            if v
        ]
        return f"{kind} that the model has not: {', '.join(parts)}", remedy

    return say


def _more_damping(e: Evidence) -> Wording:
    """Damping in the engine where the file has some, too."""

    def say(x: Array, within: Array) -> tuple[str, str]:
        rows = np.flatnonzero(x)
        parts = [
            f"{number(float(e.held.damping[k] + x[k]), float(within[k]))} at "
            f"{e.robot.row_names[k]}, {e.held.damping[k]:g} in the file"
            for k in rows
        ]
        unit = unit_of(e.robot.tree_coordinates[rows[0]], "damping")
        text = f"joint damping of the engine [{unit}]: {'; '.join(parts)}"
        return text, _damping_remedy(e).replace("=0", f"={e.held.damping[rows[0]]:g}")

    return say


def _damping_remedy(e: Evidence) -> str:
    if e.engine == "bullet":
        return "p.changeDynamics(body, joint, jointDamping=0), or <dynamics damping> in the file"
    return "model.dof_damping[:] = 0, or <dynamics damping> in the file"


def _spring(e: Evidence) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        stiffness, offset = np.split(x, 2)
        parts = [
            f"{number(float(k), float(w))} {unit_of(row, 'spring')} at {row.name}, zero at "
            f"{-c / k:.4g} {row.units.position}"
            for row, k, c, w in zip(
                e.robot.tree_coordinates, stiffness, offset, within, strict=False
            )
            if k
        ]
        return f"springs that the model has not: {', '.join(parts)}", "remove them from the engine"

    return say


def _gravity_wording(e: Evidence) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        implied = np.array(e.held.gravity) + x
        text = ", ".join(number(float(v), float(w)) for v, w in zip(implied, within, strict=True))
        return f"the motion implies gravity ({text}) m/s²", "p.setGravity(…)"

    return say


def _inertia(link: str, columns: Array) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        _, sizes, axes = np.linalg.svd(columns.reshape(len(columns), -1).T, full_matrices=False)
        kept = axes[sizes > 1e-9 * (sizes[0] if sizes.size else 1.0)]
        if np.abs(np.sum(kept[:, 0] ** 2) - 1) >= 1e-6:  # the mass is not in the row space
            return f"inertia of {link} or of what it carries is not that of the model", ""
        mass = number(float(x[0]), float(within[0]))
        text = f"{link} carries {mass} kg more than the model"
        if abs(x[0]) > 1e-9:
            com = " ".join(f"{c / x[0]:.4g}" for c in x[1:4])
            text += f", at {com} m in its frame"
        return text, f"robot.with_payload(mass={x[0]:.6g}, …), or take the body out of the engine"

    return say


def _force(link: str, axes: str) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        force, moment = (" ".join(f"{v:.4g}" for v in part) for part in (x[:3], x[3:]))
        return (
            f"a constant force ({force}) N and moment ({moment}) N·m on {link}, {axes}",
            "look for an external force that was not switched off",
        )

    return say


def _drag(link: str) -> Wording:
    def say(x: Array, within: Array) -> tuple[str, str]:
        linear, angular = (number(float(v), float(w)) for v, w in zip(x, within, strict=True))
        text = f"a drag of {link}: {linear} N·s/m of its mass centre, {angular} N·m·s/rad"
        return text, "look for a force that is applied in each step, or give the model a drag"

    return say
