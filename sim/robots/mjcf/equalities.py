"""Equality constraints of a compiled model: coupled joints, and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim.robots.joint import Mimic
from sim.robots.loop import Loop
from sim.robots.mjcf.compiled import BALL, FREE, HINGE, SLIDE, Compiled, rotation_wxyz
from sim.robots.mjcf.joint_laws import joint_actuators
from sim.robots.translated_robot import leader_of

CONNECT, WELD, JOINT = range(3)  # types of equalities, numbered as in MuJoCo
OF_SITES = 6  # MuJoCo's object type for equalities between sites


@dataclass
class Equalities:
    """Loops and coupled joints from the equalities of a file.

    Parameters
    ----------
    mimics : dict of str to Mimic
        By name of the following joint.
    loops : list of Loop
    left_out : list of (str, str)
        Equalities that are not in the robot, with the reason.
    """

    mimics: dict[str, Mimic] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)


def equalities_of(compiled: Compiled) -> Equalities:
    """Return the equalities of a compiled model."""
    model, equalities = compiled.model, Equalities()
    for e in range(int(model.neq)):
        name, kind = f"equality {compiled.name('equality', e)!r}", int(model.eq_type[e])
        if not model.eq_active0[e]:
            equalities.left_out.append((name, "it is not active at the start"))
        elif kind == JOINT:
            _follow(compiled, e, name, equalities)
        elif kind in (CONNECT, WELD):
            _close(compiled, e, name, equalities)
        else:
            equalities.left_out.append((name, "it is neither of joints nor of two bodies"))
    return equalities


def _follow(compiled: Compiled, e: int, name: str, equalities: Equalities) -> None:
    """Couple a joint to another: y - y0 = p0 + p1 (x - x0), about the positions of the file."""
    model = compiled.model
    follower, leader = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    powers = [float(x) for x in model.eq_data[e, :5]]
    joints = [j for j in (follower, leader) if j >= 0]
    if leader < 0:
        position = float(model.qpos0[model.jnt_qposadr[follower]]) + powers[0]
        where = f"it holds joint {compiled.joints[follower]!r} at {position:g}"
        equalities.left_out.append((name, f"{where}; a scenario does so by a drive"))
        return
    if any(powers[2:]) or not powers[1]:
        equalities.left_out.append((name, "here a joint can follow another linearly only"))
        return
    if any(int(model.jnt_type[j]) not in (HINGE, SLIDE) for j in joints):
        equalities.left_out.append((name, "a joint with several rotations follows none"))
        return
    y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in joints)
    follows, leads = compiled.joints[follower], compiled.joints[leader]
    if follows in equalities.mimics or leader_of(leads, equalities.mimics)[0] == follows:
        equalities.left_out.append(
            (name, f"joint {follows!r} follows another already, or leads it")
        )
        return
    offset = y0 + powers[0] - powers[1] * x0
    equalities.mimics[follows] = Mimic(leads, multiplier=powers[1], offset=offset)


def _close(compiled: Compiled, e: int, name: str, equalities: Equalities) -> None:
    """Close a loop by a point, or a frame, common to two bodies."""
    model, is_weld = compiled.model, int(compiled.model.eq_type[e]) == WELD
    data, frames = model.eq_data[e], []
    for side, number in enumerate((int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))):
        if int(model.eq_objtype[e]) == OF_SITES:
            body, R = int(model.site_bodyid[number]), rotation_wxyz(model.site_quat[number])
            point = model.site_pos[number]
        else:
            # a weld lists the point of the second body first, and that of the first in its pose
            begin = 3 * (1 - side if is_weld else side)
            body, R, point = number, np.eye(3), data[begin : begin + 3]
            if is_weld and side == 0:
                R = rotation_wxyz(data[6:10])
        frames.append((body, point - compiled.offset(body), R))
    (a, point_a, R_a), (b, point_b, R_b) = frames
    if model.body_mocapid[a] >= 0 or model.body_mocapid[b] >= 0:
        equalities.left_out.append((name, "it follows a mocap body, which a program moves"))
        return
    equalities.loops.append(
        Loop(
            compiled.name("equality", e),
            compiled.bodies[a],
            np.array(point_a),
            compiled.bodies[b],
            np.array(point_b),
            passive=_undriven_joints(compiled, a, b, equalities.mimics),
            kind="fixed" if is_weld else "point",
            axis_a=R_a[:, 2] if is_weld else None,
            axis_b=R_b[:, 2] if is_weld else None,
            across_a=R_a[:, 0] if is_weld else None,
            across_b=R_b[:, 0] if is_weld else None,
        )
    )


def _undriven_joints(
    compiled: Compiled, a: int, b: int, mimics: dict[str, Mimic]
) -> tuple[str, ...]:
    """Names of undriven, uncoupled joints between two bodies; empty if no joint is driven."""
    joints = _above(compiled, a) ^ _above(compiled, b)
    driven = {motor.joint for motor in joint_actuators(compiled)}
    names = [compiled.joints[j] for j in sorted(joints)]
    if not driven & set(names):
        return ()
    kinds = {compiled.joints[j]: int(compiled.model.jnt_type[j]) for j in joints}
    free = [one for one in names if one not in driven and one not in mimics]
    return tuple(one for one in free if kinds[one] not in (FREE, BALL))


def _above(compiled: Compiled, body: int) -> set[int]:
    """Numbers of the joints between the world and a body."""
    joints = set[int]()
    while body:
        joints |= set(compiled.joints_of(body))
        body = int(compiled.model.body_parentid[body])
    return joints
