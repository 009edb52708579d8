"""Rotors of drives in a log: their selection, and their place in a robot.

An identified rotor becomes part of the drive train of its joint. Near the base, motion cannot
distinguish a rotor from the links' inertia, where it is then included: as a disc about the joint's
axis, minus the disc's effect on the joints before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.curves.spectral_fit import SpectralFit
from sim.dynamics.inertial_parameters import parameters_of
from sim.dynamics.regressor import regressor
from sim.identification.base_parameters import base_parameters
from sim.identification.prior import are_possible
from sim.identification.task import Task, fit_friction, fit_task
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.robots.drive_train import DriveTrain
from sim.robots.robot import Robot

STATES = 20  # random states
SAME = 1e-9  # relative to a column's length


@dataclass(frozen=True, eq=False)
class Model:
    """The final fit, with friction that cannot be omitted and the rotors identified with it.

    Parameters
    ----------
    columns : list of int
        Columns of the task in the fit.
    fit : SpectralFit
    why : dict of str to str
        Reasons why other friction is not identified.
    x : ndarray, shape (p,)
        Coefficients of all columns of the task.
    """

    columns: list[int]
    fit: SpectralFit
    why: dict[str, str]
    x: Array


def fit_model(robot: Robot, task: Task) -> Model:
    """Fit friction and inertial parameters, with the rotors that are significant."""
    columns, fit, why = fit_friction(task)
    if rotors := _significant_columns(robot, task, columns):
        columns, fit, why = fit_friction(task, rotors)
    x = np.zeros(task.equations.columns.shape[1])
    x[columns] = fit.x
    return Model(columns, fit, why, x)


def _significant_columns(robot: Robot, task: Task, base: Sequence[int]) -> list[int]:
    """Return columns of rotors that are positive beyond their interval, in a fit of all rotors."""
    columns = [
        task.behind + row
        for row in np.flatnonzero(task.equations.samples.is_moving).tolist()
        if _has_no_rotor(robot, row)
        and (
            task.prior_theta is None
            or _is_identifiable(robot, row)
            or rotor_as_discs(robot, row) is not None
        )
    ]
    if not columns:
        return []
    fit = fit_task(task, [*base, *columns])
    estimates = zip(columns, fit.x[len(base) :], fit.half_width[len(base) :], strict=True)
    return [column for column, value, width in estimates if value > width]


def with_rotors(robot: Robot, before: Robot, rotors: Mapping[str, float]) -> Robot:
    """Return a robot with its former drives and identified rotors in them.

    Parameters
    ----------
    robot : Robot
        Read from its URDF, which has no drives.
    before : Robot
    rotors : mapping of str to float
        Inertias reflected to the joints, by joint [kg·m² or kg].
    """
    drives = {
        joint.name: joint.drive
        for joint in before.independent_joints
        if joint.drive is not None and not joint.drive.has_rotor_body
    }
    for name, inertia in rotors.items():
        drive = drives.get(name, DriveTrain(1.0))
        drives[name] = replace(drive, rotor_inertia=inertia / drive.ratio**2)
    return robot.with_drives(drives)


def share_out(robot: Robot, theta: Array, rotors: Mapping[int, float]) -> Array | None:
    """Return inertial parameters that include rotors, by row; None if links cannot have them."""
    for row, inertia in rotors.items():
        discs = rotor_as_discs(robot, row)
        theta = theta if discs is None else theta + inertia * discs
    return theta if are_possible(theta) else None


def _has_no_rotor(robot: Robot, row: int) -> bool:
    drive = robot.drives.get(row)
    return drive is None or drive.rotor_inertia == 0


def _is_identifiable(robot: Robot, row: int) -> bool:
    return base_parameters(robot).rotors_told[row]


def rotor_as_discs(robot: Robot, row: int) -> Array | None:
    """Return parameters (10 n,) equivalent to a unit rotor at all joints; None if impossible."""
    name = robot.coordinates[row].name
    body = next((k for k, joint in enumerate(robot.tree_joints) if joint.name == name), None)
    if _is_identifiable(robot, row) or body is None:
        return None
    tree = tree_of(robot)
    theta = np.zeros((tree.n, tree.n, 10))
    before = tree.ancestors(body)
    for k in before:
        z = tree.R_ji[k][:, 2]
        # second moments of a disc of unit moment about z: a quarter in each direction across
        P = np.zeros((4, 4))
        P[:3, :3] = (np.eye(3) - np.outer(z, z)) / 2
        theta[k, k] = parameters_of(P)
    discs = theta[list(before)].reshape(len(before), -1)
    states = np.random.default_rng(0).uniform(-3, 3, (3, len(robot.row_names), STATES))
    A = np.einsum("npN,kp->nNk", regressor(robot, *states), discs).reshape(-1, len(before))
    b = np.zeros(states[2].shape)
    b[row] = states[2][row]
    x = np.linalg.lstsq(A, b.reshape(-1), rcond=None)[0]
    residual = np.linalg.norm(A @ x - b.reshape(-1))
    return x @ discs if residual < SAME * np.linalg.norm(b) else None
