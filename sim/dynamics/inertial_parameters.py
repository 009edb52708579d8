"""The ten inertial parameters of a rigid body: m, m c and the inertia tensor about the origin.

In a frame of the body they are m, m cx, m cy, m cz [kg·m] and Ixx, Ixy, Iyy, Ixz, Iyz, Izz, the
tensor about the frame's ORIGIN [kg·m²]; the order is that of Pinocchio. Forces are linear in them.
They are equivalent to the pseudo-inertia P = [[S, m c], [m cᵀ, m]] with the second moments S = ∫ r
rᵀ dm = tr(I)/2 1 - I. A change of frame is P' = T P Tᵀ; a body is physical if P is positive
semidefinite.

References
----------
Wensing, Kim, Slotine: Linear Matrix Inequalities for Physically Consistent Inertial Parameter
Identification, IEEE RA-L 3(1), 2018, equations 3 to 9.
"""

from __future__ import annotations

import numpy as np

from sim.kinematics.tree import Tree, tree_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.robots.robot import Robot

NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
UNITS = ("kg", *["kg·m"] * 3, *["kg·m²"] * 6)
MOMENTS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # indices in the tensor


def second_moments(tensor: Array) -> Array:
    """Return S = tr(I)/2 1 - I of tensors (…, 3, 3) about the same point, along the same axes."""
    trace = np.trace(tensor, axis1=-2, axis2=-1)[..., None, None]
    return np.asarray(0.5 * trace * np.eye(3) - tensor)


def pseudo_inertia(parameters: Array) -> Array:
    """Return P (…, 4, 4) of parameters (…, 10)."""
    parameters = np.asarray(parameters, dtype=np.float64)
    tensor = np.zeros((*parameters.shape[:-1], 3, 3))
    for k, (row, column) in enumerate(MOMENTS):
        tensor[..., row, column] = tensor[..., column, row] = parameters[..., 4 + k]
    P = np.zeros((*parameters.shape[:-1], 4, 4))
    P[..., :3, :3] = second_moments(tensor)
    P[..., :3, 3] = P[..., 3, :3] = parameters[..., 1:4]
    P[..., 3, 3] = parameters[..., 0]
    return P


def parameters_of(P: Array) -> Array:
    """Return parameters (…, 10) of P (…, 4, 4), the inverse of `pseudo_inertia`."""
    S = P[..., :3, :3]
    tensor = np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S
    moments = [tensor[..., row, column] for row, column in MOMENTS]
    return np.stack([P[..., 3, 3], *np.moveaxis(P[..., :3, 3], -1, 0), *moments], axis=-1)


def change_of_frame(T: Array) -> Array:
    """Return the matrix (10, 10) from parameters in a frame to those in one where its pose is T."""
    return np.asarray(parameters_of(T @ pseudo_inertia(np.eye(10)) @ T.T).T)


def tree_parameters(tree: Tree) -> Array:
    """Return the parameters of all moving bodies in the frames of the tree, (n_tree, 10)."""
    P = np.zeros((tree.n, 4, 4))
    for mass in tree.masses:
        h = mass.mass * mass.com
        P[mass.body, :3, :3] += second_moments(mass.tensor) + np.outer(h, mass.com)
        P[mass.body, :3, 3] += h
        P[mass.body, 3, :3] += h
        P[mass.body, 3, 3] += mass.mass
    return np.asarray(parameters_of(P))


@checked
def inertial_parameters(robot: Robot) -> Array:
    """Return inertial parameters theta of ``tau = regressor(robot, q, qd, qdd) theta``.

    Returns
    -------
    ndarray, shape (10 bodies,)
        For each moving body m [kg], m c [kg·m] and the tensor about the origin [kg·m²], in the
        order Ixx, Ixy, Iyy, Ixz, Iyz, Izz, along the axes of the child link of its joint. A body
        is that link with all links fixed to it; bodies are in the order of ``robot.tree_joints``.
    """
    tree = tree_of(robot)
    every = tree_parameters(tree)
    return np.ravel([change_of_frame(pose(tree.R_ji[k])) @ every[k] for k in bodies_of(tree)])


def bodies_of(tree: Tree) -> list[int]:
    """Return the bodies of a tree that are links, one per joint; of a ball's three the last."""
    return list(dict.fromkeys(tree.after.tolist()))
