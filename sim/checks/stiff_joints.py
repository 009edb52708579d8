"""Errors of a solver's motion due to stiff springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.recording.recorded_robot import joint_law
from sim.recording.schema.facts import RobotFacts
from sim.robots.drive_train import DriveTrain
from sim.robots.payload import spin_joint
from sim.robots.robot import Robot

# Errors of an error-controlled solver in position [rad or m] and velocity [rad/s or m/s] of a joint
# at rest: its tolerance is 1e-13 per step, and a hundred times that was observed in velocities
# where springs and dampers, not the tolerance, limit the step size.
LEFT_PLACE, LEFT_SPEED = 1e-12, 1e-10


def stiff_noise(
    facts: RobotFacts,
    robot: Robot,
    q: Array,
    qd: Array,
    free: tuple[str, ...],
    on_links: Sequence[ForceElement] = (),
) -> Array:
    """Return |M⁻¹| (k `LEFT_PLACE` + c `LEFT_SPEED`) as acceleration errors, (n,) [rad/s² or m/s²].

    M is that of the free joints at `q`; k and c are those of springs, stops and viscous friction,
    including motors, and of forces on links. The error does not vanish at rest, where the peak of
    the acceleration would be no scale for comparisons. Zero for joints that are not free.

    Parameters
    ----------
    q, qd : ndarray, shape (n,)
        State at the start of the motion [rad or m], [rad/s or m/s].
    free : tuple of str
        Names of the free rows.
    on_links : sequence of ForceElement
        Forces on links.
    """
    torque, rotors = np.zeros((2, len(facts.tree_row_joints)))  # [N·m or N], [kg·m² or kg]
    names = [joint.name for joint in facts.tree_row_joints]
    for row, joint in enumerate(facts.tree_row_joints):
        torque[row] = LEFT_SPEED * joint.damping
        if joint.drive is not None:
            drive = DriveTrain(**joint.drive)  # type: ignore[arg-type]
            motor, ratio = row, drive.ratio
            if drive.is_elastic:
                motor, ratio = names.index(spin_joint(joint.name)), 1.0
            torque[motor] += LEFT_SPEED * ratio**2 * drive.viscous
            rotors[row] = drive.reflected_inertia
        for channel, fields in joint.forces.items():
            law = joint_law(channel, fields)
            stiffness, damping = law.steepest
            # relative to its reference joint, whose last digits count too
            across = 1.0 if law.against is None else 2.0
            unsure = across * (LEFT_PLACE * stiffness + LEFT_SPEED * damping)
            torque[row] += unsure
            if law.against is not None:
                torque[names.index(law.against[0])] += abs(law.against[1]) * unsure
    loose = np.array([name in free for name in robot.row_names])
    noise = np.zeros(loose.size)
    weights = np.square(np.asarray(facts.coupling)).T
    loads = weights @ torque + _of_forces(robot, q, qd, on_links)
    if not (loose.any() and loads.any()):
        return noise
    M = (_mass_matrix(robot, q) + np.diag(weights @ rotors))[np.ix_(loose, loose)]
    noise[loose] = np.abs(np.linalg.inv(M)) @ loads[loose]
    return noise


def _of_forces(robot: Robot, q: Array, qd: Array, on_links: Sequence[ForceElement]) -> Array:
    """Return the share of permanent forces on links, k `LEFT_PLACE` + c `LEFT_SPEED`, (n,)."""
    steady = ElementSum(robot, tuple(force for force in on_links if force.is_steady))
    if not (steady and np.isfinite([q, qd]).all()):
        return np.zeros(q.size)
    slopes = steady.slopes(steady.at(np.zeros(1), q[:, None], qd[:, None], steady.start[:, None]))
    k, c = (np.abs(each[..., 0]).sum(axis=1) for each in (slopes.q, slopes.qd))
    return np.asarray(LEFT_PLACE * k + LEFT_SPEED * c)


def _mass_matrix(robot: Robot, q: Array) -> Array:
    """Return M = Sᵀ Σ (m Jvᵀ Jv + Jwᵀ I Jw) S at one position, shape (n, n) [kg·m², kg·m, kg]."""
    tree, S = tree_of(robot), robot.coupling[0]
    poses = body_poses(tree, robot.q_tree(q[:, None]))
    M = np.zeros((len(S), len(S)))
    for mass in tree.masses:
        com = poses.point(mass.body, mass.com)
        joints, Jv, Jw = (np.asarray(part) for part in point_jacobian(tree, poses, mass.body, com))
        along = Jw[..., 0] @ poses.R[mass.body][..., 0]
        carried = mass.mass * Jv[..., 0] @ Jv[..., 0].T + along @ mass.tensor @ along.T
        M[np.ix_(joints, joints)] += carried
    return np.asarray(S.T @ M @ S)
