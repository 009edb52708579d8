"""Dynamics of a robot with all that acts in its joints: friction, springs, stops, drive trains.

What a run records: `sim.dynamics.newton_euler` and `sim.dynamics.lagrange` have the bare robot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.friction import friction_torque, needs_reaction
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import has_joint_forces, joint_force
from sim.dynamics.wrench import Acting
from sim.errors import ModelError
from sim.kinematics.state_arrays import of_states
from sim.maths.arrays import Array, columns
from sim.robots.robot import Robot


@of_states("q", "qd", "qdd")
def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Array:
    """Torques of the drives, M qdd + C qd + g - Jᵀ F + friction - springs and stops, (n, N).

    What a run of this motion records as `tau`, and of a joint with a drive train N times its
    `motor_tau`, with the rotor and all losses: with the viscous and dry friction of the joints,
    also of a law that follows their load, which is zero at rest; and less what springs and stops
    give. `sim.dynamics.newton_euler.inverse_dynamics` leaves both out. The joints of a tree: for
    closed loops see `sim.dynamics.loop_forces.inverse_dynamics`.

    Parameters
    ----------
    q, qd, qdd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]); time of the result is where that
        of `q` is, see `of_states`.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Forces and torques of the surroundings on links.

    Returns
    -------
    ndarray, shape (n, N)
        [N·m or N]

    Raises
    ------
    ModelError
        If an external wrench acts on a link that is not in the robot.
    ValueError
        If an array has none of these shapes.
    """
    if not (rubs(robot) or has_joint_forces(robot) or robot.has_drives):
        return newton_euler.inverse_dynamics(robot, q, qd, qdd, gravity, external)
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    carried = newton_euler.wrenches(robot, q, qd, qdd, gravity, external)
    q_tree, qd_tree = robot.on_tree(q, qd)
    reaction = carried.reaction if needs_reaction(robot) else None
    loads = robot.coupling[0].T @ joint_force(robot, q_tree, qd_tree)
    friction = robot.coupling[0].T @ friction_torque(robot, qd_tree, reaction)
    tau = np.asarray(carried.tau + friction - loads)
    if (trains := drive_trains_of(robot)) is not None:
        tau += trains.lost_torque(trains.passes(tau, loads), qd) + trains.inertia[:, None] * qdd
    return tau


@of_states("q", "qd", "tau")
def forward_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: Gravity = GRAVITY
) -> Array:
    """Joint accelerations M⁻¹ (tau - C qd - g - friction + springs and stops), (n, N) [rad/s²].

    Friction is that of the velocity: at rest it is zero, and holds nothing. M has the rotors, and
    `tau` of a joint with a drive train is N times its motor's torque.

    Parameters
    ----------
    q, qd, tau : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [N·m] (prismatic: [m], [m/s], [N]); see `of_states`.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ModelError
        If a joint moves no inertia, or its friction follows its load, which depends on the
        acceleration (a run by method `adaptive` solves for both), or its gear loses a part of the
        torque; by name.
    ValueError
        If an array has none of these shapes.
    """
    q, qd, tau = columns(len(robot.coordinates), q=q, qd=qd, tau=tau)
    if (trains := drive_trains_of(robot)) is not None:
        if trains.is_lossy.any():
            name = robot.row_names[int(np.argmax(trains.is_lossy))]
            raise ModelError(
                f"The gear of joint {name!r} of robot {robot.name!r} loses a part of its torque, "
                "which depends on the acceleration; run it by method 'adaptive', or give its drive "
                "train an efficiency of 1"
            )
        tau = tau - trains.rotor_friction(qd, np.sign(qd))
    if rubs(robot) or has_joint_forces(robot):
        q_tree, qd_tree = robot.on_tree(q, qd)
        S, _ = robot.coupling
        loads = S.T @ joint_force(robot, q_tree, qd_tree)
        tau = tau + loads - S.T @ friction_torque(robot, qd_tree)
        if trains is not None:
            tau -= trains.known_mesh(loads, np.sign(qd))
    return np.asarray(lagrange.forward_dynamics(robot, q, qd, tau, gravity))


def rubs(robot: Robot) -> bool:
    """True if a joint has friction of any kind."""
    return any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)
