"""Inverse dynamics of a robot with all that acts in its joints: what a run records as `tau`."""

from __future__ import annotations

from sim.dynamics import newton_euler
from sim.dynamics.friction import friction_torque, needs_reaction
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import has_joint_forces, joint_force
from sim.dynamics.wrench import Acting
from sim.maths.arrays import Array, columns
from sim.robots.robot import Robot


def inverse_dynamics(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY, external: Acting = ()
) -> Array:
    """Torques of the drives, M qdd + C qd + g - Jᵀ F + friction - springs and stops, (n, N).

    What a run of this motion records as `tau`: with the viscous and dry friction of the joints,
    also of a law that follows their load, which is zero at rest; and less what springs and stops
    give. `sim.dynamics.newton_euler.inverse_dynamics` leaves both out. The joints of a tree: what
    closed loops carry is told by `sim.dynamics.loop_forces.inverse_dynamics`.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
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
        If a shape is not (n, N).
    """
    if not (rubs(robot) or has_joint_forces(robot)):
        return newton_euler.inverse_dynamics(robot, q, qd, qdd, gravity, external)
    q, qd, qdd = columns(len(robot.joint_names), q=q, qd=qd, qdd=qdd)
    carried = newton_euler.wrenches(robot, q, qd, qdd, gravity, external)
    q_tree, qd_tree = robot.on_tree(q, qd)
    reaction = carried.reaction if needs_reaction(robot) else None
    spent = friction_torque(robot, qd_tree, reaction) - joint_force(robot, q_tree, qd_tree)
    return carried.tau + robot.coupling[0].T @ spent


def rubs(robot: Robot) -> bool:
    """True if a joint has friction of any kind."""
    return any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)
