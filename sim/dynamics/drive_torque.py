"""Dynamics of a robot with friction, springs, stops and drive trains of its joints.

These are the torques of a run; `sim.dynamics.newton_euler` and `sim.dynamics.lagrange` treat the
bare robot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import lagrange, loop_forces, newton_euler
from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.friction import friction_torque, needs_reaction
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import has_joint_forces, joint_force
from sim.dynamics.loop_forces import LoopEfforts
from sim.dynamics.wrench import Acting
from sim.errors import ModelError
from sim.kinematics.loop_equations import loop_equations, loop_error, passive_joints
from sim.kinematics.state_arrays import of_states
from sim.maths.arrays import Array, columns
from sim.robots.robot import Robot

OPEN = 1e-6  # m or rad: the largest gap of a loop that counts as closed
OPENING = 1e-4  # of the speed that joints give its links: the largest at which it may open


@of_states("q", "qd", "qdd")
def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Array:
    """Return torques of the drives, M qdd + C qd + g - Jᵀ F + friction - springs and stops, (n, N).

    This is `tau` as a run of this motion records it, for a joint with a drive train N times its
    `motor_tau`, with the rotor and all losses: including viscous and dry friction of the joints
    (zero at rest, also by load-dependent laws), less the torques of springs and stops.
    `sim.dynamics.newton_euler.inverse_dynamics` omits both. Joints that closed loops position have
    none; their positions and velocities must keep the loops closed, which is checked, and so must
    their accelerations, which is not.

    Parameters
    ----------
    q, qd, qdd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]); the result has its time axis where
        `q` has, see `of_states`.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Forces and torques of the environment on links.

    Returns
    -------
    ndarray, shape (n, N)
        [N·m or N]

    Raises
    ------
    ModelError
        If an external wrench acts on a link that is not in the robot, a loop is open or opens, or
        a joint that a loop positions has a drive train.
    ValueError
        If an array has another shape.
    """
    passive, trains = passive_joints(robot), drive_trains_of(robot)
    if trains is not None and (both := trains.has_one & passive).any():
        raise ModelError(
            f"Joint {robot.row_names[int(both.argmax())]!r} of robot {robot.name!r} has a drive "
            "train and is passive: closed loops decide how it moves; leave the drive train out"
        )
    if not (passive.any() or has_friction(robot) or has_joint_forces(robot) or robot.has_drives):
        return newton_euler.inverse_dynamics(robot, q, qd, qdd, gravity, external)
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    q_tree, qd_tree = robot.on_tree(q, qd)
    loads = robot.coupling[0].T @ joint_force(robot, q_tree, qd_tree)
    if passive.any():
        tau = closed_efforts(robot, q, qd, qdd, gravity, external).tau.copy()
    else:
        carried = newton_euler.wrenches(robot, q, qd, qdd, gravity, external)
        reaction = carried.reaction if needs_reaction(robot) else None
        friction = robot.coupling[0].T @ friction_torque(robot, qd_tree, reaction)
        tau = np.asarray(carried.tau + friction - loads)
    if trains is not None:
        tau += trains.lost_torque(trains.passes(tau, loads), qd) + trains.inertia[:, None] * qdd
    return tau


def closed_efforts(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity, external: Acting = ()
) -> LoopEfforts:
    """Return efforts of a robot with closed loops, with friction, springs and stops of its joints.

    Friction that follows its load uses the reactions without friction, as in a run.

    Raises
    ------
    ModelError
        If a loop is open in one of the positions or opens, or the loops do not control a joint.
    """
    q_tree, qd_tree = robot.on_tree(q, qd)
    _require_closed(robot, q_tree, qd_tree)
    spent, state = -joint_force(robot, q_tree, qd_tree), (robot, q, qd, qdd, gravity)
    closed = loop_forces.inverse_dynamics(*state, spent, external)
    if has_friction(robot):
        spent = spent + friction_torque(robot, qd_tree, closed.reaction)
        closed = loop_forces.inverse_dynamics(*state, spent, external)
    return closed


def _require_closed(robot: Robot, q_tree: Array, qd_tree: Array) -> None:
    """Check that loops are closed, and stay so at the velocities of their joints."""
    gap = loop_error(robot, q_tree).max(axis=1, initial=0.0)
    if gap.max() > OPEN:
        raise ModelError(
            f"Loop {robot.loops[int(gap.argmax())].name!r} of robot {robot.name!r} is open by "
            f"{gap.max():.3g} m or rad; give positions that close it, such as those of a run"
        )
    equations = loop_equations(robot, q_tree)
    speed = np.abs(np.einsum("rjN,jN->rN", equations.J, qd_tree))
    excess = speed - OPENING * np.abs(equations.J).max(axis=(0, 1)) * np.abs(qd_tree).max(axis=0)
    row, sample = np.unravel_index(int(excess.argmax()), excess.shape)
    if excess[row, sample] > 0.0:
        raise ModelError(
            f"Loop {robot.loops[equations.loop[row]].name!r} of robot {robot.name!r} opens at "
            f"{speed[row, sample]:.3g} m/s or rad/s; give velocities that keep it closed, such as "
            "those of a run"
        )


@of_states("q", "qd", "tau")
def forward_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: Gravity = GRAVITY
) -> Array:
    """Return joint accelerations M⁻¹ (tau - C qd - g - friction + springs, stops), (n, N) [rad/s²].

    Friction is that of the velocity: at rest it is zero, and there is no stiction. M includes the
    rotors, and `tau` of a joint with a drive train is N times its motor's torque.

    Parameters
    ----------
    q, qd, tau : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [N·m] (prismatic: [m], [m/s], [N]); see `of_states`.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ModelError
        If a joint moves no inertia, its friction depends on its load, and so on the acceleration (a
        run by method `adaptive` solves for both), its gear loses a part of the torque, or a closed
        loop positions it; by name.
    ValueError
        If an array has another shape.
    """
    if (passive := passive_joints(robot)).any():
        raise ModelError(
            f"Joint {robot.row_names[int(passive.argmax())]!r} of robot {robot.name!r} is "
            "positioned by a closed loop, which forward_dynamics does not close; run it by method "
            "'adaptive'"
        )
    q, qd, tau = columns(len(robot.coordinates), q=q, qd=qd, tau=tau)
    if (trains := drive_trains_of(robot)) is not None:
        if trains.is_lossy.any():
            name = robot.row_names[int(np.argmax(trains.is_lossy))]
            raise ModelError(
                f"The gear of joint {name!r} of robot {robot.name!r} has losses that depend on "
                "the acceleration; use method 'adaptive', or set the efficiency of its drive "
                "train to 1"
            )
        tau = tau - trains.rotor_friction(qd, np.sign(qd))
    if has_friction(robot) or has_joint_forces(robot):
        q_tree, qd_tree = robot.on_tree(q, qd)
        S, _ = robot.coupling
        loads = S.T @ joint_force(robot, q_tree, qd_tree)
        tau = tau + loads - S.T @ friction_torque(robot, qd_tree)
        if trains is not None:
            tau -= trains.known_mesh(loads, np.sign(qd))
    return np.asarray(lagrange.forward_dynamics(robot, q, qd, tau, gravity))


def has_friction(robot: Robot) -> bool:
    """Whether a joint has friction of any kind."""
    return any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)
