"""Joint friction: viscous and Coulomb of the URDF, and the law that depends on the joint's load.

`sim.robots.joint_friction.JointFriction` is the law of a joint, and that of a ball or a sleeve
`sim.robots.friction_surface.FrictionSurface`; this module sums over the joints.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.drive_trains import drive_trains_of
from sim.errors import ModelError
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import friction_surfaces
from sim.robots.joint import Joint
from sim.robots.joint_friction import JointFriction, regime_at
from sim.robots.robot import Robot


def friction_torque(robot: Robot, qd: Array, reaction: Array | None = None) -> Array:
    """Return the friction torque of each tree joint's drive, d qd + f sign(qd) + D.

    Parameters
    ----------
    qd : ndarray, shape (n_tree, N)
        Prescribed velocities of all tree joints [rad/s or m/s].
    reaction : ndarray, shape (n_tree, 6, N), optional
        Force and moment by the parent on the child at the joint frame, along its axes [N], [N·m];
        needed where `needs_reaction` is true.

    Returns
    -------
    ndarray, shape (n_tree, N)
        [N·m or N], positive along the motion; zero at rest.

    Raises
    ------
    ModelError
        If a law depends on the reaction and none is given; names the joint.
    ValueError
        If a shape is different.
    """
    coulomb = np.array([joint.friction for joint in robot.tree_row_joints])
    torque = viscous_torque(robot, qd) + coulomb[:, None] * np.sign(qd)
    for surface in friction_surfaces(robot):
        if surface.follows_reaction:
            _require_reaction(surface.joint.name, robot, qd, reaction)
        torque[list(surface.rows)] += surface.limit(qd, reaction) * surface.per_limit(qd)
    for row, joint in enumerate(robot.tree_row_joints):
        if (law := _own_law(joint)) is not None:
            sense = through_zero(law.slip(qd[row], is_prismatic=joint.is_prismatic))
            torque[row] += sense * _dry_friction(robot, row, law, qd, reaction)
    return np.asarray(torque)


def dry_limit(robot: Robot, qd: Array, reaction: Array | None = None) -> Array:
    """Return the largest dry friction f + D of each tree joint, shape (n_tree, N) [N·m or N].

    On an undriven joint it acts in full against the motion, and at rest up to this limit holds the
    joint; there is no ramp through zero. Friction of balls and sleeves is not included. Arguments
    and errors are those of `friction_torque`.
    """
    limit = np.empty(qd.shape)
    for row, joint in enumerate(robot.tree_row_joints):
        limit[row] = joint.friction
        if (law := _own_law(joint)) is not None:
            limit[row] += _dry_friction(robot, row, law, qd, reaction)
    return limit


def dry_joints(robot: Robot) -> Mask:
    """Return the mask of tree joints with dry friction under some load, shape (n_tree,)."""
    n_tree = len(robot.tree_coordinates)
    loaded = np.broadcast_to(np.eye(6), (n_tree, 6, 6))  # one state for each kind of load
    return np.asarray((dry_limit(robot, np.zeros((n_tree, 6)), loaded) > 0).any(axis=1))


def viscous_torque(robot: Robot, qd: Array) -> Array:
    """Return viscous friction d qd of each tree joint, shape (n_tree, N) [N·m or N]."""
    viscous = np.array([joint.damping for joint in robot.tree_row_joints])
    return np.asarray(viscous[:, None] * qd)


def viscous_matrix(robot: Robot) -> Array:
    """Return viscous friction of the independent joints per unit speed, (n, n) [N·m·s/rad …].

    It includes mimic joints and the motors of drive trains.
    """
    S, _ = robot.coupling
    matrix = S.T @ (np.array([joint.damping for joint in robot.tree_row_joints])[:, None] * S)
    if (trains := drive_trains_of(robot)) is not None:
        matrix += np.diag(trains.viscous)
    return np.asarray(matrix)


def regime(robot: Robot, qd: Array) -> Array:
    """Return the regime of each tree joint: 0 stiction, 1 transition, 2 sliding; (n_tree, N).

    A joint without a law has 0 at rest and 2 in motion.
    """
    result = np.empty(qd.shape)
    for row, joint in enumerate(robot.tree_row_joints):
        if (law := _own_law(joint)) is None:
            result[row] = np.where(qd[row] == 0.0, 0.0, 2.0)
        else:
            result[row] = law.regime(qd[row], robot.tree_coordinates[row])
    for surface in friction_surfaces(robot):
        result[list(surface.rows)] = regime_at(surface.slip(qd))
    return result


def needs_reaction(robot: Robot) -> bool:
    """Whether the friction of some joint depends on its reaction."""
    return any(joint.has_load_friction for joint in robot.tree_row_joints)


def _own_law(joint: Joint) -> JointFriction | None:
    """Return the law of a joint whose friction depends on the speed of its single row."""
    law = joint.friction_law
    return None if law is None or law.turns_with or joint.is_ball else law


def _dry_friction(
    robot: Robot, row: int, law: JointFriction, qd: Array, reaction: Array | None
) -> Array:
    """Return the dry friction of one tree joint by its law, shape (N,)."""
    joint = robot.tree_row_joints[row]
    loaded = None
    if joint.has_load_friction:
        loaded = _require_reaction(robot.tree_row_names[row], robot, qd, reaction)[row]
    return law.dry(qd[row], loaded, joint.axis, is_prismatic=joint.is_prismatic)


def _require_reaction(name: str, robot: Robot, qd: Array, reaction: Array | None) -> Array:
    """Return the reactions of all tree joints, (n_tree, 6, N), or raise naming the joint."""
    if reaction is None:
        raise ModelError(
            f"Friction of joint {name!r} of robot {robot.name!r} depends on the reaction in the "
            "joint, which is not available here; allowed inputs in this case: preload"
        )
    if reaction.shape != (len(qd), 6, qd.shape[1]):
        raise ValueError(
            f"reaction must have shape {(len(qd), 6, qd.shape[1])}; got {reaction.shape}"
        )
    return reaction


def through_zero(slip: Array) -> Array:
    """Return STEP(slip, -1, -1, 1, 1), in a form that is odd to the last bit."""
    s = np.clip(slip, -1.0, 1.0)
    return np.asarray(s * (3.0 - s * s) / 2.0)
