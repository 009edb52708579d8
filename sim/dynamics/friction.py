"""Joint friction: viscous and Coulomb of the URDF, and the law that follows the joint's load.

The law of a joint (`sim.robots.friction.JointFriction`) is that of the FRICTION statement of
ADAMS. Its dry friction at the speed v of the surfaces in contact is::

    D = min(mu L + P, D_max)

    mu = mu_s             |v| < v_s              stiction
         STEP to mu_d     v_s <= |v| < 1.5 v_s   transition
         mu_d             1.5 v_s <= |v|         sliding

with the preload P and the load L of the reaction F, M that the joint carries::

    revolute    L = R_p |F_across| + R_n |F_along| + (R_p / R_b) |M_across|     v = R_p qd
    prismatic   L = |F_across| + |M_across| / R_b + |M_along| / R_n             v = qd

R_p is the pin radius, R_n the friction arm, R_b the bending arm; what the drive itself gives, the
moment about a revolute axis and the force along a prismatic one, is no load. Below v_s a driven
joint's friction goes through zero as ``D STEP(v, -v_s, -1, v_s, 1)``.

Which quantity each parameter converts, the three regimes, and the preload as a frictional force or
torque are what MSC documents. Our reading: that the parts add up by their magnitudes, that the
preload is not multiplied by mu, that the overlap of a prismatic joint stays constant, and the
STEP through zero, which is the one of ADAMS contacts; ADAMS lets a joint creep there instead.

References
----------
MSC Adams Solver, statement FRICTION; MSC Adams View, "Friction regime determination".
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.step import step
from sim.errors import ModelError
from sim.robots.friction import JointFriction
from sim.robots.model import Joint, Robot
from sim.spatial import Array

SLIDING = 1.5  # of the stiction velocity: where the transition ends


def friction_torque(robot: Robot, qd: Array, reaction: Array | None = None) -> Array:
    """Torque that the drive of each tree joint spends on friction, d qd + f sign(qd) + D.

    Parameters
    ----------
    qd : ndarray, shape (n_tree, N)
        Velocities of all tree joints, prescribed [rad/s or m/s].
    reaction : ndarray, shape (n_tree, 6, N), optional
        Force and moment by the parent on the child at the joint frame, along its axes [N], [N·m];
        needed where `needs_reaction` says so.

    Returns
    -------
    ndarray, shape (n_tree, N)
        [N·m or N], positive along the motion; zero at rest.

    Raises
    ------
    ModelError
        If a law follows the reaction and there is none; the message names the joint.
    ValueError
        If a shape is not as above.
    """
    coulomb = np.array([joint.friction for joint in robot.tree_joints])
    torque = viscous_torque(robot, qd) + coulomb[:, None] * np.sign(qd)
    for row, joint in enumerate(robot.tree_joints):
        if (law := joint.friction_law) is not None:
            v = _surface_speed(joint, law, qd[row])
            sense = _through_zero(v / law.stiction_velocity)
            torque[row] += sense * _dry(joint, law, v, _reaction_of(robot, row, qd, reaction))
    return np.asarray(torque)


def dry_limit(robot: Robot, qd: Array, reaction: Array | None = None) -> Array:
    """Largest dry friction f + D of each tree joint, shape (n_tree, N) [N·m or N].

    A joint that nothing drives meets this against its motion, and at rest whatever up to this
    holds it; there is no ramp through zero. The same arguments and errors as `friction_torque`.
    """
    limit = np.empty(qd.shape)
    for row, joint in enumerate(robot.tree_joints):
        limit[row] = joint.friction
        if (law := joint.friction_law) is not None:
            v = _surface_speed(joint, law, qd[row])
            limit[row] += _dry(joint, law, v, _reaction_of(robot, row, qd, reaction))
    return limit


def viscous_torque(robot: Robot, qd: Array) -> Array:
    """Viscous friction d qd of each tree joint, shape (n_tree, N) [N·m or N]."""
    viscous = np.array([joint.damping for joint in robot.tree_joints])
    return np.asarray(viscous[:, None] * qd)


def regime(robot: Robot, qd: Array) -> Array:
    """Regime of each tree joint's law: 0 stiction, 1 transition, 2 sliding; shape (n_tree, N).

    A joint without a law is at 0 at rest and at 2 in motion.
    """
    result = np.empty(qd.shape)
    for row, joint in enumerate(robot.tree_joints):
        if (law := joint.friction_law) is None:
            result[row] = np.where(qd[row] == 0.0, 0.0, 2.0)
        else:
            share = np.abs(_surface_speed(joint, law, qd[row])) / law.stiction_velocity
            result[row] = np.where(share < 1.0, 0.0, np.where(share < SLIDING, 1.0, 2.0))
    return result


def needs_reaction(robot: Robot) -> bool:
    """True if the friction of some joint follows its reaction."""
    return any(map(_follows_reaction, robot.tree_joints))


def _follows_reaction(joint: Joint) -> bool:
    law = joint.friction_law
    if law is None or law.mu_static == 0.0:
        return False
    felt = {"reaction_force", "bending_moment"}
    if joint.is_prismatic:
        felt.add("torsional_moment")
    return not felt.isdisjoint(law.inputs)


def _reaction_of(robot: Robot, row: int, qd: Array, reaction: Array | None) -> Array | None:
    """Reaction of one tree joint, shape (6, N); None where its friction does not follow it."""
    joint = robot.tree_joints[row]
    if not _follows_reaction(joint):
        return None
    if reaction is None:
        raise ModelError(
            f"Friction of joint {joint.name!r} of robot {robot.name!r} follows the reaction in the "
            "joint, which is not known here; allowed inputs without it: preload"
        )
    if reaction.shape != (len(qd), 6, qd.shape[1]):
        raise ValueError(
            f"reaction must have shape {(len(qd), 6, qd.shape[1])}; got {reaction.shape}"
        )
    return np.asarray(reaction[row])


def _surface_speed(joint: Joint, law: JointFriction, qd: Array) -> Array:
    return qd if joint.is_prismatic else law.pin_radius * qd


def _through_zero(share: Array) -> Array:
    """STEP(share, -1, -1, 1, 1), written so that it is odd to the last bit."""
    s = np.clip(share, -1.0, 1.0)
    return np.asarray(s * (3.0 - s * s) / 2.0)


def _dry(joint: Joint, law: JointFriction, v: Array, reaction: Array | None) -> Array:
    """D = min(mu L + P, D_max), shape (N,)."""
    v_s = law.stiction_velocity
    dry = np.full(v.shape, law.preload if "preload" in law.inputs else 0.0)
    if reaction is not None:
        mu = step(np.abs(v), v_s, law.mu_static, SLIDING * v_s, law.mu_dynamic)
        dry += mu * _load(joint, law, reaction)
    return np.asarray(np.minimum(dry, law.max_torque))


def _load(joint: Joint, law: JointFriction, reaction: Array) -> Array:
    """L of the reaction (6, N), shape (N,): a torque of a revolute, a force of a prismatic one."""
    F_along, F_across = _parts(reaction[:3], joint.axis)
    M_along, M_across = _parts(reaction[3:], joint.axis)
    if joint.is_prismatic:
        force, bending = F_across, M_across / law.bending_arm
        torsion = M_along / law.friction_arm
    else:
        force = law.pin_radius * F_across + law.friction_arm * F_along
        bending = law.pin_radius / law.bending_arm * M_across
        torsion = np.zeros_like(force)
    parts = {"reaction_force": force, "bending_moment": bending, "torsional_moment": torsion}
    counted = [part for name, part in parts.items() if name in law.inputs]
    return np.asarray(np.sum(counted, axis=0))


def _parts(vector: Array, axis: Array) -> tuple[Array, Array]:
    """Magnitudes of a vector (3, N) along an axis and across it, each (N,)."""
    along = axis @ vector
    return np.abs(along), np.sqrt(np.sum((vector - np.outer(axis, along)) ** 2, axis=0))
